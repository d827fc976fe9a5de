/**
 * What may be sampled at each position of a grammar, and what is injected there: where the grammar allows only one
 * continuation, its tokens are written instead of sampled, and an engine with a grammar of its own begins a new one
 * after them.
 *
 * Such an engine allows an end of generation only at the end of the grammar. Model files declare some tokens as such
 * that are markers of the format (gpt-oss' `<|end|>` also closes its reasoning): where one of these may come, only a
 * bias restricts what such an engine samples, and the matcher checks it. The same inside a character where it cannot
 * follow what was sampled (the response went back to there): no grammar begins in the middle of a character. Engines
 * that ask the mask are told exactly.
 */
import type { TokenBitmap } from '../../../language/matcher/masks/token-bitmap.ts';
import type { Matcher } from '../../../language/matcher/matcher.ts';
import type { TokenBiases } from '../engine.ts';
import type { MarkerTokens } from '../tokens/marker-tokens.ts';
import type { Vocabulary } from '../tokens/vocabulary.ts';
import { type ForcedTokens, forcedTokens } from './forced-tokens.ts';
import { markerEndsAt } from './marker-ends.ts';

/** The options of the guide. */
export interface GuideOptions {
  readonly vocabulary: Vocabulary;
  readonly markers: MarkerTokens;
  /** Whether forced text is injected. */
  readonly inject: boolean;
}

/** Guides the sampling of one response. */
export class GrammarGuide {
  readonly #options: GuideOptions;
  #only: Readonly<TokenBitmap> | null = null;
  #follows = false;
  #bias: TokenBiases | null = null;

  constructor(options: GuideOptions) {
    this.#options = options;
  }

  /** `Mask.follows`. */
  get follows(): boolean {
    return this.#follows;
  }

  /** Favours the allowed tokens if they are few. */
  get bias(): TokenBiases | null {
    return this.#bias;
  }

  /** All that may be drawn where no grammar of the engine's own can say so; `null` where one can. */
  get only(): Readonly<TokenBitmap> | null {
    return this.#only;
  }

  /** Whether a grammar of the engine's own cannot restrict the next token, so that it must be checked. */
  get unmasked(): boolean {
    return this.#only !== null;
  }

  /** The tokens forced at the position of `matcher`, and whether more are after them. */
  forced(matcher: Matcher): Pick<ForcedTokens, 'tokens' | 'goesOn'> {
    const { inject, markers, vocabulary } = this.#options;
    return inject ? forcedTokens(matcher, markers, vocabulary) : { tokens: [], goesOn: false };
  }

  /**
   * Prepares for sampling at the position of `matcher`. `sampled`: since the last call it has accepted exactly one
   * token, sampled under the mask there.
   */
  prepare(matcher: Matcher, sampled: boolean): void {
    const { markers, vocabulary } = this.#options;
    const ends = markerEndsAt(matcher, markers, vocabulary);
    this.#bias = ends === null ? vocabulary.allowed.bias(matcher) : ends.bias;
    this.#follows = ends === null && sampled && !this.unmasked;
    const isCut = !this.#follows && matcher.withinCharacter && this.#bias !== null;
    this.#only = ends?.allowed ?? (isCut ? matcher.mask(vocabulary.index) : null);
  }

  /** The matcher could not follow what was sampled; only a grammar of the engine's own can. */
  leaveToEngine(): void {
    this.#bias = null;
    this.#follows = true;
  }
}
