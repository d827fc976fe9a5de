/** A response on its way through a grammar, token by token. */

import { isRecord, type OptionRule, requireOption } from '../format/option-rules.ts';
import type { Grammar } from '../language/expression/expression.ts';
import { gbnfExpression } from '../language/gbnf/gbnf-expression.ts';
import { readGbnf } from '../language/gbnf/read-gbnf.ts';
import { addTokens, hasToken, listTokens, type TokenBitmap } from '../language/matcher/masks/token-bitmap.ts';
import { createMatcher, type Matcher } from '../language/matcher/matcher.ts';
import type { MaskVocabulary } from './mask-vocabulary.ts';

/**
 * GBNF text, in which a token terminal stands for the token's text; or what `schemaGrammar` and `buildGrammar` make, unless
 * that has no grammar because nothing is enforced.
 */
export type MaskGrammar = string | { readonly expression: Grammar | null };

/** A position of a response in a grammar. */
export interface TokenMatcher {
  /**
   * The tokens that may come next: bit `id & 31` of word `id >> 5`. All bits are 0 only if nothing may follow and
   * nothing ends a response. The array may be shared: copy it before a change.
   */
  mask(): Readonly<TokenBitmap>;
  /** Whether `token` may come next. */
  allows(token: number): boolean;
  /** Advances over `token`; returns false and stays if it is not allowed. An end of the response is one, and stays. */
  accept(token: number): boolean;
  /** Advances over a text, such as one that was inserted; returns false and stays if it is not allowed. */
  acceptText(text: string): boolean;
  /**
   * What must come next, whatever is sampled: it can be inserted, tokenized, instead. It ends before the first place
   * from which an allowed token reaches beyond the text that is certain: `<t` of `<think>` and `<tool_call>` is not
   * forced where these are tokens. At most 2,000 characters at once, and it may be empty.
   */
  forced(): string;
  /** Whether the response may end here. */
  readonly complete: boolean;
  /** A second response at the same position. What is known about the grammar is shared. */
  clone(): TokenMatcher;
}

const anyVocabulary: OptionRule = {
  expected: 'what createMaskVocabulary returns',
  allows: (value) => isRecord(value) && isRecord(value.index) && typeof value.bytesOf === 'function',
};
const anyGrammar: OptionRule = {
  expected: 'GBNF text, or what schemaGrammar and buildGrammar return',
  allows: (value) => typeof value === 'string' || (isRecord(value) && isRecord(value.expression)),
};

/**
 * Creates a matcher at the start of a grammar. Masks are found lazily and remembered: create one matcher for a grammar,
 * and `clone` it for each response.
 *
 * @throws GrammarError if the grammar is not valid or cannot be matched; so does any method if it turns out to be too
 * ambiguous. UnsupportedOptionError for what is no vocabulary or no grammar.
 */
export function createTokenMatcher(vocabulary: MaskVocabulary, grammar: MaskGrammar): TokenMatcher {
  requireOption('vocabulary', vocabulary, anyVocabulary);
  requireOption('grammar', grammar, anyGrammar);
  const resolveToken = (token: number | string) => {
    const text = typeof token === 'number' ? decoder.decode(vocabulary.bytesOf(token)) : token;
    return text === '' ? undefined : text;
  };
  const expression =
    typeof grammar === 'string'
      ? gbnfExpression(readGbnf(grammar), { resolveToken })
      : // The rule has seen that it is there.
        (grammar.expression as Grammar);
  return new Response(vocabulary, createMatcher(expression), {
    open: new WeakMap(),
    complete: new WeakMap(),
  });
}

/** Masks of the right length, by those of the matcher: where the response may end, with the tokens that end it. */
interface KnownMasks {
  readonly open: WeakMap<Readonly<TokenBitmap>, TokenBitmap>;
  readonly complete: WeakMap<Readonly<TokenBitmap>, TokenBitmap>;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

class Response implements TokenMatcher {
  readonly #vocabulary: MaskVocabulary;
  readonly #matcher: Matcher;
  readonly #known: KnownMasks;

  constructor(vocabulary: MaskVocabulary, matcher: Matcher, known: KnownMasks) {
    this.#vocabulary = vocabulary;
    this.#matcher = matcher;
    this.#known = known;
  }

  mask(): Readonly<TokenBitmap> {
    const { ends, index, words } = this.#vocabulary;
    const texts = this.#matcher.mask(index);
    const added = this.complete ? ends : [];
    if (texts.length === words && added.length === 0) return texts;
    const masks = this.#known[this.complete ? 'complete' : 'open'];
    const known = masks.get(texts);
    if (known !== undefined) return known;
    const mask = new Uint32Array(words);
    mask.set(texts);
    addTokens(mask, added);
    masks.set(texts, mask);
    return mask;
  }

  allows(token: number): boolean {
    // A bitmap knows no other ids, and reads them as some token's.
    const isId = Number.isInteger(token) && token >= 0 && token < this.#vocabulary.size;
    return isId && hasToken(this.mask(), token);
  }

  accept(token: number): boolean {
    if (this.#vocabulary.ends.includes(token)) return this.complete;
    const bytes = this.#vocabulary.bytesOf(token);
    return bytes.length > 0 && this.#matcher.accept(bytes);
  }

  acceptText(text: string): boolean {
    return this.#matcher.accept(text);
  }

  forced(): string {
    const bytes = encoder.encode(this.#matcher.forced());
    const ahead = this.#matcher.clone();
    const from = Math.max(0, bytes.length - this.#vocabulary.index.longest);
    ahead.accept(bytes.subarray(0, from));
    let end = from;
    while (end < bytes.length && !this.#reachesBeyond(ahead, bytes.length - end)) {
      ahead.accept(bytes.subarray(end, end + 1));
      end += 1;
    }
    // Not within a character.
    while (end < bytes.length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
    return decoder.decode(bytes.subarray(0, end));
  }

  /** Whether a token that may come next is longer than `rest`, the bytes of certain text. */
  #reachesBeyond(ahead: Matcher, rest: number): boolean {
    const { index } = this.#vocabulary;
    // Others are the beginnings of the text, of which there is one of each length.
    const allowed = listTokens(ahead.mask(index), 2 * index.longest);
    return allowed === null || allowed.some((token) => this.#vocabulary.bytesOf(token).length > rest);
  }

  get complete(): boolean {
    return this.#matcher.complete;
  }

  clone(): TokenMatcher {
    return new Response(this.#vocabulary, this.#matcher.clone(), this.#known);
  }
}
