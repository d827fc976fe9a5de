/** Steps that read arguments written as one JSON object, alone or as part of a JSON call. */

import { JsonStringReader } from '../json/json-string-reader.ts';
import { repair } from '../leniency/law-table.ts';
import { withholdWrapped, wrapperAt } from '../leniency/lenient-arguments.ts';
import { MarkerTable, undecided } from '../markers/markers.ts';
import { skipSpace } from '../markers/white-space.ts';
import type { Reader, State } from '../reader.ts';
import type { EnvelopeTable, JsonArgumentsTable } from '../state-tables.ts';
import type { Compiled } from './compiled.ts';
import { closeWithoutBraces, isWholeButForBraces, missingBrackets } from './envelope-end.ts';
import { newEnvelope, readEnvelopeOn } from './envelope-reader.ts';
import { fail, failExtraCall } from './fail.ts';
import { scanInput } from './scan-input.ts';
import type { ArgumentsProgress } from './step-progress.ts';

/** Compiles the table of `readJsonArguments`. */
export function jsonArgumentsTable(table: JsonArgumentsTable<State>): Compiled<JsonArgumentsTable<State>> {
  return { table, markers: new MarkerTable(table.ends) };
}

/** Reads the arguments as one JSON object, or as a JSON string that contains one. */
export function readJsonArguments(
  reader: Reader,
  { table, markers }: Compiled<JsonArgumentsTable<State>>,
): State | null {
  if (reader.progress === null) {
    const begun = beginArguments(reader, table, markers);
    if (begun !== 'begun') return begun;
  }
  const { progress } = reader;
  const status = progress?.kind === 'arguments' ? readObject(reader, progress) : 'open';
  if (status === 'open') return null;
  return status === 'done' ? finishArguments(reader, table) : closeArguments(reader, table, markers);
}

/**
 * Handles arguments that break off: where a call may end, they are complete if only their last brackets are missing.
 */
function closeArguments(
  reader: Reader,
  table: JsonArgumentsTable<State>,
  markers: MarkerTable<State>,
): State | null {
  const { cursor, scanner, progress } = reader;
  const brackets = progress?.kind === 'arguments' && progress.string === null ? scanner.missingBrackets : '';
  const isUnclosed = brackets !== '' && reader.allows('unclosed');
  const end = isUnclosed ? markers.matchAt(reader, cursor.text, cursor.at) : null;
  if (end === undecided) return null;
  if (end === null) return fail(reader, table.recover, ['JSON'], 'the arguments are not a JSON object');
  reader.writer.calls.input(brackets, cursor.offset, cursor.offset);
  reader.noteRepair(repair('unclosed', 'bracket'));
  return finishArguments(reader, table);
}

function finishArguments(reader: Reader, table: JsonArgumentsTable<State>): State {
  if (!table.open) reader.writer.calls.endCall(reader.cursor.offset);
  return table.next;
}

function beginArguments(
  reader: Reader,
  table: JsonArgumentsTable<State>,
  markers: MarkerTable<State>,
): State | null | 'begun' {
  const { cursor } = reader;
  if (!reachesValue(reader) || !passFence(reader)) return null;
  const wrapper = cursor.text[cursor.at] === '{' ? wrapperAt(reader, cursor.at) : null;
  if (wrapper === undecided) return null;
  if (wrapper !== null) withholdWrapped(reader, wrapper);
  if (beginObject(reader)) return 'begun';
  const match = markers.matchAt(reader, cursor.text, cursor.at);
  if (match === undecided) return null;
  if (match === null) {
    return fail(reader, table.recover, ['arguments as a JSON object'], 'the arguments are not a JSON object');
  }
  reader.writer.calls.input('{}', cursor.offset, cursor.offset);
  return finishArguments(reader, table);
}

/** Begins an object, if there is one here. */
function beginObject(reader: Reader): boolean {
  const { cursor, scanner } = reader;
  const first = cursor.text[cursor.at];
  if (first !== '{' && first !== '"') return false;
  scanner.reset(reader.allows('json') ? 'any' : 'json');
  if (first === '"') reader.skip(cursor.at + 1);
  reader.progress = { kind: 'arguments', string: first === '"' ? new JsonStringReader(scanner) : null };
  reader.input.begin();
  return true;
}

/** Reads on in an object, or in a string that contains one, and emits it. */
function readObject(reader: Reader, { string }: ArgumentsProgress): 'open' | 'done' | 'illegal' {
  if (string !== null) return readStringObject(reader, string);
  scanInput(reader);
  reader.noteDeviation(reader.scanner.deviationFrom('json'));
  return reader.scanner.status;
}

function readStringObject(reader: Reader, string: JsonStringReader): 'open' | 'done' | 'illegal' {
  const end = string.read(reader.cursor.text, reader.cursor.at);
  reader.input.emit(string.output, string.valueEnd, string.held);
  reader.skip(end);
  reader.noteDeviation(reader.scanner.deviationFrom('json'));
  if (string.status === 'done') reader.skip(end + 1); // the closing quote
  return string.status;
}

/** Compiles the table of `readEnvelope`. */
export function envelopeTable(table: EnvelopeTable<State>): Compiled<EnvelopeTable<State>> {
  const ends = (table.ends ?? []).map((end) => ({ ...end, repairs: 'unclosed' as const }));
  return { table, markers: new MarkerTable(ends) };
}

/** Reads a call that is one JSON object, with keys in any order. */
export function readEnvelope(
  reader: Reader,
  { table, markers }: Compiled<EnvelopeTable<State>>,
): State | null {
  if (reader.call.isExtra) return passExtraEnvelope(reader, table);
  if (reader.progress === null) {
    if (!reachesValue(reader) || !passFence(reader) || !passListOpener(reader, table)) return null;
    reader.progress = newEnvelope(reader, table.paths, table.indexIsId === true);
  }
  const { progress } = reader;
  if (progress.kind !== 'envelope') return null;
  const status = readEnvelopeOn(reader, progress);
  if (status === 'open') return null;
  if (status === 'done') return table.next;
  const brackets = missingBrackets(reader, progress);
  const end =
    brackets !== '' || isWholeButForBraces(reader, progress)
      ? markers.matchAt(reader, reader.cursor.text, reader.cursor.at)
      : null;
  if (end === undecided) return null;
  if (end === null) return fail(reader, table.recover, progress.expected, progress.reason);
  closeWithoutBraces(reader, progress, brackets);
  return table.next;
}

/** Maximum length of the opening of a code fence. */
const maxFence = 32;

/** Skips the opening of a code fence, and white space; false while more text may show one. */
function passFence(reader: Reader): boolean {
  const { cursor } = reader;
  if (cursor.text[cursor.at] !== '`' || !reader.allows('fence')) return true;
  const text = cursor.text.slice(cursor.at, cursor.at + maxFence);
  const fence = /^```[a-z_-]*\s*(?=[[{"])/.exec(text)?.[0];
  if (fence === undefined)
    return reader.ended || text.length === maxFence || !/^`{1,3}$|^```[a-z_-]*\s*$/.test(text);
  reader.skip(cursor.at + fence.length);
  reader.noteRepair(repair('fence', 'marker'));
  return true;
}

/** Skips the bracket of an array of calls that the format does not have; false while more text may show one. */
function passListOpener(reader: Reader, { paths, next }: EnvelopeTable<State>): boolean {
  const { cursor } = reader;
  if (cursor.text[cursor.at] !== '[' || !reader.allows('separator')) return true;
  const bracket = { marker: '[', next, envelopeFollows: paths };
  const call = reader.envelopeAt(cursor.text, cursor.at + 1, bracket);
  if (call === undecided) return false;
  if (call < 0) return true;
  reader.noteRepair(repair('separator', 'list'));
  reader.skip(cursor.at + 1);
  return reachesValue(reader);
}

/** Buffers a further call that is not allowed until its object ends, and reports it. */
function passExtraEnvelope(reader: Reader, table: EnvelopeTable<State>): State | null {
  const { scanner, cursor } = reader;
  if (reader.progress === null) {
    if (!reachesValue(reader)) return null;
    reader.progress = { kind: 'extra-envelope' };
    scanner.reset();
  }
  reader.bufferTo(scanner.scan(cursor.text, cursor.at));
  const { status } = scanner;
  if (status === 'open' && !reader.ended) return null;
  const malformed = failExtraCall(reader, table.recover);
  if (status !== 'done') return malformed;
  reader.reportMalformed();
  return table.next;
}

/** Skips white space; returns whether something follows it. */
function reachesValue(reader: Reader): boolean {
  const { cursor } = reader;
  reader.skip(skipSpace(cursor.text, cursor.at));
  return !cursor.isAtEnd;
}
