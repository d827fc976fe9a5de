/** What both searches share: the text, and the results. */
import type { PatternProgram } from './program.ts';
import { wordMembers } from './read-class.ts';

/** A compiled pattern. */
export interface Pattern {
  readonly source: string;
  readonly program: PatternProgram;
  /** Names of its groups and their numbers. */
  readonly groupNames: ReadonlyMap<string, number>;
}

/** A match in the text; `end` is exclusive. */
export interface RegexMatch {
  readonly start: number;
  readonly end: number;
  /** Start and end of each group, group 1 first; -1 if it did not match. */
  readonly slots: readonly number[];
}

/** Text that grows at its end and is dropped at its beginning; positions count from its very first character. */
export interface GrowingText {
  readonly start: number;
  readonly end: number;
  /** All text that is still available, from `start` to `end`. */
  text(): string;
  /** A stretch from `from` to at most `to`; not empty if there is any text. */
  piece(from: number, to: number): string;
  /** The code point that ends at `at`, or -1 at the very beginning. */
  codePointBefore(at: number): number;
}

/** The search for the first match of one pattern in a growing text. The result does not depend on chunking. */
export interface PatternSearch {
  /** Searches the text up to `to`; with `final`, no more text will come. */
  advance(text: GrowingText, to: number, final: boolean): void;
  /** The first match, once no further text can change it. */
  readonly found: RegexMatch | null;
  /** Where the first match may still begin; `null` if none is pending. */
  readonly pending: number | null;
  /** Continues at `place`, with nothing pending: no match begins before it. */
  passTo(place: number): void;
}

/** Which empty matches count. */
export interface EmptyMatches {
  /** The first position where they count; by default the position where the search begins. */
  readonly from: number;
  /** Whether they count at the end of the text, once that is known; by default they do not. */
  readonly atEnd: boolean;
}

/** A text that is complete. */
export function wholeText(text: string): GrowingText {
  return {
    start: 0,
    end: text.length,
    text: () => text,
    piece: (from, to) => text.slice(from, to),
    codePointBefore: (at) => codePointBefore(text, at),
  };
}

/** The code point of `text` that ends at index `at`, or -1 at its beginning. */
export function codePointBefore(text: string, at: number): number {
  if (at <= 0) return -1;
  const low = text.charCodeAt(at - 1);
  const high = at > 1 ? text.charCodeAt(at - 2) : 0;
  const pair = low >= 0xdc00 && low <= 0xdfff && high >= 0xd800 && high <= 0xdbff;
  return pair ? (text.codePointAt(at - 2) ?? low) : low;
}

const wordCharacter = new RegExp(`[${wordMembers}]`, 'u');

/** Whether Python counts a code point as part of a word. */
export function isWordCharacter(codePoint: number): boolean {
  return codePoint >= 0 && wordCharacter.test(String.fromCodePoint(codePoint));
}
