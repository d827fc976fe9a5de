/** The tokens that a grammar allows at a position, cached by position. */
import {
  addTokens,
  complementOf,
  countTokens,
  hashTokens,
  isSameSet,
  listTokens,
  type TokenBitmap,
} from '../../../language/matcher/masks/token-bitmap.ts';
import type { Matcher } from '../../../language/matcher/matcher.ts';
import type { TokenIndex } from '../../../language/matcher/token-index.ts';
import type { TokenBiases } from '../engine.ts';
import { isLarge } from './large-grammars.ts';

/** Up to this many allowed tokens are listed. */
export const fewTokens = 256;
/** The most tokens in a bias: to apply it then takes as long as two tokens of a small model. */
const maxBiases = 50_000;
/** Biases of so many sets of tokens are remembered; in a string with a limit, each position has the same one. */
const maxSets = 32;
/** Added to the logits of allowed tokens: more than any model's range, small enough to keep precision. */
export const allowedBias = 100;

/** The part of a vocabulary that this file needs. */
export interface TokenTexts {
  /** The tokens that may be sampled as text or markers, sorted by their bytes; built on first use. */
  readonly index: TokenIndex;
  readonly size: number;
  /** The ends of generation, which are not in the index. */
  readonly ends: readonly number[];
  /** UTF-8 bytes of a token; special tokens as their text. */
  bytesOf(token: number): Uint8Array;
  /** Whether the token has a role instead of being a piece of text. */
  isSpecial(token: number): boolean;
}

/** Cached facts about one position in a grammar. */
interface GrammarPosition {
  /** `null` if too many are allowed. */
  readonly tokens: readonly number[] | null;
  /** `null` if it would be too long, `undefined` if it has not been asked for. */
  bias: TokenBiases | null | undefined;
}

/** The bias of a set of allowed tokens. */
interface SetBias {
  readonly allowed: Readonly<TokenBitmap>;
  readonly bias: TokenBiases | null;
}

/** Looks up allowed tokens of one vocabulary, at positions of matchers. */
export class AllowedTokens {
  readonly #vocabulary: TokenTexts;
  readonly #places = new WeakMap<object, GrammarPosition>();
  readonly #sets = new Map<string, SetBias>();
  readonly #illFormed = new WeakMap<readonly number[], TokenBiases>();

  constructor(vocabulary: TokenTexts) {
    this.#vocabulary = vocabulary;
  }

  /** The tokens that may come next, or `null` if there are too many. */
  at(matcher: Matcher): readonly number[] | null {
    return this.#place(matcher).tokens;
  }

  /**
   * Leaves only the allowed tokens: favours them if they are few, and else forbids the others, so that the sampler
   * need not ask a grammar about each. `null` if both are too many, unless the grammar is large.
   */
  bias(matcher: Matcher): TokenBiases | null {
    const place = this.#place(matcher);
    if (place.bias === undefined) place.bias = this.#biasAt(matcher, place.tokens);
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
    const place = { tokens: matcher.allowedTokens(this.#vocabulary.index, fewTokens), bias: undefined };
    this.#places.set(key, place);
    return place;
  }

  #biasAt(matcher: Matcher, few: readonly number[] | null): TokenBiases | null {
    const { index } = this.#vocabulary;
    if (few === null) return this.#biasOfSet(matcher);
    const ends = matcher.complete ? this.#vocabulary.ends : [];
    const preferred = [...withoutSpellings(few, this.#vocabulary, matcher), ...ends];
    if (preferred.length === 0) return null;
    return new Map([...biasAgainst(matcher.illFormedTokens(index)), ...biasTowards(preferred)]);
  }

  /** The same object for the same set, as long as it is remembered. */
  #biasOfSet(matcher: Matcher): TokenBiases | null {
    const allowed = matcher.mask(this.#vocabulary.index);
    const key = `${hashTokens(allowed)} ${matcher.complete} ${isLarge(matcher)}`;
    const known = this.#sets.get(key);
    if (known !== undefined && isSameSet(known.allowed, allowed)) return known.bias;
    const bias = this.#makeBias(allowed, matcher);
    if (this.#sets.size >= maxSets) this.#sets.delete(this.#sets.keys().next().value ?? key);
    this.#sets.set(key, { allowed, bias });
    return bias;
  }

  #makeBias(allowed: Readonly<TokenBitmap>, matcher: Matcher): TokenBiases | null {
    const { ends, size } = this.#vocabulary;
    const wanted = new Uint32Array((size + 31) >> 5);
    wanted.set(allowed);
    if (matcher.complete) addTokens(wanted, ends);
    return this.leaving(wanted, matcher);
  }

  /** Leaves only `wanted`, in the same way; `null` if they and the others are too many. */
  leaving(wanted: Readonly<TokenBitmap>, matcher: Matcher): TokenBiases | null {
    const { index, size } = this.#vocabulary;
    const count = countTokens(wanted);
    const most = isLarge(matcher) ? size / 2 : maxBiases;
    if (count > fewTokens && size - count <= most)
      return biasAgainst(listTokens(complementOf(wanted, size), size) ?? []);
    const preferred = listTokens(wanted, Math.max(fewTokens, Math.floor(most)));
    if (preferred === null) return null;
    return new Map([...biasAgainst(matcher.illFormedTokens(index)), ...biasTowards(preferred)]);
  }
}

function biasTowards(tokens: readonly number[]): TokenBiases {
  return new Map(tokens.map((token) => [token, allowedBias]));
}

/** Forbids these tokens. */
function biasAgainst(tokens: readonly number[]): TokenBiases {
  return new Map(tokens.map((token) => [token, Number.NEGATIVE_INFINITY]));
}

/** The allowed tokens, without those that only an allowed special token would be spelled with. */
function withoutSpellings(
  tokens: readonly number[],
  vocabulary: TokenTexts,
  matcher: Matcher,
): readonly number[] {
  const specials = tokens.filter((token) => vocabulary.isSpecial(token));
  const texts = specials.map((token) => vocabulary.bytesOf(token));
  return tokens.filter((token) => {
    if (vocabulary.isSpecial(token)) return true;
    const bytes = vocabulary.bytesOf(token);
    const rests = texts.filter((text) => startsWith(text, bytes)).map((text) => text.subarray(bytes.length));
    const after = matcher.clone();
    return rests.length === 0 || !after.accept(bytes) || !leadsOnlyTo(rests, after, vocabulary);
  });
}

/** Whether all that may come at the position of `matcher` begins with one of these texts. */
function leadsOnlyTo(texts: readonly Uint8Array[], matcher: Matcher, vocabulary: TokenTexts): boolean {
  if (texts.some((text) => text.length === 0)) return true;
  const allowed = matcher.complete ? null : matcher.allowedTokens(vocabulary.index, fewTokens);
  if (allowed === null) return false;
  const next = new Set(allowed.map((token) => vocabulary.bytesOf(token)[0] ?? 0));
  return [...next].every((byte) => {
    const rests = texts.filter((text) => text[0] === byte).map((text) => text.subarray(1));
    const after = matcher.clone();
    return rests.length > 0 && after.accept(Uint8Array.of(byte)) && leadsOnlyTo(rests, after, vocabulary);
  });
}

function startsWith(bytes: Uint8Array, beginning: Uint8Array): boolean {
  return beginning.every((byte, index) => bytes[index] === byte);
}
