/** A leased sequence of node-llama-cpp: one `evaluate` iterator per response, whose options are read for every token. */
import type {
  ControlledEvaluateInputItem,
  LlamaContextSequence,
  LlamaModel,
  SequenceEvaluateMetadataOptions,
  SequenceEvaluateOptions,
  Token,
} from 'node-llama-cpp';
import type {
  BiasedPart,
  DrawnToken,
  EnginePrompt,
  EngineSampling,
  EngineSequence,
  Mask,
} from '../engine/engine.ts';
import type { BatchCosts } from './batch-costs.ts';
import { FollowedState } from './engine-states.ts';
import type { SamplerMemory } from './sampler-memory.ts';
import { samplerOptions } from './sampler-options.ts';
import type { LeasedSequence } from './sequences/sequence-pool.ts';
import { tokenBias } from './token-bias.ts';

type Iterator = ReturnType<LlamaContextSequence['evaluateWithMetadata']>;

/** Number of tokens evaluated before the signal is checked again, and progress is reported. */
const promptSlice = 512;
/** The same if somebody watches. */
const watchedSlice = 128;

/** The model, and what its sequences share. */
interface EvaluatedModel {
  readonly model: LlamaModel;
  readonly costs: BatchCosts;
  readonly samplers: SamplerMemory;
}

/** The sequence of one response. */
export class LlamaSequence implements EngineSequence {
  readonly #lease: LeasedSequence;
  readonly #model: LlamaModel;
  readonly #costs: BatchCosts;
  readonly #samplers: SamplerMemory;
  readonly #signal: AbortSignal | undefined;
  readonly #metadata: SequenceEvaluateMetadataOptions;
  readonly #options: SequenceEvaluateOptions;
  /** What it has been given; the last ones may not be evaluated yet. */
  readonly #tokens: Token[];
  #cachedTokens = 0;
  #mask: Mask | null = null;
  readonly #state: FollowedState;
  #iterator: Iterator | null = null;
  readonly drawAfterEach?: (parts: readonly BiasedPart[]) => Promise<readonly number[]>;

  constructor(
    lease: LeasedSequence,
    { model, costs, samplers }: EvaluatedModel,
    prompt: EnginePrompt,
    sampling: EngineSampling,
    signal: AbortSignal | undefined,
  ) {
    this.#lease = lease;
    this.#model = model;
    this.#costs = costs;
    this.#samplers = samplers;
    this.#state = new FollowedState(model);
    this.#signal = signal;
    this.#tokens = [...asTokens(prompt.tokens)].slice(0, -1);
    const { logprobs } = sampling;
    this.#metadata = { confidence: logprobs !== undefined, probabilities: (logprobs ?? 0) > 0 };
    const { contextSize, needsCheckpoints } = lease.sequence;
    this.#options = {
      ...samplerOptions(sampling, {
        contextSize,
        isFree: () => this.#mask?.free ?? true,
        latest: (length) => this.#tokens.slice(-length),
      }),
      grammarEvaluationState: () => this.#state.now,
      tokenBias: () => tokenBias(this.#mask?.bias ?? null, model),
    };
    if (!needsCheckpoints) this.drawAfterEach = (parts) => this.#drawAfterEach(parts);
  }

  get cachedTokens(): number {
    return this.#cachedTokens;
  }

  /**
   * Evaluates all but the last tokens of the prompt in slices. Models that cannot go back in their state (recurrent
   * ones, those with a sliding window) save it where a later prompt will go back to: where this prompt diverges from
   * the previous one, where its turn begins, and before sampling.
   */
  evaluatePrompt(prompt: EnginePrompt): Promise<void> {
    return this.#lease.use(() => this.#evaluatePrompt(prompt));
  }

  async #evaluatePrompt({ tokens: prompt, turnStart, onProgress }: EnginePrompt): Promise<void> {
    const { sequence, alone, share, evaluated } = this.#lease;
    await share(this.#signal);
    const { firstDifferentIndex } = sequence.compareContextTokens([...asTokens(prompt)]);
    await sequence.adaptStateToTokens(this.#tokens, false);
    this.#cachedTokens = sequence.nextTokenIndex;
    const end = this.#tokens.length;
    const places = sequence.needsCheckpoints ? [firstDifferentIndex, turnStart, end] : [];
    // If no other sequence needs the state, the last slice is evaluated with the first sample.
    const slice = onProgress === undefined ? promptSlice : watchedSlice;
    const left = alone && places.length === 0 ? slice : 0;
    onProgress?.(this.#cachedTokens);
    this.#samplers.note();
    await evaluateTo(sequence, this.#tokens, { end, places, left, slice, onProgress }, this.#signal);
    evaluated();
  }

  next(tokens: readonly number[], mask: Mask | null): Promise<DrawnToken> {
    return this.#lease.use(() => this.#next(tokens, mask));
  }

  async #next(tokens: readonly number[], mask: Mask | null): Promise<DrawnToken> {
    this.#push(tokens);
    this.#mask = mask;
    this.#state.follow(mask);
    const { sequence } = this.#lease;
    await evaluateTo(
      sequence,
      this.#tokens,
      { end: this.#tokens.length - 1, left: promptSlice },
      this.#signal,
    );
    await this.#evaluateSlowBatch(sequence);
    const rest = this.#tokens.slice(sequence.nextTokenIndex);
    const begun = this.#iterator;
    if (begun === null) this.#samplers.note();
    this.#iterator ??= sequence.evaluateWithMetadata(rest, this.#metadata, this.#options);
    const start = performance.now();
    const drawn = await (begun === null ? this.#iterator.next() : begun.next(rest));
    if (begun !== null) this.#costs.note(rest.length, performance.now() - start);
    if (drawn.done === true) throw new Error('it samples no more');
    return drawn.value;
  }

  /** Evaluates all but the last token one by one, if that is faster than together. */
  async #evaluateSlowBatch(sequence: LlamaContextSequence): Promise<void> {
    const left = this.#tokens.length - sequence.nextTokenIndex;
    if (this.#iterator === null || !this.#costs.isSlow(left)) return;
    for (const token of this.#tokens.slice(sequence.nextTokenIndex, -1))
      await sequence.evaluateWithoutGeneratingNewTokens([token]);
  }

  async back(length: number): Promise<void> {
    const { sequence } = this.#lease;
    this.#tokens.length = length;
    if (sequence.nextTokenIndex > length) await sequence.adaptStateToTokens(this.#tokens, false);
  }

  async close(): Promise<void> {
    try {
      await this.#iterator?.return();
    } finally {
      this.#lease.release();
    }
  }

  async #drawAfterEach(parts: readonly BiasedPart[]): Promise<readonly number[]> {
    const ends: number[] = [];
    const input = parts.flatMap(({ tokens, bias }): ControlledEvaluateInputItem[] => {
      ends.push((ends.at(-1) ?? -1) + tokens.length);
      const options = { temperature: 0, tokenBias: tokenBias(bias, this.#model) };
      return asTokens(tokens).map((token, at) =>
        at < tokens.length - 1 ? token : [token, { generateNext: { token: true, options } }],
      );
    });
    const output = await this.#lease.sequence.controlledEvaluate(input);
    for (const { tokens } of parts) this.#push(tokens);
    return ends.map((end) => output[end]?.next.token ?? nothing);
  }

  #push(tokens: readonly number[]): void {
    for (const token of asTokens(tokens)) this.#tokens.push(token);
  }
}

/** No token. */
const nothing = -1;

/** What is evaluated. */
interface Evaluation {
  /** The number of tokens up to the last one. */
  readonly end: number;
  /** Where a state is saved. Default: nowhere. */
  readonly places?: readonly number[];
  /** With no more than this many left, they are not evaluated. Default: 0. */
  readonly left?: number;
  /** How many are evaluated at a time. Default: 512. */
  readonly slice?: number;
  readonly onProgress?: ((evaluated: number) => void) | undefined;
}

/** Evaluates `tokens` in slices, without sampling; of those, `sequence` has a prefix. Throws the signal's reason. */
export async function evaluateTo(
  sequence: LlamaContextSequence,
  tokens: readonly Token[],
  { end, places = [], left = 0, slice = promptSlice, onProgress }: Evaluation,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let done = sequence.nextTokenIndex; end - done > left; done = sequence.nextTokenIndex) {
    const stops = [...places, done + slice, end].filter((place) => place > done);
    await sequence.evaluateWithoutGeneratingNewTokens(tokens.slice(done, Math.min(...stops)));
    onProgress?.(sequence.nextTokenIndex);
    if (places.includes(sequence.nextTokenIndex)) await sequence.takeCheckpoint();
    signal?.throwIfAborted();
  }
}

/** Token ids as node-llama-cpp's types distinguish them. */
export function asTokens(ids: readonly number[]): readonly Token[] {
  return ids as readonly Token[];
}
