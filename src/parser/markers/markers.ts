/**
 * Markers and how they are found: exact text whose white space at the edges and around line breaks is
 * flexible. A table of choices is searched by the first characters of its markers, so that ordinary
 * text passes at the speed of `indexOf`.
 */

import type { Transition } from '../module-contract.ts';
import { spacesOf } from './hold-back.ts';
import { QuietText } from './quiet-text.ts';
import { skipSpace } from './white-space.ts';

/** No match here, whatever follows. */
export const absent = -1;
/** A match is possible, but the text ends too early to know. */
export const undecided = -2;

/** White space between the parts of one marker is passed over up to this many units. */
const longestGap = 64;

/** A choice whose marker has been taken apart. */
export interface CompiledChoice<Ref> extends Transition<Ref> {
  /** White space in front of the marker, which it claims from the text before it. */
  readonly lead: string;
  /** The marker without white space at its edges, cut at line breaks; empty for an empty marker. */
  readonly parts: readonly string[];
  /** White space after the marker, which it claims if it is there. */
  readonly trail: string;
  /** Begins like a word, after white space. */
  readonly wordStart: boolean;
  /** Ends like a word, so it must not go on like one. */
  readonly wordEnd: boolean;
}

/** Takes a marker apart: `\n<tool_call>\n<function=` is lead `\n`, parts `<tool_call>` and `<function=`. */
export function compileChoice<Ref>(choice: Transition<Ref>): CompiledChoice<Ref> {
  const core = choice.marker.trim();
  const start = choice.marker.indexOf(core);
  const lead = core === '' ? '' : choice.marker.slice(0, start);
  const trail = core === '' ? choice.marker : choice.marker.slice(start + core.length);
  const parts = core === '' ? [] : core.split(/[ \t]*[\r\n]\s*/);
  const wordStart = lead !== '' && /^\w/.test(core);
  return { ...choice, lead, parts, trail, wordStart, wordEnd: trail !== '' && /\w$/.test(core) };
}

/** What a match depends on beyond the text: the tools, special tokens, whether more text can come. */
export interface MatchContext {
  /** No more text will come. */
  readonly ended: boolean;
  /** Whether the calls of this table count at all. */
  readonly callsAllowed: boolean;
  /** Whether calls without a marker may begin at `at`: it has not been tried yet. */
  mayTry(at: number): boolean;
  /** Whether `length` units of `part`, standing at `at`, are written with the special tokens they hold. */
  isGenuine(part: string, at: number, length: number): boolean;
  /** Whether a special token begins at `at`. */
  isSpecial(at: number): boolean;
  /** Whether a call goes on at `at`: the position, or `absent`, `undecided`. */
  callGoesOn(text: string, at: number, choice: Transition<unknown>): number;
  /** Position after a known tool name at `at` with one of `ends` after it; or `absent`, `undecided`. */
  nameEnd(text: string, at: number, ends: readonly string[]): number;
  /** Whether a JSON call of a known tool begins at `at`: a position, `absent` or `undecided`. */
  envelopeAt(text: string, at: number, choice: Transition<unknown>): number;
}

/** End of the choice's marker at `at`; or `absent`, or `undecided`. */
function matchChoice<Ref>(
  context: MatchContext,
  text: string,
  at: number,
  choice: CompiledChoice<Ref>,
): number {
  if (choice.role === 'call' && !context.callsAllowed) return absent;
  if (choice.speculating && !context.mayTry(at)) return absent;
  const end = matchParts(context, text, at, choice.parts);
  if (end < 0) return end;
  if (choice.wordEnd) {
    if (end === text.length && !context.ended) return undecided;
    if (/\w/.test(text.charAt(end))) return absent;
  }
  if (choice.onlyAtEnd) {
    if (skipSpace(text, end) < text.length) return absent;
    return context.ended ? end : undecided;
  }
  const verdict = matchCondition(context, text, end, choice);
  if (verdict < 0 || choice.goesOn === undefined || context.isSpecial(at)) return verdict;
  const going = context.callGoesOn(text, end, choice);
  return going < 0 ? going : end;
}

function matchCondition<Ref>(
  context: MatchContext,
  text: string,
  end: number,
  choice: CompiledChoice<Ref>,
): number {
  if (choice.nameFollows !== undefined) {
    const start = skipSpace(text, end);
    const { afterNumber } = choice;
    const name = afterNumber === undefined ? start : numberEnd(context, text, start, afterNumber);
    if (name < 0) return name;
    const named = context.nameEnd(text, skipSpace(text, name), choice.nameFollows);
    return named < 0 ? named : end;
  }
  if (choice.envelopeFollows !== undefined) {
    const verdict = context.envelopeAt(text, end, choice);
    return verdict < 0 ? verdict : end;
  }
  return end;
}

/** Digits of the longest number of a call. */
const longestNumber = 4;

/** End of `after` after the number that stands at `at`; or `absent`, or `undecided`. */
function numberEnd(context: MatchContext, text: string, at: number, after: string): number {
  let end = at;
  while (end < text.length && end - at < longestNumber && /\d/.test(text.charAt(end))) end++;
  if (end === text.length && !context.ended) return undecided;
  const marker = after.trim();
  return end === at ? absent : matchText(context, text, marker === '' ? end : skipSpace(text, end), marker);
}

/** End of the parts at `at`, white space between them passed over; or `absent`, or `undecided`. */
function matchParts(context: MatchContext, text: string, at: number, parts: readonly string[]): number {
  let end = at;
  let first = true;
  for (const part of parts) {
    const next = first ? end : skipSpace(text, end);
    if (next - end > longestGap) return absent;
    end = matchText(context, text, next, part);
    if (end < 0) return end;
    first = false;
  }
  return end;
}

/** End of exactly `part` at `at`; or `absent`, or `undecided`. */
export function matchText(context: MatchContext, text: string, at: number, part: string): number {
  const rest = text.length - at;
  if (rest >= part.length) {
    return text.startsWith(part, at) && context.isGenuine(part, at, part.length) ? at + part.length : absent;
  }
  if (context.ended || !part.startsWith(text.slice(at)) || !context.isGenuine(part, at, rest)) return absent;
  return undecided;
}

/** What a table says about one position. */
export interface Match<Ref> {
  readonly choice: CompiledChoice<Ref>;
  readonly end: number;
}

/** A place that has not been looked for. */
const unknown = -2;

/** A table of choices, compiled once per module. */
export class MarkerTable<Ref> {
  readonly choices: readonly CompiledChoice<Ref>[];
  /** The longest white space that a marker claims in front. */
  readonly longestLead: number;
  /** The kinds of that white space. */
  readonly spaces: string;
  /** Whether a piece of text can matter to these markers. */
  readonly quiet: QuietText;
  /** The distinct first characters of all markers. */
  private readonly firsts: readonly string[];
  /** 1 for units that can stand second in a marker; units beyond 255 always can. */
  private readonly seconds = new Uint8Array(256);
  /** The next place of each first character, as far as it is known while one text is searched. */
  private readonly places: number[];
  private readonly byFirst: ReadonlyMap<number, readonly CompiledChoice<Ref>[]>;
  private readonly markerless: readonly CompiledChoice<Ref>[];

  constructor(choices: readonly Transition<Ref>[]) {
    this.choices = choices.map(compileChoice).sort((a, b) => coreLength(b) - coreLength(a));
    this.longestLead = Math.max(0, ...this.choices.map(({ lead }) => lead.length));
    this.spaces = spacesOf(this.choices.map(({ lead }) => lead));
    this.byFirst = groupByFirst(this.choices);
    this.firsts = [...this.byFirst.keys()].map((unit) => String.fromCharCode(unit));
    this.places = this.firsts.map(() => unknown);
    this.markerless = this.choices.filter(({ parts }) => parts.length === 0);
    const parts = this.choices.map((choice) => choice.parts[0] ?? '');
    for (const part of parts) this.noteSecond(part);
    this.quiet = new QuietText({ firsts: this.firsts, spaces: this.spaces, seconds: secondsOf(parts) });
  }

  private noteSecond(part: string): void {
    if (part.length === 1) this.seconds.fill(1);
    else if (part.charCodeAt(1) < 256) this.seconds[part.charCodeAt(1)] = 1;
  }

  /** The first position at or after `from` where a marker may begin, or -1. Begins a search of `text`. */
  firstCandidate(text: string, from: number): number {
    this.places.fill(unknown);
    return this.nextCandidate(text, from);
  }

  /** The same, in a search of the same text that has come as far as `from`. */
  nextCandidate(text: string, from: number): number {
    let nearest = -1;
    for (let index = 0; index < this.places.length; index++) {
      const place = this.placeOf(index, text, from);
      if (place !== -1 && (nearest === -1 || place < nearest)) nearest = place;
    }
    return nearest;
  }

  private placeOf(index: number, text: string, from: number): number {
    const known = this.places[index] ?? -1;
    if (known === -1 || known >= from) return known;
    const first = this.firsts[index] ?? '';
    let place = text.indexOf(first, from);
    while (place !== -1 && !this.mayGoOn(text, place + 1)) place = text.indexOf(first, place + 1);
    this.places[index] = place;
    return place;
  }

  private mayGoOn(text: string, at: number): boolean {
    if (at >= text.length) return true;
    const unit = text.charCodeAt(at);
    return unit >= 256 || this.seconds[unit] === 1;
  }

  /** The longest choice that matches at `at`; `null`: none; `undecided`: a longer text could. */
  matchAt(context: MatchContext, text: string, at: number): Match<Ref> | null | typeof undecided {
    const withMarker = this.firstMatch(context, text, at, this.byFirst.get(text.charCodeAt(at)) ?? []);
    if (withMarker !== null) return withMarker;
    return this.markerless.length === 0 ? null : this.firstMatch(context, text, at, this.markerless);
  }

  private firstMatch(
    context: MatchContext,
    text: string,
    at: number,
    choices: readonly CompiledChoice<Ref>[],
  ): Match<Ref> | null | typeof undecided {
    for (const choice of choices) {
      const end = matchChoice(context, text, at, choice);
      if (end === undecided) return undecided;
      if (end !== absent) return { choice, end };
    }
    return null;
  }

  /** Whether the text after `at`, the last of a response, is the beginning of a marker. */
  mayGoOnAfter(text: string, at: number): boolean {
    const rest = text.slice(at);
    return this.choices.some(
      ({ parts: [first = ''] }) => first.length > rest.length && first.startsWith(rest),
    );
  }

  /** What could stand here, for a person to read. */
  expected(): readonly string[] {
    return [...new Set(this.choices.map(({ parts }) => JSON.stringify(parts.join('\n'))))];
  }
}

/** The second characters of texts; `null` where one of them has no more than one. */
export function secondsOf(parts: readonly string[]): string | null {
  return parts.some((part) => part.length === 1) ? null : parts.map((part) => part.charAt(1)).join('');
}

function groupByFirst<Ref>(
  choices: readonly CompiledChoice<Ref>[],
): ReadonlyMap<number, readonly CompiledChoice<Ref>[]> {
  const groups = new Map<number, CompiledChoice<Ref>[]>();
  for (const choice of choices) {
    const first = choice.parts[0]?.charCodeAt(0);
    if (first === undefined) continue;
    const group = groups.get(first);
    if (group === undefined) groups.set(first, [choice]);
    else group.push(choice);
  }
  return groups;
}

function coreLength<Ref>(choice: CompiledChoice<Ref>): number {
  return choice.parts.reduce((sum, part) => sum + part.length, 0);
}
