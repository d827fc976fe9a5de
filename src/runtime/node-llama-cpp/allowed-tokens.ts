/** The tokens that a grammar allows at a place, remembered for the next time that it stands there. */
import { type Token, TokenBias } from 'node-llama-cpp';
import type { Matcher } from '../../grammar/matcher/matcher.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Where few tokens are allowed they are told to the sampler, so that it need not try the others. */
const fewTokens = 256;
/** Added to the logits of allowed tokens: more than any model's spread, little enough to keep precision. */
const allowedBias = 100;

/** What is known of one place in a grammar. */
interface Place {
  /** `null` when more than a few are allowed. */
  readonly tokens: readonly Token[] | null;
  bias: TokenBias | null;
}

/** Answers for one vocabulary; places are those of matchers. */
export class AllowedTokens {
  readonly #vocabulary: Vocabulary;
  readonly #places = new WeakMap<object, Place>();

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  /** The tokens that may come next, or `null` when they are many. */
  at(matcher: Matcher): readonly Token[] | null {
    return this.#place(matcher).tokens;
  }

  /** Pulls the sampler towards the allowed tokens; `null` where they are many. */
  bias(matcher: Matcher): TokenBias | null {
    const place = this.#place(matcher);
    if (place.tokens !== null && place.tokens.length > 0) place.bias ??= this.#biasTowards(place.tokens);
    return place.bias;
  }

  #place(matcher: Matcher): Place {
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
function withoutSpellings(tokens: readonly Token[], vocabulary: Vocabulary): readonly Token[] {
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
