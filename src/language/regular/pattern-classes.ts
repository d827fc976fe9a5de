/** The characters that a class or an escape of a pattern names. */
import type { AST } from '@eslint-community/regexpp';
import { type CharacterSet, characterSet, complementSet, setHas, setOf, uniteSets } from './character-set.ts';
import { UnsupportedPattern } from './pattern-dialects.ts';
import { digits, spaces, unicodeProperty, withoutLineEnds, wordCharacters } from './unicode-classes.ts';

/** The characters of one element; `words`: those of `\w`, which the flag `i` makes more. Throws `UnsupportedPattern`. */
export function classSet(
  element: AST.ClassRangesCharacterClassElement | AST.CharacterSet | AST.CharacterClass,
  words: CharacterSet = wordCharacters,
): CharacterSet {
  switch (element.type) {
    case 'Character':
      return characterSet([element.value, element.value]);
    case 'CharacterClassRange':
      return characterSet([element.min.value, element.max.value]);
    case 'CharacterSet':
      return namedSet(element, words);
    case 'CharacterClass': {
      const parts = element.elements.flatMap((each) => {
        if (
          each.type === 'Character' ||
          each.type === 'CharacterClassRange' ||
          each.type === 'CharacterSet'
        ) {
          return classSet(each, words);
        }
        throw new UnsupportedPattern('it has set operations');
      });
      const set = setOf(parts);
      return element.negate ? complementSet(set) : set;
    }
  }
}

function namedSet(element: AST.CharacterSet, words: CharacterSet): CharacterSet {
  const signed = (set: CharacterSet, negate: boolean) => (negate ? complementSet(set) : set);
  switch (element.kind) {
    case 'any':
      return withoutLineEnds;
    case 'digit':
      return signed(digits, element.negate);
    case 'space':
      return signed(spaces, element.negate);
    case 'word':
      return signed(words, element.negate);
    case 'property': {
      const value = element.value === null ? '' : `=${element.value}`;
      return signed(unicodeProperty(`${element.key}${value}`), element.negate);
    }
  }
}

/** `set`, with the other cases of its letters, as with the flags `i` and `u`: simple case folding. */
export function foldCase(set: CharacterSet): CharacterSet {
  const added = caseGroups().flatMap((group): [number, number][] => {
    const missing = group.filter((code) => !setHas(set, code));
    return missing.length === group.length ? [] : missing.map((code) => [code, code]);
  });
  return added.length === 0 ? set : uniteSets(set, setOf(added));
}

let groups: readonly (readonly number[])[] | null = null;

/** Letters that differ only in case, such as `s`, `S` and `ſ`. */
function caseGroups(): readonly (readonly number[])[] {
  if (groups !== null) return groups;
  const groupOf = new Map<number, Set<number>>();
  const join = (one: number, other: number): void => {
    const joined = new Set([one, ...(groupOf.get(one) ?? []), other, ...(groupOf.get(other) ?? [])]);
    for (const code of joined) groupOf.set(code, joined);
  };
  for (const char of cased())
    for (const other of [char.toLowerCase(), char.toUpperCase()])
      if (Array.from(other).length === 1) join(char.codePointAt(0) ?? 0, other.codePointAt(0) ?? 0);
  // Their upper cases are several characters.
  for (const [one, other] of [
    [0x390, 0x1fd3],
    [0x3b0, 0x1fe3],
    [0xfb05, 0xfb06],
  ] as const)
    join(one, other);
  groups = [...new Set(groupOf.values())].map((group) => [...group]);
  return groups;
}

/** Letters that have another case; there are none beyond the first two planes. */
function* cased(): Generator<string> {
  for (let code = 0x41; code < 0x20000; code += 1) {
    if (code === 0xd800) code = 0xe000;
    // The dotless i is folded only in Turkish.
    if (code === 0x131) continue;
    const char = String.fromCodePoint(code);
    if (char.toLowerCase() !== char || char.toUpperCase() !== char) yield char;
  }
}
