/**
 * Strings in quotes, as in `f(a='it's')`: templates do not escape the text, while models escape it or use the other
 * quote. The string ends at a quote after which an argument may end. If none comes by the end of the text, it ends at
 * its first quote that is not an apostrophe.
 */
import { escapeJson, readEscape } from '../../json/json-text.ts';
import { absent, undecided } from '../../markers/markers.ts';
import type { Reader, State } from '../../reader.ts';
import type { ValueProgress } from '../step-progress.ts';
import { noteHeldCloser } from './held-closer.ts';
import { closerPartsEnd, continues, valueCloser } from './value-closer.ts';
import type { ValueStack } from './value-stack.ts';

/** Reads a quoted string, starting after its opening quote. */
export function readQuoted(reader: Reader, values: ValueStack<State>, progress: ValueProgress): State | null {
  const { cursor } = reader;
  for (;;) {
    const { text } = cursor;
    const at = nextStop(text, cursor.at, progress.quote);
    emitPart(reader, progress, at, escapeJson(text.slice(cursor.at, at)));
    if (at === text.length) return reader.ended ? endAtRefused(reader, values, progress) : null;
    const isEscape = text[at] === '\\';
    const next = isEscape ? readEscaped(reader, progress) : readQuote(reader, values, progress);
    if (next !== 'more') return next;
  }
}

function nextStop(text: string, from: number, quote: string): number {
  let at = from;
  while (at < text.length && text[at] !== quote && text[at] !== '\\') at++;
  return at;
}

/** Emits text up to `end` as `json`; after a refused quote, which may still be the end, buffers it instead. */
function emitPart(reader: Reader, progress: ValueProgress, end: number, json: string): void {
  const { cursor } = reader;
  if (end <= cursor.at) return;
  if (progress.refused !== null) {
    progress.bufferedJson += json;
    reader.bufferTo(end);
    return;
  }
  const delta = progress.begun ? json : `"${json}`;
  reader.writer.calls.input(delta, cursor.offset, cursor.offsetOf(end));
  progress.begun = true;
  cursor.moveTo(end);
}

/** Reads a quote: the end, if an argument may end after it. */
function readQuote(
  reader: Reader,
  values: ValueStack<State>,
  progress: ValueProgress,
): State | null | 'more' {
  const { cursor } = reader;
  const verdict = quoteEnds(reader, values, cursor.at + 1);
  if (verdict === undecided) return null;
  if (verdict !== absent) return finish(reader, values, progress, verdict);
  if (!isApostrophe(reader)) progress.refused ??= cursor.offset;
  emitPart(reader, progress, cursor.at + 1, escapeJson(progress.quote));
  return 'more';
}

/** Whether the quote at the reading position is inside a word: `it's`. */
function isApostrophe({ cursor }: Reader): boolean {
  return /[\p{L}\p{N}]/u.test(cursor.text.charAt(cursor.at + 1));
}

/** Ends the string at its first refused quote, because the text is over; the text after that is read again. */
function endAtRefused(reader: Reader, values: ValueStack<State>, progress: ValueProgress): State | null {
  const { cursor } = reader;
  if (progress.refused === null) return null;
  reader.rewind();
  cursor.moveTo(progress.refused - cursor.base);
  const closed = closerPartsEnd(reader, valueCloser(values, ''), cursor.at + 1);
  return close(reader, values, progress, closed < 0 ? cursor.at + 1 : closed);
}

/** End of the value's entry, if the quote before `at` ends the value; or `absent` or `undecided`. */
function quoteEnds(reader: Reader, values: ValueStack<State>, at: number): number {
  if (at === reader.cursor.text.length && !reader.ended) return undecided;
  const end = closerPartsEnd(reader, valueCloser(values, ''), at);
  if (end < 0) return end;
  const verdict = continues(reader, end, values.place.continuations);
  return verdict < 0 ? verdict : end;
}

function finish(reader: Reader, values: ValueStack<State>, progress: ValueProgress, end: number): State {
  const { buffer, cursor, writer } = reader;
  if (!buffer.isEmpty) {
    noteHeldCloser(reader, values, progress, progress.bufferedJson);
    const json = progress.begun ? progress.bufferedJson : `"${progress.bufferedJson}`;
    writer.calls.input(json, buffer.start, cursor.offset);
    progress.begun = true;
    buffer.take();
  }
  return close(reader, values, progress, end);
}

function close(reader: Reader, values: ValueStack<State>, progress: ValueProgress, end: number): State {
  const { offset } = reader.cursor;
  reader.writer.calls.input(progress.begun ? '"' : '""', offset, offset);
  reader.skip(end);
  reader.call.values = values.outer;
  return values.place.next;
}

/** Reads an escape of Python or JSON; a backslash that begins none stands for itself. */
function readEscaped(reader: Reader, progress: ValueProgress): null | 'more' {
  const { cursor } = reader;
  const decoded = readEscape(cursor.text, cursor.at);
  if (decoded === null && !reader.ended) return null;
  const { text, end } = decoded ?? { text: '\\', end: cursor.at + 1 };
  emitPart(reader, progress, end, escapeJson(text));
  return 'more';
}
