/** Python's two ways of formatting text: `'%s' % x` and `'{}'.format(x)`. */

import { floatText } from '../../format/exact-json.ts';
import type { Runtime } from './runtime.ts';
import { characters, fixed, integerText, repr, str, textLength } from './text.ts';
import {
  dataText,
  joinTexts,
  lengthOfText,
  plainText,
  sliceText,
  type Text,
  TextBuilder,
} from './traced-text.ts';
import {
  Dict,
  Float,
  type Keywords,
  List,
  LongInteger,
  numeric,
  PythonError,
  Tuple,
  textOf,
  typeName,
  type Value,
} from './values.ts';

/** The format specification of one value, in the parts of Python's mini-language. */
interface Spec {
  readonly fill: string;
  readonly align: string;
  readonly sign: string;
  readonly alternate: boolean;
  readonly width: number;
  readonly grouping: string;
  readonly precision: number | null;
  readonly type: string;
}

const maxWidth = 10_000;

function pad(runtime: Runtime, text: Text, spec: Spec, defaultAlign: string): Text {
  const plain = plainText(text);
  runtime.chargeText(plain.length);
  const missing = spec.width - textLength(plain);
  if (missing <= 0) return text;
  if (spec.width > maxWidth) throw new PythonError('ValueError', `width ${spec.width} is too large`);
  runtime.chargeText(spec.width);
  const align = spec.align === '' ? defaultAlign : spec.align;
  const signLength = align === '=' && /^[-+ ]/.test(plain) ? 1 : 0;
  const before = align === '<' ? 0 : align === '^' ? missing >> 1 : missing;
  return joinTexts([
    sliceText(text, 0, signLength),
    spec.fill.repeat(before),
    sliceText(text, signLength),
    spec.fill.repeat(missing - before),
  ]);
}

function group(digits: string, separator: string): string {
  if (separator === '') return digits;
  const groups: string[] = [];
  for (let end = digits.length; end > 0; end -= 3) groups.push(digits.slice(Math.max(0, end - 3), end));
  return groups.reverse().join(separator);
}

const radixes: ReadonlyMap<string, readonly [radix: number, prefix: string]> = new Map([
  ['x', [16, '0x']],
  ['X', [16, '0X']],
  ['o', [8, '0o']],
  ['b', [2, '0b']],
]);

function integerDigits(size: number, long: string | null, spec: Spec): string {
  const [radix, prefix] = radixes.get(spec.type) ?? [10, ''];
  const digits = radix === 10 ? (long ?? integerText(size)) : size.toString(radix);
  const cased = spec.type === 'X' ? digits.toUpperCase() : digits;
  return (spec.alternate ? prefix : '') + group(cased, spec.grouping);
}

function exponential(size: number, precision: number): string {
  return size.toExponential(precision).replace(/e([+-])(\d)$/, 'e$10$2');
}

function general(size: number, precision: number): string {
  const digits = Math.max(1, precision);
  const exponent = size === 0 ? 0 : Number(size.toExponential(digits - 1).split('e')[1]);
  const isFixed = exponent >= -4 && exponent < digits;
  const text = isFixed ? fixed(size, Math.min(100, digits - 1 - exponent)) : exponential(size, digits - 1);
  return text.replace(/(\.\d*?)0+(?=e|$)/, '$1').replace(/\.(?=e|$)/, '');
}

function fractionDigits(size: number, spec: Spec): string {
  const precision = Math.min(spec.precision ?? 6, 100);
  if (!Number.isFinite(size)) return floatText(size);
  switch (spec.type.toLowerCase()) {
    case 'e':
      return exponential(size, precision);
    case 'g':
      return general(size, precision);
    case '%':
      return `${fixed(size * 100, precision)}%`;
    case 'f':
      return groupFraction(fixed(size, precision), spec.grouping);
    default:
      return groupFraction(
        spec.precision === null ? floatText(size) : general(size, precision),
        spec.grouping,
      );
  }
}

function groupFraction(text: string, separator: string): string {
  const [whole = '', fraction] = text.split('.');
  return fraction === undefined ? group(whole, separator) : `${group(whole, separator)}.${fraction}`;
}

function formatNumber(runtime: Runtime, value: Value, number: number, spec: Spec): Text {
  const fractional = value instanceof Float || 'eEfFgG%'.includes(spec.type || ' ');
  const size = Math.abs(number);
  const long = value instanceof LongInteger ? value.digits.replace('-', '') : null;
  const digits = fractional ? fractionDigits(size, spec) : integerDigits(size, long, spec);
  const sign = number < 0 || Object.is(number, -0) ? '-' : spec.sign === '-' ? '' : spec.sign;
  return pad(runtime, sign + digits, spec, '>');
}

function formatValue(runtime: Runtime, value: Value, spec: Spec): Text {
  const number = numeric(value);
  if (number !== null && spec.type !== 's' && !(typeof value === 'boolean' && spec.type === '')) {
    return formatNumber(runtime, value, number, spec);
  }
  if (number === null && spec.type !== '' && spec.type !== 's') {
    throw new PythonError(
      'ValueError',
      `Unknown format code '${spec.type}' for object of type '${typeName(value)}'`,
    );
  }
  const text = str(runtime, value);
  return pad(runtime, firstCharacters(runtime, text, spec.precision), spec, '<');
}

function firstCharacters(runtime: Runtime, text: Text, count: number | null): Text {
  if (count === null) return text;
  runtime.chargeText(lengthOfText(text));
  return sliceText(text, 0, characters(plainText(text)).slice(0, count).join('').length);
}

const specPattern = /^(?:(.)?([<>=^]))?([-+ ])?(#)?(0)?(\d{1,9})?([,_])?(?:\.(\d{1,9}))?([a-zA-Z%])?$/su;

function readSpec(text: string): Spec {
  const match = specPattern.exec(text);
  if (match === null) throw new PythonError('ValueError', `Invalid format specifier '${text}'`);
  const zero = match[5] !== undefined;
  return {
    fill: match[1] ?? (zero && match[2] === undefined ? '0' : ' '),
    align: match[2] ?? (zero ? '=' : ''),
    sign: match[3] ?? '',
    alternate: match[4] !== undefined,
    width: Number(match[6] ?? 0),
    grouping: match[7] ?? '',
    precision: match[8] === undefined ? null : Number(match[8]),
    type: match[9] ?? '',
  };
}

/** Reads a value's attribute or item: `{0.name}`, `{0[key]}`. */
type ReadMember = (value: Value, name: string, kind: 'attribute' | 'item') => Value;

/** `0.name[key]!r:>8` */
const fieldPattern =
  /^(?<name>[^.[!:]*)(?<members>(?:\.[^.[!:]+|\[[^\]]*\])*)(?:!(?<conversion>[rsa]))?(?::(?<spec>.*))?$/su;
const bracePattern = /\{\{|\}\}|\{([^{}]*)\}|[{}]/g;

/** `template.format(…)`. `read` resolves the dots and brackets in fields. */
export function formatBraces(
  runtime: Runtime,
  template: Text,
  args: readonly Value[],
  keywords: Keywords,
  read: ReadMember,
): Text {
  let counter = 0;
  const field = (source: string): Text => {
    const match = fieldPattern.exec(source);
    if (match === null) throw new PythonError('ValueError', `bad replacement field '${source}'`);
    const { name: written = '', members = '', conversion, spec = '' } = match.groups ?? {};
    const name = written === '' ? String(counter++) : written;
    let value = /^\d+$/.test(name) ? args[Number(name)] : keywords.get(name);
    if (value === undefined) throw new PythonError('IndexError', `no value for replacement field '${name}'`);
    for (const [, attribute, item] of members.matchAll(/\.([^.[]+)|\[([^\]]*)\]/gy)) {
      runtime.charge(1);
      value = read(value, attribute ?? item ?? '', attribute === undefined ? 'item' : 'attribute');
    }
    if (conversion === 'r' || conversion === 'a') value = repr(runtime, value);
    if (conversion === 's') value = str(runtime, value);
    return formatValue(runtime, value, readSpec(spec));
  };
  return replaceFields(runtime, template, bracePattern, ([found, source]) => {
    if (found === '{{' || found === '}}') return found.charAt(0);
    if (source === undefined)
      throw new PythonError('ValueError', `Single '${found}' encountered in format string`);
    return field(source);
  });
}

/**
 * A format's text with its fields replaced in order, so that the first error ends it. If the format itself is data, so
 * are the fill characters and numbers of its fields.
 */
function replaceFields(
  runtime: Runtime,
  template: Text,
  pattern: RegExp,
  fill: (match: RegExpExecArray) => Text,
): Text {
  const plain = plainText(template);
  runtime.chargeText(plain.length);
  const own = new RegExp(pattern);
  const result = new TextBuilder();
  let done = 0;
  for (let match = own.exec(plain); match !== null; match = own.exec(plain)) {
    result.add(sliceText(template, done, match.index));
    const filled = fill(match);
    result.add(typeof template === 'string' ? filled : dataText(plainText(filled)));
    done = own.lastIndex;
    runtime.chargeJoin([filled]);
  }
  result.add(sliceText(template, done));
  return result.build();
}

const percentPattern = /%(?:\(([^)]*)\))?([-+ #0]*)(\d{1,9})?(?:\.(\d{1,9}))?[hlL]?(.)/gsu;

function percentSpec(
  flags: string,
  width: string | undefined,
  precision: string | undefined,
  type: string,
): Spec {
  const left = flags.includes('-');
  const zero = flags.includes('0') && !left && type !== 's' && type !== 'r';
  return {
    fill: zero ? '0' : ' ',
    align: left ? '<' : zero ? '=' : '>',
    sign: flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '',
    alternate: flags.includes('#'),
    width: Number(width ?? 0),
    grouping: '',
    precision: precision === undefined ? null : Number(precision),
    type,
  };
}

function percentValue(runtime: Runtime, value: Value, spec: Spec): Text {
  if (spec.type === 's') return formatValue(runtime, str(runtime, value), spec);
  if (spec.type === 'r' || spec.type === 'a') {
    return formatValue(runtime, repr(runtime, value), { ...spec, type: 's' });
  }
  if (spec.type === 'c' && textOf(value) !== null) return formatValue(runtime, value, { ...spec, type: 's' });
  const number = numeric(value);
  if (number === null) {
    throw new PythonError(
      'TypeError',
      `%${spec.type} format: a real number is required, not ${typeName(value)}`,
    );
  }
  if (!'diu'.includes(spec.type)) return formatNumber(runtime, value, number, spec);
  return formatNumber(runtime, Math.trunc(number), Math.trunc(number), {
    ...spec,
    type: 'd',
    precision: null,
  });
}

/** `template % values`. */
export function formatPercent(runtime: Runtime, template: Text, values: Value): Text {
  const positional = values instanceof Tuple ? values.elements : [values];
  let next = 0;
  const take = (key: string | undefined): Value => {
    const value =
      key === undefined ? positional[next++] : values instanceof Dict ? values.get(runtime, key) : undefined;
    if (value === undefined) throw new PythonError('TypeError', 'not enough arguments for format string');
    return value;
  };
  const text = replaceFields(runtime, template, percentPattern, (match) => {
    const [, key, flags = '', width, precision, type = ''] = match;
    if (type === '%') return '%';
    if (!'sradiuoxXeEfFgGc'.includes(type)) {
      throw new PythonError('ValueError', `unsupported format character '${type}'`);
    }
    return percentValue(runtime, take(key), percentSpec(flags, width, precision, type));
  });
  // For Python, lists are mappings here, and those need not be used up.
  if (next < positional.length && !(values instanceof Dict || values instanceof List)) {
    throw new PythonError('TypeError', 'not all arguments converted during string formatting');
  }
  return text;
}
