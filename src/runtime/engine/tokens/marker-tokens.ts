/**
 * Which of a format's markers are special tokens of the loaded model. The same template serves models whose vocabulary
 * has `<tool_call>` as one token and models that write it in several.
 */
import type { ChatFormat } from '../../../format/chat-format.ts';
import { memoize } from '../../../format/memoize.ts';
import { SpecialFinder } from '../../../language/matcher/special-finder.ts';
import type { SpecialToken } from './special-token.ts';
import type { Vocabulary } from './vocabulary.ts';

/** The markers of `format`; the same object for every request, because caches by position depend on it. */
export function markersOf(vocabulary: Vocabulary, format: ChatFormat): MarkerTokens {
  return markersIn(vocabulary)(format);
}

const markersIn = memoize((vocabulary: Vocabulary) =>
  memoize((format: ChatFormat) => new MarkerTokens(vocabulary, format.preservedTokens)),
);

/** The markers of one format in one vocabulary. */
export class MarkerTokens {
  readonly #vocabulary: Vocabulary;
  readonly #finder: SpecialFinder<SpecialToken>;
  readonly #tokens: ReadonlySet<number>;
  readonly #beginnings: RegExp;
  /** The texts of the special tokens among the markers. */
  readonly texts: readonly string[];
  /** Tokens among them that the model file declares as ends of generation. */
  readonly ends: readonly number[];

  /** `markers`: texts that may occur as special tokens in a response (`ChatFormat.preservedTokens`). */
  constructor(vocabulary: Vocabulary, markers: Iterable<string>) {
    this.#vocabulary = vocabulary;
    const specials = [...markers].flatMap((text): SpecialToken[] =>
      [...vocabulary.finder.find(text)].map((found) => found.special),
    );
    this.#finder = new SpecialFinder(specials);
    this.texts = [...new Set(specials.map((special) => special.text))];
    const firsts = new Set(this.texts.map((text) => text.charAt(0).replace(/[\\\]^-]/, '\\$&')));
    this.#beginnings = new RegExp(`([${[...firsts].join('')}])`);
    this.#tokens = new Set(specials.map((special) => special.token));
    this.ends = [...this.#tokens].filter((token) => vocabulary.endsGeneration(token));
  }

  /** Whether the token is a marker of the format. */
  has(token: number): boolean {
    return this.#tokens.has(token);
  }

  /** The special token with which `text` begins. */
  leading(text: string): SpecialToken | undefined {
    for (const { start, special } of this.#finder.find(text)) return start === 0 ? special : undefined;
    return undefined;
  }

  /** Splits off every character that may begin a marker's special token, and marks it as special. */
  splitAtBeginnings(text: string): { readonly text: string; readonly special: boolean }[] {
    if (this.texts.length === 0 || !this.#beginnings.test(text)) return [{ text, special: false }];
    return text.split(this.#beginnings).map((piece, index) => ({ text: piece, special: index % 2 === 1 }));
  }

  /** Tokens of text in the format: markers become special tokens, everything else does not. */
  encode(text: string): readonly number[] {
    const parts: (readonly number[])[] = [];
    let done = 0;
    for (const { start, special } of this.#finder.find(text)) {
      parts.push(this.#vocabulary.encodePlain(text.slice(done, start)), [special.token]);
      done = start + special.text.length;
    }
    return [...parts, this.#vocabulary.encodePlain(text.slice(done))].flat();
  }
}
