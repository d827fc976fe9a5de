/** The characters that a class or an escape of a pattern names. */
import type { AST } from '@eslint-community/regexpp';
import { type CharacterSet, characterSet, complementSet, uniteSets } from './character-set.ts';
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
