/** The step that reads a hole of a call: its name, id or index, or the key of an entry. */

import type { Cursor } from '../cursor.ts';
import { repair } from '../leniency/law-table.ts';
import { isProperty } from '../leniency/lenient-arguments.ts';
import { withLostParts } from '../leniency/other-spellings.ts';
import { absent, MarkerTable, type Match, matchText, undecided } from '../markers/markers.ts';
import { isSpace, skipSpace } from '../markers/white-space.ts';
import type { Reader, State } from '../reader.ts';
import type { HoleTable, IdPart, ValuePlace } from '../state-tables.ts';
import type { Compiled } from './compiled.ts';
import { enterMarker } from './enter-marker.ts';
import { fail, failExtraCall } from './fail.ts';
import { openPlace, unquote } from './open-place.ts';
import { anywhere, propertyNames } from './schema-place.ts';
import { endsHere } from './steps-call.ts';

/** Maximum length of a hole. */
const maxHole = 512;

/** Compiles the table of `readHole`. */
export function holeTable(table: HoleTable<State>): Compiled<HoleTable<State>> {
  return { table, markers: new MarkerTable(table.hole === 'key' ? withLostParts(table.ends) : table.ends) };
}

/** Reads a hole up to the marker after it. */
export function readHole(reader: Reader, { table, markers }: Compiled<HoleTable<State>>): State | null {
  const { cursor } = reader;
  if (reader.call.isExtra && table.hole !== 'key') return failExtraCall(reader, table.recover);
  if (table.place !== undefined && passRepeatedOpener(reader, table.place) === 'wait') return null;
  const { match, at } = firstEnd(reader, markers);
  const blank = table.space === undefined ? -1 : firstBlank(cursor.text, cursor.at, at);
  const atEnd = endsHere(reader, table) ? table.atEnd : undefined;
  const isOver =
    blank !== -1 || match !== null || atEnd !== undefined || (reader.ended && table.completes === true);
  // A possible beginning of a marker is not counted, so the limit does not depend on chunking.
  const end = blank === -1 ? at : blank;
  const value = cursor.text.slice(cursor.at, end).trim();
  if (
    end - cursor.at > maxHole ||
    (isOver && !isAllowed(table, value)) ||
    (isOver && isNoKey(reader, table, value)) ||
    isBroken(reader, table, match, value)
  ) {
    return fail(reader, table.recover, [describeHole(table)], `no ${describeHole(table)} here`);
  }
  if (!isOver) return null;
  fillHole(reader, table, value, end);
  const { values } = reader.call;
  if (values !== null && match?.choice.repairs === 'marker-part') values.lacksOpener = true;
  if (table.completes) reader.writer.calls.endCall(cursor.offset);
  if (blank !== -1 && table.space !== undefined) {
    reader.claimSpace(table.gap ?? '');
    return table.space;
  }
  return match === null ? (atEnd ?? null) : enterMarker(reader, match);
}

/** Skips the opener of an argument where its name should be. */
function passRepeatedOpener(reader: Reader, { another }: ValuePlace<State>): 'passed' | 'wait' | 'none' {
  const { cursor } = reader;
  if (another === undefined || !reader.allows('marker-twice')) return 'none';
  const end = matchText(reader, cursor.text, skipSpace(cursor.text, cursor.at), another.open);
  if (end === undecided) return 'wait';
  if (end === absent) return 'none';
  reader.noteRepair(repair('marker-twice', 'marker', another.open));
  reader.skip(end);
  return 'passed';
}

/** Where white space begins after other text between two positions, or -1. */
function firstBlank(text: string, from: number, to: number): number {
  const start = skipSpace(text, from);
  for (let at = start + 1; at < to; at++) {
    if (isSpace(text.charCodeAt(at))) return at;
  }
  return -1;
}

/** The first marker, or the position up to which there certainly is none; not beyond the maximum length. */
function firstEnd(
  reader: Reader,
  markers: MarkerTable<State>,
): { readonly match: Match<State> | null; readonly at: number } {
  const { cursor } = reader;
  const { text } = cursor;
  const limit = Math.min(text.length, cursor.at + maxHole + 1);
  let at = markers.nextCandidate(text, cursor.at, limit);
  while (at !== -1) {
    const match = markers.matchAt(reader, text, at);
    if (match === undecided || (cursor.cutShort && markers.mayContinueAfter(text, at))) {
      return { match: null, at };
    }
    if (match !== null && !continuesWord(cursor, match, at) && !continuesName(reader, match, at)) {
      return { match, at };
    }
    at = markers.nextCandidate(text, at + 1, limit);
  }
  return { match: null, at: limit };
}

/** Whether a marker that needs white space before a word is in the middle of a word. */
function continuesWord(cursor: Cursor, { choice }: Match<State>, at: number): boolean {
  return choice.wordStart && at > cursor.at && /\w/.test(cursor.text.charAt(at - 1));
}

/** Whether a marker that only leniency allows is inside the name of an offered tool. */
function continuesName({ cursor, options }: Reader, { choice }: Match<State>, at: number): boolean {
  if (choice.repairs === undefined) return false;
  return options.tools.isNameBefore(choice.marker, cursor.text.slice(cursor.at, at));
}

function isAllowed(table: HoleTable<State>, value: string): boolean {
  if (table.hole === 'name' || table.hole === 'composed-id') return value !== '' && !/\s/.test(value);
  return value !== '' || table.hole === 'id' || table.hole === 'index';
}

/** Shorter markers of an entry may occur in a key. */
const minMarker = 4;
/** Characters around keys in some format. */
const aroundKeys = /[,:=()[\]{}<>"'\n]/;

/**
 * Whether this is no key, because a marker before it is missing: it contains the opener or closer of an argument, or
 * characters that surround keys, and the schema has no such property.
 */
function isNoKey({ call }: Reader, { place }: HoleTable<State>, value: string): boolean {
  if (place === undefined || value === '') return false;
  if (!aroundKeys.test(value)) return false;
  const [close] = place.close;
  const markers = [place.another?.open, typeof close === 'string' ? close.trim() : ''];
  if (markers.some((each = '') => each.length >= minMarker && value.includes(each))) return true;
  const around = place.kind === 'entry' ? call.parameters : (call.values?.schema ?? anywhere);
  const key = unquote(value);
  return aroundKeys.test(key) && propertyNames(around).length > 0 && !isProperty(around, key);
}

/**
 * Whether the hole is broken text, ended by the end of the call instead of its own marker: it is no offered tool, or
 * contains what ids never do.
 */
function isBroken(
  { options: { tools } }: Reader,
  { hole, parts = [] }: HoleTable<State>,
  match: Match<State> | null,
  value: string,
): boolean {
  if (match?.choice.repairs !== 'unclosed') return false;
  if (hole === 'name') return !tools.has(value);
  if (hole === 'composed-id') return !tools.has(nameWithin(value, parts) ?? '');
  return /["'{}\s]/.test(value);
}

function describeHole(table: HoleTable<State>): string {
  if (table.hole === 'name' || table.hole === 'composed-id') return 'tool name';
  return table.hole === 'key' ? 'argument name' : table.hole;
}

function fillHole(reader: Reader, table: HoleTable<State>, value: string, end: number): void {
  const { call, cursor } = reader;
  const { parts = [] } = table;
  const bareName = table.hole === 'composed-id' ? nameWithoutPrefix(reader, value, parts) : null;
  if (table.hole === 'key') {
    if (table.place !== undefined) openPlace(reader, table.place, value, end);
    return;
  }
  if (table.hole === 'name') call.name ??= nameWithoutQuotes(reader, value);
  if (table.hole === 'id' || (table.hole === 'index' && table.indexIsId)) reader.noteId(value);
  if (table.hole === 'composed-id') {
    reader.noteId(value);
    call.name ??= nameWithin(value, parts) ?? bareName ?? value;
  }
  if (table.announce && !call.started) {
    reader.startCall(cursor.at, end);
    cursor.moveTo(end);
    reader.input.begin();
  } else {
    reader.skip(end);
  }
  if (bareName !== null) reader.noteRepair(repair('name-prefix', 'id', value));
}

/** A name in quotes, if an offered tool is called that, and none is with the quotes. */
function nameWithoutQuotes(reader: Reader, value: string): string {
  const { tools } = reader.options;
  const name = unquote(value);
  if (!reader.allows('literal') || name === value || tools.has(value) || !tools.has(name)) return value;
  reader.noteRepair(repair('literal', 'name', name));
  return name;
}

/** The name in a composed id: `get_time` in `functions.get_time:0`; the rest of an id of another form. */
function nameWithin(id: string, parts: readonly IdPart[]): string | null {
  const [first] = parts;
  if (typeof first === 'string' && !id.startsWith(first)) return null;
  return matchParts(id, parts) ?? (typeof first === 'string' ? id.slice(first.length) : id);
}

/** The name in an id without its prefix: `get_time` in `get_time:0`, if such a tool is offered. */
function nameWithoutPrefix(reader: Reader, id: string, parts: readonly IdPart[]): string | null {
  const [first, ...rest] = parts;
  if (!reader.allows('name-prefix') || typeof first !== 'string' || id.startsWith(first)) return null;
  const name = matchParts(id, rest);
  return name !== null && reader.options.tools.has(name) ? name : null;
}

function matchParts(id: string, parts: readonly IdPart[]): string | null {
  const pieces = parts.map((part) => {
    if (typeof part === 'string') return escapeExpression(part);
    return part.hole === 'name' ? '(.+)' : '\\d+';
  });
  return new RegExp(`^${pieces.join('')}$`).exec(id)?.[1] ?? null;
}

function escapeExpression(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
