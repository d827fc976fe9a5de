/**
 * Which of a format's markers are special tokens of the model at hand. The same template serves models
 * in whose vocabulary `<tool_call>` is one token and models that spell it.
 */
import type { Token } from 'node-llama-cpp';
import type { ChatFormat } from '../../format/chat-format.ts';
import { SpecialFinder } from '../chat/special-finder.ts';
import type { SpecialToken } from './special-token.ts';
import type { Vocabulary } from './vocabulary.ts';

const known = new WeakMap<Vocabulary, WeakMap<ChatFormat, MarkerTokens>>();

/** The markers of `format`; the same object for every request, as what is known of places hangs on it. */
export function markersOf(vocabulary: Vocabulary, format: ChatFormat): MarkerTokens {
  const formats = known.get(vocabulary) ?? new WeakMap<ChatFormat, MarkerTokens>();
  known.set(vocabulary, formats);
  const markers = formats.get(format) ?? new MarkerTokens(vocabulary, format.preservedTokens);
  formats.set(format, markers);
  return markers;
}

/** The markers of one format in one vocabulary. */
export class MarkerTokens {
  readonly #vocabulary: Vocabulary;
  readonly #finder: SpecialFinder<SpecialToken>;
  readonly #tokens: ReadonlySet<Token>;
  readonly #beginnings: RegExp;
  /** Texts of the special tokens among the markers. */
  readonly texts: readonly string[];
  /** Those of the markers' tokens that the model file marks as ends of generation. */
  readonly ends: readonly Token[];

  /** `markers`: texts that may stand as special tokens in a response (`ChatFormat.preservedTokens`). */
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

  /** The token is a marker of the format. */
  has(token: Token): boolean {
    return this.#tokens.has(token);
  }

  /** The special token with which `text` begins. */
  leading(text: string): SpecialToken | undefined {
    for (const { start, special } of this.#finder.find(text)) return start === 0 ? special : undefined;
    return undefined;
  }

  /** Cuts out every character with which a marker's special token may begin, and calls it special. */
  splitAtBeginnings(text: string): { readonly text: string; readonly special: boolean }[] {
    if (this.texts.length === 0 || !this.#beginnings.test(text)) return [{ text, special: false }];
    return text.split(this.#beginnings).map((piece, index) => ({ text: piece, special: index % 2 === 1 }));
  }

  /** Tokens of text that the format wrote: markers are special tokens, all else is not. */
  encode(text: string): Token[] {
    const tokens: Token[] = [];
    let done = 0;
    for (const { start, special } of this.#finder.find(text)) {
      tokens.push(...this.#vocabulary.encodePlain(text.slice(done, start)), special.token);
      done = start + special.text.length;
    }
    return [...tokens, ...this.#vocabulary.encodePlain(text.slice(done))];
  }
}
