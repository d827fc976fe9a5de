/**
 * Values that end only with their closer: raw strings, which are emitted as they arrive, and values whose type is
 * clear only at their end, which are buffered.
 */

import { escapeJson } from '../../json/json-text.ts';
import { repair } from '../../leniency/law-table.ts';
import { leadingSpaceLength, skipSpace } from '../../markers/white-space.ts';
import type { Reader, State } from '../../reader.ts';
import { fail } from '../fail.ts';
import type { UnclosedOffsets, ValueProgress } from '../step-progress.ts';
import { noteHeldCloser } from './held-closer.ts';
import { closerAfterUnopened, holdsLostOpener, passRepeatedOpeners } from './marred-value.ts';
import { opensEntry, type UnclosedEnd, unclosedEnd } from './unclosed-end.ts';
import { closerPartsEnd, type FoundCloser, findCloser, valueCloser } from './value-closer.ts';
import { decodeBuffered, fitsTypes, literalOf, maxScalar, scanWhole } from './value-modes.ts';
import type { ValueStack } from './value-stack.ts';

/** Reads a raw string, up to its closer or another argument. */
export function readRaw(reader: Reader, values: ValueStack<State>, progress: ValueProgress): State | null {
  const next = readString(reader, values, progress);
  if (next === null && !progress.begun) openString(reader, progress);
  return next;
}

/** Emits the opening quote of a string whose first characters are withheld. */
function openString({ buffer, cursor, writer }: Reader, progress: ValueProgress): void {
  if (buffer.isEmpty && skipSpace(cursor.text, cursor.at) === cursor.text.length) return;
  const at = buffer.isEmpty ? cursor.offset : buffer.start;
  writer.calls.input('"', at, at);
  progress.begun = true;
}

function readString(reader: Reader, values: ValueStack<State>, progress: ValueProgress): State | null {
  const frameClose = progress.frame.close;
  const found = findCloser(reader, values, progress);
  if (progress.refused === null && found.refused === null && progress.unclosed === null) {
    const end = unclosedEnd(reader, values, progress, found.closer, progress.hasText);
    if (end !== null) {
      emitString(reader, progress, Math.min(found.textEnd, end.textEnd));
      if (!end.isCertain) return null;
      progress.unclosed = offsetsOf(reader, end);
    }
  }
  if (progress.unclosed !== null && progress.unclosed !== 'none') {
    return readPastUnclosed(reader, values, progress, progress.unclosed, found);
  }
  progress.refused ??= found.refused === null ? null : reader.cursor.offsetOf(found.refused);
  if (reader.buffer.isEmpty) emitString(reader, progress, found.refused ?? found.textEnd);
  const own = progress.calls?.endBeforeAnother ?? null;
  if (own !== null) return endBeforeAnother(reader, values, progress, own);
  if (progress.refused !== null) reader.bufferTo(found.textEnd);
  if (found.end !== null) {
    const closed = closerAfterUnopened(reader, values, progress, found);
    if (closed === null || closed.end === null) return endAtUnopened(reader, values, progress);
    emitBufferedString(reader, values, progress);
    noteRepeated(reader, closed);
    return endString(reader, values, progress, closed.end);
  }
  if (progress.refused !== null) return reader.ended ? endAtRefused(reader, values, progress) : null;
  const { hasText, calls, entries } = progress;
  if (hasText && !calls?.mayEndInMarker && !entries?.mayEndInMarker) {
    reader.fastPath.open(valueCloser(values, frameClose).plainRun, 'raw-string');
  }
  return null;
}

function offsetsOf({ cursor }: Reader, { at, textEnd, endsCall }: UnclosedEnd): UnclosedOffsets {
  return { at: cursor.offsetOf(at), textEnd: cursor.offsetOf(textEnd), endsCall };
}

/**
 * Handles a place where the value may have ended: it has if the next text is closed at its own place, or nothing
 * closes the value.
 */
function readPastUnclosed(
  reader: Reader,
  values: ValueStack<State>,
  progress: ValueProgress,
  unclosed: UnclosedOffsets,
  found: FoundCloser,
): State | null {
  const { cursor } = reader;
  const isOver = reader.ended && !(unclosed.endsCall && cursor.cutShort);
  if (found.refused === null && found.end === null && !isOver) {
    reader.bufferTo(found.textEnd);
    return null;
  }
  const closer = found.end === null ? null : cursor.offsetOf(found.closer);
  reader.rewind();
  // A later closer shows that the text was quoted if no argument ends there, or if it is the value's own.
  if (found.refused !== null || isOwnCloser(reader, values, unclosed, closer)) {
    progress.unclosed = 'none';
    return readRaw(reader, values, progress);
  }
  const { offset } = cursor;
  reader.writer.calls.input(progress.begun ? '"' : '""', offset, offset);
  return endUnclosed(reader, values, unclosed);
}

/** Whether the closer at an offset is the value's own, although it follows what looks like the end of the call. */
function isOwnCloser(
  reader: Reader,
  { place: { another } }: ValueStack<State>,
  { at, endsCall }: UnclosedOffsets,
  closer: number | null,
): boolean {
  const { base } = reader.cursor;
  if (closer === null || !endsCall || another === undefined) return false;
  return !opensEntry(reader, another, at - base, closer - base);
}

/** Ends the value where something else begins. */
function endUnclosed(reader: Reader, values: ValueStack<State>, { at }: UnclosedOffsets): State {
  reader.claimSpace('');
  reader.noteRepair(repair('unclosed', 'value', values.key));
  return leaveValue(reader, values, at - reader.cursor.base);
}

/** Ends the value at its first closer, because the text is over; the text after that is read again. */
function endAtRefused(reader: Reader, values: ValueStack<State>, progress: ValueProgress): State {
  const { cursor, writer } = reader;
  reader.rewind();
  const start = cursor.base;
  const refused = (progress.refused ?? 0) - start;
  const end = cursor.offsetOf(refused);
  if (progress.mode === 'raw') {
    writer.calls.input(progress.begun ? '"' : '""', end, end);
  } else {
    writer.calls.input(decode(reader, cursor.text.slice(0, refused), progress), start, end);
  }
  cursor.moveTo(refused);
  const closer = valueCloser(values, progress.frame.close);
  reader.claimSpace(closer.trailingSpace);
  return leaveValue(reader, values, closerPartsEnd(reader, closer));
}

/** Ends the value at its first closer that nothing in it opens. */
function endAtUnopened(reader: Reader, values: ValueStack<State>, progress: ValueProgress): State {
  const { unopened } = progress;
  if (unopened !== null && unopened !== 'none') progress.refused = unopened.at;
  return endAtRefused(reader, values, progress);
}

/** Reports a closer that is written more than once. */
function noteRepeated(reader: Reader, { repeated }: FoundCloser): void {
  if (repeated !== undefined) reader.noteRepair(repair('marker-twice', 'marker', repeated));
}

/** Ends the value at closers that looked quoted, at an offset: after them another call is opened. */
function endBeforeAnother(
  reader: Reader,
  values: ValueStack<State>,
  progress: ValueProgress,
  offset: number,
): State {
  reader.rewind();
  const { cursor } = reader;
  const at = offset - cursor.base;
  const { leadingSpace } = valueCloser(values, progress.frame.close);
  const end = at - leadingSpaceLength(cursor.text, cursor.at, at, leadingSpace);
  if (progress.mode === 'raw') emitString(reader, progress, end);
  progress.refused = cursor.offsetOf(end);
  return endAtRefused(reader, values, progress);
}

/** Emits raw text up to `end` as part of a JSON string. */
function emitString(reader: Reader, progress: ValueProgress, end: number): void {
  const { cursor } = reader;
  if (end <= cursor.at) return;
  const json = escapeJson(cursor.text.slice(cursor.at, end));
  reader.writer.calls.input(progress.begun ? json : `"${json}`, cursor.offset, cursor.offsetOf(end));
  progress.begun = true;
  progress.hasText = true;
  cursor.moveTo(end);
}

/** Emits the text that was buffered after a refused closer. */
function emitBufferedString(reader: Reader, values: ValueStack<State>, progress: ValueProgress): void {
  const { buffer, cursor } = reader;
  if (buffer.isEmpty) return;
  const { start } = buffer;
  const text = buffer.take();
  noteHeldCloser(reader, values, progress, text);
  const json = escapeJson(text);
  reader.writer.calls.input(progress.begun ? json : `"${json}`, start, cursor.offset);
  progress.begun = true;
}

function endString(reader: Reader, values: ValueStack<State>, progress: ValueProgress, end: number): State {
  const { offset } = reader.cursor;
  reader.writer.calls.input(progress.begun ? '"' : '""', offset, offset);
  return leaveValue(reader, values, end);
}

function leaveValue(reader: Reader, values: ValueStack<State>, end: number): State {
  reader.skip(end);
  reader.call.values = values.outer;
  return values.place.next;
}

/** Reads a value whose type is clear only at its end. */
export function readBuffered(
  reader: Reader,
  values: ValueStack<State>,
  progress: ValueProgress,
  recover: State,
): State | null {
  const { buffer, cursor } = reader;
  const first = findCloser(reader, values, progress);
  progress.refused ??= first.refused === null ? null : cursor.offsetOf(first.refused);
  const own = progress.calls?.endBeforeAnother ?? null;
  if (own !== null) return endBeforeAnother(reader, values, progress, own);
  reader.bufferTo(first.textEnd);
  const found = first.end === null ? first : closerAfterUnopened(reader, values, progress, first);
  if (found === null) return endAtUnopened(reader, values, progress);
  if (found.end === null && !reader.ended) {
    if (progress.isWhole) return null;
    const length = (progress.refused ?? cursor.offset) - buffer.start;
    const isString = length > maxScalar && progress.types.has('string') && !progress.isContainer;
    return isString ? switchToString(reader, values, progress) : null;
  }
  if (found.end === null && progress.refused !== null) return endAtRefused(reader, values, progress);
  return endBuffered(reader, values, progress, found, recover);
}

/** Emits the whole value, which ends at its closer or without one; `null` if nothing ends it yet. */
function endBuffered(
  reader: Reader,
  values: ValueStack<State>,
  progress: ValueProgress,
  found: FoundCloser,
  recover: State,
): State | null {
  const { buffer, cursor } = reader;
  const { at } = cursor;
  const { start } = buffer;
  const length = cursor.offset - start;
  const closer = found.end === null ? null : cursor.offsetOf(found.closer);
  const unclosed = unclosedWithin(reader, values, progress, closer);
  if (found.end === null && unclosed === null) {
    reader.bufferTo(length);
    return null;
  }
  const end = unclosed === null ? length : unclosed.textEnd - start;
  if (progress.isWhole) passRepeatedOpeners(reader, values, progress, cursor.text.slice(0, end));
  const written = cursor.text.slice(cursor.at, end);
  if (values.lacksOpener && holdsLostOpener(values, progress, written))
    return fail(reader, recover, ['a value'], 'text before the opener of a value');
  if (progress.refused !== null)
    noteHeldCloser(reader, values, progress, cursor.text.slice(progress.refused - start, end));
  // Openers that were passed have an event of their own.
  reader.writer.calls.input(decode(reader, written, progress), cursor.offset, start + end);
  cursor.moveTo(end);
  noteRepeated(reader, found);
  if (unclosed !== null) return endUnclosed(reader, values, unclosed);
  return leaveValue(reader, values, (found.end ?? at) + length - at);
}

/**
 * The end of a buffered value that no closer ends, unless the value fits its schema. Rewinds to the value's beginning.
 * `closer` is the offset of the closer found.
 */
function unclosedWithin(
  reader: Reader,
  values: ValueStack<State>,
  progress: ValueProgress,
  closer: number | null,
): UnclosedOffsets | null {
  const { buffer, cursor } = reader;
  const { length } = buffer;
  reader.rewind();
  if (progress.refused !== null) return null;
  if (progress.isContainer && scanWhole(cursor.text.slice(0, length).trim()) !== null) return null;
  const end = unclosedEnd(reader, values, progress, length, false);
  if (end === null || (closer === null && end.endsCall && cursor.cutShort)) return null;
  const unclosed = offsetsOf(reader, end);
  return isOwnCloser(reader, values, unclosed, closer) ? null : unclosed;
}

/** JSON of a complete value. What does not fit its type stays text, and is reported. */
function decode(reader: Reader, text: string, { types }: ValueProgress): string {
  const lenient = reader.allows('literal');
  const { json, deviation } = decodeBuffered(text, types, lenient ? 'any' : 'python');
  reader.noteDeviation(deviation);
  if (!lenient || fitsTypes(json, types)) return json;
  const literal = literalOf(text, types);
  const written = text.trim();
  reader.noteRepair(
    literal === null
      ? repair('literal', 'text', written, [...types].join(' or '))
      : repair('literal', 'value', written, literal),
  );
  return literal ?? json;
}

/** Buffered text that is not a scalar is a string. */
function switchToString(reader: Reader, values: ValueStack<State>, progress: ValueProgress): State | null {
  reader.rewind();
  progress.mode = 'raw';
  progress.refused = null;
  return readRaw(reader, values, progress);
}
