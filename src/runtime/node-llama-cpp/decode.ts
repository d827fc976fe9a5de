/** The sampling loop: one `evaluate` iterator per response, steered by a `ResponseRun`. */
import type {
  ControlledEvaluateInputItem,
  LlamaContextSequence,
  SequenceEvaluateOptions,
  Token,
} from 'node-llama-cpp';
import type { ResponseEvent, ResponseMessage } from '../../parser/events.ts';
import type { SamplingOptions } from '../chat/chat-options.ts';
import { evaluateTokens, fromEngine, promptSlice, requireRoom } from './evaluate.ts';
import type { Guess } from './guessed-tokens.ts';
import type { ResponseRun } from './response-run.ts';
import { LatestTokens, samplerOptions } from './sampler-options.ts';
import type { LeasedSequence } from './sequences/sequence-pool.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A prompt, and the place in it where the coming turn begins. */
export interface DecodedPrompt {
  readonly tokens: readonly Token[];
  /** Tokens before what the prompt wrote of the assistant's turn: the next prompt has them, too. */
  readonly turnStart: number;
  /** Messages of the conversation that it leaves out. Default: 0. */
  readonly dropped?: number;
  /** Makes room where the response comes to the end of the context; absent, it ends there. */
  readonly shorten?: Shorten | null;
}

/**
 * The prompt with fewer of the conversation's messages, and how many are left out, so that `wanted` tokens can follow;
 * `null` where it cannot be any shorter.
 */
export type Shorten = (wanted: number) => { readonly prompt: DecodedPrompt; readonly dropped: number } | null;

/** How tokens are drawn, in which vocabulary, and what ends it. */
export interface DecodingOptions extends SamplingOptions {
  /** Evaluate guesses together with what is certain. Default: false. */
  readonly speculate?: boolean;
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
  { tokens: prompt, turnStart, dropped = 0, shorten = null }: DecodedPrompt,
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
    const latest = new LatestTokens(sampling);
    latest.push(all);
    const options = samplerOptions(run, sampling, latest, sampling.vocabulary, sequence.contextSize);
    const window = shorten === null ? null : new ContextWindow(sequence, prompt.length, shorten);
    const speculate = sampling.speculate === true && !sequence.needsCheckpoints;
    const response = [...opening.tokens];
    const sampled = { latest, window, speculate, signal, promptLength: prompt.length, response };
    for (let rest: Token[] | null = tokens; rest !== null; ) {
      rest = yield* sample(sequence, rest, run, options, sampled);
    }
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

/**
 * Evaluates `next` with guesses of what follows, and takes what sampling confirms, as long as there is something to
 * guess; returns the tokens to go on with, `null` where the response is over. The likeliest token of few is the same
 * whether it is drawn alone or in a batch, so that nothing but the number of batches depends on the guesses.
 */
async function* confirmGuesses(
  sequence: LlamaContextSequence,
  next: Token[],
  run: ResponseRun,
  signal: AbortSignal | undefined,
): AsyncGenerator<ResponseEvent, Token[] | null> {
  let pending = next;
  while (true) {
    const guesses = run.guess([...sequence.contextTokens, ...pending]);
    const begin = sequence.nextTokenIndex;
    const batch = [pending, ...guesses.slice(0, -1).map(({ tokens }) => tokens)];
    const size = batch.reduce((sum, { length }) => sum + length, 0);
    if (guesses.length < 2 || begin + size + 1 >= sequence.contextSize) return pending;
    const sampled = await fromEngine(drawAll(sequence, batch, guesses), run.text);
    signal?.throwIfAborted();
    let end = begin;
    for (const [index, { allowed, tokens }] of guesses.entries()) {
      end += batch[index]?.length ?? 0;
      const token = sampled[index];
      if (token === undefined || !allowed.includes(token)) {
        // The grammar has to say it: what stands before it is evaluated once more.
        const last = sequence.contextTokens[end - 1];
        await fromEngine(keep(sequence, end - 1), run.text);
        return last === undefined ? pending : [last];
      }
      const step = run.accept(token, false);
      yield* step.events;
      signal?.throwIfAborted();
      if (step.over) return null;
      pending = [...step.tokens];
      if (index === guesses.length - 1 || !isSame(pending, tokens)) break;
    }
    await fromEngine(keep(sequence, end), run.text);
  }
}

/** Evaluates all tokens; draws one after each part, among those that are allowed there. */
async function drawAll(
  sequence: LlamaContextSequence,
  parts: readonly (readonly Token[])[],
  guesses: readonly Guess[],
): Promise<readonly (Token | undefined)[]> {
  const ends: number[] = [];
  const input = parts.flatMap((part, index): ControlledEvaluateInputItem[] => {
    ends.push((ends.at(-1) ?? -1) + part.length);
    const bias = guesses[index]?.bias;
    const options = { temperature: 0, ...(bias === undefined ? {} : { tokenBias: bias }) };
    return part.map((token, at) =>
      at < part.length - 1 ? token : [token, { generateNext: { token: true, options } }],
    );
  });
  const output = await sequence.controlledEvaluate(input);
  return ends.map((end) => output[end]?.next.token ?? undefined);
}

/** Forgets all but the first `length` tokens. */
async function keep(sequence: LlamaContextSequence, length: number): Promise<void> {
  const end = sequence.nextTokenIndex;
  if (length < end) await sequence.eraseContextTokenRanges([{ start: length, end }]);
}

function isSame(some: readonly Token[], others: readonly Token[]): boolean {
  return some.length === others.length && some.every((token, index) => token === others[index]);
}

interface Sampling {
  readonly speculate: boolean;
  readonly latest: LatestTokens;
  readonly window: ContextWindow | null;
  readonly signal: AbortSignal | undefined;
  /** Tokens of the prompt, where there is no window. */
  readonly promptLength: number;
  /** The response so far. */
  readonly response: Token[];
}

/**
 * Samples until the response is over; returns the tokens to go on with where the context had to be moved on, or
 * something was taken back.
 */
async function* sample(
  sequence: LlamaContextSequence,
  tokens: Token[],
  run: ResponseRun,
  options: SequenceEvaluateOptions,
  { latest, window, speculate, signal, promptLength, response }: Sampling,
): AsyncGenerator<ResponseEvent, Token[] | null> {
  const iterator = sequence.evaluate(tokens, options);
  let kept: number | undefined;
  try {
    let next: Token[] | undefined;
    while (kept === undefined) {
      const sampled = await fromEngine(next === undefined ? iterator.next() : iterator.next(next), run.text);
      signal?.throwIfAborted();
      if (sampled.done === true) return null;
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
      if (kept === undefined && window?.isFull(next.length) === true)
        return await window.shift(next, run, signal);
    }
  } finally {
    await iterator.return();
  }
  response.length = kept;
  const prompt = sequence.contextTokens.slice(0, window?.promptLength ?? promptLength);
  const written = [...prompt, ...response];
  latest.restart(written);
  return await goBack(sequence, written, run);
}

/** Leaves the sequence before the last of `written`; what it cannot go back to is evaluated again. */
async function goBack(
  sequence: LlamaContextSequence,
  written: readonly Token[],
  run: ResponseRun,
): Promise<Token[]> {
  await fromEngine(sequence.adaptStateToTokens(written.slice(0, -1), false), run.text);
  return written.slice(sequence.nextTokenIndex);
}

/** What the sequence holds, moved on where the response comes to the end of the context. */
class ContextWindow {
  readonly #sequence: LlamaContextSequence;
  readonly #shorten: Shorten;
  #promptLength: number;

  constructor(sequence: LlamaContextSequence, promptLength: number, shorten: Shorten) {
    this.#sequence = sequence;
    this.#promptLength = promptLength;
    this.#shorten = shorten;
  }

  /** Tokens of the prompt. */
  get promptLength(): number {
    return this.#promptLength;
  }

  /** There is no room for so many tokens and the one that is sampled after them; the engine keeps one free. */
  isFull(tokens: number): boolean {
    return this.#sequence.nextTokenIndex + tokens + 1 >= this.#sequence.contextSize;
  }

  /**
   * Puts the response, of which `next` is not evaluated yet, after a shorter prompt; returns the tokens to go on with.
   * `null` where there is none: the response is cut.
   */
  async shift(
    next: readonly Token[],
    run: ResponseRun,
    signal: AbortSignal | undefined,
  ): Promise<Token[] | null> {
    const sequence = this.#sequence;
    const written = [...sequence.contextTokens.slice(this.#promptLength), ...next];
    const shorter = this.#shorten(written.length + 2);
    const all = [...(shorter?.prompt.tokens ?? []), ...written];
    if (shorter === null || all.length + 2 >= sequence.contextSize) {
      run.cutOff();
      return null;
    }
    this.#promptLength = shorter.prompt.tokens.length;
    run.drop(shorter.dropped);
    const last = all.slice(0, -1);
    await fromEngine(sequence.adaptStateToTokens(last, false), run.text);
    await evaluateTokens(sequence, last, signal);
    return all.slice(-1);
  }
}
