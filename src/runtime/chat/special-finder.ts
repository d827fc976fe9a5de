/** Where the texts of special tokens stand in a text. */

/** What is looked for: a text, and whatever else is known of it. Its text must never come from a user. */
export interface Findable {
  readonly text: string;
}

/** A UTF-16 unit on the way into a special token's text; a text ends where `special` is set. */
interface Node<Special> {
  readonly next: Map<number, Node<Special>>;
  special: Special | undefined;
}

/**
 * Finds the texts of special tokens in a text. A vocabulary may have thousands of them, so they are tries;
 * most places of a text are then one look at one UTF-16 unit.
 */
export class SpecialFinder<Special extends Findable = Findable> {
  readonly #forwards = newNode<Special>();
  /**
   * The units that one begins with. A regular expression looks for them: it is fast in a new process too, where a
   * loop over every unit of a prompt takes milliseconds.
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

  /** The occurrences from left to right, the longest first, without overlap. */
  *find(text: string): Generator<{ readonly start: number; readonly special: Special }> {
    for (let start = this.#nextBeginning(text, 0); start >= 0; ) {
      const special = this.#longestAt(text, start);
      if (special !== undefined) yield { start, special };
      start = this.#nextBeginning(text, start + (special?.text.length ?? 1));
    }
  }

  /** Places, one inside each occurrence (overlapping ones too), at which to cut so that none remains. */
  cutsInside(text: string): number[] {
    const cuts: number[] = [];
    for (let start = this.#nextBeginning(text, 0); start >= 0; start = this.#nextBeginning(text, start + 1)) {
      if (this.#longestAt(text, start) !== undefined) cuts.push(start + widthAt(text, start));
    }
    return cuts;
  }

  /** Every place at which one begins, overlapping ones too, and where each that begins there ends, ascending. */
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

  /** The first place from `from` on where one may begin; -1 where there is none. */
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

/** Finds one of these UTF-16 units. */
function anyOf(units: ReadonlySet<number>): RegExp {
  const escaped = Array.from(units, (unit) => `\\u${unit.toString(16).padStart(4, '0')}`);
  return new RegExp(`[${escaped.join('')}]`, 'g');
}

/** The first place from `from` on that `pattern`, which is of one unit, finds; -1 where there is none. */
function nextOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex - 1 : -1;
}

/** UTF-16 units of the character at `start`. */
export function widthAt(text: string, start: number): number {
  return (text.codePointAt(start) ?? 0) > 0xffff ? 2 : 1;
}

function newNode<Special>(): Node<Special> {
  return { next: new Map(), special: undefined };
}

/** Of two tokens with one text the first counts. */
function insert<Special>(root: Node<Special>, codes: readonly number[], special: Special): void {
  let node = root;
  for (const code of codes) {
    const known = node.next.get(code);
    const next = known ?? newNode<Special>();
    if (known === undefined) node.next.set(code, next);
    node = next;
  }
  node.special ??= special;
}
