/** The methods of Python's `str` for templates. */
import { integerArgument, type MethodBody, methodTable, textArgument } from './arguments.ts';
import { iterate } from './operators.ts';
import type { Runtime } from './runtime.ts';
import { findAll, findFirst, findLast } from './search.ts';
import { characters, isBlank, strip, textLength, tracedCharacters, words } from './text.ts';
import {
  changeText,
  cutText,
  joinTexts,
  lengthOfText,
  plainText,
  repeatText,
  sliceText,
  splitText,
  type Text,
} from './traced-text.ts';
import { List, PythonError, Tuple, tracedOf, type Value } from './values.ts';

/** What a method does. The caller charges for reading all of `self`. */
type Body = MethodBody<Text>;

/** Python's `str.capitalize`. */
export function capitalize(text: string): string {
  const [first = ''] = text;
  return first.toUpperCase() + text.slice(first.length).toLowerCase();
}

/** Python's `str.title`: a letter after anything that is not a letter is upper case. */
function title(text: string): string {
  return text.replace(/\p{L}+/gu, capitalize);
}

/** Whether a text begins or ends with its argument, or with one of a tuple. */
function anyAffix(test: 'startsWith' | 'endsWith'): Body {
  return (runtime, self, [given, start, end], name) => {
    const text = window(runtime, name, plainText(self), start, end)?.text;
    return (given instanceof Tuple ? given.elements : [given]).some((item) => {
      const affix = textArgument(name, item);
      runtime.chargeRead(affix.length);
      return text?.[test](affix) ?? false;
    });
  };
}

function stripping(side: 'left' | 'right' | 'both'): Body {
  return (_runtime, self, [chars = null], name) =>
    strip(self, side, chars === null ? undefined : textArgument(name, chars));
}

/** Splits at white space, at most `limit` times; the rest keeps its white space at the far end. */
function splitBlank(runtime: Runtime, self: Text, limit: number, fromRight: boolean): readonly Text[] {
  if (limit < 0) return words(self, (count) => runtime.charge(count));
  runtime.charge(Math.min(limit, lengthOfText(self)));
  const text = plainText(self);
  const near = fromRight ? 'right' : 'left';
  const parts: Text[] = [];
  let start = 0;
  let end = text.length;
  const skipBlank = () => {
    if (near === 'left') while (start < end && isBlank(text.charAt(start))) start += 1;
    else while (end > start && isBlank(text.charAt(end - 1))) end -= 1;
  };
  for (skipBlank(); parts.length < limit && start < end; skipBlank()) {
    let at = fromRight ? end : start;
    if (fromRight) while (at > start && !isBlank(text.charAt(at - 1))) at -= 1;
    else while (at < end && !isBlank(text.charAt(at))) at += 1;
    parts.push(fromRight ? sliceText(self, at, end) : sliceText(self, start, at));
    if (fromRight) end = at;
    else start = at;
  }
  if (start < end) parts.push(sliceText(self, start, end));
  return fromRight ? parts.reverse() : parts;
}

/** The pieces between separators, charged before they are created. */
export function splitCounted(
  runtime: Runtime,
  text: Text,
  separator: string,
  limit = Infinity,
): readonly Text[] {
  let pieces = 1;
  for (const _place of findAll(plainText(text), separator)) {
    if (pieces > limit) break;
    pieces += 1;
  }
  runtime.charge(pieces);
  return splitText(text, separator, limit);
}

function splitAtSeparator(
  runtime: Runtime,
  self: Text,
  separator: string,
  limit: number,
  fromRight: boolean,
): readonly Text[] {
  if (separator === '') throw new PythonError('ValueError', 'empty separator');
  if (limit < 0) return splitCounted(runtime, self, separator);
  if (!fromRight) return splitCounted(runtime, self, separator, limit);
  const places = [...findAll(plainText(self), separator)];
  const [first] = places.slice(Math.max(0, places.length - limit));
  if (first === undefined || limit === 0) return [self];
  const rest = splitCounted(runtime, sliceText(self, first + separator.length), separator);
  return [sliceText(self, 0, first), ...rest];
}

function splitting(fromRight: boolean): Body {
  return (runtime, self, [separator, maxsplit], name) => {
    const limit = integerArgument(name, maxsplit, -1);
    const parts =
      separator === undefined || separator === null
        ? splitBlank(runtime, self, limit, fromRight)
        : splitAtSeparator(runtime, self, textArgument(name, separator), limit, fromRight);
    return new List([...parts]);
  };
}

function partitioning(fromRight: boolean): Body {
  return (_runtime, self, [given], name) => {
    const separator = textArgument(name, given);
    if (separator === '') throw new PythonError('ValueError', 'empty separator');
    const text = plainText(self);
    const at = fromRight ? findLast(text, separator) : findFirst(text, separator);
    if (at < 0) return new Tuple(fromRight ? ['', '', self] : [self, '', '']);
    const end = at + separator.length;
    return new Tuple([sliceText(self, 0, at), sliceText(self, at, end), sliceText(self, end)]);
  };
}

/** Python's `str.replace`: an empty `old` occurs before every character and at the end. */
export function replaceText(runtime: Runtime, self: Text, old: string, by: Text, limit: number): Text {
  const most = limit < 0 ? Infinity : limit;
  runtime.chargeText(lengthOfText(self));
  runtime.charge(old === '' ? lengthOfText(self) : 0);
  const pieces = old === '' ? betweenCharacters(self, most) : splitCounted(runtime, self, old, most);
  runtime.chargeText(lengthOfText(self) + (pieces.length - 1) * lengthOfText(by));
  return joinTexts(pieces, by);
}

function betweenCharacters(self: Text, limit: number): readonly Text[] {
  const all = tracedCharacters(self);
  if (limit > all.length) return ['', ...all, ''];
  if (limit === 0) return [self];
  return ['', ...all.slice(0, limit - 1), joinTexts(all.slice(limit - 1))];
}

const replace: Body = (runtime, self, [old, by, count], name) => {
  const limit = integerArgument(name, count, -1);
  textArgument(name, by);
  return replaceText(runtime, self, textArgument(name, old), tracedOf(by ?? null) ?? '', limit);
};

/** The part between two optional indexes, and its start, in code points; null if it ends before it starts. */
function window(
  runtime: Runtime,
  name: string,
  self: string,
  start: Value | undefined,
  end: Value | undefined,
) {
  if (start === undefined && end === undefined) return { text: self, from: 0 };
  runtime.chargeEach(self.length);
  const all = characters(self);
  const place = (value: Value | undefined, otherwise: number) => {
    const index = value === null ? otherwise : integerArgument(name, value, otherwise);
    return Math.max(index < 0 ? index + all.length : index, 0);
  };
  const from = place(start, 0);
  const to = Math.min(place(end, all.length), all.length);
  return from > to ? null : { text: all.slice(from, to).join(''), from };
}

function finding(fromRight: boolean, mustFind: boolean): Body {
  return (runtime, self, [sub, start, end], name) => {
    const part = textArgument(name, sub);
    const within = window(runtime, name, plainText(self), start, end);
    const at = within === null ? -1 : (fromRight ? findLast : findFirst)(within.text, part);
    if (within !== null && at >= 0) return within.from + textLength(within.text.slice(0, at));
    if (mustFind) throw new PythonError('ValueError', 'substring not found');
    return -1;
  };
}

const count: Body = (runtime, self, [sub, start, end], name) => {
  const part = textArgument(name, sub);
  const text = window(runtime, name, plainText(self), start, end)?.text;
  if (text === undefined) return 0;
  if (part === '') return textLength(text) + 1;
  let found = 0;
  for (const _place of findAll(text, part)) found += 1;
  return found;
};

/** Python's `str.join`. */
const join: Body = (runtime, separator, [items = null]) => {
  const texts = iterate(runtime, items).map((item, index) => {
    const text = tracedOf(item);
    if (text === null) throw new PythonError('TypeError', `sequence item ${index}: expected str instance`);
    return text;
  });
  const between = lengthOfText(separator);
  runtime.chargeText(texts.reduce((sum, text) => sum + lengthOfText(text) + between, 0));
  return joinTexts(texts, separator);
};

function padding(left: number, right: number): Body {
  return (runtime, self, [width, fill], name) => {
    const text = plainText(self);
    const missing = integerArgument(name, width, 0) - textLength(text);
    if (missing <= 0) return self;
    runtime.chargeText(text.length + missing);
    const character = fill === undefined ? ' ' : (tracedOf(fill) ?? '');
    if (textLength(plainText(character)) !== 1)
      throw new PythonError('TypeError', 'The fill character must be exactly one character long');
    const before = left === 0 ? 0 : right === 0 ? missing : centeredPadding(missing, text);
    return joinTexts([repeatText(character, before), self, repeatText(character, missing - before)]);
  };
}

/** CPython puts the odd space on the left when text and width are both odd. */
function centeredPadding(missing: number, self: string): number {
  return Math.floor(missing / 2) + (missing & (missing + textLength(self)) & 1);
}

const zfill: Body = (runtime, self, [width], name) => {
  const text = plainText(self);
  const missing = integerArgument(name, width, 0) - textLength(text);
  if (missing <= 0) return self;
  runtime.chargeText(text.length + missing);
  const signs = /^[+-]/.test(text) ? 1 : 0;
  return joinTexts([sliceText(self, 0, signs), '0'.repeat(missing), sliceText(self, signs)]);
};

/** Python ends lines at more characters than `\n`. */
const lineEnds = '\\n\\r\\v\\f\\x1c-\\x1e\\x85\\u2028\\u2029';
const lines = new RegExp(`[^${lineEnds}]*(?:\\r\\n|[${lineEnds}])?`, 'g');
const lineEnd = new RegExp(`\\r?[${lineEnds}]$`);

const splitlines: Body = (runtime, self, [keep]) => {
  const found = (plainText(self).match(lines) ?? []).filter((line) => line !== '');
  runtime.charge(found.length);
  const cut = cutText(self, found);
  if (keep === true) return new List([...cut]);
  return new List(cut.map((line, index) => sliceText(line, 0, found[index]?.replace(lineEnd, '').length)));
};

function matching(pattern: RegExp): Body {
  return (_runtime, self) => pattern.test(plainText(self));
}

const removePrefix: Body = (_runtime, self, [given], name) => {
  const affix = textArgument(name, given);
  return plainText(self).startsWith(affix) ? sliceText(self, affix.length) : self;
};

const removeSuffix: Body = (_runtime, self, [given], name) => {
  const affix = textArgument(name, given);
  const text = plainText(self);
  return text.endsWith(affix) ? sliceText(self, 0, text.length - affix.length) : self;
};

/** A method that changes characters one by one. */
function changing(change: (text: string) => string): Body {
  return (_runtime, self) => changeText(self, change);
}

function casing(same: (text: string) => string, other: (text: string) => string): Body {
  return (_runtime, self) => {
    const text = plainText(self);
    return text === same(text) && text !== other(text);
  };
}

const lower = (text: string): string => text.toLowerCase();
const upper = (text: string): string => text.toUpperCase();

/** Python's `str.casefold`: `ß` becomes `ss`. The dotless i has no other case. */
function foldCase(text: string): string {
  return characters(text)
    .map((c) => (c === 'ı' ? c : c.toUpperCase().toLowerCase()))
    .join('');
}

function swapCase(text: string): string {
  return characters(text)
    .map((c) => (c === c.toUpperCase() ? c.toLowerCase() : c.toUpperCase()))
    .join('');
}

/** Every method by name; `format` is in attributes.ts, because it reads them. */
export const stringMethods = methodTable<Text>({
  capitalize: ['', changing(capitalize)],
  casefold: ['', changing(foldCase)],
  center: ['width fillchar? /', padding(1, 1)],
  count: ['sub start? end? /', count],
  endswith: ['suffix start? end? /', anyAffix('endsWith')],
  find: ['sub start? end? /', finding(false, false)],
  index: ['sub start? end? /', finding(false, true)],
  isalnum: ['', matching(/^[\p{L}\p{N}]+$/u)],
  isalpha: ['', matching(/^\p{L}+$/u)],
  isascii: ['', matching(/^\p{ASCII}*$/u)],
  isdecimal: ['', matching(/^\p{Nd}+$/u)],
  isdigit: ['', matching(/^[\p{Nd}²³¹⁰-⁹₀-₉]+$/u)],
  isidentifier: ['', matching(/^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}]*$/u)],
  islower: ['', casing(lower, upper)],
  isnumeric: ['', matching(/^\p{N}+$/u)],
  isspace: ['', (_runtime, self) => self !== '' && strip(self, 'both') === ''],
  istitle: ['', casing(title, (text) => (upper(text) === lower(text) ? text : ''))],
  isupper: ['', casing(upper, lower)],
  join: ['iterable /', join],
  ljust: ['width fillchar? /', padding(0, 1)],
  lower: ['', changing(lower)],
  lstrip: ['chars? /', stripping('left')],
  partition: ['sep /', partitioning(false)],
  removeprefix: ['prefix /', removePrefix],
  removesuffix: ['suffix /', removeSuffix],
  replace: ['old new count? /', replace],
  rfind: ['sub start? end? /', finding(true, false)],
  rindex: ['sub start? end? /', finding(true, true)],
  rjust: ['width fillchar? /', padding(1, 0)],
  rpartition: ['sep /', partitioning(true)],
  rsplit: ['sep? maxsplit?', splitting(true)],
  rstrip: ['chars? /', stripping('right')],
  split: ['sep? maxsplit?', splitting(false)],
  splitlines: ['keepends?', splitlines],
  startswith: ['prefix start? end? /', anyAffix('startsWith')],
  strip: ['chars? /', stripping('both')],
  swapcase: ['', changing(swapCase)],
  title: ['', changing(title)],
  upper: ['', changing(upper)],
  zfill: ['width /', zfill],
});
