/**
 * Parses the JSON of a request in steps, from its bytes: as a text it would be in memory twice. What takes long in a
 * large body are its texts: they are taken out, and put back into the value of the rest. That has so few values, and
 * such short ones, that it is parsed at once.
 */
import { isAscii } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import { type ExactValue, exactFormSteps } from '../../format/exact-json.ts';
import { isObject, parseJson } from '../../format/json-values.ts';
import type { JsonValue } from '../../format/messages.ts';
import type { Steps } from '../../language/expression/steps.ts';
import { invalid } from '../errors.ts';

/** Maximum depth of a request; functions that walk through values may recurse this far. */
export const maxDepth = 200;
/** Maximum number of objects, arrays and separators: each costs many times its bytes. */
export const maxValues = 250_000;
/** Bytes from which on a string is taken out. */
const longString = 64;
/** White space from which on it is left out. */
const longBlank = 16;
/** Characters of the longest number. */
const maxNumber = 1_000;
/** Bytes that are read in one step. */
const stepLength = 1 << 17;

/** A value, and its form in which numbers are as they were written. */
interface ParsedBody {
  readonly value: JsonValue;
  readonly written: JsonValue | ExactValue;
}

/** Throws `RequestError` if `bytes` are no JSON in UTF-8, nested too deeply, or too many values. */
export function* parseInSteps(bytes: Buffer): Steps<ParsedBody> {
  const taken = new TakenTexts();
  const rest = yield* takeOut(withoutMark(bytes), taken);
  const value = parseJson(rest);
  if (value === undefined) throw notJson();
  yield;
  const written = yield* exactFormSteps(value, rest);
  yield;
  const filled = taken.putBack(value);
  return { value: filled, written: written === value ? filled : taken.putBack(written) };
}

/** Without the mark that some write before UTF-8. */
function withoutMark(bytes: Buffer): Buffer {
  return bytes.subarray(0, 3).equals(Buffer.of(0xef, 0xbb, 0xbf)) ? bytes.subarray(3) : bytes;
}

function notJson(): Error {
  return invalid(null, 'the body is not JSON', 'invalid_json');
}

/** Long texts, and what stands for them: nobody knows before what that is. */
class TakenTexts {
  readonly #mark = randomBytes(8).toString('hex');
  readonly #texts: string[] = [];

  take(text: string): string {
    this.#texts.push(text);
    return `"${this.#mark}${this.#texts.length - 1}"`;
  }

  /** In place: nobody else has the containers yet. */
  putBack<Value extends ExactValue>(value: Value): Value | string {
    if (this.#texts.length === 0) return value;
    if (typeof value === 'string')
      return value.startsWith(this.#mark)
        ? (this.#texts[Number(value.slice(this.#mark.length))] ?? value)
        : value;
    if (Array.isArray(value)) {
      value.forEach((item, index) => {
        value[index] = this.putBack(item);
      });
    } else if (isObject(value)) {
      for (const [key, item] of Object.entries(value)) {
        const filled = this.putBack(item);
        // An assignment to `__proto__` would do something else.
        if (filled !== item) Object.defineProperty(value, key, { value: filled });
      }
    }
    return value;
  }
}

/** What JSON is made of. */
const quote = 0x22;
const backslash = 0x5c;
const colon = 0x3a;
const comma = 0x2c;
const opening: ReadonlySet<number> = new Set(Buffer.from('{['));
const closing: ReadonlySet<number> = new Set(Buffer.from('}]'));
const blank: ReadonlySet<number> = new Set(Buffer.from(' \n\t\r'));
const ofWords: ReadonlySet<number> = new Set(
  Buffer.from('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-._'),
);

/** The text with a mark for each long string. */
function* takeOut(bytes: Buffer, taken: TakenTexts): Steps<string> {
  let [depth, values, rest, done, paused] = [0, 0, '', 0, 0];
  for (let at = 0; at < bytes.length; at += 1) {
    if (at - paused > stepLength) {
      paused = at;
      yield;
    }
    const byte = bytes[at] ?? 0;
    if (byte === quote) {
      const end = yield* endOfString(bytes, at);
      if (end - at > longString && end < bytes.length && !isKey(bytes, end)) {
        rest += decode(bytes, done, at) + taken.take(yield* readString(bytes, at + 1, end));
        done = end + 1;
      }
      at = end;
    } else if (opening.has(byte)) depth += 1;
    else if (closing.has(byte)) depth -= 1;
    else if (byte !== comma) {
      const end = yield* endOfBlank(bytes, at);
      if (end - at > longBlank) {
        rest += decode(bytes, done, at);
        // One of it stays between what must not become one word.
        done = end - 1;
      }
      at = end > at ? end - 1 : endOfWord(bytes, at) - 1;
      continue;
    }
    values += 1;
    if (values > maxValues) throw invalid(null, `the body has more than ${maxValues} values`);
    if (depth > maxDepth) throw invalid(null, `the body is nested more than ${maxDepth} levels deep`);
  }
  return rest + decode(bytes, done, bytes.length);
}

/** Where the string that begins at `start` ends: at its second quote, or with the bytes. */
function* endOfString(bytes: Buffer, start: number): Steps<number> {
  let paused = start;
  for (let at = start + 1; ; at += 1) {
    at = bytes.indexOf(quote, at);
    if (at < 0) return bytes.length;
    const isEscaped = bytes[at - 1] === backslash && (yield* slashesBefore(bytes, at, start + 1)) % 2 === 1;
    if (!isEscaped) return at;
    if (at - paused > stepLength) {
      paused = at;
      yield;
    }
  }
}

function* slashesBefore(bytes: Buffer, end: number, start: number): Steps<number> {
  let at = end;
  for (; at > start && bytes[at - 1] === backslash; at -= 1) if ((end - at) % stepLength === 1) yield;
  return end - at;
}

function* endOfBlank(bytes: Buffer, start: number): Steps<number> {
  let at = start;
  for (; blank.has(bytes[at] ?? 0); at += 1) if ((at - start) % stepLength === 1) yield;
  return at;
}

/** Where a number or a word of JSON ends; after one byte of anything else. */
function endOfWord(bytes: Buffer, start: number): number {
  let at = start;
  while (ofWords.has(bytes[at] ?? 0) && at - start <= maxNumber) at += 1;
  if (at - start > maxNumber)
    throw invalid(null, `a number of the body has more than ${maxNumber} characters`);
  return Math.max(at, start + 1);
}

function isKey(bytes: Buffer, end: number): boolean {
  let at = end + 1;
  while (blank.has(bytes[at] ?? 0)) at += 1;
  return bytes[at] === colon;
}

/** What a string says whose bytes lie between `start` and `end`. */
function* readString(bytes: Buffer, start: number, end: number): Steps<string> {
  const isPlain = yield* hasNoEscapes(bytes, start, end);
  if (isPlain && isAscii(bytes.subarray(start, end))) return decode(bytes, start, end);
  let read = '';
  for (let at = start; at < end; ) {
    const near = at + stepLength < end ? wholeCharacter(bytes, at + stepLength) : end;
    const next = isPlain || near === end ? near : yield* wholeEscapes(bytes, at, near);
    const text = decode(bytes, at, next);
    const piece = isPlain ? text : parseJson(`"${text}"`);
    if (typeof piece !== 'string') throw notJson();
    read += piece;
    at = next;
    yield;
  }
  return read;
}

/** The first byte that is no blank in JSON's strings. */
const firstPrintable = 0x20;

/** Whether a string has neither escapes nor what must be escaped. */
function* hasNoEscapes(bytes: Buffer, start: number, end: number): Steps<boolean> {
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte < firstPrintable || byte === backslash) return false;
    if ((at - start) % stepLength === 0) yield;
  }
  return true;
}

/** The last place up to `at` where a character begins. */
function wholeCharacter(bytes: Buffer, at: number): number {
  let place = at;
  // No character has more than three bytes after its first.
  while (place > at - 3 && ((bytes[place] ?? 0) & 0xc0) === 0x80) place -= 1;
  return place;
}

/** Bytes of the longest escape, such as `\u00e9`. */
const escapeLength = 6;

/** The last place up to `end` that is not within an escape; `start` is not either. */
function* wholeEscapes(bytes: Buffer, start: number, end: number): Steps<number> {
  const near = end - escapeLength + 1;
  const slash = near + bytes.subarray(near, end).lastIndexOf(backslash);
  if (slash < near) return end;
  // The second of two is no beginning.
  return (yield* slashesBefore(bytes, slash, start)) % 2 === 0 ? slash : slash - 1;
}

/** A mark in the middle is a character. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: Buffer, start: number, end: number): string {
  try {
    return utf8.decode(bytes.subarray(start, end));
  } catch {
    throw invalid(null, 'the body is not UTF-8', 'invalid_json');
  }
}
