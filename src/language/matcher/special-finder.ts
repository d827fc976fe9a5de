/** Finds the texts of special tokens in a text. */

/** A text to find, with any other facts. The text must never come from a user. */
export interface Findable {
  readonly text: string;
}

/** A node of the trie, for one UTF-16 unit; `special` is set where a text ends. */
interface FinderNode<Special> {
  readonly next: Map<number, FinderNode<Special>>;
  special: Special | undefined;
}

/**
 * Finds the texts of special tokens in a text. A vocabulary may have thousands of them, so they are tries; at most
 * positions, looking at one UTF-16 unit is enough.
 */
export class SpecialFinder<Special extends Findable = Findable> {
  readonly #forwards = newNode<Special>();
  /**
   * Matches the units with which a text may begin. A regular expression is fast even before the engine has warmed up,
   * while a loop over a prompt would take milliseconds.
   */
  readonly #beginning: RegExp;

  constructor(specials: Iterable<Special>) {
    const beginnings = new Set<number>();
    for (const special of specials) {
      const { text } = special;
      if (text === '') continue;
      const codes = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
      beginnings.add(codes[0] ?? 0);
      insert(this.#forwards, codes, special);
    }
    this.#beginning = anyOf(beginnings);
  }

  /** The occurrences from left to right, longest first, without overlap. */
  *find(text: string): Generator<{ readonly start: number; readonly special: Special }> {
    for (let start = this.#nextBeginning(text, 0); start >= 0; ) {
      const special = this.#longestAt(text, start);
      if (special !== undefined) yield { start, special };
      start = this.#nextBeginning(text, start + (special?.text.length ?? 1));
    }
  }

  /** Positions inside each occurrence, including overlapping ones: cutting there leaves none. */
  cutsInside(text: string): number[] {
    const cuts: number[] = [];
    for (let start = this.#nextBeginning(text, 0); start >= 0; start = this.#nextBeginning(text, start + 1)) {
      if (this.#longestAt(text, start) !== undefined) cuts.push(start + widthAt(text, start));
    }
    return cuts;
  }

  /** Every position where occurrences begin, including overlapping ones, with their ends in ascending order. */
  *findEverywhere(text: string): Generator<{ readonly start: number; readonly ends: readonly number[] }> {
    for (let start = this.#nextBeginning(text, 0); start >= 0; start = this.#nextBeginning(text, start + 1)) {
      const ends: number[] = [];
      let node = this.#forwards.next.get(text.charCodeAt(start));
      for (let place = start + 1; node !== undefined; place++) {
        if (node.special !== undefined) ends.push(place);
        node = node.next.get(text.charCodeAt(place));
      }
      if (ends.length > 0) yield { start, ends };
    }
  }

  /** The first position from `from` on where one may begin, or -1. */
  #nextBeginning(text: string, from: number): number {
    return nextOf(this.#beginning, text, from);
  }

  #longestAt(text: string, start: number): Special | undefined {
    let longest: Special | undefined;
    let node = this.#forwards.next.get(text.charCodeAt(start));
    for (let place = start + 1; node !== undefined; place++) {
      longest = node.special ?? longest;
      node = node.next.get(text.charCodeAt(place));
    }
    return longest;
  }
}

/** Matches any of these UTF-16 units. */
function anyOf(units: ReadonlySet<number>): RegExp {
  const escaped = Array.from(units, (unit) => `\\u${unit.toString(16).padStart(4, '0')}`);
  return new RegExp(`[${escaped.join('')}]`, 'g');
}

/** The first position from `from` on that matches `pattern`, which matches single units; or -1. */
function nextOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex - 1 : -1;
}

/** Number of UTF-16 units of the character at `start`. */
export function widthAt(text: string, start: number): number {
  return (text.codePointAt(start) ?? 0) > 0xffff ? 2 : 1;
}

function newNode<Special>(): FinderNode<Special> {
  return { next: new Map(), special: undefined };
}

/** If two tokens have the same text, the first counts. */
function insert<Special>(root: FinderNode<Special>, codes: readonly number[], special: Special): void {
  let node = root;
  for (const code of codes) {
    const known = node.next.get(code);
    const next = known ?? newNode<Special>();
    if (known === undefined) node.next.set(code, next);
    node = next;
  }
  node.special ??= special;
}
