/** Character sets of Python patterns: escapes such as `\w`, and bracketed classes. */
import { escapedCodePoint, type PatternCursor } from './pattern-cursor.ts';
import type { CharacterSet } from './syntax.ts';

/** Flags that affect a set. */
export interface SetFlags {
  readonly ignoreCase: boolean;
  /** `(?a)`: `\w`, `\d` and `\s` are ASCII only. */
  readonly ascii: boolean;
}

/** White space of Python's `str.isspace` and `str.strip`, as members of a class; `\s` has four fewer. */
export const pythonSpaceMembers =
  '\\u{9}-\\u{d}\\u{1c}-\\u{20}\\u{85}\\u{a0}\\u{1680}\\u{2000}-\\u{200a}\\u{2028}\\u{2029}\\u{202f}\\u{205f}\\u{3000}';

/** Word characters as in the `regex` package, which includes combining marks. */
export const wordMembers = '\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}';

const unicodeMembers: Readonly<Record<string, string>> = {
  d: '\\p{Nd}',
  s: '\\p{White_Space}',
  w: wordMembers,
};
const asciiMembers: Readonly<Record<string, string>> = {
  d: '0-9',
  s: '\\u{9}-\\u{d}\\u{20}',
  w: 'A-Za-z0-9_',
};

/** The set of one code point. */
export function singleCharacter(codePoint: number, flags: SetFlags): CharacterSet {
  return { source: `[${member(codePoint)}]`, ignoreCase: flags.ignoreCase };
}

/** Any character, or any but a newline. */
export function anyCharacterSet(dotAll: boolean): CharacterSet {
  return { source: dotAll ? '[^]' : '[^\\n]', ignoreCase: false };
}

/** The set of `\d`, `\D`, `\s`, `\S`, `\w` or `\W`; `undefined` for any other letter. */
export function escapedSet(letter: string, flags: SetFlags): CharacterSet | undefined {
  const members = escapedMembers(letter, flags);
  return members === undefined ? undefined : { source: `[${members}]`, ignoreCase: flags.ignoreCase };
}

function escapedMembers(letter: string, flags: SetFlags): string | undefined {
  const table = flags.ascii ? asciiMembers : unicodeMembers;
  const lower = letter.toLowerCase();
  const members = Object.hasOwn(table, lower) ? table[lower] : undefined;
  return members === undefined || letter === lower ? members : `[^${members}]`;
}

/** Reads `\p{…}` or `\P{…}` after its letter. */
export function propertyMembers(letter: string, cursor: PatternCursor): string {
  const end = cursor.indexOf('}');
  const name = cursor.peek() === '{' && end !== -1 ? cursor.take(end + 1 - cursor.position) : '';
  const members = `\\${letter}${name}`;
  try {
    new RegExp(`[${members}]`, 'v');
  } catch {
    throw cursor.error(`unknown property ${members}`);
  }
  return members;
}

/** Parses a class, after its `[`, up to and including its `]`. */
export function readClass(cursor: PatternCursor, flags: SetFlags): CharacterSet {
  const opened = cursor.position - 1;
  const negated = cursor.accept('^');
  const members: string[] = [];
  for (let first = true; first || cursor.peek() !== ']'; first = false) {
    if (cursor.done()) throw cursor.error('unterminated character set', opened);
    members.push(readMember(cursor, flags));
  }
  cursor.take(1);
  return { source: `[${negated ? '^' : ''}${members.join('')}]`, ignoreCase: flags.ignoreCase };
}

function readMember(cursor: PatternCursor, flags: SetFlags): string {
  const low = readClassAtom(cursor, flags);
  if (cursor.peek() !== '-' || cursor.peek(1) === ']' || cursor.peek(1) === '') return memberOf(low);
  cursor.take(1);
  const high = readClassAtom(cursor, flags);
  if (typeof low === 'string' || typeof high === 'string' || high < low) {
    throw cursor.error('bad character range');
  }
  return `${member(low)}-${member(high)}`;
}

/** A code point, or the members of a set such as `\w`. */
function readClassAtom(cursor: PatternCursor, flags: SetFlags): number | string {
  const codePoint = cursor.takeCodePoint();
  if (codePoint !== 0x5c) return codePoint;
  const letter = cursor.take(1);
  if (letter === 'p' || letter === 'P') return propertyMembers(letter, cursor);
  if (letter === 'b') return 8;
  return escapedMembers(letter, flags) ?? escapedCodePoint(letter, cursor);
}

function memberOf(atom: number | string): string {
  return typeof atom === 'string' ? atom : member(atom);
}

function member(codePoint: number): string {
  return `\\u{${codePoint.toString(16)}}`;
}
