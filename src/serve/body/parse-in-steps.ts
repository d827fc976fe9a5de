/**
 * Parses the JSON of a request in steps. What takes long in a large body are its texts: they are taken out, and put
 * back into the value of the rest. That has so few values, and such short ones, that it is parsed at once.
 */
import { randomBytes } from 'node:crypto';
import { type ExactValue, exactFormSteps } from '../../format/exact-json.ts';
import { isObject, parseJson } from '../../format/json-values.ts';
import type { JsonValue } from '../../format/messages.ts';
import type { Steps } from '../../language/expression/steps.ts';
import { invalid } from '../errors.ts';

/** Maximum depth of a request; functions that walk through values may recurse this far. */
const maxDepth = 200;
/** Maximum number of objects, arrays and separators: each costs many times its bytes. */
const maxValues = 250_000;
/** Characters from which on a string is taken out. */
const longString = 64;
/** White space from which on it is left out. */
const longBlank = 16;
/** Characters of the longest number. */
const maxNumber = 1_000;
/** Characters that are read in one step. */
const stepLength = 1 << 17;

/** A value, and its form in which numbers are as they were written. */
interface ParsedBody {
  readonly value: JsonValue;
  readonly written: JsonValue | ExactValue;
}

/** Throws `RequestError` if `text` is not JSON, too deep, or has too many values. */
export function* parseInSteps(text: string): Steps<ParsedBody> {
  const taken = new TakenTexts();
  const rest = yield* takeOut(text, taken);
  const value = parseJson(rest);
  if (value === undefined) throw notJson();
  yield;
  const written = yield* exactFormSteps(value, rest);
  yield;
  const filled = taken.putBack(value);
  return { value: filled, written: written === value ? filled : taken.putBack(written) };
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

/** The text with a mark for each long string. */
function* takeOut(text: string, taken: TakenTexts): Steps<string> {
  let [depth, values, rest, done, paused] = [0, 0, '', 0, 0];
  for (let at = 0; at < text.length; at += 1) {
    if (at - paused > stepLength) {
      paused = at;
      yield;
    }
    const character = text[at];
    if (character === '"') {
      const end = yield* endOfString(text, at);
      if (end - at > longString && end < text.length && !isKey(text, end)) {
        rest += text.slice(done, at) + taken.take(yield* readString(text, at + 1, end));
        done = end + 1;
      }
      at = end;
    } else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    else if (character !== ',') {
      const end = yield* endOfBlank(text, at);
      if (end - at > longBlank) {
        rest += text.slice(done, at);
        // One of it stays between what must not become one word.
        done = end - 1;
      }
      at = end > at ? end - 1 : endOfWord(text, at) - 1;
      continue;
    }
    values += 1;
    if (values > maxValues) throw invalid(null, `the body has more than ${maxValues} values`);
    if (depth > maxDepth) throw invalid(null, `the body is nested more than ${maxDepth} levels deep`);
  }
  return done === 0 ? text : rest + text.slice(done);
}

/** Where the string that begins at `start` ends: at its second quote, or with the text. */
function* endOfString(text: string, start: number): Steps<number> {
  let paused = start;
  for (let at = start + 1; ; at += 1) {
    at = text.indexOf('"', at);
    if (at < 0) return text.length;
    const isEscaped = text[at - 1] === '\\' && (yield* slashesBefore(text, at, start + 1)) % 2 === 1;
    if (!isEscaped) return at;
    if (at - paused > stepLength) {
      paused = at;
      yield;
    }
  }
}

function* slashesBefore(text: string, end: number, start: number): Steps<number> {
  let at = end;
  for (; at > start && text[at - 1] === '\\'; at -= 1) if ((end - at) % stepLength === 1) yield;
  return end - at;
}

function* endOfBlank(text: string, start: number): Steps<number> {
  let at = start;
  for (; at < text.length && ' \n\t\r'.includes(text[at] ?? ''); at += 1)
    if ((at - start) % stepLength === 1) yield;
  return at;
}

const word = new RegExp(`[-+.\\w]{1,${maxNumber + 1}}`, 'y');

/** Where a number or a word of JSON ends; after one character of anything else. */
function endOfWord(text: string, start: number): number {
  word.lastIndex = start;
  const { length } = word.exec(text)?.[0] ?? '.';
  if (length > maxNumber) throw invalid(null, `a number of the body has more than ${maxNumber} characters`);
  return start + length;
}

const afterKey = /\s*:/y;

function isKey(text: string, end: number): boolean {
  afterKey.lastIndex = end + 1;
  return afterKey.test(text);
}

/** What a string says whose characters lie between `start` and `end`, read piece by piece. */
function* readString(text: string, start: number, end: number): Steps<string> {
  // Most of the text shares its memory; less would keep all of it alive.
  if (end - start > text.length / 2 && (yield* isPlain(text, start, end))) return text.slice(start, end);
  let read = '';
  for (let at = start; at < end; ) {
    const next = at + stepLength < end ? yield* wholeEscapes(text, at, at + stepLength) : end;
    const piece = parseJson(`"${text.slice(at, next)}"`);
    if (typeof piece !== 'string') throw notJson();
    read += piece;
    at = next;
    yield;
  }
  return read;
}

const special = /[\\\p{Cc}]/u;

/** Whether a string has neither escapes nor what must be escaped. */
function* isPlain(text: string, start: number, end: number): Steps<boolean> {
  for (let at = start; at < end; at += stepLength) {
    if (special.test(text.slice(at, Math.min(at + stepLength, end)))) return false;
    yield;
  }
  return true;
}

/** Characters of the longest escape, such as `\u00e9`. */
const escapeLength = 6;

/** The last place up to `end` that is not within an escape; `start` is not either. */
function* wholeEscapes(text: string, start: number, end: number): Steps<number> {
  const near = end - escapeLength + 1;
  const slash = near + text.slice(near, end).lastIndexOf('\\');
  if (slash < near) return end;
  // The second of two is no beginning.
  return (yield* slashesBefore(text, slash, start)) % 2 === 0 ? slash : slash - 1;
}
