/**
 * Strings in quotes, as in `f(a='it's')`: templates write the text between the quotes as it is, models
 * escape it, or take the other quote. The string ends at a quote after which an argument can end. Where none
 * comes by the end of the text, it ends at its first quote that is not the apostrophe of a word.
 */
import { escapeJson, readEscape } from '../json/json-text.ts';
import { absent, undecided } from '../markers/markers.ts';
import type { State } from '../module-contract.ts';
import type { Reader } from '../reader.ts';
import type { ValueProgress } from './steps-values.ts';
import { closerPartsEnd, continues, valueCloser } from './value-closer.ts';
import type { ValueStack } from './value-stack.ts';

/** Reads a quoted string from after its opening quote. */
export function readQuoted(reader: Reader, values: ValueStack, progress: ValueProgress): State | null {
  for (;;) {
    const at = nextStop(reader.text, reader.at, progress.quote);
    say(reader, progress, at, escapeJson(reader.text.slice(reader.at, at)));
    if (at === reader.text.length) return reader.ended ? endAtRefused(reader, values, progress) : null;
    const isEscape = reader.text[at] === '\\';
    const next = isEscape ? readBackslash(reader, values, progress) : readQuote(reader, values, progress);
    if (next !== 'more') return next;
  }
}

function nextStop(text: string, from: number, quote: string): number {
  let at = from;
  while (at < text.length && text[at] !== quote && text[at] !== '\\') at++;
  return at;
}

/** Says text up to `end`, whose JSON is `json`; after a refused quote it is held, because that may be the end. */
function say(reader: Reader, progress: ValueProgress, end: number, json: string): void {
  if (end <= reader.at) return;
  if (progress.refused !== null) {
    progress.heldJson += json;
    reader.hold(end);
    return;
  }
  const delta = progress.begun ? json : `"${json}`;
  reader.writer.input(delta, reader.offset(reader.at), reader.offset(end));
  progress.begun = true;
  reader.at = end;
}

/** A quote: the end, if an argument can end after it. */
function readQuote(reader: Reader, values: ValueStack, progress: ValueProgress): State | null | 'more' {
  const verdict = quoteEnds(reader, values, reader.at + 1);
  if (verdict === undecided) return null;
  if (verdict !== absent) return finish(reader, values, progress, verdict);
  if (!isApostrophe(reader)) progress.refused ??= reader.offset(reader.at);
  say(reader, progress, reader.at + 1, escapeJson(progress.quote));
  return 'more';
}

/** Whether the quote at the reader's position goes on as a word: `it's`. */
function isApostrophe({ text, at }: Reader): boolean {
  return /[\p{L}\p{N}]/u.test(text.charAt(at + 1));
}

/** The text is over: the string has ended at its first refused quote; what was held from there is read again. */
function endAtRefused(reader: Reader, values: ValueStack, progress: ValueProgress): State | null {
  if (progress.refused === null) return null;
  reader.unhold();
  reader.at = progress.refused - reader.base;
  const closed = closerPartsEnd(reader, valueCloser(values, ''), reader.at + 1);
  return close(reader, values, progress, closed < 0 ? reader.at + 1 : closed);
}

/** Where the value's entry ends, if its quote may be the one before `at`; or `absent`, or `undecided`. */
function quoteEnds(reader: Reader, values: ValueStack, at: number): number {
  if (at === reader.text.length && !reader.ended) return undecided;
  const end = closerPartsEnd(reader, valueCloser(values, ''), at);
  if (end < 0) return end;
  const verdict = continues(reader, end, values.place.continuations);
  return verdict < 0 ? verdict : end;
}

function finish(reader: Reader, values: ValueStack, progress: ValueProgress, end: number): State {
  const { held } = reader;
  const here = reader.offset(reader.at);
  const json = progress.begun ? progress.heldJson : `"${progress.heldJson}`;
  if (held.length > 0) {
    reader.writer.input(json, here - held.length, here);
    progress.begun = true;
    held.clear();
  }
  return close(reader, values, progress, end);
}

function close(reader: Reader, values: ValueStack, progress: ValueProgress, end: number): State {
  const here = reader.offset(reader.at);
  reader.writer.input(progress.begun ? '"' : '""', here, here);
  reader.skip(end);
  reader.values = values.outer;
  return values.place.next;
}

/** A backslash: an escape in the quotes that only models take; in the template's own, just before a quote. */
function readBackslash(reader: Reader, values: ValueStack, progress: ValueProgress): State | null | 'more' {
  const { text, at } = reader;
  if (at + 1 === text.length && !reader.ended) return null;
  if (progress.quote !== progress.frame.open) return readModelEscape(reader, progress);
  if (text[at + 1] !== progress.quote) {
    say(reader, progress, at + 1, '\\\\');
    return 'more';
  }
  const verdict = quoteEnds(reader, values, at + 2);
  if (verdict === undecided) return null;
  if (verdict === absent) say(reader, progress, at + 2, escapeJson(progress.quote));
  else say(reader, progress, at + 1, '\\\\');
  return 'more';
}

function readModelEscape(reader: Reader, progress: ValueProgress): null | 'more' {
  const decoded = readEscape(reader.text, reader.at);
  if (decoded === null && !reader.ended) return null;
  const { text, end } = decoded ?? { text: '\\', end: reader.at + 1 };
  say(reader, progress, end, escapeJson(text));
  return 'more';
}
