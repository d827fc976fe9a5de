/** The sampling loop of one response: the engine draws a token, the run says what is written in its place. */
import { ContextOverflowError } from '../../../format/errors.ts';
import { startAndFinishInTurns } from '../../../language/expression/steps.ts';
import type { ResponseEvent, ResponseMessage } from '../../../parser/events.ts';
import type { PromptProgress } from '../../chat/chat-options.ts';
import type { DrawnToken, Engine, EngineSampling } from '../engine.ts';
import { biasMask } from '../masks/mask.ts';
import { confirmGuesses } from './confirm-guesses.ts';
import { OpenSequence } from './open-sequence.ts';
import type { ResponseRun } from './response-run.ts';
import { type DecodedPrompt, ShiftingWindow } from './shifting-window.ts';

/** How one response is decoded. */
interface DecodingOptions extends EngineSampling {
  /** Whether guesses are evaluated in the same batch. Default: false. */
  readonly speculate?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called with the tokens of the prompt that are evaluated; first none, at last all. */
  readonly onPromptProgress?: ((progress: PromptProgress) => void) | undefined;
}

/**
 * Evaluates the prompt and yields the response's events; returns the message. However this ends (an error, an abort,
 * the consumer leaving), the sequence is closed. Throws `ContextOverflowError`, `DecodingError`, or the signal's
 * reason.
 */
export async function* decode(
  engine: Engine,
  given: DecodedPrompt,
  run: ResponseRun,
  options: DecodingOptions,
): AsyncGenerator<ResponseEvent, ResponseMessage> {
  const { tokens, turnStart, dropped = 0 } = given;
  const { signal } = options;
  signal?.throwIfAborted();
  const opening = await startAndFinishInTurns(run.start(), signal);
  const all = [...tokens, ...opening.tokens];
  requireRoom(all.length, engine.contextSize);
  // Also where nothing is left to sample, so that the prompt is not evaluated.
  run.follow({ promptTokens: tokens.length, cachedTokens: 0, droppedMessages: dropped });
  if (opening.over) yield* opening.events;
  else {
    const report = progressOf(all.length, options);
    const prompt = {
      tokens: all,
      turnStart,
      responseStart: tokens.length,
      ...(report === null ? {} : { onProgress: report }),
    };
    report?.(0);
    const sequence = await OpenSequence.open(engine, prompt, options, run);
    try {
      const cachedTokens = Math.min(tokens.length, sequence.cachedTokens);
      run.follow({ promptTokens: tokens.length, cachedTokens, droppedMessages: dropped });
      // Not earlier: others may wait for the prompt, and the reader may pause.
      yield* opening.events;
      yield* sample(sequence, new ShiftingWindow(engine, given), run, {
        ...options,
        onRead: () => report?.(all.length),
      });
    } finally {
      await sequence.close();
    }
  }
  const { events, message } = run.finish();
  yield* events;
  signal?.throwIfAborted();
  return message;
}

/** Reports how much of the prompt is evaluated; `null` if nobody wants to know. */
function progressOf(
  total: number,
  { onPromptProgress }: DecodingOptions,
): ((evaluated: number) => void) | null {
  return onPromptProgress === undefined ? null : (evaluated) => onPromptProgress({ evaluated, total });
}

/** Samples until the response is over. */
async function* sample(
  sequence: OpenSequence,
  window: ShiftingWindow,
  run: ResponseRun,
  { signal, speculate = false, onRead }: DecodingOptions & { readonly onRead: () => void },
): AsyncGenerator<ResponseEvent, void> {
  for (let isRead = false; ; isRead = true) {
    const step = await startAndFinishInTurns(run.accept(...(await draw(sequence, run))), signal);
    // Engines evaluate the last tokens of a prompt with the first draw.
    if (!isRead) onRead();
    yield* step.events;
    signal?.throwIfAborted();
    if (step.over) return;
    sequence.write(step.tokens);
    if (step.back !== undefined) {
      await sequence.back(window.promptLength + step.back);
      continue;
    }
    if (speculate && (yield* confirmGuesses(sequence, run, signal)) === 'over') return;
    if (window.isFull(sequence) && !(await window.shift(sequence, run))) return;
  }
}

/**
 * Draws the next token, and says whether under its mask; first without the grammar, if it is to be told where that
 * overrules the model.
 */
async function draw(sequence: OpenSequence, run: ResponseRun): Promise<[drawn: DrawnToken, masked: boolean]> {
  const { mask, overrulable } = run;
  if (overrulable === null) return [await sequence.next(mask), true];
  const wished = await sequence.next(biasMask(null, overrulable.free));
  if (overrulable.allows(wished.token)) return [wished, false];
  run.overrule(wished);
  await sequence.hold(sequence.tokens.length - 1);
  return [await sequence.next(run.mask), true];
}

/** Throws `ContextOverflowError` unless `tokens` and one sampled token fit into the context. */
export function requireRoom(tokens: number, contextSize: number): void {
  if (tokens >= contextSize) throw new ContextOverflowError({ needed: tokens + 1, available: contextSize });
}
