/**
 * Values whose end only their closer shows: raw strings, emitted while they come, and values whose type shows only
 * once they are complete, which are buffered.
 */
import { escapeJson } from '../json/json-text.ts';
import type { State } from '../module-contract.ts';
import type { Reader } from '../reader.ts';
import type { ValueProgress } from './step-progress.ts';
import { closerPartsEnd, findCloser, valueCloser } from './value-closer.ts';
import { decodeBuffered, fitsTypes, literalOf, longestScalar } from './value-modes.ts';
import type { ValueStack } from './value-stack.ts';

/** A raw string, up to its closer. */
export function readRaw(reader: Reader, values: ValueStack, progress: ValueProgress): State | null {
  const frameClose = progress.frame.close;
  const found = findCloser(reader, values, frameClose);
  progress.refused ??= found.refused === null ? null : reader.cursor.offsetOf(found.refused);
  if (reader.buffer.isEmpty) emitString(reader, progress, found.refused ?? found.textEnd);
  if (progress.refused !== null) reader.bufferTo(found.textEnd);
  if (found.end !== null) {
    emitBufferedString(reader, progress);
    return endString(reader, values, progress, found.end);
  }
  if (progress.refused !== null) return reader.ended ? endAtRefused(reader, values, progress) : null;
  if (progress.begun) reader.fastPath.open(valueCloser(values, frameClose).plainRun, 'raw-string');
  return null;
}

/** The text is over: the value has ended at its first closer, and what was buffered after that is read again. */
function endAtRefused(reader: Reader, values: ValueStack, progress: ValueProgress): State {
  const { cursor, writer } = reader;
  reader.rewind();
  const start = cursor.base;
  const refused = (progress.refused ?? 0) - start;
  const end = cursor.offsetOf(refused);
  if (progress.mode === 'raw') {
    writer.input(progress.begun ? '"' : '""', end, end);
  } else {
    writer.input(decode(reader, cursor.text.slice(0, refused), progress), start, end);
  }
  cursor.moveTo(refused);
  const closer = valueCloser(values, progress.frame.close);
  reader.claimSpace(closer.trailingSpace);
  return leaveValue(reader, values, closerPartsEnd(reader, closer));
}

/** Emits raw text up to `end` as part of a JSON string. */
function emitString(reader: Reader, progress: ValueProgress, end: number): void {
  const { cursor } = reader;
  if (end <= cursor.at) return;
  const json = escapeJson(cursor.text.slice(cursor.at, end));
  reader.writer.input(progress.begun ? json : `"${json}`, cursor.offset, cursor.offsetOf(end));
  progress.begun = true;
  cursor.moveTo(end);
}

/** Emits what was buffered after a closer that was none. */
function emitBufferedString(reader: Reader, progress: ValueProgress): void {
  const { buffer, cursor } = reader;
  if (buffer.isEmpty) return;
  const { start } = buffer;
  const json = escapeJson(buffer.take());
  reader.writer.input(progress.begun ? json : `"${json}`, start, cursor.offset);
  progress.begun = true;
}

function endString(reader: Reader, values: ValueStack, progress: ValueProgress, end: number): State {
  const { offset } = reader.cursor;
  reader.writer.input(progress.begun ? '"' : '""', offset, offset);
  return leaveValue(reader, values, end);
}

function leaveValue(reader: Reader, values: ValueStack, end: number): State {
  reader.skip(end);
  reader.call.values = values.outer;
  return values.place.next;
}

/** A value whose type shows once it is complete. */
export function readBuffered(reader: Reader, values: ValueStack, progress: ValueProgress): State | null {
  const { buffer, cursor } = reader;
  const found = findCloser(reader, values, progress.frame.close);
  progress.refused ??= found.refused === null ? null : cursor.offsetOf(found.refused);
  reader.bufferTo(found.textEnd);
  if (found.end === null) {
    if (reader.ended && progress.refused !== null) return endAtRefused(reader, values, progress);
    const length = (progress.refused ?? cursor.offset) - buffer.start;
    if (length > longestScalar && progress.types.has('string')) becomeString(reader, progress);
    return null;
  }
  const { start } = buffer;
  reader.writer.input(decode(reader, buffer.take(), progress), start, cursor.offset);
  return leaveValue(reader, values, found.end);
}

/** JSON of a whole value. What does not fit its type stays text, and is reported. */
function decode(reader: Reader, text: string, { types }: ValueProgress): string {
  const json = decodeBuffered(text, types);
  if (!reader.options.lenient || fitsTypes(json, types)) return json;
  const literal = literalOf(text, types);
  const wanted = [...types].join(' or ');
  const written = JSON.stringify(text.trim());
  reader.noteRepair(
    'literal',
    literal === null ? `${written} is no ${wanted}` : `${written} is read as ${literal}`,
  );
  return literal ?? json;
}

/** Buffered text that turns out to be no scalar is a string; what begins like a container stays buffered. */
function becomeString(reader: Reader, progress: ValueProgress): void {
  if (progress.isContainer) return;
  const { buffer, writer } = reader;
  const { start, length } = buffer;
  const known = progress.refused === null ? length : progress.refused - start;
  const json = escapeJson(buffer.takeFirst(known));
  progress.mode = 'raw';
  progress.begun = true;
  writer.input(`"${json}`, start, start + known);
}
