/** Searches a growing text for the first of several delimiters. */
import type { HeldText } from './held-text.ts';
import { searchPattern } from './pattern/pattern-search.ts';
import type { PatternSearch, RegexMatch } from './pattern/search.ts';
import type { Delimiter, Region } from './region.ts';

/** A delimiter to search for, and its effect. */
export interface DelimiterCandidate {
  readonly action: 'open' | 'close';
  readonly field: Region;
  readonly delimiter: Delimiter;
  /** The first position at which an empty match counts. */
  readonly emptyFrom: number;
}

/** A delimiter that was found. */
export interface FoundDelimiter {
  readonly candidate: DelimiterCandidate;
  readonly match: RegexMatch;
}

interface DelimiterWatch {
  readonly candidate: DelimiterCandidate;
  readonly search: PatternSearch;
}

/** Length of the first stretch that is searched at once; each later one is twice as long, up to the largest. */
const window = { first: 256, largest: 65_536 };

/**
 * The search in one region. The delimiter that begins first is found; among several at one position, the longest;
 * among equally long ones, the first in the order of `candidates`.
 */
export class DelimiterSearch {
  readonly #watches: readonly DelimiterWatch[];
  readonly #finder: RegExp | null;
  #position: number;
  #window = window.first;

  /** `finder` finds the next character with which any candidate may begin; `null` if that can be any character. */
  constructor(candidates: readonly DelimiterCandidate[], from: number, finder: RegExp | null) {
    this.#position = from;
    this.#finder = finder;
    this.#watches = candidates.map((candidate) => ({
      candidate,
      search: searchPattern(candidate.delimiter.pattern, from, { from: candidate.emptyFrom }),
    }));
  }

  /** Searches all of `text`; returns the delimiter found, or `null`. With `final`, no more text will come. */
  advance(text: HeldText, final: boolean): FoundDelimiter | null {
    if (this.#skipPlain(text)) return null;
    // Short stretches first, so that a nearby delimiter does not cost a search of all the text after it.
    do {
      const to = this.#nextStop(text);
      for (const { search } of this.#watches) search.advance(text, to, final && to === text.end);
      this.#position = to;
      const found = this.#first();
      if (found !== null) return found;
    } while (this.#position < text.end);
    return null;
  }

  /** Whether no delimiter can begin in the text so far; the usual case. */
  #skipPlain(text: HeldText): boolean {
    if (this.#finder === null || this.#position === 0) return false;
    if (this.#watches.some(({ search }) => search.pending !== null || search.found !== null)) return false;
    this.#finder.lastIndex = 0;
    if (this.#finder.test(text.piece(this.#position, text.end))) return false;
    this.#position = text.end;
    for (const { search } of this.#watches) search.passTo(text.end);
    return true;
  }

  /** Up to this position, the text belongs to the region, whatever comes. */
  get safe(): number {
    let safe = this.#position;
    for (const { search } of this.#watches)
      safe = Math.min(safe, search.pending ?? search.found?.start ?? safe);
    return safe;
  }

  #nextStop(text: HeldText): number {
    let to = Math.min(text.end, this.#position + this.#window);
    this.#window = Math.min(2 * this.#window, window.largest);
    // Not between the halves of a pair.
    if (to < text.end && /[\ud800-\udbff]/.test(text.piece(to - 1, to))) to++;
    return to;
  }

  #first(): FoundDelimiter | null {
    let first: FoundDelimiter | null = null;
    for (const { candidate, search } of this.#watches) {
      const match = search.found;
      if (match !== null && (first === null || goesBefore({ candidate, match }, first)))
        first = { candidate, match };
    }
    if (first === null) return null;
    const { start } = first.match;
    const undecided = this.#watches.some(({ search }) => search.pending !== null && search.pending <= start);
    return undecided ? null : first;
  }
}

/** Whether `one`, which comes later in the list, takes precedence over `other`. */
function goesBefore(one: FoundDelimiter, other: FoundDelimiter): boolean {
  if (one.match.start !== other.match.start) return one.match.start < other.match.start;
  return one.match.end > other.match.end;
}
