/** The methods of Python's `str` that templates can call. */
import { bind, integerArgument, textArgument } from './arguments.ts';
import { iterate } from './operators.ts';
import type { Runtime } from './runtime.ts';
import { characters, isBlank, strip, textLength, words } from './text.ts';
import { type Keywords, List, PythonError, Tuple, textOf, type Value } from './values.ts';

/** A method: what it is called on comes before its arguments. */
export type StringMethod = (
  runtime: Runtime,
  self: string,
  args: readonly Value[],
  keywords: Keywords,
) => Value;

/** Python's `str.capitalize`. */
export function capitalize(text: string): string {
  const [first = '', ...rest] = characters(text);
  return first.toUpperCase() + rest.join('').toLowerCase();
}

/** Python's `str.title`: a letter after anything that is no letter is upper case. */
export function title(text: string): string {
  return text.replace(/\p{L}+/gu, capitalize);
}

function affixes(name: string, args: readonly Value[], keywords: Keywords): string[] {
  const [affix] = bind(name, [`${name} argument`], args, keywords, 1);
  if (affix instanceof Tuple) return affix.elements.map((item) => textArgument(name, item));
  return [textArgument(name, affix)];
}

function optionalText(name: string, args: readonly Value[], keywords: Keywords): string | undefined {
  const [value] = bind(name, ['chars'], args, keywords);
  return value === undefined || value === null ? undefined : textArgument(name, value);
}

function stripping(name: string, side: 'left' | 'right' | 'both'): StringMethod {
  return (_runtime, self, args, keywords) => strip(self, side, optionalText(name, args, keywords));
}

/** Splits at white space, at most `limit` times; what is left over keeps its white space at the far end. */
function splitBlank(self: string, limit: number, fromRight: boolean): string[] {
  if (limit < 0) return words(self);
  const near = fromRight ? 'right' : 'left';
  const parts: string[] = [];
  let rest = strip(self, near);
  while (parts.length < limit && rest !== '') {
    const cut = blankEdge(rest, fromRight) ?? (fromRight ? 0 : rest.length);
    parts.push(fromRight ? rest.slice(cut) : rest.slice(0, cut));
    rest = strip(fromRight ? rest.slice(0, cut) : rest.slice(cut), near);
  }
  if (rest !== '') parts.push(rest);
  return fromRight ? parts.reverse() : parts;
}

/** Where the first word ends, or the last one begins. */
function blankEdge(text: string, fromRight: boolean): number | null {
  if (fromRight) {
    for (let i = text.length; i > 0; i -= 1) if (isBlank(text.charAt(i - 1))) return i;
    return null;
  }
  for (let i = 0; i < text.length; i += 1) if (isBlank(text.charAt(i))) return i;
  return null;
}

function splitText(self: string, separator: string, limit: number, fromRight: boolean): string[] {
  if (separator === '') throw new PythonError('ValueError', 'empty separator');
  const parts = self.split(separator);
  if (limit < 0 || parts.length <= limit + 1) return parts;
  if (fromRight) {
    const kept = parts.length - limit;
    return [parts.slice(0, kept).join(separator), ...parts.slice(kept)];
  }
  return [...parts.slice(0, limit), parts.slice(limit).join(separator)];
}

function splitting(name: string, fromRight: boolean): StringMethod {
  return (runtime, self, args, keywords) => {
    const [separator, maxsplit] = bind(name, ['sep', 'maxsplit'], args, keywords);
    const limit = integerArgument(name, maxsplit, -1);
    const parts =
      separator === undefined || separator === null
        ? splitBlank(self, limit, fromRight)
        : splitText(self, textArgument(name, separator), limit, fromRight);
    runtime.charge(parts.length + (self.length >> 3));
    return new List(parts);
  };
}

function partitioning(name: string, fromRight: boolean): StringMethod {
  return (_runtime, self, args, keywords) => {
    const separator = textArgument(name, bind(name, ['sep'], args, keywords, 1)[0]);
    if (separator === '') throw new PythonError('ValueError', 'empty separator');
    const at = fromRight ? self.lastIndexOf(separator) : self.indexOf(separator);
    if (at < 0) return new Tuple(fromRight ? ['', '', self] : [self, '', '']);
    return new Tuple([self.slice(0, at), separator, self.slice(at + separator.length)]);
  };
}

/** Python's `str.replace`: an empty `old` stands before every character and at the end. */
export function replaceText(runtime: Runtime, self: string, old: string, by: string, limit: number): string {
  const pieces = old === '' ? ['', ...characters(self), ''] : self.split(old);
  const count = limit < 0 ? pieces.length - 1 : Math.min(limit, pieces.length - 1);
  runtime.chargeText(self.length + count * by.length);
  return [pieces.slice(0, count + 1).join(by), ...pieces.slice(count + 1)].join(old);
}

function replace(runtime: Runtime, self: string, args: readonly Value[], keywords: Keywords): Value {
  const [old, by, count] = bind('replace', ['old', 'new', 'count'], args, keywords, 2);
  const limit = integerArgument('replace', count, -1);
  return replaceText(runtime, self, textArgument('replace', old), textArgument('replace', by), limit);
}

/** The part between two optional indexes, and where it begins, in code points. */
function window(name: string, self: string, start: Value | undefined, end: Value | undefined) {
  const all = characters(self);
  const place = (value: Value | undefined, otherwise: number) => {
    const index = value === null ? otherwise : integerArgument(name, value, otherwise);
    return Math.min(Math.max(index < 0 ? index + all.length : index, 0), all.length);
  };
  const from = place(start, 0);
  return { text: all.slice(from, place(end, all.length)).join(''), from };
}

function finding(name: string, fromRight: boolean, mustFind: boolean): StringMethod {
  return (_runtime, self, args, keywords) => {
    const [sub, start, end] = bind(name, ['sub', 'start', 'end'], args, keywords, 1);
    const part = textArgument(name, sub);
    const { text, from } = window(name, self, start, end);
    const at = fromRight ? text.lastIndexOf(part) : text.indexOf(part);
    if (at >= 0) return from + textLength(text.slice(0, at));
    if (mustFind) throw new PythonError('ValueError', 'substring not found');
    return -1;
  };
}

function count(_runtime: Runtime, self: string, args: readonly Value[], keywords: Keywords): Value {
  const [sub, start, end] = bind('count', ['sub', 'start', 'end'], args, keywords, 1);
  const part = textArgument('count', sub);
  const { text } = window('count', self, start, end);
  return part === '' ? textLength(text) + 1 : text.split(part).length - 1;
}

/** Python's `str.join`. */
export function join(runtime: Runtime, separator: string, items: readonly Value[]): string {
  const texts = items.map((item, index) => {
    const text = textOf(item);
    if (text === null) throw new PythonError('TypeError', `sequence item ${index}: expected str instance`);
    return text;
  });
  runtime.chargeText(texts.reduce((sum, text) => sum + text.length + separator.length, 0));
  return texts.join(separator);
}

function padding(name: string, left: number, right: number): StringMethod {
  return (runtime, self, args, keywords) => {
    const [width, fill] = bind(name, ['width', 'fillchar'], args, keywords, 1);
    const missing = integerArgument(name, width, 0) - textLength(self);
    if (missing <= 0) return self;
    runtime.chargeText(self.length + missing);
    const character = textArgument(name, fill, ' ');
    const before = left === 0 ? 0 : right === 0 ? missing : centeredPadding(missing, self);
    return character.repeat(before) + self + character.repeat(missing - before);
  };
}

/** CPython puts the odd space on the left when text and width are both odd. */
function centeredPadding(missing: number, self: string): number {
  return Math.floor(missing / 2) + (missing & (missing + textLength(self)) & 1);
}

function zfill(runtime: Runtime, self: string, args: readonly Value[], keywords: Keywords): Value {
  const width = integerArgument('zfill', bind('zfill', ['width'], args, keywords, 1)[0], 0);
  const missing = width - textLength(self);
  if (missing <= 0) return self;
  runtime.chargeText(self.length + missing);
  const sign = /^[+-]/.exec(self)?.[0] ?? '';
  return sign + '0'.repeat(missing) + self.slice(sign.length);
}

/** Python ends lines at more characters than `\n`. */
const lineEnds = '\\n\\r\\v\\f\\x1c-\\x1e\\x85\\u2028\\u2029';
const lines = new RegExp(`[^${lineEnds}]*(?:\\r\\n|[${lineEnds}]|$)`, 'g');
const lineEnd = new RegExp(`\\r?[${lineEnds}]$`);

function splitlines(runtime: Runtime, self: string, args: readonly Value[], keywords: Keywords): Value {
  const [keep] = bind('splitlines', ['keepends'], args, keywords);
  const found = (self.match(lines) ?? []).filter((line) => line !== '');
  runtime.charge(found.length);
  return new List(keep === true ? found : found.map((line) => line.replace(lineEnd, '')));
}

function matching(pattern: RegExp): StringMethod {
  return (_runtime, self) => pattern.test(self);
}

function trimming(name: 'removeprefix' | 'removesuffix'): StringMethod {
  return (_runtime, self, args, keywords) => {
    const affix = textArgument(name, bind(name, ['affix'], args, keywords, 1)[0]);
    if (affix === '') return self;
    if (name === 'removeprefix') return self.startsWith(affix) ? self.slice(affix.length) : self;
    return self.endsWith(affix) ? self.slice(0, -affix.length) : self;
  };
}

function isCased(self: string, same: string, other: string): boolean {
  return self === same && same !== other;
}

/** Every method by its name; `format` lives with the attributes, which it reads. */
export const stringMethods: ReadonlyMap<string, StringMethod> = new Map<string, StringMethod>([
  ['capitalize', (_runtime, self) => capitalize(self)],
  ['casefold', (_runtime, self) => self.toLowerCase()],
  ['center', padding('center', 1, 1)],
  ['count', count],
  [
    'endswith',
    (_runtime, self, args, keywords) =>
      affixes('endswith', args, keywords).some((affix) => self.endsWith(affix)),
  ],
  ['find', finding('find', false, false)],
  ['index', finding('index', false, true)],
  ['isalnum', matching(/^[\p{L}\p{N}]+$/u)],
  ['isalpha', matching(/^\p{L}+$/u)],
  ['isascii', (_runtime, self) => /^\p{ASCII}*$/u.test(self)],
  ['isdecimal', matching(/^\p{Nd}+$/u)],
  ['isdigit', matching(/^[\p{Nd}²³¹⁰-⁹₀-₉]+$/u)],
  ['isidentifier', matching(/^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}\p{Mn}\p{Mc}\p{Pc}]*$/u)],
  ['islower', (_runtime, self) => isCased(self, self.toLowerCase(), self.toUpperCase())],
  ['isnumeric', matching(/^\p{N}+$/u)],
  ['isspace', (_runtime, self) => self !== '' && strip(self, 'both') === ''],
  ['istitle', (_runtime, self) => isCased(self, title(self), self.toUpperCase() + self.toLowerCase())],
  ['isupper', (_runtime, self) => isCased(self, self.toUpperCase(), self.toLowerCase())],
  [
    'join',
    (runtime, self, args, keywords) =>
      join(runtime, self, iterate(runtime, bind('join', ['iterable'], args, keywords, 1)[0] ?? null)),
  ],
  ['ljust', padding('ljust', 0, 1)],
  ['lower', (_runtime, self) => self.toLowerCase()],
  ['lstrip', stripping('lstrip', 'left')],
  ['partition', partitioning('partition', false)],
  ['removeprefix', trimming('removeprefix')],
  ['removesuffix', trimming('removesuffix')],
  ['replace', replace],
  ['rfind', finding('rfind', true, false)],
  ['rindex', finding('rindex', true, true)],
  ['rjust', padding('rjust', 1, 0)],
  ['rpartition', partitioning('rpartition', true)],
  ['rsplit', splitting('rsplit', true)],
  ['rstrip', stripping('rstrip', 'right')],
  ['split', splitting('split', false)],
  ['splitlines', splitlines],
  [
    'startswith',
    (_runtime, self, args, keywords) =>
      affixes('startswith', args, keywords).some((affix) => self.startsWith(affix)),
  ],
  ['strip', stripping('strip', 'both')],
  [
    'swapcase',
    (_runtime, self) =>
      characters(self)
        .map((c) => (c === c.toUpperCase() ? c.toLowerCase() : c.toUpperCase()))
        .join(''),
  ],
  ['title', (_runtime, self) => title(self)],
  ['upper', (_runtime, self) => self.toUpperCase()],
  ['zfill', zfill],
]);
