/** The sampling loop: one `evaluate` iterator per response, steered by a `ResponseRun`. */
import type { LlamaContextSequence, SequenceEvaluateOptions, Token } from 'node-llama-cpp';
import type { ResponseEvent, ResponseMessage } from '../../parser/events.ts';
import type { SamplingOptions } from '../chat/chat-options.ts';
import { fromEngine, promptSlice, requireRoom } from './evaluate.ts';
import type { ResponseRun } from './response-run.ts';
import { LatestTokens, samplerOptions } from './sampler-options.ts';
import type { LeasedSequence } from './sequence-pool.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A prompt, and the place in it where the coming turn begins. */
export interface DecodedPrompt {
  readonly tokens: readonly Token[];
  /** Tokens before what the prompt wrote of the assistant's turn: the next prompt has them, too. */
  readonly turnStart: number;
}

/** How tokens are drawn, in which vocabulary, and what ends it. */
export interface DecodingOptions extends SamplingOptions {
  readonly vocabulary: Vocabulary;
  readonly signal?: AbortSignal;
}

/**
 * Evaluates the prompt and yields the response's events; returns the message. The sequence keeps what
 * it has in common with the prompt already. However this ends (an error, an abort, the consumer
 * leaving), the sequence can be used again. Throws `ContextOverflowError`, `DecodingError`, or the
 * signal's reason.
 */
export async function* decode(
  { sequence, alone, share, evaluated }: Omit<LeasedSequence, 'release'>,
  { tokens: prompt, turnStart }: DecodedPrompt,
  run: ResponseRun,
  sampling: DecodingOptions,
): AsyncGenerator<ResponseEvent, ResponseMessage> {
  const { signal } = sampling;
  signal?.throwIfAborted();
  const opening = run.start();
  requireRoom(prompt.length + opening.tokens.length, sequence);
  yield* opening.events;
  if (!opening.over) {
    await share(signal);
    const all = [...prompt, ...opening.tokens];
    const { firstDifferentIndex: shared } = sequence.compareContextTokens(all);
    // The last token is always evaluated again: its logits are what sampling starts from.
    await fromEngine(sequence.adaptStateToTokens(all.slice(0, -1), false), run.text);
    run.follow(prompt.length, Math.min(prompt.length, sequence.nextTokenIndex));
    const tokens = await evaluatePrompt(
      sequence,
      all,
      { places: [shared, turnStart, all.length - 1], alone },
      run,
      signal,
    );
    evaluated();
    const latest = new LatestTokens(sampling);
    latest.push(all);
    const options = samplerOptions(run, sampling, latest, sampling.vocabulary, sequence.contextSize);
    yield* sample(sequence, tokens, run, options, latest, signal);
  }
  const { events, message } = run.finish();
  yield* events;
  signal?.throwIfAborted();
  return message;
}

/** What is special about a prompt's evaluation. */
interface PromptPlaces {
  /** Where the state is kept, if it has to be. */
  readonly places: readonly number[];
  /** Nobody else needs the state, so that the last slice can be evaluated with the first sample. */
  readonly alone: boolean;
}

/**
 * Evaluates all but the last tokens in slices; returns the tokens that are left to start sampling with. Models
 * that cannot go back in their state (recurrent ones, those with a sliding window) keep it at the places to which
 * a later prompt will go back: where this one leaves the one before it, where its turn begins, and before sampling.
 */
async function evaluatePrompt(
  sequence: LlamaContextSequence,
  tokens: readonly Token[],
  { places: wanted, alone }: PromptPlaces,
  run: ResponseRun,
  signal: AbortSignal | undefined,
): Promise<Token[]> {
  const last = tokens.length - 1;
  const places = sequence.needsCheckpoints ? wanted : [];
  for (let done = sequence.nextTokenIndex; done < last; done = sequence.nextTokenIndex) {
    const stops = [...places, done + promptSlice].filter((place) => place > done);
    const end = Math.min(...stops);
    if (alone && places.length === 0 && last - done <= promptSlice) break;
    await fromEngine(
      sequence.evaluateWithoutGeneratingNewTokens(tokens.slice(done, Math.min(end, last))),
      run.text,
    );
    if (places.includes(sequence.nextTokenIndex)) await fromEngine(sequence.takeCheckpoint(), run.text);
    signal?.throwIfAborted();
  }
  return tokens.slice(sequence.nextTokenIndex);
}

async function* sample(
  sequence: LlamaContextSequence,
  tokens: Token[],
  run: ResponseRun,
  options: SequenceEvaluateOptions,
  latest: LatestTokens,
  signal: AbortSignal | undefined,
): AsyncGenerator<ResponseEvent, void> {
  const iterator = sequence.evaluate(tokens, options);
  try {
    let next: Token[] | undefined;
    while (true) {
      const sampled = await fromEngine(next === undefined ? iterator.next() : iterator.next(next), run.text);
      signal?.throwIfAborted();
      if (sampled.done === true) return;
      const step = run.accept(sampled.value);
      yield* step.events;
      signal?.throwIfAborted();
      if (step.over) return;
      next = [...step.tokens];
      latest.push(next);
    }
  } finally {
    await iterator.return();
  }
}
