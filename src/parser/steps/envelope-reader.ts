/**
 * A call that is one JSON object. Keys come in any order; arguments are emitted as they arrive, once the name is known.
 * Its phases:
 *
 *     {     "name"  :      "f"   ,      "arguments"  :      {…}        ,      "id"  :      "x"  }
 *     open  key     colon  name  after  key          colon  arguments  after  key   colon  id   after
 *
 * `value`, after the colon, decides what begins: one of these, `string` (arguments in a JSON string) or `other`.
 *
 * What does not come as the format writes it:
 *
 *     {"arguments": {…}, "name": "f"}               arguments before the name are kept in `early`, and emitted after it
 *     {"function": {"name": "f", "arguments": …}}   one object more around the call: its key is the `wrapper`
 *     {{"name": "f", "arguments": …}}               a doubled brace is a wrapper whose key is empty
 *     {"name": "f", "city": "Paris"}                arguments next to the name are `members`, until the object ends
 *
 * In `{"f": {…}}` the first key is the name (`paths.name` is `null`).
 */

import { parseJson } from '../../format/json-values.ts';
import { JsonStringReader } from '../json/json-string-reader.ts';
import { callKey } from '../leniency/call-keys.ts';
import { repair } from '../leniency/law-table.ts';
import { mayHoldArguments, withholdWrapped, wrapperAt } from '../leniency/lenient-arguments.ts';
import { isNameKey, wrappedPaths } from '../leniency/lenient-names.ts';
import { undecided } from '../markers/markers.ts';
import { skipSpace } from '../markers/white-space.ts';
import type { Reader } from '../reader.ts';
import type { EnvelopePaths } from '../state-tables.ts';
import { closeObject, flushBuffer, pass } from './envelope-end.ts';
import { isArguments, isAt, isNextToArguments, isNextToName, leadsOn } from './envelope-paths.ts';
import type { EnvelopePhase, EnvelopeProgress } from './step-progress.ts';

type Status = 'open' | 'done' | 'illegal';

/** Begins a call at the reading position. */
export function newEnvelope(reader: Reader, paths: EnvelopePaths, indexIsId: boolean): EnvelopeProgress {
  reader.bufferTo(reader.cursor.at);
  return {
    kind: 'envelope',
    paths,
    wrapper: null,
    indexIsId,
    phase: 'open',
    path: [],
    key: '',
    captured: '',
    valueStart: 0,
    early: null,
    argumentsRead: false,
    members: new Map(),
    string: null,
    expected: ['a JSON object'],
    reason: 'the call is not a JSON object',
  };
}

/** Reads on. `illegal`: the text at the reading position is not allowed there. */
export function readEnvelopeOn(reader: Reader, envelope: EnvelopeProgress): Status {
  for (;;) {
    const status = step(reader, envelope);
    if (status !== 'more') return status;
  }
}

function step(reader: Reader, envelope: EnvelopeProgress): Status | 'more' {
  const { cursor } = reader;
  if (isBetweenTokens(reader, envelope)) pass(reader, envelope, skipSpace(cursor.text, cursor.at));
  if (cursor.isAtEnd && !isScalarAtEnd(reader, envelope)) return 'open';
  switch (envelope.phase) {
    case 'open':
      return readPunctuation(reader, envelope, '{', 'key');
    case 'key':
      return readKey(reader, envelope);
    case 'colon':
      return readPunctuation(reader, envelope, ':', 'value');
    case 'value':
      return beginValue(reader, envelope);
    case 'arguments':
      return readArguments(reader, envelope);
    case 'string':
      return readStringArguments(reader, envelope);
    case 'after':
      return readAfterValue(reader, envelope);
    default:
      return readCaptured(reader, envelope, envelope.phase);
  }
}

function isBetweenTokens({ scanner }: Reader, { phase }: EnvelopeProgress): boolean {
  if (phase === 'key') return !scanner.begun;
  return phase === 'open' || phase === 'colon' || phase === 'value' || phase === 'after';
}

function isScalarAtEnd({ ended }: Reader, { phase }: EnvelopeProgress): boolean {
  return ended && (phase === 'id' || phase === 'other');
}

function readPunctuation(
  reader: Reader,
  envelope: EnvelopeProgress,
  character: string,
  next: EnvelopePhase,
): Status | 'more' {
  const { cursor } = reader;
  if (cursor.text[cursor.at] !== character) return refuse(envelope, [character]);
  pass(reader, envelope, cursor.at + 1);
  if (next === 'key') resetScanner(reader);
  envelope.phase = next;
  return 'more';
}

function refuse(envelope: EnvelopeProgress, expected: readonly string[]): Status {
  envelope.expected = expected.map((each) => JSON.stringify(each));
  envelope.reason = 'the call is not a JSON object of the expected shape';
  return 'illegal';
}

/** Rejects a second name: a call of two tools is ambiguous. */
function refuseSecondName(envelope: EnvelopeProgress): Status {
  envelope.expected = [];
  envelope.reason = 'the call names two tools';
  return 'illegal';
}

function resetScanner(reader: Reader): void {
  reader.scanner.reset(reader.allows('json') ? 'any' : 'json');
}

/** Scans on in a captured key or value. */
function scanCaptured(reader: Reader, envelope: EnvelopeProgress): Status {
  const { scanner, cursor } = reader;
  const end = scanner.scan(cursor.text, cursor.at);
  envelope.captured += scanner.output;
  pass(reader, envelope, end);
  if (reader.ended && scanner.status === 'open') {
    scanner.end();
    envelope.captured += scanner.output;
  }
  const { status } = scanner;
  reader.noteDeviation(reader.scanner.deviationFrom('json'));
  // The scanned text is already consumed and must not be reported again.
  if (status === 'illegal') scanner.reset();
  return status;
}

function readKey(reader: Reader, envelope: EnvelopeProgress): Status | 'more' {
  const { cursor } = reader;
  if (!reader.scanner.begun) {
    const first = cursor.text[cursor.at];
    if (first === '}') return closeObject(reader, envelope);
    const inner = first === '{' ? wrappedPaths(reader, envelope, '') : null;
    if (inner !== null) return enterWrapper(envelope, '', inner);
    if (first !== '"' && first !== "'") return refuse(envelope, ['"', '}']);
    envelope.captured = '';
    envelope.valueStart = cursor.offset;
  }
  const status = scanCaptured(reader, envelope);
  if (status === 'open') return 'open';
  const key = status === 'done' ? parseScalar(envelope.captured) : null;
  if (key === null) return refuse(envelope, ['a key']);
  envelope.key = key;
  envelope.phase = 'colon';
  if (envelope.paths.name === null && envelope.path.length === 0) nameIsKnown(reader, envelope, key);
  return 'more';
}

function beginValue(reader: Reader, envelope: EnvelopeProgress): Status | 'more' {
  const { cursor } = reader;
  const { paths } = envelope;
  const first = cursor.text[cursor.at];
  envelope.captured = '';
  envelope.valueStart = cursor.offset;
  resetScanner(reader);
  if (isArguments(envelope)) return beginArguments(reader, envelope, first);
  if (first === '{' && leadsOn(envelope)) {
    envelope.path.push(envelope.key);
    envelope.phase = 'open';
  } else if (isAt(paths.name, envelope)) {
    envelope.phase = 'name';
  } else if (isAt(paths.id, envelope) || (envelope.indexIsId && isAt(paths.index, envelope))) {
    envelope.phase = 'id';
  } else {
    return beginOther(reader, envelope, first);
  }
  return 'more';
}

/** Begins a member that the format does not have; it may be the arguments under another key. */
function beginOther(reader: Reader, envelope: EnvelopeProgress, first: string | undefined): 'more' | Status {
  const { call } = reader;
  const { key } = envelope;
  const standsForArguments =
    first === '{' &&
    call.started &&
    !envelope.argumentsRead &&
    envelope.members.size === 0 &&
    isNextToArguments(envelope) &&
    mayHoldArguments(reader, key);
  if (standsForArguments) {
    const begun = beginArguments(reader, envelope, first);
    if (begun === 'more') reader.noteRepair(repair('arguments-key', 'key', key));
    return begun;
  }
  const wrapped = first === '{' && key === callKey ? wrappedPaths(reader, envelope, key) : null;
  if (wrapped !== null) return enterWrapper(envelope, key, wrapped);
  envelope.phase = 'other';
  return 'more';
}

/** Enters one more object around the call, under `key`; an empty key means a doubled brace. */
function enterWrapper(envelope: EnvelopeProgress, key: string, paths: EnvelopePaths): 'more' {
  envelope.wrapper = key;
  envelope.paths = paths;
  envelope.path.push(key);
  envelope.phase = 'open';
  return 'more';
}

function beginArguments(
  reader: Reader,
  envelope: EnvelopeProgress,
  first: string | undefined,
): Status | 'more' {
  const { cursor, input } = reader;
  const { valueStart } = envelope;
  const wrapper = first === '{' && reader.call.started ? wrapperAt(reader, cursor.at) : null;
  if (wrapper === undecided) return 'open';
  // Null and empty strings become `members`; `completeArguments` decides what they mean.
  const standsForNone = first === '"' ? isEmptyString(reader) : first === 'n' || first === 'N';
  if (standsForNone === undecided) return 'open';
  if (standsForNone) {
    envelope.phase = 'other';
    return 'more';
  }
  envelope.argumentsRead = true;
  if (reader.call.started) flushBuffer(reader);
  else envelope.early = { json: '', start: valueStart, end: valueStart };
  input.begin();
  if (wrapper !== null) withholdWrapped(reader, wrapper);
  if (first === '"') {
    pass(reader, envelope, cursor.at + 1);
    // Once more: the JSON begins after the quote.
    input.begin();
    envelope.string = new JsonStringReader(reader.scanner);
    envelope.phase = 'string';
  } else if (first === '{') {
    envelope.phase = 'arguments';
  } else {
    return refuse(envelope, ['{']);
  }
  return 'more';
}

/** Whether the string that begins here is empty, if that means no arguments. */
function isEmptyString(reader: Reader): boolean | typeof undecided {
  if (!reader.allows('empty-arguments')) return false;
  const { cursor, ended } = reader;
  const next = cursor.text[cursor.at + 1];
  return next === undefined && !ended ? undecided : next === '"';
}

function readArguments(reader: Reader, envelope: EnvelopeProgress): Status | 'more' {
  const { scanner, cursor } = reader;
  const end = scanner.scan(cursor.text, cursor.at);
  emitInput(reader, envelope, scanner.output, end, scanner.held);
  reader.noteDeviation(reader.scanner.deviationFrom('json'));
  if (scanner.status === 'open') {
    if (envelope.early === null) reader.waitInJson();
    return 'open';
  }
  if (scanner.status === 'illegal') return refuse(envelope, ['a value']);
  envelope.phase = 'after';
  return 'more';
}

function readStringArguments(reader: Reader, envelope: EnvelopeProgress): Status | 'more' {
  const { cursor } = reader;
  const { string } = envelope;
  // Cannot be: it is set together with the phase.
  if (string === null) return 'illegal';
  const end = string.read(cursor.text, cursor.at);
  emitInput(reader, envelope, string.output, string.valueEnd, string.held);
  pass(reader, envelope, end);
  reader.noteDeviation(reader.scanner.deviationFrom('json'));
  if (string.status === 'illegal') return refuse(envelope, ['JSON']);
  if (string.status === 'open') return 'open';
  pass(reader, envelope, cursor.at + 1); // the closing quote
  envelope.phase = 'after';
  return 'more';
}

/** Emits JSON of the arguments up to `end`, or adds it to those that came too early; `pending` is its tail, held back. */
function emitInput(
  reader: Reader,
  { early }: EnvelopeProgress,
  json: string,
  end: number,
  pending: string,
): void {
  if (early === null) {
    reader.input.emit(json, end, pending);
    return;
  }
  early.json += json;
  early.end = reader.cursor.offsetOf(end);
  reader.bufferTo(end);
}

function readCaptured(reader: Reader, envelope: EnvelopeProgress, phase: EnvelopePhase): Status | 'more' {
  const status = scanCaptured(reader, envelope);
  if (status === 'open') return 'open';
  if (status === 'illegal') return refuse(envelope, ['a value']);
  envelope.phase = 'after';
  const text = parseScalar(envelope.captured);
  if (phase === 'other') {
    readOther(reader, envelope, text);
    return 'more';
  }
  if (phase === 'id' && text !== null) reader.noteId(text);
  if (phase === 'name') {
    if (text === null || text === '') return refuse(envelope, ['a tool name']);
    if (reader.call.started && reader.call.name !== text) return refuseSecondName(envelope);
    nameIsKnown(reader, envelope, text);
  }
  return 'more';
}

/** Reads a member that the format does not have; it may be the name under another key, or an argument. */
function readOther(reader: Reader, envelope: EnvelopeProgress, text: string | null): void {
  const { key } = envelope;
  if (text !== null && isNextToName(envelope) && isNameKey(reader, key, text)) {
    nameIsKnown(reader, envelope, text);
    reader.noteRepair(repair('name-key', 'key', key));
    return;
  }
  const isNextToNameAsKey = envelope.paths.name === null && envelope.path.length === 0;
  if (isNextToArguments(envelope) || isNextToNameAsKey) addMember(reader, envelope);
}

function addMember(reader: Reader, { members, key, captured }: EnvelopeProgress): void {
  if (members.has(key)) {
    reader.noteRepair(repair('duplicate-argument', 'member', key));
  }
  members.set(key, captured);
}

/** Emits the call's start, now that its name is known, and the buffered text. */
function nameIsKnown(reader: Reader, envelope: EnvelopeProgress, name: string): void {
  const { call, buffer, cursor, writer } = reader;
  const { early, valueStart } = envelope;
  if (call.started) return;
  call.name = name;
  const { start } = buffer;
  const text = buffer.take();
  const emitMarker = (from: number, to: number) => {
    if (writer.markers) writer.marker(text.slice(from - start, to - start), from);
  };
  if (early === null) {
    emitMarker(start, valueStart);
    reader.startCall(valueStart - cursor.base, cursor.at);
  } else {
    emitMarker(start, early.start);
    reader.startCall(early.start - cursor.base, early.start - cursor.base);
    // `wrapperAt` reads what is still to be read; these arguments are not.
    const wrapper = /^\{\s*"(\w+)"\s*:\s*\{/.exec(early.json)?.[1] ?? '';
    if (mayHoldArguments(reader, wrapper)) withholdWrapped(reader, wrapper);
    writer.calls.input(early.json, early.start, early.end);
    emitMarker(early.end, cursor.offset);
    envelope.early = null;
  }
  if (envelope.wrapper !== null) {
    const { wrapper } = envelope;
    reader.noteRepair(
      wrapper === '' ? repair('wrapped-call', 'braces') : repair('wrapped-call', 'key', wrapper),
    );
  }
  reader.input.begin();
}

function readAfterValue(reader: Reader, envelope: EnvelopeProgress): Status | 'more' {
  const { cursor } = reader;
  const next = cursor.text[cursor.at];
  if (next === '}') return closeObject(reader, envelope);
  if (next !== ',') return refuse(envelope, [',', '}']);
  pass(reader, envelope, cursor.at + 1);
  resetScanner(reader);
  envelope.phase = 'key';
  return 'more';
}

/** A JSON string or number as text; `null` for anything else. */
function parseScalar(json: string): string | null {
  const isPlain = json.charCodeAt(0) === 34 && json.endsWith('"') && json.length > 1 && !json.includes('\\');
  if (isPlain) return json.slice(1, -1);
  const value = parseJson(json);
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}
