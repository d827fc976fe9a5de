/**
 * Finds the end of a value. A raw string may contain its own closer, so it ends at the first closer that is followed
 * by something legal: the next entry, or the end of the arguments. If there is no such closer by the end of the text,
 * it ends at its first closer.
 */

import { markerParts } from '../../leniency/other-spellings.ts';
import { compileTransition } from '../../markers/compiled-transition.ts';
import { certainEnd, spaceKinds } from '../../markers/leading-space.ts';
import { absent, type MatchEnd, matchParts, matchText, secondsOf, undecided } from '../../markers/markers.ts';
import { escapedInJson, PlainRun } from '../../markers/plain-run.ts';
import { leadingSpaceLength, maxGap, skipSpace } from '../../markers/white-space.ts';
import type { Reader, State } from '../../reader.ts';
import type { CallMarkers, KeyedText, ValuePlace } from '../../state-tables.ts';
import { fail } from '../fail.ts';
import type { ValueProgress } from '../step-progress.ts';
import { minMarker, otherEnds } from './other-ends.ts';
import { QuotedCalls } from './quoted-calls.ts';
import { decodeBuffered, fitsTypes, maxScalar } from './value-modes.ts';
import { type Closer, fillKey, type ValueStack } from './value-stack.ts';

const maxKey = 128;

/** The end of the value at the top of the stack: the closers of its frame and its place, with the key filled in. */
export function valueCloser(values: ValueStack<State>, frameClose: string): Closer {
  const known = values.closer;
  if (known?.frameClose === frameClose) return known.closer;
  const { place, key } = values;
  const closer = closerOf(place, frameClose + fillKey(place.close, key));
  values.closer = { frameClose, closer };
  return closer;
}

/** Closers of each place by their text. Bounded, because they contain keys that the model chooses. */
const closers = new WeakMap<ValuePlace<unknown>, Map<string, Closer>>();
const maxClosers = 256;

function closerOf(place: ValuePlace<unknown>, marker: string): Closer {
  const known = closers.get(place) ?? new Map<string, Closer>();
  const before = known.get(marker);
  if (before !== undefined) return before;
  const { open, close } = place.calls ?? {};
  const calls = open === undefined || close === undefined ? [] : [open, close];
  const closer = newCloser(marker, place, calls);
  if (known.size === maxClosers) known.clear();
  known.set(marker, closer);
  closers.set(place, known);
  return closer;
}

function newCloser(marker: string, place: ValuePlace<unknown>, calls: readonly string[]): Closer {
  const others = otherEnds(place);
  const compiled = compileTransition({ marker, next: null });
  const isBlank = compiled.parts.length === 0 && marker !== '';
  const choice = isBlank ? { ...compiled, parts: [marker], trailingSpace: '' } : compiled;
  // If something else may end the value, the line end before that is not part of it.
  const held = others.length === 0 ? choice.leadingSpace : `${choice.leadingSpace}\n`;
  const spaces = spaceKinds([held]);
  const [first = ''] = choice.parts;
  const opener = openerOf(first);
  const tags = markerParts(first);
  const closes = opener ?? (tags.length === 3 ? (place.another?.open ?? null) : null);
  const begins = [first, ...others, ...calls, ...(closes === null ? [] : [closes])];
  const firsts = [...new Set(begins.map((text) => text.charAt(0)))];
  const plainRun = new PlainRun({ firsts, spaces, seconds: secondsOf(begins), changed: escapedInJson });
  return {
    ...choice,
    spaces,
    held: held.length,
    plainRun,
    begin: first.slice(0, 2),
    opener,
    closes,
    damaged: damagedEnds(tags),
  };
}

/** The ends of strings that hold a closer of three parts without one or two of them, as JSON. */
function damagedEnds([first, word = '', last, ...more]: readonly string[]): readonly string[] {
  if (first === undefined || last === undefined || more.length > 0) return [];
  return [first, first + word, first + last, word + last].map((end) => `${end}"`);
}

/** How the tag begins that this one closes: `<parameter` for `</parameter>`. */
function openerOf(tag: string): string | null {
  const [, before, name] = /^(.*)<\/([^<>]+)>?$/.exec(tag) ?? [];
  return name === undefined ? null : `${before}<${name}`;
}

/** Where the value's text certainly ends, and where the closer after it ends (`null`: not known yet). */
export interface FoundCloser {
  readonly textEnd: number;
  readonly end: number | null;
  /** Where the closer begins, or may begin; the end of the text if there is none. */
  readonly closer: number;
  /** The first closer that nothing legal follows: the value's text ends there if no better closer comes. */
  readonly refused: number | null;
  /** The closer, if it is written more than once. */
  readonly repeated?: string;
}

/** Searches from the reading position for the closer of the value at the top of the stack. */
export function findCloser(reader: Reader, values: ValueStack<State>, progress: ValueProgress): FoundCloser {
  const { text, at: from } = reader.cursor;
  const closer = valueCloser(values, progress.frame.close);
  const { begin, closes, parts } = closer;
  const [first = ''] = parts;
  countQuotations(reader, values, progress, closer);
  let refused: number | null = null;
  const pending = (at: number): FoundCloser => {
    const textEnd = certainEnd(text, from, at, closer.held, closer.spaces);
    readQuotations(reader, progress, textEnd);
    return { textEnd, end: null, closer: at, refused };
  };
  for (let at = nextStart(text, begin, from); at !== -1; at = nextStart(text, begin, at + 1)) {
    const found = closerAt(reader, values, progress, closer, at);
    if (found.is === 'absent') continue;
    if (found.is === 'undecided') return pending(at);
    const textEnd = at - leadingSpaceLength(text, from, at, closer.leadingSpace);
    if (found.is === 'end') {
      reader.claimSpace(closer.trailingSpace);
      return {
        textEnd,
        end: found.end,
        closer: at,
        refused,
        ...(found.isRepeated ? { repeated: first } : {}),
      };
    }
    refused ??= textEnd;
    if (found.isUnopened && closes !== null && progress.unopened === null)
      progress.unopened = {
        at: reader.cursor.offsetOf(textEnd),
        isCertain: isAsWritten(values, closer, text, { textEnd, at, end: found.end }),
      };
  }
  return pending(text.length);
}

type CloserAt =
  | { readonly is: 'absent' }
  | { readonly is: 'undecided' }
  | { readonly is: 'end'; readonly end: number; readonly isRepeated: boolean }
  /** `isUnopened`: not quoted either, so the opener of the next argument may be missing. */
  | { readonly is: 'refused'; readonly end: number; readonly isUnopened: boolean };

/**
 * What stands at a position that begins as the closer does:
 *
 *     Paris</parameter></function>                 `end`: what follows may follow a value
 *     Paris</parameter></parameter></function>     `end`, of the second one
 *     write </parameter> at its end                `refused`: nothing that may follow, so it is in the value
 *     Paris</para                                  `undecided`
 */
function closerAt(
  reader: Reader,
  values: ValueStack<State>,
  progress: ValueProgress,
  closer: Closer,
  at: number,
): CloserAt {
  const { calls, continuations } = values.place;
  const single = matchParts(reader, reader.cursor.text, at, closer.parts);
  if (single < 0) return { is: single === undecided ? 'undecided' : 'absent' };
  const follows = continues(reader, single, continuations);
  const isUnopened = follows === absent && mayRepair(reader) && !isQuoted(reader, progress, at);
  let end = follows < 0 ? follows : single;
  if (isUnopened) end = repeatedEnd(reader, values, closer, single);
  if (end >= 0 && calls !== undefined && reader.options.provenance === null)
    end = outOfQuotes(reader, calls, closer, progress, at, end);
  if (end === undecided) return { is: 'undecided' };
  return end === absent
    ? { is: 'refused', end: single, isUnopened }
    : { is: 'end', end, isRepeated: isUnopened };
}

/** Whether closers without an opener, and repeated ones, are read as slips. */
function mayRepair(reader: Reader): boolean {
  return reader.options.provenance === null && reader.allows('marker-twice');
}

/** Where nothing tells markers from text, counts the calls and the arguments that the value quotes. */
function countQuotations(
  reader: Reader,
  { place: { calls } }: ValueStack<State>,
  progress: ValueProgress,
  { closes, parts: [first = ''] }: Closer,
): void {
  const { offset } = reader.cursor;
  if (calls !== undefined && reader.options.provenance === null)
    progress.calls ??= new QuotedCalls(calls, offset);
  if (closes !== null && mayRepair(reader))
    progress.entries ??= new QuotedCalls({ open: closes, close: first }, offset);
}

/** Whether a call or an argument that the value quotes is open at a position. */
function isQuoted({ cursor }: Reader, { calls, entries }: ValueProgress, at: number): boolean {
  return calls?.isOpenAt(cursor, at) === true || entries?.isOpenAt(cursor, at) === true;
}

/** Counts what is quoted up to a position. */
function readQuotations({ cursor }: Reader, { calls, entries }: ValueProgress, to: number): void {
  calls?.isOpenAt(cursor, to);
  entries?.isOpenAt(cursor, to);
}

/** How often a closer may be repeated: each one is tried from there, so that more would cost the square of their number. */
const maxRepeats = 4;

/** End of closers that repeat one, of which `end` is the end, before what may follow. */
function repeatedEnd(reader: Reader, values: ValueStack<State>, closer: Closer, end: number): MatchEnd {
  if ((closer.parts[0] ?? '').length < minMarker) return absent;
  const { text } = reader.cursor;
  let last = end;
  for (let count = 0; count < maxRepeats; count += 1) {
    const start = skipSpace(text, last);
    if (start - last > maxGap) return absent;
    const next = matchParts(reader, text, start, closer.parts);
    if (next < 0) return next;
    const verdict = continues(reader, next, values.place.continuations);
    if (verdict !== absent) return verdict < 0 ? verdict : next;
    last = next;
  }
  return absent;
}

/** Whether the text around a closer is as the format writes it, except that the opener after it is missing. */
function isAsWritten(
  { place: { another } }: ValueStack<State>,
  { leadingSpace, trailingSpace }: Closer,
  text: string,
  { textEnd, at, end }: { readonly textEnd: number; readonly at: number; readonly end: number },
): boolean {
  if (another === undefined || (leadingSpace.includes('\n') && textEnd === at)) return false;
  // The opener ends with the white space that the closer begins with.
  const gap = trailingSpace + leadingSpace;
  const [space = ''] = /^\s*/.exec(text.slice(end, end + maxGap)) ?? [];
  const isGap = space.replaceAll('\r', '') === gap || (gap === '' && space === '\n');
  return isGap && /[\p{L}\p{N}]/u.test(text.charAt(end + space.length));
}

/** Whether a closer, from `at` to `end`, is that of the value and not of a call that the value quotes. */
function outOfQuotes(
  reader: Reader,
  calls: CallMarkers,
  closer: Closer,
  progress: ValueProgress,
  at: number,
  end: number,
): MatchEnd {
  if (progress.calls?.isOpenAt(reader.cursor, at) === true) return absent;
  if (isLiteral(reader, progress, at)) return end;
  const verdict = goesOnAfterClosers(reader, calls, closer, end);
  if (verdict === true) progress.calls?.pass(reader.cursor.offsetOf(at));
  return verdict === undecided ? undecided : verdict ? absent : end;
}

/** Whether the text up to a position is a whole value where the schema allows no string: it cannot quote anything. */
function isLiteral({ buffer, cursor }: Reader, { mode, types }: ValueProgress, to: number): boolean {
  if (mode !== 'buffer' || types.has('string') || buffer.length + to - cursor.at > maxScalar) return false;
  const text = buffer.toString() + cursor.text.slice(cursor.at, to);
  return fitsTypes(decodeBuffered(text, types, 'python').json, types);
}

/** What begins a sentence, or continues one; markers begin otherwise. */
const goesOn = /^[\p{L}\p{N}"'`.,;:!?)]/u;

/**
 * Whether the value goes on after all closers of the call, of which the first is at `at`, with text in their line or
 * with its own closer: then they are quoted. `undecided` if more text decides.
 */
function goesOnAfterClosers(
  reader: Reader,
  { closing }: CallMarkers,
  { parts: [own = ''], leadingSpace }: Closer,
  at: number,
): boolean | typeof undecided {
  const whole = reader.cursor.text;
  let end = at;
  for (const part of closing) {
    const start = skipSpace(whole, end);
    const next =
      typeof part === 'string' ? matchText(reader, whole, start, part) : keyEnd(whole, start, reader.ended);
    // One that is spelled out, where it is a special token, is a quotation.
    if (next === absent) return typeof part === 'string' && whole.startsWith(part, start);
    if (next === undecided) return undecided;
    end = next;
  }
  const again = own.length < minMarker ? absent : matchText(reader, whole, end, leadingSpace + own);
  if (again !== absent) return again === undecided ? undecided : true;
  const next = /^[ \t]*([^ \t])/.exec(whole.slice(end, end + 64))?.[1];
  if (next === undefined) return reader.ended || whole.length - end >= 64 ? false : undecided;
  return goesOn.test(next);
}

/** Position of `begin`: whole, or its first character at the end of the text. */
export function nextStart(text: string, begin: string, from: number): number {
  const found = text.indexOf(begin, from);
  if (found !== -1) return found;
  const last = text.length - 1;
  return last >= from && text.charCodeAt(last) === begin.charCodeAt(0) ? last : -1;
}

/** Position after one of the continuations at `at`. */
export function continues(reader: Reader, at: number, continuations: readonly KeyedText[] = []): MatchEnd {
  if (continuations.length === 0) return at;
  const { text } = reader.cursor;
  if (reader.ended && skipSpace(text, at) === text.length) return at;
  let result = absent;
  for (const continuation of continuations) {
    const verdict = continuesWith(reader, at, continuation);
    if (verdict >= 0) return verdict;
    if (verdict === undecided) result = undecided;
  }
  return result;
}

function continuesWith(reader: Reader, at: number, continuation: KeyedText): MatchEnd {
  const { text } = reader.cursor;
  let end = at;
  for (const part of continuation) {
    const start = skipSpace(text, end);
    if (start - end > maxGap) return absent;
    const verdict =
      typeof part === 'string' ? matchText(reader, text, start, part) : keyEnd(text, start, reader.ended);
    if (verdict < 0) return verdict;
    end = verdict;
    // The end of the response may replace what would follow.
    if (reader.ended && skipSpace(text, end) === text.length) return end;
  }
  return end;
}

/** End of text that looks like a key. */
export function keyEnd(text: string, at: number, ended: boolean): MatchEnd {
  let end = at;
  while (end < text.length && end - at <= maxKey && /[\p{L}\p{N}_.$-]/u.test(text.charAt(end))) end++;
  if (end === text.length && !ended) return undecided;
  return end === at || end - at > maxKey ? absent : end;
}

/** Completes a value: its closer must come, or at least what may follow it. */
export function closeValue(
  reader: Reader,
  values: ValueStack<State>,
  frameClose: string,
  recover: State,
): State | null {
  const { cursor } = reader;
  const closer = valueCloser(values, frameClose);
  if (closer.parts.length > 0) {
    reader.skip(skipSpace(cursor.text, cursor.at));
    if (cursor.isAtEnd && !(reader.ended && isBlank(closer))) return null;
    const end = closerPartsEnd(reader, closer);
    if (end === undecided) return null;
    if (end !== absent) {
      reader.skip(end);
      reader.claimSpace(closer.trailingSpace);
    } else {
      const verdict = continues(reader, cursor.at, values.place.continuations);
      if (verdict === undecided) return null;
      if (verdict === absent) return failAfterValue(reader, closer, recover);
    }
  }
  reader.call.values = values.outer;
  return values.place.next;
}

/** Whether only white space ends the value, such as the end of a line; the end of the text is then enough. */
function isBlank({ parts }: Closer): boolean {
  return parts.every((part) => part.trim() === '');
}

function failAfterValue(reader: Reader, closer: Closer, recover: State): State {
  const expected = [JSON.stringify(closer.parts.join('\n'))];
  return fail(reader, recover, expected, 'unexpected text after a value');
}

/** End of the closer's parts after white space at the reading position, or at another. */
export function closerPartsEnd(
  reader: Reader,
  { parts }: Pick<Closer, 'parts'>,
  from = reader.cursor.at,
): MatchEnd {
  if (parts.length === 0) return from;
  const { text } = reader.cursor;
  const start = skipSpace(text, from);
  return start - from > maxGap ? absent : matchParts(reader, text, start, parts);
}
