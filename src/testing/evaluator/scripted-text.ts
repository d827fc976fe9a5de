/** A text that a script continues instead of a model. */
import type { EvaluatedText } from './sampled-sequence.ts';
import type { Script } from './script.ts';

/** What scripted texts share. */
export interface ScriptedTokens {
  /** The bytes of all tokens, as characters. */
  readonly bytes: readonly string[];
  /** The longest ordinary token with which these bytes begin. */
  longest(bytes: string): number | undefined;
  /** The token that ends a turn. */
  readonly end: number;
  /** The logits of a position at which the script says nothing: what closes something is likelier. */
  readonly otherwise: Float32Array;
}

/** The logit of what the script says; all others are a hundred below, or nearly. */
const scripted = 100;

/** The text of one response. */
export class ScriptedText implements EvaluatedText {
  /** Where the response begins; unknown once the prompt was replaced by a shorter one. */
  #promptLength: number | null;
  readonly #script: Script;
  readonly #shared: ScriptedTokens;
  #tokens: number[] = [];

  constructor(promptLength: number, script: Script, shared: ScriptedTokens) {
    this.#promptLength = promptLength;
    this.#script = script;
    this.#shared = shared;
  }

  get tokens(): readonly number[] {
    return this.#tokens;
  }

  *extend(tokens: readonly number[]): Generator<unknown> {
    // A prompt may have more tokens than a function takes arguments.
    this.#tokens = this.#tokens.concat(tokens);
    yield tokens.length;
  }

  cut(length: number): void {
    this.#tokens.length = length;
    if (this.#promptLength !== null && length < this.#promptLength - 1) this.#promptLength = null;
  }

  logits(): Float32Array {
    const { bytes, end, longest, otherwise } = this.#shared;
    const written = this.#tokens.slice(this.#promptLength ?? 0).map((token) => bytes[token] ?? '');
    const place =
      this.#promptLength === null ? this.#script.end(written.join('')) : this.#script.follow(written);
    const { token, rest } = this.#script.at(place);
    const logits = otherwise.slice();
    logits[token ?? longest(rest) ?? end] = scripted;
    return logits;
  }
}
