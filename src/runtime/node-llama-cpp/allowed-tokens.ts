/** The tokens that a grammar allows at a place, remembered for the next time that it stands there. */
import { type Token, TokenBias, type Tokenizer } from 'node-llama-cpp';
import type { Matcher } from '../../grammar/matcher/matcher.ts';
import type { TokenIndex } from '../../grammar/matcher/token-index.ts';

/** Where few tokens are allowed they are told to the sampler, so that it need not try the others. */
const fewTokens = 256;
/** Added to the logits of allowed tokens: more than any model's spread, little enough to keep precision. */
export const allowedBias = 100;

/** What this file needs of a vocabulary. */
export interface TokenTexts {
  /** The tokens that may be sampled as text or markers, sorted by their bytes; made at the first use. */
  readonly index: TokenIndex;
  readonly tokenizer: Tokenizer;
  /** The token with this id. */
  token(id: number): Token;
  /** UTF-8 bytes of a token, special ones spelled out. */
  bytesOf(token: Token): Uint8Array;
  /** The token plays a role rather than being a piece of text. */
  isSpecial(token: Token): boolean;
}

/** What is known of one place in a grammar. */
interface GrammarPosition {
  /** `null` when more than a few are allowed. */
  readonly tokens: readonly Token[] | null;
  bias: TokenBias | null;
}

/** Answers for one vocabulary; places are those of matchers. */
export class AllowedTokens {
  readonly #vocabulary: TokenTexts;
  readonly #places = new WeakMap<object, GrammarPosition>();

  constructor(vocabulary: TokenTexts) {
    this.#vocabulary = vocabulary;
  }

  /** The tokens that may come next, or `null` when they are many. */
  at(matcher: Matcher): readonly Token[] | null {
    return this.#place(matcher).tokens;
  }

  /**
   * Pulls the sampler towards the allowed tokens; `null` where they are many, and where the text may end:
   * node-llama-cpp takes no bias for ends of generation, so that a pull towards all others would keep the end away.
   */
  bias(matcher: Matcher): TokenBias | null {
    if (matcher.complete) return null;
    const place = this.#place(matcher);
    if (place.tokens !== null && place.tokens.length > 0) place.bias ??= this.#biasTowards(place.tokens);
    return place.bias;
  }

  #place(matcher: Matcher): GrammarPosition {
    const key = matcher.state;
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    const ids = matcher.allowedTokens(this.#vocabulary.index, fewTokens);
    const place = { tokens: ids?.map((id) => this.#vocabulary.token(id)) ?? null, bias: null };
    this.#places.set(key, place);
    return place;
  }

  #biasTowards(tokens: readonly Token[]): TokenBias {
    const bias = new TokenBias(this.#vocabulary.tokenizer);
    for (const token of withoutSpellings(tokens, this.#vocabulary)) bias.set(token, { logit: allowedBias });
    return bias;
  }
}

/** The allowed tokens without those that would begin to spell out an allowed special token. */
function withoutSpellings(tokens: readonly Token[], vocabulary: TokenTexts): readonly Token[] {
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
