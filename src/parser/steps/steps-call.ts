/** Steps inside a call, whatever its layout: markers that must come, holes, and malformed text. */
import { absent, MarkerTable, type Match, undecided } from '../markers/markers.ts';
import { isSpace, skipSpace } from '../markers/white-space.ts';
import type { ExpectTable, HoleTable, IdPart, RecoverTable, State } from '../module-contract.ts';
import type { Reader } from '../reader.ts';
import type { Compiled } from './steps-text.ts';
import { closerPartsEnd, valueCloser } from './value-closer.ts';
import { openPlace } from './value-stack.ts';

/** Longest name, id, index or key. */
const longestHole = 512;

/** Compiles the table of `expect`. */
export function expectTable(table: ExpectTable<State>): Compiled<ExpectTable<State>> {
  return { table, markers: new MarkerTable(table.choices) };
}

/** Compiles the table of `recover`. */
export function recoverTable(table: RecoverTable<State>): Compiled<RecoverTable<State>> {
  return { table, markers: new MarkerTable(table.choices) };
}

/** Compiles the table of `readHole`. */
export function holeTable(table: HoleTable<State>): Compiled<HoleTable<State>> {
  return { table, markers: new MarkerTable(table.ends) };
}

/** One of several markers must come next; white space before it is passed over. */
export function expect(reader: Reader, { table, markers }: Compiled<ExpectTable<State>>): State | null {
  if (table.completes) reader.writer.endCall(reader.offset(reader.at));
  reader.skip(skipSpace(reader.text, reader.at));
  if (reader.at === reader.text.length) return endsHere(reader, table) ? (table.atEnd ?? null) : null;
  const match = markers.matchAt(reader, reader.text, reader.at);
  const enclosed = table.enclosing === undefined ? absent : enclosingEnd(reader);
  if (enclosed === undecided) return match === null ? sameEither(table) : null;
  if (enclosed !== absent && table.enclosing !== undefined) return table.enclosing;
  if (match === undecided) return null;
  if (match !== null) return enterMarker(reader, match);
  const reason = table.reason ?? 'unexpected text in a call';
  return table.otherwise ?? fail(reader, table.recover, markers.expected(), reason);
}

/** Whether the response is over, and its end means something here. */
function endsHere(reader: Reader, { atEnd }: { readonly atEnd?: State }): boolean {
  return reader.ended && !reader.cutShort && atEnd !== undefined;
}

/** What follows without a marker, if it is the same whether the enclosing value ends here or not. */
function sameEither({ enclosing, otherwise }: ExpectTable<State>): State | null {
  return otherwise === enclosing ? (otherwise ?? null) : null;
}

/** Where the closer of the nested value around this place ends, if it stands here. */
function enclosingEnd(reader: Reader): number {
  const { values } = reader;
  if (values === null || values.nested === null) return absent;
  const closer = valueCloser(values, values.nested.frameClose);
  return closer.parts.length === 0 ? absent : closerPartsEnd(reader, closer);
}

function enterMarker(reader: Reader, { choice, end }: Match<State>): State {
  if (choice.role === 'call') reader.openCall();
  return reader.take(choice, end);
}

/** Says what is wrong here; the text is passed over and reported from `recover`. */
export function fail(reader: Reader, recover: State, expected: readonly string[], reason: string): State {
  reader.reject();
  reader.complaint = { expected, reason };
  reader.scanner.reset();
  return recover;
}

/** Refuses a call where only one may be made; its text is passed over and reported from `recover`. */
export function failExtraCall(reader: Reader, recover: State): State {
  return fail(reader, recover, ['the end of the turn'], 'one more call, where only one may be made');
}

/** Passes over malformed text up to the next marker that says where the reader stands. */
export function recover(reader: Reader, { markers }: Compiled<RecoverTable<State>>): State | null {
  const { text } = reader;
  let at = markers.firstCandidate(text, reader.at);
  while (at !== -1) {
    const match = markers.matchAt(reader, text, at);
    if (match === undecided) break;
    if (match !== null) {
      reader.hold(at);
      reportMalformed(reader);
      return enterMarker(reader, match);
    }
    at = markers.nextCandidate(text, at + 1);
  }
  reader.hold(at === -1 ? text.length : at);
  if (reader.ended) reportMalformed(reader);
  return null;
}

/** Reports the held text. */
export function reportMalformed(reader: Reader): void {
  const { complaint, held, heldStart } = reader;
  if (complaint === null) return;
  reader.complaint = null;
  reader.writer.malformed(held.toString(), heldStart, complaint.expected, complaint.reason);
  held.clear();
}

/** A name, an id, an index or a key, up to the marker after it. */
export function readHole(reader: Reader, { table, markers }: Compiled<HoleTable<State>>): State | null {
  if (reader.isExtraCall && table.hole !== 'key') return failExtraCall(reader, table.recover);
  const { text } = reader;
  const { match, at } = firstEnd(reader, markers);
  const blank = table.space === undefined ? -1 : firstBlank(text, reader.at, at);
  const atEnd = endsHere(reader, table) ? table.atEnd : undefined;
  const isOver =
    blank !== -1 || match !== null || atEnd !== undefined || (reader.ended && table.completes === true);
  const end = blank !== -1 ? blank : isOver ? at : text.length;
  const value = text.slice(reader.at, end).trim();
  if (end - reader.at > longestHole || (isOver && !isAcceptable(table, value))) {
    return fail(reader, table.recover, [describeHole(table)], `no ${describeHole(table)} here`);
  }
  if (!isOver) return null;
  fillHole(reader, table, value, end);
  if (table.completes) reader.writer.endCall(reader.offset(reader.at));
  if (blank !== -1 && table.space !== undefined) {
    reader.trail = table.gap ?? '';
    return table.space;
  }
  return match === null ? (atEnd ?? null) : enterMarker(reader, match);
}

/** Where white space begins after other text between two positions; -1 where it does not. */
function firstBlank(text: string, from: number, to: number): number {
  const start = skipSpace(text, from);
  for (let at = start + 1; at < to; at++) {
    if (isSpace(text.charCodeAt(at))) return at;
  }
  return -1;
}

/** The first marker, or the place up to which there is certainly none. */
function firstEnd(reader: Reader, markers: MarkerTable<State>): { match: Match<State> | null; at: number } {
  const { text } = reader;
  let at = markers.firstCandidate(text, reader.at);
  while (at !== -1) {
    const match = markers.matchAt(reader, text, at);
    if (match === undecided || (reader.cutShort && markers.mayGoOnAfter(text, at))) {
      return { match: null, at };
    }
    if (match !== null && !continuesWord(reader, match, at)) return { match, at };
    at = markers.nextCandidate(text, at + 1);
  }
  return { match: null, at: text.length };
}

/** Whether a marker that begins with a word, after white space, stands in the middle of one. */
function continuesWord(reader: Reader, { choice }: Match<State>, at: number): boolean {
  return choice.wordStart && at > reader.at && /\w/.test(reader.text.charAt(at - 1));
}

function isAcceptable(table: HoleTable<State>, value: string): boolean {
  if (table.hole === 'name' || table.hole === 'composed-id') return value !== '' && !/\s/.test(value);
  return value !== '' || table.hole === 'id' || table.hole === 'index';
}

function describeHole(table: HoleTable<State>): string {
  if (table.hole === 'name' || table.hole === 'composed-id') return 'tool name';
  return table.hole === 'key' ? 'argument name' : table.hole;
}

function fillHole(reader: Reader, table: HoleTable<State>, value: string, end: number): void {
  const { draft } = reader;
  if (table.hole === 'key') {
    if (table.place !== undefined) openPlace(reader, table.place, value, end);
    return;
  }
  if (table.hole === 'name') draft.name ??= value;
  if (table.hole === 'id' || (table.hole === 'index' && table.indexIsId)) noteId(reader, value);
  if (table.hole === 'composed-id') {
    noteId(reader, value);
    draft.name ??= nameWithin(value, table.parts ?? []);
  }
  if (table.announce) announce(reader, reader.at, end);
  reader.skip(end);
}

/** The model's own id. */
export function noteId(reader: Reader, id: string): void {
  if (id === '') return;
  reader.draft.id = id;
  if (reader.writer.call !== null) reader.writer.call.writtenId = id;
}

/** Announces the call: its name stands between the positions `start` and `end`. */
export function announce(reader: Reader, start: number, end: number): void {
  const { draft, options } = reader;
  if (draft.announced || draft.name === null) return;
  draft.announced = true;
  reader.parameters = options.tools.parameters(draft.name);
  reader.writer.startCall(draft.name, draft.id, reader.offset(start), reader.offset(end));
  reader.at = end;
  reader.beginInput();
}

/** The name within a composed id: `get_time` in `functions.get_time:0`; all of it where the id is no such. */
function nameWithin(id: string, parts: readonly IdPart[]): string {
  const pieces = parts.map((part) => {
    if (typeof part === 'string') return escapeExpression(part);
    return part.hole === 'name' ? '(.+)' : '\\d+';
  });
  const [first] = parts;
  const prefix = typeof first === 'string' && id.startsWith(first) ? first.length : 0;
  return new RegExp(`^${pieces.join('')}$`).exec(id)?.[1] ?? id.slice(prefix);
}

function escapeExpression(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
