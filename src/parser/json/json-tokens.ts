/** Numbers, words, escapes, and where strings end: what is JSON, what is Python, what can only mean one of them. */

/**
 * What a scanner takes. `json`: JSON alone. `python`: Python's literals, too. `any`: also what is neither and can mean
 * only one thing, such as `007`, or nothing that JSON can say, such as `NaN`.
 */
export type JsonNotation = 'json' | 'python' | 'any';

/** A number or word as JSON, and the narrowest notation that it belongs to. */
export interface ReadToken {
  readonly json: string;
  readonly notation: JsonNotation;
}

const words: ReadonlyMap<string, ReadToken> = new Map([
  ['true', { json: 'true', notation: 'json' }],
  ['false', { json: 'false', notation: 'json' }],
  ['null', { json: 'null', notation: 'json' }],
  ['True', { json: 'true', notation: 'python' }],
  ['False', { json: 'false', notation: 'python' }],
  ['None', { json: 'null', notation: 'python' }],
  ['NaN', { json: 'null', notation: 'any' }],
  ['Infinity', { json: 'null', notation: 'any' }],
  ['-Infinity', { json: 'null', notation: 'any' }],
]);

/** What may follow a backslash in JSON, except `u`. */
export const simpleEscapes: ReadonlySet<string> = new Set(['"', '\\', '/', 'b', 'f', 'n', 'r', 't']);
const jsonNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const looseNumber = /^[-+]?[._]*[0-9][0-9._]*([eE][-+]?[0-9]+)?$/;
/** An integer that Python refuses, because it begins with a zero. */
const paddedInteger = /^[-+]?0[0_]*[1-9][0-9_]*$/;

/** Whether a UTF-16 unit may occur in a number or word. */
export function isTokenUnit(unit: number): boolean {
  return (
    (unit >= 48 && unit <= 57) || // 0-9
    (unit >= 97 && unit <= 122) || // a-z
    (unit >= 65 && unit <= 90) || // A-Z
    unit === 43 || // +
    unit === 45 || // -
    unit === 46 || // .
    unit === 95 // _
  );
}

/** End of the number or word at `from`, at most `from + longest`. */
export function tokenEnd(text: string, from: number, longest: number): number {
  const limit = Math.min(text.length, from + longest);
  let at = from;
  while (at < limit && isTokenUnit(text.charCodeAt(at))) at++;
  return at;
}

/** Whether a number or word is valid JSON unchanged. */
export function isJson(token: string): boolean {
  return (jsonNumber.test(token) && Number.isFinite(Number(token))) || words.get(token)?.notation === 'json';
}

/** Reads a number or word; `null` if it is neither. */
export function readToken(token: string): ReadToken | null {
  const word = words.get(token);
  if (word !== undefined) return word;
  if (!looseNumber.test(token)) return null;
  const value = Number(token.replaceAll('_', ''));
  if (Number.isNaN(value)) return null;
  // A number too large for every reader of JSON.
  if (!Number.isFinite(value)) return { json: 'null', notation: 'any' };
  if (jsonNumber.test(token)) return { json: token, notation: 'json' };
  return { json: JSON.stringify(value), notation: paddedInteger.test(token) ? 'any' : 'python' };
}

/** The first item of a set is not longer (in units). */
const maxItem = 256;
/** A brace and an item: a string, a tuple, or a number or word. */
const firstItem = /^\{\s*(?:'(?:[^'\\]|\\.)*'?|"(?:[^"\\]|\\.)*"?|\([^()]*\)?|[^\s'"{}[\](),:]*)\s*/s;

/** Whether a text begins with a set of Python, which has no keys; `null` if more text decides. */
export function beginsSet(text: string, isWhole: boolean): boolean | null {
  const head = firstItem.exec(text.slice(0, maxItem))?.[0] ?? '';
  const next = text.charAt(head.length);
  if (head === '' || next === '') return isWhole || head === '' || head.length === maxItem ? false : null;
  return next === ',' || (next === '}' && /[^\s{]/.test(head));
}

/** An escape of JSON or Python as JSON. */
export function escapeText(sequence: string): string {
  const kind = sequence.charAt(1);
  if (simpleEscapes.has(kind)) return sequence;
  if (kind === "'") return "'";
  if (kind === '\n') return '';
  const code = Number.parseInt(sequence.slice(2), 16);
  if (kind === 'u' && sequence.length === 6) return sequence;
  const complete = (kind === 'x' && sequence.length === 4) || (kind === 'U' && sequence.length === 10);
  if (complete && code <= 0x10ffff) return JSON.stringify(String.fromCodePoint(code)).slice(1, -1);
  return `\\${JSON.stringify(sequence).slice(2, -1)}`;
}

/** A quote, backslashes, and control characters (all that comes before the blank). */
const doubleQuotedStop = /["\\]|[^ -\uffff]/g;
const singleQuotedStop = /["'\\]|[^ -\uffff]/g;

/** The next position from `from` on that needs attention inside a string in `quote`s, or -1. */
export function nextStop(text: string, from: number, quote: string): number {
  const short = Math.min(text.length, from + 24);
  const single = quote === "'" ? 39 : 34;
  for (let at = from; at < short; at++) {
    const unit = text.charCodeAt(at);
    if (unit === 34 || unit === 92 || unit === single || unit < 32) return at;
  }
  if (short === text.length) return -1;
  const stop = quote === "'" ? singleQuotedStop : doubleQuotedStop;
  stop.lastIndex = short;
  return stop.exec(text)?.index ?? -1;
}
