/** Where the texts of special tokens stand in a text, or could come to stand. */
import type { Token } from 'node-llama-cpp';

/** One token that plays a role: its text must never come from a user. */
export interface SpecialToken {
  readonly token: Token;
  readonly text: string;
}

/** Finds the texts of special tokens in a text. */
export class SpecialFinder {
  readonly #byFirst = new Map<string, SpecialToken[]>();

  constructor(specials: Iterable<SpecialToken>) {
    for (const special of specials) {
      // Texts are gone through by UTF-16 unit: an emoji is found by its first half.
      const first = special.text.charAt(0);
      if (first === '') continue;
      const same = this.#byFirst.get(first);
      if (same === undefined) this.#byFirst.set(first, [special]);
      else same.push(special);
    }
    for (const same of this.#byFirst.values()) same.sort((a, b) => b.text.length - a.text.length);
  }

  /** The occurrences from left to right, the longest first, without overlap. */
  *find(text: string): Generator<{ readonly start: number; readonly special: SpecialToken }> {
    for (let start = 0; start < text.length; start++) {
      const special = this.#longestAt(text, start);
      if (special === undefined) continue;
      yield { start, special };
      start += special.text.length - 1;
    }
  }

  /** Places, one inside each occurrence (overlapping ones too), at which to cut so that none remains. */
  cutsInside(text: string): number[] {
    const cuts: number[] = [];
    for (let start = 0; start < text.length; start++) {
      if (this.#longestAt(text, start) !== undefined) cuts.push(start + widthAt(text, start));
    }
    return cuts;
  }

  /** A special token's text may be completed by what stands before or after this text. */
  mayBeCompleted(text: string): { readonly before: boolean; readonly after: boolean } {
    let before = false;
    let after = false;
    for (const specials of this.#byFirst.values()) {
      for (const { text: special } of specials) {
        before ||= overlaps(special, text);
        after ||= overlaps(text, special);
      }
    }
    return { before, after };
  }

  #longestAt(text: string, start: number): SpecialToken | undefined {
    const candidates = this.#byFirst.get(text.charAt(start));
    return candidates?.find((special) => text.startsWith(special.text, start));
  }
}

/** UTF-16 units of the character at `start`. */
function widthAt(text: string, start: number): number {
  return (text.codePointAt(start) ?? 0) > 0xffff ? 2 : 1;
}

/** An end of `left` is a beginning of `right`, by more than letters and white space. */
function overlaps(left: string, right: string): boolean {
  for (let length = Math.min(left.length, right.length); length > 0; length--) {
    const shared = right.slice(0, length);
    if (/[^\w\s]/.test(shared) && left.endsWith(shared)) return true;
  }
  return false;
}
