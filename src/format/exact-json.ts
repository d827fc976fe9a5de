/**
 * JSON whose numbers keep their text. JavaScript's numbers have 53 bits and no difference between `1` and `1.0`; a
 * template, which runs in Python, tells them apart, and an id of 19 digits must reach the next prompt as it was written.
 */
import { isObject, parseJson } from './json-values.ts';
import type { JsonValue } from './messages.ts';

/** A number of a JSON text that JavaScript would write differently: `1234567890123456789`, `1.0`, `1e3`. */
export class JsonNumber {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }

  /** The nearest JavaScript number. */
  get value(): number {
    return Number(this.text);
  }

  /** Whether it is written without a fraction and an exponent, which makes it an `int` in Python. */
  get isInteger(): boolean {
    return !/[.eE]/.test(this.text);
  }
}

/** Any JSON value, with the text of unusual numbers. */
export type ExactValue = JsonValue | JsonNumber | readonly ExactValue[] | ExactObject;

/** Any JSON object, with the text of unusual numbers. */
export interface ExactObject {
  readonly [key: string]: ExactValue;
}

/** The value of a JSON text; `undefined` if it is not JSON. */
export function parseExactJson(text: string): ExactValue | undefined {
  const value = parseJson(text);
  return value === undefined ? undefined : exactForm(value, text);
}

/** The exact form of the value of `text`: the value itself if no number is unusual. */
function exactForm<Value extends JsonValue>(value: Value, text: string): Value | ExactValue {
  const steps = exactFormSteps(value, text);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** `exactForm` in steps. */
export function* exactFormSteps<Value extends JsonValue>(
  value: Value,
  text: string,
): Generator<void, Value | ExactValue, void> {
  const isUnusual = (token: string) => /^[-\d]/.test(token) && readNumber(token) instanceof JsonNumber;
  let read = 0;
  for (const token of tokensOf(text)) {
    if (isUnusual(token)) return yield* readTokens(text);
    read += 1;
    if (read % stepTokens === 0) yield;
  }
  return value;
}

/** Tokens that are read in one step. */
const stepTokens = 5_000;

/** The object of a JSON text; `null` if it is not the JSON of an object. */
export function parseExactObject(text: string): ExactObject | null {
  const value = parseExactJson(text);
  return isExactObject(value) ? value : null;
}

/** `parseExactJson` in steps. */
export function* exactJsonSteps(text: string): Generator<void, ExactValue | undefined, void> {
  const value = parseJson(text);
  yield;
  return value === undefined ? undefined : yield* exactFormSteps(value, text);
}

/** For objects and lists that hold unusual numbers, as `JSON.parse` makes them: the same with the text of those. */
const writtenForms = new WeakMap<object, ExactValue>();

/**
 * Lets `asWritten` find the exact form of `plain`, and of what is in it. Both are read from the same text, which is no
 * deeper than functions may recurse. Returns whether they differ, in steps.
 */
export function* keepWritten(plain: unknown, exact: unknown): Generator<void, boolean, void> {
  if (exact instanceof JsonNumber) return true;
  if (typeof plain !== 'object' || plain === null || !isContainer(exact)) return false;
  let differs = false;
  let read = 0;
  for (const [key, item] of entriesOf(plain)) {
    const other: unknown = Reflect.get(exact, key);
    const isWritten = isScalar(item) ? other instanceof JsonNumber : yield* keepWritten(item, other);
    differs ||= isWritten;
    read += 1;
    if (read % stepTokens === 0) yield;
  }
  if (differs) writtenForms.set(plain, exact);
  yield;
  return differs;
}

/** The values of an object or a list by their keys; those of a list one by one, as it may have hundreds of thousands. */
export function entriesOf(
  value: ExactObject | readonly ExactValue[],
): Iterable<[string | number, ExactValue]>;
export function entriesOf(value: object): Iterable<[string | number, unknown]>;
export function entriesOf(value: object): Iterable<[string | number, unknown]> {
  return Array.isArray(value) ? value.entries() : Object.entries(value);
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

/** The form of a parsed value in which numbers are as they were written, if its reader has kept that. */
export function asWritten<Value extends object>(value: Value): Value | ExactValue {
  return writtenForms.get(value) ?? value;
}

/** The JSON text of plain data, without white space; numbers keep their text, and what is `undefined` is left out. */
export function writeExactJson(value: unknown): string {
  if (value instanceof JsonNumber) return value.text;
  if (Array.isArray(value)) return `[${value.map((item) => writeExactJson(item ?? null)).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${writeExactJson(item)}`).join(',')}}`;
}

/** Whether a value is an object, not an array and not a number. */
export function isExactObject(value: unknown): value is ExactObject {
  return isObject(value) && !(value instanceof JsonNumber);
}

function isContainer(value: unknown): value is readonly ExactValue[] | ExactObject {
  return Array.isArray(value) || isExactObject(value);
}

/** `repr` of a Python float: shortest digits, with a point or an exponent. */
export function floatText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Object.is(value, -0)) return '-0.0';
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e16)) {
    return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
  }
  const digits = String(value);
  return digits.includes('.') ? digits : `${digits}.0`;
}

/** A number as Python prints it after reading it, unless Python, too, would change its value. */
export function pythonNumber(number: JsonNumber): string {
  if (number.isInteger) return number.text === '-0' ? '0' : number.text;
  const printed = floatText(number.value);
  return decimalParts(printed) === decimalParts(number.text) ? printed : number.text;
}

/** Sign, digits without zeros at either end, and exponent, as one text: equal for equal decimals. */
function decimalParts(number: string): string {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number);
  if (match === null) return number;
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = match;
  const digits = (whole + fraction).replace(/^0+/, '');
  const shortest = digits.replace(/(?<!0)0+$/, '');
  if (shortest === '') return `${sign}0`;
  return `${sign}${shortest}e${Number(exponent) - fraction.length + digits.length - shortest.length}`;
}

const word = /-?\d[\d.eE+-]*|true|false|null/y;

/** The tokens of valid JSON, without separators. */
function* tokensOf(json: string): Generator<string> {
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at] ?? '';
    if ('[]{}'.includes(character)) yield character;
    else if (character === '"') {
      const end = endOfString(json, at);
      yield json.slice(at, end + 1);
      at = end;
    } else {
      word.lastIndex = at;
      const [found] = word.exec(json) ?? [];
      if (found === undefined) continue;
      yield found;
      at += found.length - 1;
    }
  }
}

/** Where the string that begins at `start` ends: at its second quote, or with the text. */
function endOfString(json: string, start: number): number {
  for (let at = start + 1; ; at += 1) {
    at = json.indexOf('"', at);
    if (at < 0) return json.length;
    let slashes = 0;
    while (json[at - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return at;
  }
}

function readNumber(text: string): number | JsonNumber {
  const value = Number(text);
  const shortest = String(value);
  if (shortest === text && (Number.isSafeInteger(value) || !Number.isInteger(value))) return value;
  const isFraction = !Number.isInteger(value) && decimalParts(shortest) === decimalParts(text);
  return isFraction ? value : new JsonNumber(text);
}

function readScalar(text: string): ExactValue {
  return /^[-\d]/.test(text) ? readNumber(text) : JSON.parse(text);
}

/** A list or an object that is being read; a list has no keys. */
interface OpenContainer {
  readonly keys: string[] | null;
  readonly values: ExactValue[];
}

/** The value of valid JSON; without recursion, because it may nest deeply. */
function* readTokens(json: string): Generator<void, ExactValue, void> {
  const root: OpenContainer = { keys: null, values: [] };
  const open: OpenContainer[] = [root];
  let read = 0;
  for (const text of tokensOf(json)) {
    read += 1;
    if (read % stepTokens === 0) yield;
    const inner = open.at(-1) ?? root;
    if (text === '{' || text === '[') open.push({ keys: text === '{' ? [] : null, values: [] });
    else if (text === '}' || text === ']') {
      open.pop();
      open.at(-1)?.values.push(closed(inner));
    } else if (inner.keys !== null && inner.keys.length === inner.values.length) {
      inner.keys.push(JSON.parse(text));
    } else inner.values.push(readScalar(text));
  }
  return root.values[0] ?? null;
}

function closed({ keys, values }: OpenContainer): ExactValue {
  if (keys === null) return values;
  return Object.fromEntries(keys.map((key, index) => [key, values[index] ?? null]));
}
