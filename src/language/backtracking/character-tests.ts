/** Tests of one character, as JavaScript's engine judges it: for one character it is exact, and takes no time. */
import type { AST } from '@eslint-community/regexpp';
import type { CharacterTest } from './instructions.ts';

/** The flags at one place of a pattern. */
export interface PatternFlags {
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly dotAll: boolean;
  readonly unicode: boolean;
}

/** Whether a character fits one of a pattern, or one of its classes. */
export function characterTest(
  element: AST.Character | AST.CharacterClass | AST.CharacterSet | AST.ExpressionCharacterClass,
  flags: PatternFlags,
): CharacterTest {
  if (element.type !== 'Character') return testOf(`^${element.raw}$`, flags);
  const { value } = element;
  if (!flags.ignoreCase) {
    const only = String.fromCodePoint(value);
    return (character) => character === only;
  }
  const digits = value.toString(16);
  return testOf(flags.unicode ? `^\\u{${digits}}$` : `^\\u${digits.padStart(4, '0')}$`, flags);
}

/** Whether a character is one of a word. */
export function wordTest(flags: PatternFlags): CharacterTest {
  return testOf('^\\w$', flags);
}

/** Whether a character may stand where another one was captured. */
export function sameCharacter(flags: PatternFlags): (one: string, other: string) => boolean {
  if (!flags.ignoreCase) return (one, other) => one === other;
  const twice = testOf('^(.)\\1$', { ...flags, dotAll: true });
  return (one, other) => one === other || twice(one + other);
}

function testOf(source: string, { ignoreCase, dotAll, unicode }: PatternFlags): CharacterTest {
  const flags = `${ignoreCase ? 'i' : ''}${dotAll ? 's' : ''}${unicode ? 'u' : ''}`;
  const expression = new RegExp(source, flags);
  return (character) => expression.test(character);
}
