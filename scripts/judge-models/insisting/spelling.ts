/** Texts as the tokens of a scripted model. */
import type { ChatFormat } from '../../../src/format/chat-format.ts';
import { MarkerTokens } from '../../../src/runtime/engine/tokens/marker-tokens.ts';
import type { Vocabulary } from '../../../src/runtime/engine/tokens/vocabulary.ts';

/** Tokens of a template's vocabulary. */
export class Spelling {
  readonly #vocabulary: Vocabulary;
  readonly #markers: MarkerTokens;
  readonly #spelled: boolean;
  /** The tokens that end a turn. */
  readonly end: readonly number[];

  /** `spelled`: markers are written in letters, as a model does that has no tokens for them. */
  constructor(vocabulary: Vocabulary, format: ChatFormat, spelled = false) {
    this.#vocabulary = vocabulary;
    this.#markers = new MarkerTokens(vocabulary, [...format.preservedTokens, ...format.stops]);
    this.#spelled = spelled;
    this.end = [...this.#markers.encode(format.turn.ends[0]?.trim() ?? ''), ...vocabulary.ends.slice(0, 1)];
  }

  /** The tokens of a text. */
  encode(text: string): readonly number[] {
    return this.#spelled ? this.#letters(text) : this.#markers.encode(text);
  }

  /** The same, and the end of the turn. */
  encodeTurn(text: string): readonly number[] {
    return [...this.encode(text), ...this.end];
  }

  /** User-defined tokens are found in any text, so one is written letter by letter. */
  #letters(text: string): readonly number[] {
    const { texts } = this.#markers;
    return texts.some((marker) => text.includes(marker))
      ? Array.from(text).flatMap((letter) => this.#vocabulary.encodePlain(letter))
      : this.#vocabulary.encodePlain(text);
  }
}
