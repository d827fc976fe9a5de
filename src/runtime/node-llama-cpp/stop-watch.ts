/** Ends a response at a text, however it is cut into tokens: keeps back what may become a stop. */

/** What came of a piece of text. */
export interface PassedText {
  /** Text that can be shown. */
  readonly text: string;
  /** A stop was found after it; nothing after it counts. */
  readonly stopped: boolean;
}

/** Watches one response for the texts that end it. */
export class StopWatch {
  readonly #stops: readonly string[];
  #held = '';

  constructor(stops: readonly string[]) {
    this.#stops = stops.filter((stop) => stop !== '');
  }

  /** More text. */
  pass(piece: string): PassedText {
    const text = this.#held + piece;
    const places = this.#stops.map((stop) => text.indexOf(stop)).filter((place) => place >= 0);
    if (places.length > 0) {
      this.#held = '';
      return { text: text.slice(0, Math.min(...places)), stopped: true };
    }
    const kept = Math.max(0, ...this.#stops.map((stop) => heldLength(text, stop)));
    this.#held = text.slice(text.length - kept);
    return { text: text.slice(0, text.length - kept), stopped: false };
  }

  /**
   * A special token after `before`, all text so far. Where a stop ends with it, what of the text kept back
   * stands before that stop; otherwise `null`. A stop that is found in the middle of its text is none.
   */
  endAt(special: string, before: string): string | null {
    const lengths = this.#stops
      .filter((stop) => stop.endsWith(special) && before.endsWith(stop.slice(0, -special.length)))
      .map((stop) => stop.length - special.length);
    if (special === '' || lengths.length === 0) return null;
    const held = this.release();
    return held.slice(0, Math.max(0, held.length - Math.max(...lengths)));
  }

  /** What was kept back; it became no stop. */
  release(): string {
    const held = this.#held;
    this.#held = '';
    return held;
  }
}

/** Length of the longest end of `text` that is a proper beginning of `stop`. */
function heldLength(text: string, stop: string): number {
  for (let length = Math.min(text.length, stop.length - 1); length > 0; length--) {
    if (text.endsWith(stop.slice(0, length))) return length;
  }
  return 0;
}
