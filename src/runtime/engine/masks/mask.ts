/** The masks of a response, in the three answers that engines ask for. */
import type { DecodingError } from '../../../format/errors.ts';
import {
  addTokens,
  hasToken,
  listTokens,
  type TokenBitmap,
} from '../../../language/matcher/masks/token-bitmap.ts';
import type { Matcher } from '../../../language/matcher/matcher.ts';
import type { GrammarAt, Mask, TokenBiases } from '../engine.ts';
import type { Vocabulary } from '../tokens/vocabulary.ts';
import { fewTokens } from './allowed-tokens.ts';

/** The mask of a position where only biases restrict what is drawn. */
export function biasMask(bias: TokenBiases | null, free: boolean): Mask {
  return {
    bias,
    free,
    few: () => null,
    allows: () => true,
    bitmap: () => null,
    grammar: null,
    follows: false,
  };
}

/** The mask of a position where only these tokens may be drawn, which no grammar of an engine's own can say. */
export function setMask(allowed: Readonly<TokenBitmap>, bias: TokenBiases | null, free: boolean): Mask {
  return {
    bias,
    free,
    few: () => listTokens(allowed, fewTokens),
    allows: (token) => hasToken(allowed, token),
    bitmap: () => allowed,
    grammar: null,
    follows: false,
  };
}

/** What the mask of a position in a grammar depends on. */
interface MaskPlace extends Pick<Mask, 'bias' | 'free' | 'follows'> {
  readonly matcher: Matcher;
  readonly vocabulary: Vocabulary;
}

/** The mask of a position in a grammar. */
export class GrammarMask implements Mask {
  readonly #matcher: Matcher;
  readonly #vocabulary: Vocabulary;
  readonly bias: TokenBiases | null;
  readonly free: boolean;
  readonly follows: boolean;

  constructor({ matcher, vocabulary, bias, free, follows }: MaskPlace) {
    this.#matcher = matcher;
    this.#vocabulary = vocabulary;
    this.bias = bias;
    this.free = free;
    this.follows = follows;
  }

  get grammar(): GrammarAt {
    return this.#matcher;
  }

  few(): readonly number[] | null {
    const { allowed, ends } = this.#vocabulary;
    const tokens = allowed.at(this.#matcher);
    return tokens === null || !this.#matcher.complete ? tokens : [...tokens, ...ends];
  }

  allows(token: number): boolean {
    if (this.#vocabulary.endsGeneration(token)) return this.#matcher.complete;
    return hasToken(this.#matcher.mask(this.#vocabulary.index), token);
  }

  bitmap(): Readonly<TokenBitmap> {
    const { ends, index, size } = this.#vocabulary;
    const texts = this.#matcher.mask(index);
    if (!this.#matcher.complete) return texts;
    const all = new Uint32Array((size + 31) >> 5);
    all.set(texts);
    addTokens(all, ends);
    return all;
  }
}

/**
 * The mask after a token that the matcher does not allow. An engine with a grammar of its own goes on with that; for
 * others, every question throws what `broken` returns.
 */
export function lostMask(
  bias: TokenBiases | null,
  free: boolean,
  broken: (reason: string) => DecodingError,
): Mask {
  const fail = (): never => {
    throw broken('the engine drew a token that the grammar does not allow');
  };
  const grammar = { state: {}, gbnf: fail };
  return { bias, free, few: fail, allows: fail, bitmap: fail, grammar, follows: true };
}
