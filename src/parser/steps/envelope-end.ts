/** How a call ends that is one JSON object: with its brace, or with what closes a call before that has come. */
import type { Reader } from '../reader.ts';
import { findArguments, mayBeArgument } from './lenient-arguments.ts';
import type { EnvelopeProgress } from './step-progress.ts';

/** Consumes text up to `end`: into the buffer, until both the name and the arguments are known. */
export function pass(reader: Reader, { argumentsRead }: EnvelopeProgress, end: number): void {
  if (reader.call.started && argumentsRead) reader.skip(end);
  else reader.bufferTo(end);
}

/** What was buffered is part of the call's markers. */
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
  if (!settleArguments(reader, envelope)) return 'illegal';
  pass(reader, envelope, cursor.at + 1);
  endCall(reader);
  return 'done';
}

/** Whether only braces are missing from the call: a value has ended, and its arguments are whole. */
export function isWholeButForBraces({ writer }: Reader, { phase, argumentsRead }: EnvelopeProgress): boolean {
  return phase === 'after' && argumentsRead && writer.hasWholeInput;
}

/** The brackets that are missing from the arguments of a call, where nothing else is; empty otherwise. */
export function bracketsToCome(reader: Reader, { phase, early }: EnvelopeProgress): string {
  return phase === 'arguments' && early === null ? reader.scanner.missingBrackets : '';
}

/** The call ends here, although its last braces are missing; `brackets` are those of its arguments. */
export function closeWithoutBraces(reader: Reader, envelope: EnvelopeProgress, brackets: string): void {
  const { offset } = reader.cursor;
  if (brackets !== '') reader.writer.input(brackets, offset, offset);
  settleArguments(reader, envelope);
  reader.noteRepair('unclosed', 'the call is closed before its last brace');
  endCall(reader);
}

function endCall(reader: Reader): void {
  flushBuffer(reader);
  reader.writer.endCall(reader.cursor.offset);
}

/** Arguments that did not come under their key are looked for among the other members; false where none tell. */
function settleArguments(reader: Reader, envelope: EnvelopeProgress): boolean {
  const { writer, cursor, call } = reader;
  const { members, argumentsRead, paths } = envelope;
  if (argumentsRead) {
    const lost = [...members.keys()].filter((key) => mayBeArgument(call.parameters, key));
    if (lost.length === 0) return true;
    reader.noteRepair('flat-arguments', `left out, because the arguments stand apart: ${lost.join(', ')}`);
    return true;
  }
  const found = findArguments(reader, members, paths.arguments.at(-1));
  if (found === null) {
    envelope.expected = ['arguments'];
    envelope.reason = `the call has no arguments, but ${[...members.keys()].join(', ')}`;
    return false;
  }
  if (found.law !== null) reader.noteRepair(found.law, found.detail);
  flushBuffer(reader);
  writer.input(found.json, cursor.offset, cursor.offset);
  return true;
}
