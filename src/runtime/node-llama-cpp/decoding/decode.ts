/** The sampling loop: one `evaluate` iterator per response, steered by a `ResponseRun`. */
import type {
  LlamaContextSequence,
  SequenceEvaluateMetadataOptions,
  SequenceEvaluateOptions,
  Token,
} from 'node-llama-cpp';
import { DecodingError } from '../../../format/errors.ts';
import type { ResponseEvent, ResponseMessage } from '../../../parser/events.ts';
import type { SamplingOptions } from '../../chat/chat-options.ts';
import type { LeasedSequence } from '../sequences/sequence-pool.ts';
import type { Vocabulary } from '../vocabulary.ts';
import { confirmGuesses } from './confirm-guesses.ts';
import { evaluatePrompt, fromEngine, requireRoom } from './evaluate.ts';
import type { ResponseRun } from './response-run.ts';
import { LatestTokens, samplerOptions } from './sampler-options.ts';
import { type DecodedPrompt, ShiftingWindow } from './shifting-window.ts';

/** Options of sampling, the vocabulary, and what ends the response. */
export interface DecodingOptions extends SamplingOptions {
  /** Whether guesses are evaluated in the same batch. Default: false. */
  readonly speculate?: boolean;
  readonly vocabulary: Vocabulary;
  readonly signal?: AbortSignal;
  /** The number of likeliest tokens reported with each token's probability. Default: no probabilities. */
  readonly logprobs?: number;
}

/**
 * Evaluates the prompt and yields the response's events; returns the message. The sequence reuses what it shares with
 * the prompt. However this ends (an error, an abort, the consumer leaving), the sequence remains usable. Throws
 * `ContextOverflowError`, `DecodingError`, or the signal's reason.
 */
export async function* decode(
  { sequence, alone, share, evaluated }: Omit<LeasedSequence, 'release'>,
  given: DecodedPrompt,
  run: ResponseRun,
  sampling: DecodingOptions,
): AsyncGenerator<ResponseEvent, ResponseMessage> {
  const { tokens: prompt, turnStart, dropped = 0 } = given;
  const { signal } = sampling;
  signal?.throwIfAborted();
  const opening = run.start();
  requireRoom(prompt.length + opening.tokens.length, sequence);
  if (opening.over) yield* opening.events;
  else {
    await share(signal);
    const all = [...prompt, ...opening.tokens];
    const { firstDifferentIndex: shared } = sequence.compareContextTokens(all);
    // The last token is always evaluated again, because sampling needs its logits.
    await fromEngine(sequence.adaptStateToTokens(all.slice(0, -1), false), run.text);
    const cachedTokens = Math.min(prompt.length, sequence.nextTokenIndex);
    run.follow({ promptTokens: prompt.length, cachedTokens, droppedMessages: dropped });
    const tokens = await evaluatePrompt(
      sequence,
      all,
      { places: [shared, turnStart, all.length - 1], alone },
      run,
      signal,
    );
    evaluated();
    // Not earlier: others may wait for the prompt, and the reader may pause.
    yield* opening.events;
    const latest = new LatestTokens(sampling);
    latest.push(all);
    const options = samplerOptions(run, sampling, latest, sampling.vocabulary, sequence.contextSize);
    const window = new ShiftingWindow(sequence, given);
    const speculate = sampling.speculate === true && !sequence.needsCheckpoints;
    const response = [...opening.tokens];
    const { logprobs } = sampling;
    const metadata = { confidence: logprobs !== undefined, probabilities: (logprobs ?? 0) > 0 };
    const sampled = { latest, window, speculate, signal, response, metadata };
    for (let rest: Token[] | null = tokens; rest !== null; ) {
      rest = yield* sample(sequence, rest, run, options, sampled);
    }
  }
  const { events, message } = run.finish();
  yield* events;
  signal?.throwIfAborted();
  return message;
}

/** The sampling of one response. */
interface Sampling {
  readonly speculate: boolean;
  readonly latest: LatestTokens;
  readonly window: ShiftingWindow;
  readonly signal: AbortSignal | undefined;
  /** The response so far. */
  readonly response: Token[];
  /** The metadata requested from the engine for each token. */
  readonly metadata: SequenceEvaluateMetadataOptions;
}

/**
 * Samples until the response is over, and returns `null`; or until the context was shifted or the response goes back,
 * and returns the tokens to continue with.
 */
async function* sample(
  sequence: LlamaContextSequence,
  tokens: Token[],
  run: ResponseRun,
  options: SequenceEvaluateOptions,
  { latest, window, speculate, signal, response, metadata }: Sampling,
): AsyncGenerator<ResponseEvent, Token[] | null> {
  const iterator = sequence.evaluateWithMetadata(tokens, metadata, options);
  let kept: number | undefined;
  try {
    let next: Token[] | undefined;
    while (kept === undefined) {
      const sampled = await fromEngine(next === undefined ? iterator.next() : iterator.next(next), run.text);
      signal?.throwIfAborted();
      if (sampled.done === true)
        throw new DecodingError({ reason: 'node-llama-cpp samples no more', text: run.text });
      const step = run.accept(sampled.value);
      yield* step.events;
      signal?.throwIfAborted();
      if (step.over) return null;
      kept = step.back;
      next = [...step.tokens];
      response.push(...next);
      const known = sequence.nextTokenIndex;
      const rest: Token[] | null = speculate ? yield* confirmGuesses(sequence, next, run, signal) : next;
      if (rest === null) return null;
      next = rest;
      latest.push([...sequence.contextTokens.slice(known), ...next]);
      if (kept === undefined && window.mustShift(next.length)) return await window.shift(next, run, signal);
    }
  } finally {
    await iterator.return();
  }
  response.length = kept;
  const prompt = sequence.contextTokens.slice(0, window.promptLength);
  const written = [...prompt, ...response];
  latest.restart(written);
  return await goBack(sequence, written, run);
}

/** Takes the sequence back to `written`; returns the tokens to evaluate again, which include the last. */
async function goBack(
  sequence: LlamaContextSequence,
  written: readonly Token[],
  run: ResponseRun,
): Promise<Token[]> {
  await fromEngine(sequence.adaptStateToTokens(written.slice(0, -1), false), run.text);
  return written.slice(sequence.nextTokenIndex);
}
