/** Python's text operations: `str`, `repr`, white space, characters as code points. */
import { floatText } from '../../format/exact-json.ts';
import type { Runtime } from './runtime.ts';
import {
  changeText,
  cutText,
  dataText,
  lengthOfText,
  plainText,
  sliceText,
  type Text,
  TracedText,
} from './traced-text.ts';
import {
  Attributes,
  Callable,
  Dict,
  Float,
  List,
  LongInteger,
  Markup,
  PythonError,
  Stream,
  Tuple,
  textOf,
  typeName,
  Undefined,
  type Value,
  View,
} from './values.ts';

/** Maximum depth of printed or compared values. */
const maxDepth = 200;

/** The white space of Python's `str.strip`, as a character class. */
const blank = '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const blankCharacter = new RegExp(`[${blank}]`);
const blankRuns = new RegExp(`[${blank}]+`);
const blankBorders = new RegExp(`([${blank}]+)`);

/** Whether a character is white space in Python. */
export function isBlank(character: string): boolean {
  return blankCharacter.test(character);
}

/** Strips white space, or the characters of a set, from one or both ends. */
export function strip(given: Text, side: 'left' | 'right' | 'both', set?: string): Text {
  const text = plainText(given);
  const inSet = set === undefined ? null : new Set(set);
  const drop = (character: string) => (inSet === null ? isBlank(character) : inSet.has(character));
  let start = 0;
  let end = text.length;
  if (side !== 'right') while (start < end && drop(text.charAt(start))) start += 1;
  if (side !== 'left') while (end > start && drop(text.charAt(end - 1))) end -= 1;
  return sliceText(given, start, end);
}

/** `text.split()`: the words between white space. `charge` is called with their number before they are created. */
export function words(text: Text, charge: (count: number) => void): readonly Text[] {
  const trimmed = strip(text, 'both');
  if (trimmed === '') return [];
  const pieces = plainText(trimmed).split(typeof trimmed === 'string' ? blankRuns : blankBorders);
  charge(pieces.length);
  return typeof trimmed === 'string'
    ? pieces
    : cutText(trimmed, pieces).filter((_, index) => index % 2 === 0);
}

const surrogate = /[\ud800-\udfff]/;

/** The characters of a text in Python: code points. */
export function characters(text: string): readonly string[] {
  return surrogate.test(text) ? Array.from(text) : text.split('');
}

/** The characters, each with its origin. */
export function tracedCharacters(text: Text): readonly Text[] {
  return cutText(text, characters(plainText(text)));
}

/** Python's `len` of a text. */
export function textLength(text: string): number {
  if (!surrogate.test(text)) return text.length;
  let pairs = 0;
  for (let at = 0; at < text.length; at += 1) {
    if ((text.codePointAt(at) ?? 0) <= 0xffff) continue;
    pairs += 1;
    at += 1;
  }
  return text.length - pairs;
}

/** Compares by code points; UTF-16 order differs beyond the basic plane. */
export function compareText(left: string, right: string): number {
  if (left === right) return 0;
  if (!surrogate.test(left) && !surrogate.test(right)) return left < right ? -1 : 1;
  const a = Array.from(left);
  const b = Array.from(right);
  for (let i = 0; i < a.length && i < b.length; i += 1) {
    const difference = (a[i]?.codePointAt(0) ?? 0) - (b[i]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

/** Fixed decimals as in Python: exact halves are rounded to the even digit, while JavaScript rounds up. */
export function fixed(value: number, decimals: number): string {
  const rounded = withDecimals(value, decimals);
  // A value halfway between two texts of so many decimals is an odd number of halves to that power.
  const isHalf = Math.abs(value * 2 ** (decimals + 1)) % 2 === 1;
  const last = Number(rounded.at(-1));
  return isHalf && last % 2 === 1 ? `${rounded.slice(0, -1)}${last - 1}` : rounded;
}

/** `toFixed`, also for whole numbers that it writes with an exponent. */
function withDecimals(value: number, decimals: number): string {
  const text = value.toFixed(decimals);
  if (!text.includes('e')) return text;
  return decimals === 0 ? integerText(value) : `${integerText(value)}.${'0'.repeat(decimals)}`;
}

/** `str` of a whole number, without an exponent. */
export function integerText(value: number): string {
  return Number.isSafeInteger(value) ? String(value) : BigInt(value).toString();
}

/** The same, charged if it is long, because it takes as long as a text of its length. */
export function numberText(runtime: Runtime, value: number): string {
  const text = integerText(value);
  if (!Number.isSafeInteger(value)) runtime.chargeText(2 * text.length);
  return text;
}

const namedEscapes = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\\', '\\\\'],
]);
const unprintable = /[\\\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

function escapeUnprintable(character: string): string {
  const named = namedEscapes.get(character);
  if (named !== undefined) return named;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`;
  if (code < 0x10000) return `\\u${code.toString(16).padStart(4, '0')}`;
  return `\\U${code.toString(16).padStart(8, '0')}`;
}

function textRepr(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replace(unprintable, escapeUnprintable);
  return `${quote}${quote === "'" ? escaped.replaceAll("'", "\\'") : escaped}${quote}`;
}

function joinRepr(runtime: Runtime, values: readonly Value[], depth: number): string {
  return values.map((value) => plainRepr(runtime, value, depth + 1)).join(', ');
}

function entryRepr(runtime: Runtime, entry: readonly [Value, Value], depth: number): string {
  return `${plainRepr(runtime, entry[0], depth + 1)}: ${plainRepr(runtime, entry[1], depth + 1)}`;
}

function containerRepr(runtime: Runtime, value: List | Tuple | Dict | View, depth: number): string {
  if (depth > maxDepth) throw new PythonError('RecursionError', 'value nests too deeply');
  if (value instanceof List) return `[${joinRepr(runtime, value.all(), depth)}]`;
  if (value instanceof View) return `${value.label}([${joinRepr(runtime, value.elements, depth)}])`;
  if (value instanceof Tuple) {
    return `(${joinRepr(runtime, value.elements, depth)}${value.elements.length === 1 ? ',' : ''})`;
  }
  const entries = value.entries().map((entry) => entryRepr(runtime, entry, depth));
  return `{${entries.join(', ')}}`;
}

function plainRepr(runtime: Runtime, value: Value, depth: number): string {
  runtime.charge(1);
  if (value instanceof Undefined) return 'Undefined';
  const content = textOf(value);
  if (content !== null) {
    runtime.chargeEach(content.length);
    return value instanceof Markup ? `Markup(${textRepr(content)})` : textRepr(content);
  }
  if (value instanceof List || value instanceof Tuple || value instanceof Dict || value instanceof View) {
    const text = containerRepr(runtime, value, depth);
    runtime.chargeText(text.length);
    return text;
  }
  return plainText(str(runtime, value));
}

/** Python's `repr`. If any text in it is data, all of it counts as data. */
export function repr(runtime: Runtime, value: Value): Text {
  const text = plainRepr(runtime, value, 0);
  return holdsData(runtime, value) ? dataText(text) : text;
}

/** Whether a printed value contains text of the input, including keys. */
export function holdsData(runtime: Runtime, value: Value): boolean {
  return runtime.traced && holdsTraced(value);
}

function holdsTraced(value: Value): boolean {
  if (value instanceof TracedText) return true;
  if (value instanceof Markup) return value.content instanceof TracedText;
  if (value instanceof List) return value.all().some(holdsTraced);
  if (value instanceof Tuple || value instanceof View) return value.elements.some(holdsTraced);
  if (!(value instanceof Dict)) return false;
  return value.entries().some(([key, item]) => holdsTraced(key) || holdsTraced(item));
}

/** Python's `str`: the text of `{{ value }}`. */
export function str(runtime: Runtime, value: Value): Text {
  if (typeof value === 'string' || value instanceof TracedText) return value;
  if (typeof value === 'number') return numberText(runtime, value);
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (value instanceof Undefined) return '';
  if (value instanceof Markup) return value.content;
  if (value instanceof Float) return value.digits ?? floatText(value.value);
  if (value instanceof LongInteger) return value.digits;
  if (value instanceof Attributes && value.assignable) {
    const text = `<${value.label} ${plainRepr(runtime, new Dict(value.values), 0)}>`;
    return runtime.traced ? dataText(text) : text;
  }
  if (value instanceof Stream || value instanceof Callable || value instanceof Attributes) {
    return `<${typeName(value)} object>`;
  }
  return repr(runtime, value);
}

const htmlEscapes = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&#34;'],
  ["'", '&#39;'],
]);

function escapeCharacters(text: string): string {
  return text.replace(/[&<>"']/g, (character) => htmlEscapes.get(character) ?? character);
}

/** Text escaped for HTML; text that is already marked is unchanged. */
export function escapeHtml(runtime: Runtime, value: Value): Text {
  if (value instanceof Markup) return value.content;
  const text = str(runtime, value);
  runtime.chargeEach(lengthOfText(text));
  return changeText(text, escapeCharacters);
}
