/** The character classes of regular expressions as sets. */
import { type CodePointRange, maxCodePoint } from '../expression/expression.ts';
import { type CharacterSet, characterSet, complementSet, setOf } from './character-set.ts';

/** `\d` */
export const digits: CharacterSet = characterSet([0x30, 0x39]);
/** `\w` */
export const wordCharacters: CharacterSet = characterSet(
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
);
/** What the flags `i` and `u` add to `\w`: ſ and the sign of Kelvin, other cases of `s` and `k`. */
export const otherWordCharacters: CharacterSet = characterSet([0x17f, 0x17f], [0x212a, 0x212a]);
/** `\s` */
export const spaces: CharacterSet = characterSet(
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
);
/** `.` without the flag `s` */
export const withoutLineEnds: CharacterSet = complementSet(
  characterSet([0x0a, 0x0a], [0x0d, 0x0d], [0x2028, 0x2029]),
);

const properties = new Map<string, CharacterSet>();

/** The set of `\p{expression}`. Throws `SyntaxError` for an unknown property. */
export function unicodeProperty(expression: string): CharacterSet {
  const found = properties.get(expression);
  if (found !== undefined) return found;
  const ranges: CodePointRange[] = [];
  const pattern = new RegExp(`\\p{${expression}}+`, 'gu');
  for (const [text, first] of planes()) {
    for (const match of text.matchAll(pattern)) {
      const from = first + codePointsIn(text.slice(0, match.index), first);
      ranges.push([from, from + codePointsIn(match[0], first) - 1]);
    }
  }
  const set = setOf(ranges);
  properties.set(expression, set);
  return set;
}

/** All characters except for surrogates, in blocks of consecutive code points. */
function* planes(): Generator<readonly [text: string, first: number]> {
  const size = 0x1000;
  yield [String.fromCodePoint(...Array.from({ length: 0x800 }, (_, index) => 0xd000 + index)), 0xd000];
  for (let first = 0; first <= maxCodePoint; first += size) {
    if (first >= 0xd000 && first < 0xe000) continue;
    yield [String.fromCodePoint(...Array.from({ length: size }, (_, index) => first + index)), first];
  }
}

/** Number of code points in a text whose characters are all in the plane of `first`. */
function codePointsIn(text: string, first: number): number {
  return first > 0xffff ? text.length / 2 : text.length;
}
