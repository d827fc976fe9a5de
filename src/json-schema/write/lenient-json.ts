/** JSON beyond a template's single spelling, for answers, which models write in the style they are used to. */
import {
  type CodePointRange,
  characterClass,
  choice,
  type Expression,
  empty,
  exceptCharacters,
  literal,
  optional,
  repeat,
  sequence,
} from '../../language/expression/expression.ts';
import type { RuleSet } from '../../language/expression/rule-set.ts';
import type { Syntax } from './syntax.ts';

/** Maximum number of spaces or tabs at the start of a line. */
const maxLineDepth = 40;
/** The same within a line, and of line breaks in a row. */
const maxGap = 4;

const space = characterClass([0x20, 0x20], [0x09, 0x09]);
const lineBreaks = repeat(sequence(optional(literal('\r')), literal('\n')), 1, maxGap);

/**
 * White space between tokens: none, a space, or a line break with indentation. Bounded, because a model could emit
 * white space forever.
 */
const usualSpace = optional(choice(literal(' '), sequence(literal('\n'), repeat(space, 0, maxLineDepth))));

/** More of it: some spaces, some line breaks, then indentation. */
const anySpace = sequence(
  repeat(space, 0, maxGap),
  optional(sequence(lineBreaks, repeat(space, 0, maxLineDepth))),
);

/** White space allowed after an opener or separator, and before a close. */
export function blankOf({ space: wanted }: Pick<Syntax, 'space'>, rules: RuleSet): Expression {
  if (wanted === 'none') return empty;
  const [key, blank] =
    wanted === 'any' ? (['any white space', anySpace] as const) : (['white space', usualSpace] as const);
  return rules.remember(key, () => rules.add('blank', blank));
}

const hex = characterClass(range('0', '9'), range('A', 'F'), range('a', 'f'));
const nonZero = characterClass(range('1', '9'), range('A', 'F'), range('a', 'f'));

/** Four hex digits of a code point other than NUL and surrogates, or two units of a surrogate pair. */
const escapedUnits = choice(
  sequence(
    literal('0'),
    choice(
      sequence(nonZero, hex, hex),
      sequence(literal('0'), choice(sequence(nonZero, hex), sequence(literal('0'), nonZero))),
    ),
  ),
  sequence(
    characterClass(range('1', '9'), range('A', 'C'), range('E', 'F'), range('a', 'c'), range('e', 'f')),
    hex,
    hex,
    hex,
  ),
  sequence(
    characterClass(range('D', 'D'), range('d', 'd')),
    choice(
      sequence(characterClass(range('0', '7')), hex, hex),
      sequence(
        characterClass(range('8', '9'), range('A', 'B'), range('a', 'b')),
        hex,
        hex,
        literal('\\u'),
        characterClass(range('D', 'D'), range('d', 'd')),
        characterClass(range('C', 'F'), range('c', 'f')),
        hex,
        hex,
      ),
    ),
  ),
);

/** One code point of a string, with any JSON escape. Restricted strings have only one spelling. */
export const lenientCharacter: Expression = choice(
  exceptCharacters([0, 0x1f], [0x22, 0x22], [0x5c, 0x5c]),
  sequence(
    literal('\\'),
    choice(
      characterClass(...Array.from('"/\\bfnrt', (character) => range(character, character))),
      sequence(literal('u'), escapedUnits),
    ),
  ),
);

/** `.0` after an integer. */
export const emptyFraction: Expression = optional(literal('.0'));

/** `.0` or an exponent after an unbounded integer. */
export const integerTail: Expression = optional(
  choice(
    literal('.0'),
    sequence(
      characterClass(range('E', 'E'), range('e', 'e')),
      optional(literal('+')),
      repeat(characterClass(range('0', '9')), 1, 2),
    ),
  ),
);

function range(from: string, to: string): CodePointRange {
  return [from.charCodeAt(0), to.charCodeAt(0)];
}
