/**
 * Calls written as JSON that the grammar of their tool has taken over. It is certain what they are, so they are read
 * as they arrive, and nothing that follows makes them text any more.
 */
import { JsonScanner } from '../json/json-scanner.ts';
import { repair } from '../leniency/law-table.ts';
import { type MarkerTable, undecided } from '../markers/markers.ts';
import { skipSpace } from '../markers/white-space.ts';
import { aroundCalls, endOfMarker } from '../notations/around-calls.ts';
import { pathsOfCall, usualPaths } from '../notations/emitted-calls.ts';
import { closesBlock, newBareCalls, readBareCalls } from '../notations/foreign-calls.ts';
import { jsonCallPaths } from '../open-call.ts';
import type { Reader, State } from '../reader.ts';
import { newEnvelope, readEnvelopeOn } from './envelope-reader.ts';
import { reportExtraCall } from './fail.ts';
import type { EnvelopeProgress, StreamedCallsProgress } from './step-progress.ts';

/** `wait`: more text is needed. `text`: text begins, or what the format writes. `more`: calls may begin once more. */
type Status = 'wait' | 'text' | 'more';

/** Whether the answer may consist of calls alone: it has not begun, or begins again after a call. */
export function mayBeBareCalls(reader: Reader): boolean {
  const { options, writer, cursor, attempts } = reader;
  const { count } = writer.calls;
  const isBeginning = (count > 0 || !writer.hasText) && cursor.offset >= 0 && !attempts.wereBareCalls;
  const isAllowed = options.parallel || count === 0;
  return (
    isBeginning && isAllowed && options.tools.known && reader.callsAllowed && reader.allows('bare-calls')
  );
}

/** Reads an answer that may be calls written as JSON. */
export function readJsonCalls(reader: Reader, stops: MarkerTable<State>): Status {
  const { progress } = reader;
  if (progress?.kind === 'streamed-calls') return readOn(reader, progress, stops);
  const verdict = readBareCalls(reader, stops);
  if (verdict !== 'enforced') return verdict === 'wait' ? 'wait' : 'text';
  const isStreaming = progress?.kind === 'bare-calls' && progress.isStreaming;
  if (reader.region !== null) reader.leaveRegion();
  if (!isStreaming) reader.noteRepair(repair('bare-calls', 'json'));
  const streamed: StreamedCallsProgress = {
    kind: 'streamed-calls',
    isFenced: isStreaming && progress.isFenced,
    isListed: isStreaming && progress.isListed,
    envelope: null,
    extra: null,
  };
  reader.progress = streamed;
  streamed.envelope = beginCall(reader, streamed);
  return readOn(reader, streamed, stops);
}

/** Begins with the call at or after the reading position. */
function beginCall(reader: Reader, progress: StreamedCallsProgress): EnvelopeProgress {
  const { cursor } = reader;
  const around = aroundCalls(cursor.text.slice(cursor.at));
  progress.isFenced ||= around.includes('```');
  progress.isListed ||= /\[\s*$/.test(around);
  reader.skip(cursor.at + around.length);
  const text = cursor.text.slice(cursor.at);
  const paths = jsonCallPaths(text) ?? pathsOfCall(reader.options.tools, text) ?? usualPaths;
  reader.openCall();
  return newEnvelope(reader, paths, false);
}

function readOn(reader: Reader, progress: StreamedCallsProgress, stops: MarkerTable<State>): Status {
  if (progress.envelope !== null) {
    const status = readEnvelopeOn(reader, progress.envelope);
    if (status === 'open') return 'wait';
    if (status === 'illegal') {
      reader.complain(progress.envelope.expected, progress.envelope.reason);
      reader.reportMalformed();
    }
    reader.leaveCall();
    progress.envelope = null;
  }
  return progress.extra === null
    ? readAfter(reader, progress, stops)
    : passExtra(reader, progress, progress.extra);
}

/** After a call: white space and closers, up to the next call or something else. */
function readAfter(reader: Reader, progress: StreamedCallsProgress, stops: MarkerTable<State>): Status {
  const { cursor, options } = reader;
  for (;;) {
    reader.skip(skipSpace(cursor.text, cursor.at));
    if (cursor.isAtEnd && !reader.ended) return 'wait';
    if (cursor.text[cursor.at] === '{') {
      if (!options.parallel) return passExtra(reader, progress, new JsonScanner());
      const { isFenced, isListed } = progress;
      reader.progress = { ...newBareCalls(), phase: 'value', isStreaming: true, isFenced, isListed };
      return 'more';
    }
    const match = stops.matchAt(reader, cursor.text, cursor.at);
    // A stop of the format's own ends the calls.
    const end = match === null ? endOfCloser(reader, progress, stops) : cursor.at;
    if ((match === undecided || end === undecided) && !reader.ended) return 'wait';
    if (match !== null || end <= cursor.at) {
      reader.progress = null;
      return mayBeBareCalls(reader) ? 'more' : 'text';
    }
    reader.skip(end);
  }
}

/** End of what closes calls or separates them; the reading position if nothing does, or `undecided`. */
function endOfCloser(
  { cursor: { text, at } }: Reader,
  progress: StreamedCallsProgress,
  stops: MarkerTable<State>,
): number {
  const next = text.charAt(at);
  if (next === ']' && progress.isListed) {
    progress.isListed = false;
    return at + 1;
  }
  // Braces around the call or around the list.
  if (next === '}') return at + 1;
  if (next === ',' || next === ';') {
    const after = skipSpace(text, at + 1);
    if (after === text.length) return undecided;
    return /[{}\]]/.test(text.charAt(after)) ? after : at;
  }
  if (progress.isFenced && '```'.startsWith(text.slice(at, at + 3))) {
    if (text.length < at + 3) return undecided;
    progress.isFenced = false;
    return at + 3;
  }
  const end = endOfMarker(text, at);
  if (end <= at) return end;
  const marker = text.slice(at, end);
  return /^(?:<[|｜]?\/|\[\/)/.test(marker) || closesBlock(stops, marker) ? end : at;
}

/** Passes one more call where only one may be made; other JSON is text. */
function passExtra(reader: Reader, progress: StreamedCallsProgress, scanner: JsonScanner): Status {
  const { cursor, buffer, options } = reader;
  progress.extra = scanner;
  reader.bufferTo(scanner.scan(cursor.text, cursor.at));
  if (scanner.status === 'open' && !reader.ended) return 'wait';
  reader.progress = null;
  reader.attempts.wereBareCalls = true;
  if (pathsOfCall(options.tools, buffer.toString()) !== null) reportExtraCall(reader);
  else reader.rewind();
  return 'text';
}
