/** Filters that convert one value: numbers, text, JSON, defaults. */
import { parseExactJson } from '../../format/exact-json.ts';
import type { Steps } from '../../language/expression/steps.ts';
import { bind, flagArgument, integerArgument, methodTable, textArgument } from '../values/arguments.ts';
import { getAttribute } from '../values/attributes.ts';
import { importValue } from '../values/input.ts';
import { type DumpOptions, dump, dumpSteps } from '../values/json.ts';
import { compare, iterate } from '../values/operators.ts';
import type { Runtime } from '../values/runtime.ts';
import { fixed, repr, str } from '../values/text.ts';
import { lengthOfText, plainText, TracedText } from '../values/traced-text.ts';
import {
  Attributes,
  Dict,
  Float,
  type Keywords,
  List,
  LongInteger,
  Markup,
  numeric,
  orElse,
  PythonError,
  textOf,
  tracedOf,
  truthy,
  typeName,
  Undefined,
  undefinedError,
  type Value,
} from '../values/values.ts';
import type { Filter, FilterBody } from './filter.ts';

function indentText(value: Value | undefined): string | null {
  if (value === undefined || value === null) return null;
  return textOf(value) ?? ' '.repeat(Math.min(Math.max(0, integerArgument('tojson', value, 0)), 1000));
}

const tojson: FilterBody = (runtime, value, given, name) =>
  dump(runtime, value, dumpOptions(runtime, given, name));

/** The parameters of `tojson`, as `bind` takes them. */
const tojsonParameters = ['ensure_ascii', 'indent', 'separators', 'sort_keys'];

/** `tojson` in steps. */
export function* tojsonSteps(
  runtime: Runtime,
  value: Value,
  args: readonly Value[],
  keywords: Keywords,
): Steps<Value> {
  const given = bind('tojson', tojsonParameters, args, keywords);
  return yield* dumpSteps(runtime, value, dumpOptions(runtime, given, 'tojson'));
}

function dumpOptions(
  runtime: Runtime,
  [ascii, indentation, separators, sortKeys]: readonly (Value | undefined)[],
  name: string,
): DumpOptions {
  const indent = indentText(indentation);
  const given = separators === undefined || separators === null ? null : iterate(runtime, separators);
  if (given !== null && given.length !== 2) throw new PythonError('ValueError', 'separators needs two items');
  return {
    ascii: flagArgument(ascii),
    indent,
    itemSeparator: given === null ? (indent === null ? ', ' : ',') : textArgument(name, given[0]),
    keySeparator: given === null ? ': ' : textArgument(name, given[1]),
    sortKeys: flagArgument(sortKeys),
  };
}

const fromJson: Filter = (runtime, value) => {
  const text = textArgument('from_json', value);
  runtime.charge(1 + (text.length >> 1));
  const parsed = parseExactJson(text);
  if (parsed === undefined) throw new PythonError('JSONDecodeError', 'text is not JSON');
  return importValue(parsed, null, { note: null, traced: tracedOf(value) instanceof TracedText });
};

const orDefault: FilterBody = (_runtime, value, [otherwise, falsyToo]) => {
  const replaced = value instanceof Undefined || (flagArgument(falsyToo) && !truthy(value));
  return replaced ? orElse(otherwise, '') : value;
};

function parseInteger(text: string, base: number): number | null {
  const compact = text.trim().replace(/(?<=[\da-z])_(?=[\da-z])/gi, '');
  const match = /^([+-]?)(?:0([xob]))?([\da-z]+)$/i.exec(compact);
  if (match === null) return null;
  const [, sign, prefix, digits = ''] = match;
  const prefixes: Readonly<Record<string, number>> = { x: 16, o: 8, b: 2 };
  if (prefix !== undefined && prefixes[prefix.toLowerCase()] !== base) return null;
  const valid = Array.from(digits.toLowerCase()).every((digit) => Number.parseInt(digit, 36) < base);
  return valid ? (sign === '-' ? -1 : 1) * Number.parseInt(digits, base) : null;
}

function parseFraction(text: string): number | null {
  const trimmed = text.trim().replace(/(?<=\d)_(?=\d)/g, '');
  if (/^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(trimmed)) return Number(trimmed);
  if (/^[+-]?inf(inity)?$/i.test(trimmed)) return trimmed.startsWith('-') ? -Infinity : Infinity;
  return /^[+-]?nan$/i.test(trimmed) ? Number.NaN : null;
}

const toInteger: FilterBody = (runtime, value, [otherwise, base], name) => {
  if (value instanceof Undefined) throw undefinedError(value);
  if (value instanceof LongInteger) return value;
  const text = textOf(value);
  runtime.chargeText(text?.length ?? 0);
  const number =
    text === null
      ? numeric(value)
      : (parseInteger(text, integerArgument(name, base, 10)) ?? parseFraction(text));
  if (number === null || !Number.isFinite(number)) return orElse(otherwise, 0);
  return Math.trunc(number) + 0;
};

const toFloat: FilterBody = (runtime, value, [otherwise]) => {
  if (value instanceof Undefined) throw undefinedError(value);
  const text = textOf(value);
  runtime.chargeText(text?.length ?? 0);
  const number = text === null ? numeric(value) : parseFraction(text);
  return number === null ? orElse(otherwise, new Float(0)) : new Float(number);
};

const absolute: Filter = (_runtime, value) => {
  const number = numeric(value);
  if (number === null) throw new PythonError('TypeError', `bad operand type for abs(): '${typeName(value)}'`);
  if (value instanceof LongInteger) return new LongInteger(value.digits.replace('-', ''));
  return value instanceof Float ? new Float(Math.abs(number)) : Math.abs(number);
};

function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  if (rest !== 0.5) return Math.round(value);
  return floor % 2 === 0 ? floor : floor + 1;
}

const round: FilterBody = (_runtime, value, [precision, method], name) => {
  const number = numeric(value);
  if (number === null) throw new PythonError('TypeError', `type ${typeName(value)} cannot be rounded`);
  const digits = integerArgument(name, precision, 0);
  const how = textArgument(name, method, 'common');
  const scale = 10 ** digits;
  if (value instanceof LongInteger && digits >= 0 && how === 'common') return value;
  if (how === 'common') {
    // Python rounds the exact decimal value, so halves that binary cannot represent are rounded to their true side.
    const rounded =
      digits > 0 && digits <= 100 ? Number(fixed(number, digits)) : roundHalfEven(number * scale) / scale;
    return value instanceof Float ? new Float(rounded) : rounded;
  }
  if (how === 'ceil') return new Float((Math.ceil(number * scale) + 0) / scale);
  if (how === 'floor') return new Float(Math.floor(number * scale) / scale);
  throw new PythonError('FilterArgumentError', 'method must be common, ceil or floor');
};

const attr: FilterBody = (runtime, value, [given = null]) => {
  const name = plainText(str(runtime, given));
  runtime.chargeRead(name.length);
  if (value instanceof Attributes) return orElse(value.get(name), new Undefined(`no attribute '${name}'`));
  const found = getAttribute(runtime, value, name);
  return typeName(found) === 'function' ? found : new Undefined(`no attribute '${name}'`);
};

/** Python's `pprint`, with sorted keys, as long as it fits on a line. Its layout of several lines is not supported. */
const prettyPrint: Filter = (runtime, value) => {
  const line = repr(runtime, withSortedKeys(runtime, value));
  if (lengthOfText(line) <= maxLineLength) return line;
  throw new PythonError('NotImplementedError', 'pprint of more than 80 characters; tojson writes any length');
};

const maxLineLength = 80;

/** Keys that Python cannot compare are sorted by their types. */
function compareKeys(runtime: Runtime, a: Value, b: Value): number {
  const areAlike = typeName(a) === typeName(b) || (numeric(a) !== null && numeric(b) !== null);
  return areAlike ? compare(runtime, a, b) : typeName(a) < typeName(b) ? -1 : 1;
}

function withSortedKeys(runtime: Runtime, value: Value): Value {
  runtime.charge(1);
  if (value instanceof List) return new List(value.all().map((item) => withSortedKeys(runtime, item)));
  if (!(value instanceof Dict)) return value;
  const entries = value.entries().map(([key, item]) => [key, withSortedKeys(runtime, item)] as const);
  const sorted = new Dict();
  for (const [key, item] of entries.sort(([a], [b]) => compareKeys(runtime, a, b)))
    sorted.set(runtime, key, item);
  return sorted;
}

/** Conversion filters by name. */
export const valueFilters = methodTable<Value>({
  abs: absolute,
  attr: ['name', attr],
  d: ['default_value? boolean?', orDefault],
  default: ['default_value? boolean?', orDefault],
  float: ['default?', toFloat],
  from_json: fromJson,
  fromjson: fromJson,
  int: ['default? base?', toInteger],
  pprint: prettyPrint,
  round: ['precision? method?', round],
  string: (runtime, value) => (value instanceof Markup ? value : str(runtime, value)),
  tojson: ['ensure_ascii? indent? separators? sort_keys?', tojson],
});
