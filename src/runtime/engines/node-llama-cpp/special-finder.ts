/** Where the texts of special tokens stand in a text, or could come to stand. */
import type { Token } from 'node-llama-cpp';

/** One token that plays a role: its text must never come from a user. */
export interface SpecialToken {
  readonly token: Token;
  readonly text: string;
}

/** A UTF-16 unit on the way into a special token's text; a text ends where `special` is set. */
interface Node {
  readonly next: Map<number, Node>;
  special: SpecialToken | undefined;
}

/**
 * Finds the texts of special tokens in a text. A vocabulary may have thousands of them, so they are tries;
 * most places of a text are then one look at one UTF-16 unit.
 */
export class SpecialFinder {
  readonly #forwards = newNode();
  readonly #backwards = newNode();
  /** By the low byte of a unit: whether one may begin, or end, with it. Says no to nearly every place. */
  readonly #mayBegin = new Uint8Array(256);
  readonly #mayEnd = new Uint8Array(256);
  #longest = 0;

  constructor(specials: Iterable<SpecialToken>) {
    for (const special of specials) {
      const { text } = special;
      if (text === '') continue;
      const codes = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
      this.#mayBegin[(codes[0] ?? 0) & 0xff] = 1;
      this.#mayEnd[(codes.at(-1) ?? 0) & 0xff] = 1;
      insert(this.#forwards, codes, special);
      insert(this.#backwards, codes.reverse(), special);
      this.#longest = Math.max(this.#longest, text.length);
    }
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
    return { before: this.#beginsInside(text), after: this.#endsInside(text) };
  }

  #longestAt(text: string, start: number): SpecialToken | undefined {
    if (this.#mayBegin[text.charCodeAt(start) & 0xff] === 0) return undefined;
    let longest: SpecialToken | undefined;
    let node = this.#forwards.next.get(text.charCodeAt(start));
    for (let place = start + 1; node !== undefined; place++) {
      longest = node.special ?? longest;
      node = node.next.get(text.charCodeAt(place));
    }
    return longest;
  }

  /** A beginning of the text ends a special token's text, by more than letters and white space. */
  #beginsInside(text: string): boolean {
    for (let end = Math.min(text.length, this.#longest); end > 0; end--) {
      if (this.#mayEnd[text.charCodeAt(end - 1) & 0xff] === 0) continue;
      let node: Node | undefined = this.#backwards;
      for (let place = end; place > 0 && node !== undefined; place--)
        node = node.next.get(text.charCodeAt(place - 1));
      if (node !== undefined && isTelling(text.slice(0, end))) return true;
    }
    return false;
  }

  /** An end of the text begins a special token's text, by more than letters and white space. */
  #endsInside(text: string): boolean {
    for (let start = Math.max(0, text.length - this.#longest); start < text.length; start++) {
      if (this.#mayBegin[text.charCodeAt(start) & 0xff] === 0) continue;
      let node: Node | undefined = this.#forwards;
      for (let place = start; place < text.length && node !== undefined; place++)
        node = node.next.get(text.charCodeAt(place));
      if (node !== undefined && isTelling(text.slice(start))) return true;
    }
    return false;
  }
}

/** UTF-16 units of the character at `start`. */
function widthAt(text: string, start: number): number {
  return (text.codePointAt(start) ?? 0) > 0xffff ? 2 : 1;
}

function newNode(): Node {
  return { next: new Map(), special: undefined };
}

/** Of two tokens with one text the first counts. */
function insert(root: Node, codes: readonly number[], special: SpecialToken): void {
  let node = root;
  for (const code of codes) {
    const known = node.next.get(code);
    const next = known ?? newNode();
    if (known === undefined) node.next.set(code, next);
    node = next;
  }
  node.special ??= special;
}

/** A single letter or space that two texts share says nothing. */
function isTelling(shared: string): boolean {
  return /[^\w\s]/.test(shared);
}
