/** Python's `json.dumps` and `json.loads`. */
import { floatText } from '../../format/exact-json.ts';
import type { Steps } from '../../language/expression/steps.ts';
import type { Runtime } from './runtime.ts';
import { compareText, holdsData, numberText } from './text.ts';
import { dataText, type Text } from './traced-text.ts';
import {
  Dict,
  Float,
  List,
  LongInteger,
  PythonError,
  Tuple,
  textOf,
  typeName,
  Undefined,
  undefinedError,
  type Value,
} from './values.ts';

/** Arguments of `json.dumps`, as in Python. */
export interface DumpOptions {
  readonly ascii: boolean;
  /** Text per level; `null` for one line. */
  readonly indent: string | null;
  readonly itemSeparator: string;
  readonly keySeparator: string;
  readonly sortKeys: boolean;
}

/** The equivalent of Python's recursion limit. */
const maxDepth = 500;

const escapes = new Map([
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\b', '\\b'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);
const needsEscape = /["\\]|[^ -\uffff]/g;
/** Half of a character, which only JavaScript escapes. */
const half = /\p{Surrogate}/u;
const needsAsciiEscape = /["\\]|[^ -~]/g;

function escapeUnit(unit: string): string {
  return escapes.get(unit) ?? `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** JavaScript writes most texts as Python does, and many times as fast. */
function dumpText(text: string, options: DumpOptions): string {
  if (!options.ascii && !half.test(text)) return JSON.stringify(text);
  return `"${text.replace(options.ascii ? needsAsciiEscape : needsEscape, escapeUnit)}"`;
}

function dumpFloat({ value, digits }: Float): string {
  if (digits !== null) return digits;
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity';
  return floatText(value);
}

function dumpScalar(runtime: Runtime, value: Value): string | null {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (typeof value === 'number') return numberText(runtime, value);
  if (value instanceof LongInteger) return value.digits;
  return value instanceof Float ? dumpFloat(value) : null;
}

function keyText(runtime: Runtime, key: Value): string {
  const text = textOf(key) ?? dumpScalar(runtime, key);
  if (text === null) {
    throw new PythonError('TypeError', `keys must be str, int, float, bool or None, not ${typeName(key)}`);
  }
  return text;
}

function compareKeys(left: Value, right: Value): number {
  const a = textOf(left);
  const b = textOf(right);
  if (a !== null && b !== null) return compareText(a, b);
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  throw new PythonError(
    'TypeError',
    `'<' not supported between '${typeName(left)}' and '${typeName(right)}'`,
  );
}

function wrap(
  runtime: Runtime,
  open: string,
  close: string,
  items: readonly string[],
  options: DumpOptions,
  depth: number,
): string {
  if (items.length === 0) return open + close;
  const margin = options.indent === null ? 0 : options.indent.length * (depth + 1) + 1;
  runtime.chargeText(items.length * (margin + options.itemSeparator.length + options.keySeparator.length));
  if (options.indent === null) return open + items.join(options.itemSeparator) + close;
  const inner = `\n${options.indent.repeat(depth + 1)}`;
  return `${open}${inner}${items.join(options.itemSeparator + inner)}\n${options.indent.repeat(depth)}${close}`;
}

function entriesOf(
  runtime: Runtime,
  value: Dict,
  options: DumpOptions,
): readonly (readonly [Value, Value])[] {
  const entries = value.entries();
  if (!options.sortKeys) return entries;
  return entries.sort((a, b) => {
    runtime.chargeRead((textOf(a[0])?.length ?? 0) + (textOf(b[0])?.length ?? 0));
    return compareKeys(a[0], b[0]);
  });
}

/** A key, and what separates it from its value. */
function dumpKey(runtime: Runtime, key: Value, options: DumpOptions): string {
  const name = keyText(runtime, key);
  runtime.chargeEach(name.length);
  return dumpText(name, options) + options.keySeparator;
}

function dumpDict(runtime: Runtime, value: Dict, options: DumpOptions, depth: number): string {
  const items = entriesOf(runtime, value, options).map(
    ([key, item]) => dumpKey(runtime, key, options) + dumpValue(runtime, item, options, depth + 1),
  );
  return wrap(runtime, '{', '}', items, options, depth);
}

/** Characters that are written in one step. */
const stepCharacters = 1 << 18;

/** Every character is written by itself, so a text may be cut anywhere. */
function* dumpLongText(runtime: Runtime, text: string, options: DumpOptions): Steps<string> {
  runtime.charge(1);
  runtime.chargeEach(text.length);
  let written = '';
  for (let at = 0; at < text.length; at += stepCharacters) {
    written += dumpText(text.slice(at, at + stepCharacters), options).slice(1, -1);
    yield;
  }
  return `"${written}"`;
}

/** `dumpValue` in steps. */
function* dumpInSteps(runtime: Runtime, value: Value, options: DumpOptions, depth: number): Steps<string> {
  const long = textOf(value);
  if (long !== null && long.length > stepCharacters) return yield* dumpLongText(runtime, long, options);
  if (!(value instanceof Dict || value instanceof List)) return dumpValue(runtime, value, options, depth);
  if (depth > maxDepth) throw tooDeep();
  runtime.charge(1);
  const isDict = value instanceof Dict;
  const entries = isDict
    ? entriesOf(runtime, value, options)
    : value.all().map((item) => [null, item] as const);
  const items: string[] = [];
  for (const [key, item] of entries) {
    const name = isDict ? dumpKey(runtime, key, options) : '';
    items.push(name + (yield* dumpInSteps(runtime, item, options, depth + 1)));
    if (runtime.isDue()) yield;
  }
  return wrap(runtime, isDict ? '{' : '[', isDict ? '}' : ']', items, options, depth);
}

/**
 * Python's `json.dumps`. Throws for values that JSON does not have. If any text in it is data, all of it counts as
 * data, including brackets and quotes.
 */
export function dump(runtime: Runtime, value: Value, options: DumpOptions): Text {
  const text = dumpValue(runtime, value, options, 0);
  return holdsData(runtime, value) ? dataText(text) : text;
}

/** `dump` in steps. */
export function* dumpSteps(runtime: Runtime, value: Value, options: DumpOptions): Steps<Text> {
  const text = yield* dumpInSteps(runtime, value, options, 0);
  return holdsData(runtime, value) ? dataText(text) : text;
}

function tooDeep(): PythonError {
  return new PythonError('RecursionError', 'value nests too deeply');
}

function dumpValue(runtime: Runtime, value: Value, options: DumpOptions, depth: number): string {
  if (depth > maxDepth) throw tooDeep();
  runtime.charge(1);
  const text = textOf(value);
  if (text !== null) {
    runtime.chargeEach(text.length);
    return dumpText(text, options);
  }
  const scalar = dumpScalar(runtime, value);
  if (scalar !== null) return scalar;
  if (value instanceof Dict) return dumpDict(runtime, value, options, depth);
  if (value instanceof List || value instanceof Tuple) {
    const elements = value instanceof List ? value.all() : value.elements;
    const items = elements.map((item) => dumpValue(runtime, item, options, depth + 1));
    return wrap(runtime, '[', ']', items, options, depth);
  }
  if (value instanceof Undefined) throw undefinedError(value);
  throw new PythonError('TypeError', `Object of type ${typeName(value)} is not JSON serializable`);
}
