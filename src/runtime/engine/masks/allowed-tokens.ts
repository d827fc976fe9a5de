/** The tokens that a grammar allows at a position, cached by position. */
import type { Matcher } from '../../../language/matcher/matcher.ts';
import type { TokenIndex } from '../../../language/matcher/token-index.ts';
import type { TokenBiases } from '../engine.ts';

/** Up to this many allowed tokens are favoured by a bias, so that the sampler need not test the others. */
const fewTokens = 256;
/** Added to the logits of allowed tokens: more than any model's range, small enough to keep precision. */
export const allowedBias = 100;

/** The part of a vocabulary that this file needs. */
export interface TokenTexts {
  /** The tokens that may be sampled as text or markers, sorted by their bytes; built on first use. */
  readonly index: TokenIndex;
  /** UTF-8 bytes of a token; special tokens as their text. */
  bytesOf(token: number): Uint8Array;
  /** Whether the token has a role instead of being a piece of text. */
  isSpecial(token: number): boolean;
}

/** Cached facts about one position in a grammar. */
interface GrammarPosition {
  /** `null` if too many are allowed. */
  readonly tokens: readonly number[] | null;
  bias: TokenBiases | null;
}

/** Looks up allowed tokens of one vocabulary, at positions of matchers. */
export class AllowedTokens {
  readonly #vocabulary: TokenTexts;
  readonly #places = new WeakMap<object, GrammarPosition>();
  readonly #illFormed = new WeakMap<readonly number[], TokenBiases>();

  constructor(vocabulary: TokenTexts) {
    this.#vocabulary = vocabulary;
  }

  /** The tokens that may come next, or `null` if there are too many. */
  at(matcher: Matcher): readonly number[] | null {
    return this.#place(matcher).tokens;
  }

  /**
   * Favours the allowed tokens, and forbids ill-formed ones. `null` if there are too many, or the text may end:
   * favouring everything else would prevent the end.
   */
  bias(matcher: Matcher): TokenBiases | null {
    if (matcher.complete) return null;
    const place = this.#place(matcher);
    if (place.tokens !== null && place.tokens.length > 0)
      place.bias ??= this.#biasTowards(place.tokens, matcher);
    return place.bias;
  }

  /**
   * Forbids ill-formed UTF-8, which the engine's own grammar takes for characters; for positions where no token is
   * favoured.
   */
  illFormedBias(matcher: Matcher): TokenBiases | null {
    const ids = matcher.illFormedTokens(this.#vocabulary.index);
    if (ids.length === 0) return null;
    const bias = this.#illFormed.get(ids) ?? biasAgainst(ids);
    this.#illFormed.set(ids, bias);
    return bias;
  }

  #place(matcher: Matcher): GrammarPosition {
    const key = matcher.state;
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const place = { tokens: matcher.allowedTokens(this.#vocabulary.index, fewTokens), bias: null };
    this.#places.set(key, place);
    return place;
  }

  #biasTowards(tokens: readonly number[], matcher: Matcher): TokenBiases {
    const favoured = withoutSpellings(tokens, this.#vocabulary).map((token) => [token, allowedBias] as const);
    return new Map([...biasAgainst(matcher.illFormedTokens(this.#vocabulary.index)), ...favoured]);
  }
}

/** Forbids these tokens. */
function biasAgainst(tokens: readonly number[]): TokenBiases {
  return new Map(tokens.map((token) => [token, Number.NEGATIVE_INFINITY]));
}

/** The allowed tokens, without those that would begin to spell an allowed special token. */
function withoutSpellings(tokens: readonly number[], vocabulary: TokenTexts): readonly number[] {
  const specials = tokens.filter((token) => vocabulary.isSpecial(token));
  const spelled = specials.map((token) => vocabulary.bytesOf(token));
  return tokens.filter(
    (token) =>
      vocabulary.isSpecial(token) ||
      !spelled.some((special) => startsWith(special, vocabulary.bytesOf(token))),
  );
}

function startsWith(bytes: Uint8Array, beginning: Uint8Array): boolean {
  return beginning.every((byte, index) => bytes[index] === byte);
}
