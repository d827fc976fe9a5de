/**
 * Markers and how they are found: exact text, except that white space at the edges, around line breaks and between
 * `>` and `<` is flexible. A table of choices is searched by the first characters of its markers, so ordinary text
 * is passed at the speed of `indexOf`.
 */

import type { LeniencyLaw } from '../leniency/law-table.ts';
import { withOtherSpellings } from '../leniency/other-spellings.ts';
import type { Transition } from '../state-tables.ts';
import { type CompiledTransition, compileTransition } from './compiled-transition.ts';
import { spaceKinds } from './leading-space.ts';
import { PlainRun } from './plain-run.ts';
import { maxGap, skipSpace } from './white-space.ts';

/** No match here, whatever follows. */
export const absent = -1;
/** A match is possible, but the text ends too early to tell. */
export const undecided = -2;
/** What a match at a position says: where it ends, `absent` or `undecided`. */
export type MatchEnd = number;

/** What a match depends on besides the text: the tools, special tokens, and whether more text can come. */
export interface MatchContext {
  /** Whether the response is over. */
  readonly ended: boolean;
  /** Whether markers of calls count at all. */
  readonly callsAllowed: boolean;
  /** Whether a law of leniency applies to text at `at`. */
  allows(law: LeniencyLaw, at: number): boolean;
  /** Whether calls without a marker may begin at `at`, that is, this has not been tried yet. */
  maySpeculate(at: number): boolean;
  /** Whether the special tokens within `length` units of `part`, at `at`, were written as such. */
  isWrittenAsTokens(part: string, at: number, length: number): boolean;
  /** Whether the response has written the latest marker, and not the prompt. */
  readonly wroteMarker: boolean;
  /** Whether the prompt already wrote the text at `at`. */
  inPrompt(at: number): boolean;
  /** Whether a special token begins at `at`. */
  isSpecial(at: number): boolean;
  /** Whether the text that the choice requires follows at `at`: the position if so. */
  followedBy(text: string, at: number, choice: Transition<unknown>): MatchEnd;
  /** Position after a known tool name at `at` that is followed by one of `ends`. */
  nameEnd(text: string, at: number, ends: readonly string[]): MatchEnd;
  /** Position after any name at `at` that is followed by one of `ends`, unless it is known what is offered. */
  anyNameEnd(text: string, at: number, ends: readonly string[]): MatchEnd;
  /** Whether a JSON call of a known tool begins at `at`. */
  envelopeAt(text: string, at: number, choice: Transition<unknown>): MatchEnd;
}

/** End of the choice's marker at `at`. */
function matchChoice<Ref>(
  context: MatchContext,
  text: string,
  at: number,
  choice: CompiledTransition<Ref>,
): MatchEnd {
  if (choice.role === 'call' && !context.callsAllowed) return absent;
  if (choice.repairs !== undefined && !context.allows(choice.repairs, at)) return absent;
  if (choice.speculative && !context.maySpeculate(at)) return absent;
  if (choice.afterOwnMarker && !context.wroteMarker) return absent;
  const end = matchParts(context, text, at, choice.parts);
  if (end < 0) return end;
  if (choice.wordEnd) {
    if (end === text.length && !context.ended) return undecided;
    if (/\w/.test(text.charAt(end))) return absent;
  }
  if (choice.onlyAtEnd) {
    const rest = skipSpace(text, end);
    if (rest < text.length || rest - end > maxGap) return absent;
    return context.ended ? end : undecided;
  }
  const verdict = matchCondition(context, text, end, choice);
  if (verdict < 0) return verdict;
  if (choice.onlyAsSpecialToken && !context.isSpecial(at)) return absent;
  // The prompt's markers are the template's own; what follows them may not be written yet.
  if (choice.parts.length > 0 && context.inPrompt(at)) return verdict;
  if (choice.followedBy === undefined) return verdict;
  const follows = context.followedBy(text, end, choice);
  return follows < 0 ? follows : end;
}

function matchCondition<Ref>(
  context: MatchContext,
  text: string,
  end: number,
  choice: CompiledTransition<Ref>,
): MatchEnd {
  if (choice.nameFollows !== undefined) {
    const start = skipSpace(text, end);
    if (start - end > maxGap) return absent;
    const { afterNumber } = choice;
    const name = afterNumber === undefined ? start : numberEnd(context, text, start, afterNumber);
    if (name < 0) return name;
    const at = skipSpace(text, name);
    const named = context.nameEnd(text, at, choice.nameFollows);
    if (named >= 0) return end;
    const { anyNameFollows } = choice;
    const other = anyNameFollows === undefined ? absent : context.anyNameEnd(text, at, anyNameFollows);
    if (other >= 0) return end;
    return named === undecided || other === undecided ? undecided : absent;
  }
  if (choice.envelopeFollows !== undefined) {
    const verdict = context.envelopeAt(text, end, choice);
    return verdict < 0 ? verdict : end;
  }
  return end;
}

/** Maximum number of digits of a call's number. */
const maxNumber = 4;

/** Position after the number at `at` and the text `after`. */
function numberEnd(context: MatchContext, text: string, at: number, after: string): MatchEnd {
  let end = at;
  while (end < text.length && end - at < maxNumber && /\d/.test(text.charAt(end))) end++;
  if (end === text.length && !context.ended) return undecided;
  const marker = after.trim();
  return end === at ? absent : matchText(context, text, marker === '' ? end : skipSpace(text, end), marker);
}

/** End of the parts at `at`, with white space between them. */
export function matchParts(
  context: MatchContext,
  text: string,
  at: number,
  parts: readonly string[],
): MatchEnd {
  let end = at;
  for (const [index, part] of parts.entries()) {
    const next = index === 0 ? end : skipSpace(text, end);
    if (next - end > maxGap) return absent;
    end = matchText(context, text, next, part);
    if (end < 0) return end;
  }
  return end;
}

/** End of exactly `part` at `at`. */
export function matchText(context: MatchContext, text: string, at: number, part: string): MatchEnd {
  const rest = text.length - at;
  if (rest >= part.length) {
    return text.startsWith(part, at) && context.isWrittenAsTokens(part, at, part.length)
      ? at + part.length
      : absent;
  }
  if (context.ended || !part.startsWith(text.slice(at)) || !context.isWrittenAsTokens(part, at, rest))
    return absent;
  return undecided;
}

/** The result of matching a table at one position. */
export interface Match<Ref> {
  readonly choice: CompiledTransition<Ref>;
  readonly end: number;
}

/** A marker that no other text has. */
const isTag = /^(?:\S*<[^<>\s]{2,}>|\[[A-Z_]{3,}\])$/;

/** Candidates are first searched unit by unit up to this distance, then in windows that double in size. */
const nearby = 24;
const firstWindow = 256;

/** A table of choices, compiled once per module. */
export class MarkerTable<Ref> {
  readonly choices: readonly CompiledTransition<Ref>[];
  /** The longest white space in front of any marker. */
  readonly maxLeadingSpace: number;
  /** The characters of that white space. */
  readonly spaces: string;
  /** What closes the calls that they open. */
  readonly closers: readonly string[];
  /** Finds plain text, which cannot begin any of the markers. */
  readonly plainRun: PlainRun;
  /** The distinct first characters of all markers. */
  private readonly firsts: readonly string[];
  /** 1 for units that are the second of some marker; units above 255 always may be. */
  private readonly seconds = new Uint8Array(256);
  /** 1 for units that are the first of some marker; those above 255 are only in `firsts`. */
  private readonly beginnings = new Uint8Array(256);
  private readonly beginsBeyond: boolean;
  private readonly byFirst: ReadonlyMap<number, readonly CompiledTransition<Ref>[]>;
  private readonly markerless: readonly CompiledTransition<Ref>[];

  constructor(choices: readonly Transition<Ref>[]) {
    this.choices = withOtherSpellings(choices)
      .map(compileTransition)
      .sort((a, b) => coreLength(b) - coreLength(a));
    this.maxLeadingSpace = Math.max(0, ...this.choices.map(({ leadingSpace }) => leadingSpace.length));
    this.spaces = spaceKinds(this.choices.map(({ leadingSpace }) => leadingSpace));
    this.closers = [...new Set(choices.flatMap(({ blockEnd = '' }) => blockEnd.trim() || []))];
    this.byFirst = groupByFirst(this.choices);
    this.firsts = [...this.byFirst.keys()].map((unit) => String.fromCharCode(unit));
    for (const unit of this.byFirst.keys()) if (unit < 256) this.beginnings[unit] = 1;
    this.beginsBeyond = [...this.byFirst.keys()].some((unit) => unit > 255);
    this.markerless = this.choices.filter(({ parts }) => parts.length === 0);
    const parts = this.choices.map((choice) => choice.parts[0] ?? '');
    for (const part of parts) this.noteSecond(part);
    this.plainRun = new PlainRun({ firsts: this.firsts, spaces: this.spaces, seconds: secondsOf(parts) });
  }

  private noteSecond(part: string): void {
    if (part.length === 1) this.seconds.fill(1);
    else if (part.charCodeAt(1) < 256) this.seconds[part.charCodeAt(1)] = 1;
  }

  /**
   * The first position from `from` on and before `to` where a marker may begin, or -1. The cost depends on the
   * distance to that position, not on the length of the text.
   */
  nextCandidate(text: string, from: number, to = text.length): number {
    const near = Math.min(to, from + nearby);
    for (let at = from; at < near; at++) {
      if (this.mayBegin(text.charCodeAt(at)) && this.mayContinue(text, at + 1)) return at;
    }
    for (let start = near, width = firstWindow; start < to; start += width, width *= 2) {
      const found = this.nearestIn(text.slice(start, Math.min(to, start + width)), text, start);
      if (found !== -1) return found;
    }
    return -1;
  }

  private mayBegin(unit: number): boolean {
    if (unit < 256) return this.beginnings[unit] === 1;
    return this.beginsBeyond && this.byFirst.has(unit);
  }

  /** The first candidate in a window of `text` that begins at `start`. */
  private nearestIn(window: string, text: string, start: number): number {
    let nearest = -1;
    for (const first of this.firsts) {
      let place = window.indexOf(first);
      while (place !== -1 && !this.mayContinue(text, start + place + 1))
        place = window.indexOf(first, place + 1);
      if (place !== -1 && (nearest === -1 || place < nearest)) nearest = place;
    }
    return nearest === -1 ? -1 : start + nearest;
  }

  private mayContinue(text: string, at: number): boolean {
    if (at >= text.length) return true;
    const unit = text.charCodeAt(at);
    return unit >= 256 || this.seconds[unit] === 1;
  }

  /** The longest choice that matches at `at`; `null` if none does; `undecided` if more text could make one match. */
  matchAt(context: MatchContext, text: string, at: number): Match<Ref> | null | typeof undecided {
    const withMarker = this.firstMatch(context, text, at, this.byFirst.get(text.charCodeAt(at)) ?? []);
    if (withMarker !== null) return withMarker;
    return this.markerless.length === 0 ? null : this.firstMatch(context, text, at, this.markerless);
  }

  private firstMatch(
    context: MatchContext,
    text: string,
    at: number,
    choices: readonly CompiledTransition<Ref>[],
  ): Match<Ref> | null | typeof undecided {
    for (const choice of choices) {
      const end = matchChoice(context, text, at, choice);
      if (end === undecided) return undecided;
      if (end !== absent) return { choice, end };
    }
    return null;
  }

  /** Whether the end of the response after `at` is the beginning of a marker. */
  mayContinueAfter(text: string, at: number): boolean {
    const rest = text.slice(at);
    return this.choices.some(
      ({ parts: [first = ''] }) => first.length > rest.length && first.startsWith(rest),
    );
  }

  /** End of the longest opener of calls at a position, whatever its conditions are; or `absent` or `undecided`. */
  openerEnd(context: MatchContext, text: string, at: number): number {
    const openers = this.choices.filter(
      ({ role, repairs, parts }) => role === 'call' && repairs === undefined && parts.length > 0,
    );
    const ends = openers.map(({ parts }) => matchParts(context, text, at, parts));
    return ends.find((end) => end >= 0) ?? (ends.includes(undecided) ? undecided : absent);
  }

  /** The first tag of a marker of the format that opens calls, at a position where none opens; `null` if there is none. */
  unusedOpener(context: MatchContext, text: string, at: number): string | null {
    if (!context.callsAllowed) return null;
    const found = this.choices.find(
      ({ role, repairs, peek, ambiguous, parts: [first = ''] }) =>
        role === 'call' &&
        repairs === undefined &&
        !(peek ?? ambiguous) &&
        isTag.test(first) &&
        matchText(context, text, at, first) >= 0,
    );
    return found?.parts[0] ?? null;
  }

  /** Whether a marker begins with `text`. */
  beginsWith(text: string): boolean {
    return this.choices.some(({ parts: [first = ''] }) => first.startsWith(text));
  }

  /** What is expected here, in readable form. */
  expected(): readonly string[] {
    const own = this.choices.filter(({ repairs }) => repairs === undefined);
    return [...new Set(own.map(({ parts }) => JSON.stringify(parts.join('\n'))))];
  }
}

/** The second characters of the texts; `null` if one has a single character. */
export function secondsOf(parts: readonly string[]): string | null {
  return parts.some((part) => part.length === 1) ? null : parts.map((part) => part.charAt(1)).join('');
}

function groupByFirst<Ref>(
  choices: readonly CompiledTransition<Ref>[],
): ReadonlyMap<number, readonly CompiledTransition<Ref>[]> {
  const groups = new Map<number, CompiledTransition<Ref>[]>();
  for (const choice of choices) {
    const first = choice.parts[0]?.charCodeAt(0);
    if (first === undefined) continue;
    const group = groups.get(first);
    if (group === undefined) groups.set(first, [choice]);
    else group.push(choice);
  }
  return groups;
}

function coreLength<Ref>(choice: CompiledTransition<Ref>): number {
  return choice.parts.reduce((sum, part) => sum + part.length, 0);
}

const alone = new WeakMap<CompiledTransition<never>, MarkerTable<never>>();

/** A table with only this marker, without conditions; created once. */
export function markerAlone<Ref>(choice: CompiledTransition<Ref>): MarkerTable<Ref> {
  const tables: WeakMap<CompiledTransition<Ref>, MarkerTable<Ref>> = alone;
  const known = tables.get(choice);
  if (known !== undefined) return known;
  const table = new MarkerTable<Ref>([{ marker: choice.marker, next: choice.next }]);
  tables.set(choice, table);
  return table;
}
