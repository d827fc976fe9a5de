/** How a call that is one JSON object ends: with its brace, or with the call's closer if braces are missing. */
import { repair } from '../leniency/law-table.ts';
import { findArguments, mayBeArgument } from '../leniency/lenient-arguments.ts';
import type { Reader } from '../reader.ts';
import type { EnvelopeProgress } from './step-progress.ts';

/** Consumes text up to `end`; it is buffered until both the name and the arguments are known. */
export function pass(reader: Reader, { argumentsRead }: EnvelopeProgress, end: number): void {
  if (reader.call.started && argumentsRead) reader.skip(end);
  else reader.bufferTo(end);
}

/** Emits the buffered text as part of the call's markers. */
export function flushBuffer({ buffer, writer }: Reader): void {
  if (buffer.isEmpty) return;
  const { start } = buffer;
  const text = buffer.take();
  if (writer.markers) writer.marker(text, start);
}

/** The end of an object: of an inner one, or of the call. */
export function closeObject(reader: Reader, envelope: EnvelopeProgress): 'more' | 'done' | 'illegal' {
  const { cursor } = reader;
  if (envelope.path.pop() !== undefined) {
    pass(reader, envelope, cursor.at + 1);
    envelope.phase = 'after';
    return 'more';
  }
  if (!reader.call.started) {
    envelope.expected = ['a tool name'];
    envelope.reason = 'the call names no tool';
    return 'illegal';
  }
  if (!completeArguments(reader, envelope)) return 'illegal';
  pass(reader, envelope, cursor.at + 1);
  endCall(reader);
  return 'done';
}

/** Whether only braces are missing from the call: a value has ended, and the arguments are complete. */
export function isWholeButForBraces({ writer }: Reader, { phase, argumentsRead }: EnvelopeProgress): boolean {
  return phase === 'after' && argumentsRead && writer.calls.hasWholeInput;
}

/** The brackets missing from the arguments of a call, if nothing else is; otherwise empty. */
export function missingBrackets(reader: Reader, { phase, early }: EnvelopeProgress): string {
  return phase === 'arguments' && early === null ? reader.scanner.missingBrackets : '';
}

/** Ends a call whose last braces are missing; `brackets` are those of its arguments. */
export function closeWithoutBraces(reader: Reader, envelope: EnvelopeProgress, brackets: string): void {
  const { offset } = reader.cursor;
  if (brackets !== '') reader.writer.calls.input(brackets, offset, offset);
  completeArguments(reader, envelope);
  reader.noteRepair(repair('unclosed', 'brace'));
  endCall(reader);
}

function endCall(reader: Reader): void {
  flushBuffer(reader);
  reader.writer.calls.endCall(reader.cursor.offset);
}

/** Takes the arguments from among the other members if they have no key of their own; false if it is unclear which. */
function completeArguments(reader: Reader, envelope: EnvelopeProgress): boolean {
  const { writer, cursor, call } = reader;
  const { members, argumentsRead, paths } = envelope;
  if (argumentsRead) {
    const lost = [...members.keys()].filter((key) => mayBeArgument(call.parameters, key));
    if (lost.length === 0) return true;
    reader.noteRepair(repair('flat-arguments', 'dropped', lost.join(', ')));
    return true;
  }
  const found = findArguments(reader, members, paths.arguments.at(-1));
  if (found === null) {
    envelope.expected = ['arguments'];
    envelope.reason = `the call has no arguments, but ${[...members.keys()].join(', ')}`;
    return false;
  }
  if (found.repair !== null) reader.noteRepair(found.repair);
  flushBuffer(reader);
  writer.calls.input(found.json, cursor.offset, cursor.offset);
  return true;
}
