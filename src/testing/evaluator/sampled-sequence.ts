/** A sequence of an engine in JavaScript: a text that grows by drawn tokens. */
import { nextTurn } from '../../language/expression/next-turn.ts';
import type { DrawnToken, EngineSequence, Mask } from '../../runtime/engine/engine.ts';
import type { Sampler } from '../../runtime/engine/sampling/sampler.ts';

/** A text that is evaluated: what comes next, after the tokens that it holds. */
export interface EvaluatedText {
  readonly tokens: readonly number[];
  /** Evaluates more tokens, in steps between which other work may be done. */
  extend(tokens: readonly number[]): Iterable<unknown>;
  /** Keeps the first `length` tokens. */
  cut(length: number): void;
  /** The logits after the last token. The array is the caller's. */
  logits(): Float32Array;
}

/** What a sequence needs of its engine. */
interface SequenceOptions {
  readonly sampler: Sampler;
  readonly cachedTokens: number;
  readonly contextSize: number;
  readonly isDisposed: () => boolean;
  readonly signal: AbortSignal | undefined;
  /** Called once, when the sequence is closed. */
  readonly closed: () => void;
}

/** Draws tokens after a text. */
export class SampledSequence implements EngineSequence {
  readonly cachedTokens: number;
  readonly #text: EvaluatedText;
  readonly #options: SequenceOptions;
  #open = true;

  constructor(text: EvaluatedText, options: SequenceOptions) {
    this.#text = text;
    this.#options = options;
    this.cachedTokens = options.cachedTokens;
  }

  async next(tokens: readonly number[], mask: Mask | null): Promise<DrawnToken> {
    await this.evaluate(tokens);
    const drawn = this.#options.sampler.draw(this.#text.logits(), mask, this.#text.tokens);
    if (drawn === undefined) throw new Error('no token is allowed here');
    return drawn;
  }

  /** Evaluates `tokens` and draws nothing. */
  async evaluate(tokens: readonly number[]): Promise<void> {
    const { contextSize } = this.#options;
    const needed = this.#text.tokens.length + tokens.length;
    if (needed > contextSize) throw new RangeError(`${needed} tokens do not fit into ${contextSize}`);
    // A response must not keep the process or the page from anything else.
    for (const _ of this.#text.extend(tokens)) {
      await nextTurn();
      this.#requireOpen();
    }
  }

  async back(length: number): Promise<void> {
    this.#requireOpen();
    this.#text.cut(length);
  }

  async close(): Promise<void> {
    if (this.#open) this.#options.closed();
    this.#open = false;
  }

  #requireOpen(): void {
    const { signal, isDisposed } = this.#options;
    signal?.throwIfAborted();
    if (isDisposed() || !this.#open) throw new Error('the engine is disposed of, or the sequence closed');
  }
}
