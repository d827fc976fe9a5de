/** Steps that read arguments written as one JSON object, alone or inside a JSON call. */

import { JsonStringReader } from '../json/json-string-reader.ts';
import { MarkerTable, undecided } from '../markers/markers.ts';
import { skipSpace } from '../markers/white-space.ts';
import type { EnvelopeTable, JsonArgumentsTable, State } from '../module-contract.ts';
import type { Reader } from '../reader.ts';
import { EnvelopeReader } from './envelope-reader.ts';
import { fail, failExtraCall, reportMalformed } from './steps-call.ts';
import type { Compiled } from './steps-text.ts';
import { scanInput } from './steps-values.ts';

/** Compiles the table of `readJsonArguments`. */
export function jsonArgumentsTable(table: JsonArgumentsTable<State>): Compiled<JsonArgumentsTable<State>> {
  return { table, markers: new MarkerTable(table.ends) };
}

/** The arguments as one JSON object, or as a JSON string that holds one. */
export function readJsonArguments(
  reader: Reader,
  { table, markers }: Compiled<JsonArgumentsTable<State>>,
): State | null {
  if (reader.progress === null) {
    const begun = beginArguments(reader, table, markers);
    if (begun !== 'begun') return begun;
  }
  const status = readObject(reader, reader.progress);
  if (status === 'open') return null;
  if (status === 'illegal') return fail(reader, table.recover, ['JSON'], 'the arguments are no JSON object');
  return finishArguments(reader, table);
}

function finishArguments(reader: Reader, table: JsonArgumentsTable<State>): State {
  if (!table.open) reader.writer.endCall(reader.offset(reader.at));
  return table.next;
}

function beginArguments(
  reader: Reader,
  table: JsonArgumentsTable<State>,
  markers: MarkerTable<State>,
): State | null | 'begun' {
  reader.skip(skipSpace(reader.text, reader.at));
  if (reader.at === reader.text.length) return null;
  if (beginObject(reader)) return 'begun';
  const match = markers.matchAt(reader, reader.text, reader.at);
  if (match === undecided) return null;
  if (match === null) {
    return fail(reader, table.recover, ['arguments as a JSON object'], 'the arguments are no JSON object');
  }
  const here = reader.offset(reader.at);
  reader.writer.input('{}', here, here);
  return finishArguments(reader, table);
}

/** Begins to read an object here: in `progress`, a scanner or the reader of a string. Whether one begins. */
function beginObject(reader: Reader): boolean {
  const first = reader.text[reader.at];
  if (first !== '{' && first !== '"') return false;
  reader.scanner.reset();
  if (first === '"') reader.skip(reader.at + 1);
  reader.progress = first === '"' ? new JsonStringReader(reader.scanner) : 'object';
  reader.beginInput();
  return true;
}

/** Reads on in an object or in a string that holds one, and says it. */
function readObject(reader: Reader, progress: unknown): 'open' | 'done' | 'illegal' {
  if (progress instanceof JsonStringReader) return readStringObject(reader, progress);
  scanInput(reader);
  return reader.scanner.status;
}

function readStringObject(reader: Reader, string: JsonStringReader): 'open' | 'done' | 'illegal' {
  const end = string.read(reader.text, reader.at);
  reader.sayInput(string.output, string.valueEnd, '');
  reader.skip(end);
  if (string.status === 'done') reader.skip(end + 1); // the closing quote
  return string.status;
}

/** A call that is one JSON object, its keys in any order. */
export function readEnvelope(reader: Reader, table: EnvelopeTable<State>): State | null {
  if (reader.isExtraCall) return passEnvelope(reader, table);
  if (!(reader.progress instanceof EnvelopeReader)) {
    reader.skip(skipSpace(reader.text, reader.at));
    if (reader.at === reader.text.length) return null;
    reader.progress = new EnvelopeReader(reader, table);
  }
  const envelope = reader.progress;
  if (!(envelope instanceof EnvelopeReader)) return null;
  const status = envelope.read();
  if (status === 'open') return null;
  if (status === 'illegal') return fail(reader, table.recover, envelope.expected, envelope.reason);
  return table.next;
}

/** A call that may not be made: its text is held until the object ends, and reported. */
function passEnvelope(reader: Reader, table: EnvelopeTable<State>): State | null {
  const { scanner } = reader;
  if (reader.progress === null) {
    reader.skip(skipSpace(reader.text, reader.at));
    if (reader.at === reader.text.length) return null;
    reader.progress = 'passing over';
    scanner.reset();
  }
  reader.hold(scanner.scan(reader.text, reader.at));
  const { status } = scanner;
  if (status === 'open' && !reader.ended) return null;
  const malformed = failExtraCall(reader, table.recover);
  if (status !== 'done') return malformed;
  reportMalformed(reader);
  return table.next;
}
