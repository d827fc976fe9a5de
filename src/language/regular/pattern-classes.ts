/** The characters that a class or an escape of a pattern names. */
import type { AST } from '@eslint-community/regexpp';
import { type CharacterSet, characterSet, complementSet, setHas, uniteSets } from './character-set.ts';
import { UnsupportedPattern } from './pattern-dialects.ts';
import { digits, spaces, unicodeProperty, withoutLineEnds, wordCharacters } from './unicode-classes.ts';

/** The characters of one element, whatever the flags. Throws `UnsupportedPattern`. */
export function classSet(
  element: AST.ClassRangesCharacterClassElement | AST.CharacterSet | AST.CharacterClass,
): CharacterSet {
  switch (element.type) {
    case 'Character':
      return characterSet([element.value, element.value]);
    case 'CharacterClassRange':
      return characterSet([element.min.value, element.max.value]);
    case 'CharacterSet':
      return namedSet(element);
    case 'CharacterClass': {
      const parts = element.elements.map((each) => {
        if (
          each.type === 'Character' ||
          each.type === 'CharacterClassRange' ||
          each.type === 'CharacterSet'
        ) {
          return classSet(each);
        }
        throw new UnsupportedPattern('it has set operations');
      });
      const set = parts.reduce<CharacterSet>(uniteSets, []);
      return element.negate ? complementSet(set) : set;
    }
  }
}

function namedSet(element: AST.CharacterSet): CharacterSet {
  const signed = (set: CharacterSet, negate: boolean) => (negate ? complementSet(set) : set);
  switch (element.kind) {
    case 'any':
      return withoutLineEnds;
    case 'digit':
      return signed(digits, element.negate);
    case 'space':
      return signed(spaces, element.negate);
    case 'word':
      return signed(wordCharacters, element.negate);
    case 'property': {
      const value = element.value === null ? '' : `=${element.value}`;
      return signed(unicodeProperty(`${element.key}${value}`), element.negate);
    }
  }
}

/** `set`, with the other cases of its letters, as with the flags `i` and `u`: simple case folding. */
export function foldCase(set: CharacterSet): CharacterSet {
  const added = casePairs().flatMap(([one, other]): [number, number][] => {
    const [hasOne, hasOther] = [setHas(set, one), setHas(set, other)];
    return hasOne === hasOther ? [] : [hasOne ? [other, other] : [one, one]];
  });
  return added.length === 0 ? set : uniteSets(set, characterSet(...added));
}

let pairs: readonly (readonly [number, number])[] | null = null;

/** Pairs of single-character letters that differ only in case. */
function casePairs(): readonly (readonly [number, number])[] {
  pairs ??= Array.from(cased()).flatMap((char): (readonly [number, number])[] =>
    [...new Set([char.toLowerCase(), char.toUpperCase()])]
      .filter((other) => other !== char && Array.from(other).length === 1)
      .map((other) => [char.codePointAt(0) ?? 0, other.codePointAt(0) ?? 0]),
  );
  return pairs;
}

/** Letters that have another case; there are none beyond the first two planes. */
function* cased(): Generator<string> {
  for (let code = 0x41; code < 0x20000; code += 1) {
    if (code === 0xd800) code = 0xe000;
    const char = String.fromCodePoint(code);
    if (char.toLowerCase() !== char || char.toUpperCase() !== char) yield char;
  }
}
