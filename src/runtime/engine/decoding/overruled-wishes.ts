/** Where the grammar of a response overruled the model, which would have gone on otherwise. */

import { newDecoder } from '../../../language/utf8-decoder.ts';
import type { Overruled, ResponseEvent } from '../../../parser/events.ts';
import type { DrawnToken } from '../engine.ts';
import type { Vocabulary } from '../tokens/vocabulary.ts';

type Wish = Pick<Overruled, 'at' | 'wished' | 'probability'>;

/** So much of the text before a place is told with it. */
const told = 40;

/** Collects them for the events of the calls and the answer in which they stand. */
export class OverruledWishes {
  readonly #vocabulary: Vocabulary;
  #wishes: Wish[] = [];

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  /** The model would have written this token at the offset `at`. */
  note({ token, confidence = 0 }: DrawnToken, at: number): void {
    if (this.#vocabulary.endsGeneration(token)) return;
    const wished = newDecoder().decode(this.#vocabulary.bytesOf(token));
    if (wished.trim() !== '') this.#wishes.push({ at, wished, probability: confidence });
  }

  /** The events, with what was overruled in them; `text` is the response so far. */
  attach(events: readonly ResponseEvent[], text: string): readonly ResponseEvent[] {
    if (this.#wishes.length === 0) return events;
    return events.map((event) => {
      if (event.type !== 'tool-call' && event.type !== 'finish') return event;
      const overruled = this.#wishes
        .filter((wish) => wish.at < event.end && isOtherContent(wish, text))
        .map((wish) => ({ ...wish, before: text.slice(Math.max(0, wish.at - told), wish.at) }));
      this.#wishes = this.#wishes.filter((wish) => wish.at >= event.end);
      return overruled.length === 0 ? event : { ...event, overruled };
    });
  }
}

/** Other white space, or another division into tokens, is no other content. */
function isOtherContent({ at, wished }: Wish, text: string): boolean {
  const [wanted, written] = [wished, text.slice(at)].map((each) => each.replace(/\s/g, ''));
  return wanted !== undefined && written?.startsWith(wanted) === false;
}
