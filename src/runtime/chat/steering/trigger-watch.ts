/**
 * Decides when a lazy grammar starts. A trigger counts only outside reasoning and outside text that the parser has
 * emitted. If the marker is a special token of the model, only that token counts; the same characters in ordinary
 * tokens are text.
 */
import type { Trigger } from '../../../grammar/built-grammar.ts';
import type { ResponseEvent } from '../../../parser/events.ts';
import type { ParserPosition } from '../../../parser/response-parser.ts';

/** Position of a trigger in the text so far. */
export interface FoundTrigger {
  readonly start: number;
  readonly end: number;
}

/** Finds the special token with which a text begins, if the model has one. */
export interface MarkerLookup {
  leading(text: string): object | undefined;
}

/** Searches one response for the triggers of its grammar. */
export class TriggerWatch {
  readonly #triggers: readonly Trigger[];
  readonly #markers: MarkerLookup;
  /** The end of the text, long enough for any trigger, and its offset. */
  #window = '';
  #windowStart = 0;
  /** Offsets of special tokens. */
  readonly #specialStarts = new Set<number>();
  #reasoning = false;
  /** Where the latest reasoning ended; triggers before it do not count. */
  #answerStart = 0;
  /** End of the text that the parser has emitted; no call begins before it. */
  #textEnd = 0;

  constructor(triggers: readonly Trigger[], markers: MarkerLookup) {
    this.#triggers = triggers;
    this.#markers = markers;
  }

  /** More text. */
  append(text: string, special: boolean): void {
    if (special) this.#specialStarts.add(this.#windowStart + this.#window.length);
    this.#window += text;
    if (this.#window.length < 2 * windowLength) return;
    const kept = Math.max(windowLength, text.length);
    this.#windowStart += this.#window.length - kept;
    this.#window = this.#window.slice(-kept);
    for (const start of this.#specialStarts) if (start < this.#windowStart) this.#specialStarts.delete(start);
  }

  /**
   * The first trigger that ends after `place`, which is in the latest text; of those that end together, the longest: one
   * opener may be the end of another. `fires` decides whether it counts.
   */
  find(place: number): FoundTrigger | null {
    let first: FoundTrigger | null = null;
    for (const { type, value } of this.#triggers) {
      const found = type === 'word' ? this.#findWord(value, place) : this.#findPattern(value, place);
      if (found !== null && (first === null || precedes(found, first))) first = found;
    }
    return first;
  }

  /** Ignores triggers up to `place`. */
  resumeAt(place: number): void {
    this.#window = '';
    this.#windowStart = place;
    this.#answerStart = place;
  }

  /** Records the parser's position and events after it has read up to `place`. */
  follow({ region }: ParserPosition, events: readonly ResponseEvent[], place: number): void {
    this.#textEnd = Math.max(this.#textEnd, ...events.filter(isText).map(({ end }) => end));
    const ended = events.findLast((event) => event.type === 'reasoning-end');
    if (ended !== undefined) this.#answerStart = Math.max(this.#answerStart, ended.end);
    else if (this.#reasoning && region !== 'reasoning') this.#answerStart = place;
    this.#reasoning = region === 'reasoning';
  }

  /** Whether the trigger counts, after the parser has read up to its end. */
  fires(found: FoundTrigger): boolean {
    return !this.#reasoning && found.start >= Math.max(this.#answerStart, this.#textEnd);
  }

  #findWord(word: string, place: number): FoundTrigger | null {
    const marker = this.#markers.leading(word);
    let start = this.#indexOf(word, Math.max(this.#answerStart, place - word.length + 1));
    while (start >= 0 && marker !== undefined && !this.#specialStarts.has(start)) {
      start = this.#indexOf(word, start + 1);
    }
    return start < 0 ? null : { start, end: start + word.length };
  }

  #indexOf(word: string, from: number): number {
    const place = this.#window.indexOf(word, Math.max(0, from - this.#windowStart));
    return place < 0 ? -1 : place + this.#windowStart;
  }

  #findPattern(pattern: string, place: number): FoundTrigger | null {
    if (this.#answerStart < this.#windowStart) return null;
    const answer = this.#window.slice(this.#answerStart - this.#windowStart);
    const match = new RegExp(pattern, 'd').exec(answer)?.indices?.[1];
    if (match === undefined) return null;
    const [start, end] = [this.#answerStart + match[0], this.#answerStart + match[1]];
    return end > place ? { start, end } : null;
  }
}

function precedes(one: FoundTrigger, other: FoundTrigger): boolean {
  return one.end === other.end ? one.start < other.start : one.end < other.end;
}

function isText({ type }: ResponseEvent): boolean {
  return type === 'text-delta';
}

/** UTF-16 units of text that are searched for triggers. */
const windowLength = 4096;
