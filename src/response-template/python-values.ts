/** Python's conversions: `str.strip`, `int`, `float`, truth. */
import { pythonSpaceMembers } from './pattern/read-class.ts';

const space = pythonSpaceMembers;
const leadingSpace = new RegExp(`^[${space}]+`, 'u');
const isSpace = new RegExp(`[${space}]`, 'u');
const integer = /^[+-]?\p{Nd}+(?:_\p{Nd}+)*$/u;
const decimal =
  /^[+-]?(?:\p{Nd}+(?:_\p{Nd}+)*(?:\.(?:\p{Nd}+(?:_\p{Nd}+)*)?)?|\.\p{Nd}+(?:_\p{Nd}+)*)(?:[eE][+-]?\p{Nd}+(?:_\p{Nd}+)*)?$/u;
const notFinite = /^([+-]?)(inf(?:inity)?|nan)$/i;

/** Removes white space at both ends as Python's `str.strip`. */
export function stripSpace(text: string): string {
  let end = text.length;
  while (end > 0 && isSpace.test(text.charAt(end - 1))) end--;
  return text.slice(0, end).replace(leadingSpace, '');
}

/** The result of Python's `int`; `undefined` if it would raise. */
export function readInteger(text: string): number | undefined {
  const digits = stripSpace(text);
  return integer.test(digits) ? Number(asciiDigits(digits)) + 0 : undefined;
}

/** The result of Python's `float`, including infinities and NaN; `undefined` if it would raise. */
export function readFloat(text: string): number | undefined {
  const digits = stripSpace(text);
  const special = notFinite.exec(digits);
  if (special !== null) {
    if (special[2]?.toLowerCase() === 'nan') return Number.NaN;
    return special[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  }
  return decimal.test(digits) ? Number(asciiDigits(digits)) : undefined;
}

/** Whether Python counts a JSON value as true: empty containers are false. */
export function isTruthy(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

/** Python's name of a JSON value's type, for messages that are compared with the reference. */
export function pythonTypeName(value: unknown): string {
  if (value === null || value === undefined) return 'NoneType';
  if (Array.isArray(value)) return 'list';
  const names: Readonly<Record<string, string>> = { string: 'str', boolean: 'bool', object: 'dict' };
  return names[typeof value] ?? (Number.isInteger(value) ? 'int' : 'float');
}

/** Digits of any script as ASCII, without underscores. */
function asciiDigits(text: string): string {
  return text.replace(/_|[^\0-\x7f]/gu, (character) =>
    character === '_' ? '' : String(digitValue(character)),
  );
}

/** Decimal digits are in blocks of ten, beginning with zero. */
function digitValue(character: string): number {
  const codePoint = character.codePointAt(0) ?? 0;
  let zero = codePoint;
  while (zero > codePoint - 9 && /^\p{Nd}$/u.test(String.fromCodePoint(zero - 1))) zero--;
  const run = codePoint - zero;
  return run > 9 ? run % 10 : run;
}
