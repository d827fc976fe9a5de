/**
 * Maps tokens to code points beyond Unicode, so that GBNF's token terminals need no node type of their own: token 5
 * is U+110005.
 */
import {
  type CharacterClass,
  type CodePointRange,
  exceptCharacters,
  maxCodePoint,
} from '../expression/expression.ts';

const firstToken = maxCodePoint + 1;
/** Above the largest vocabulary; ids with the offset fit into 31 bits. */
const lastToken = 2 ** 31 - 1;

/** The code point of a token. */
export function tokenCharacter(id: number): number {
  return firstToken + id;
}

/** The class of token `id`. Negated: all other tokens and all characters, since each character counts as a token. */
export function tokenClass(id: number, negated: boolean): CharacterClass {
  const code = tokenCharacter(id);
  if (!negated) return { type: 'class', ranges: [[code, code]] };
  const others: CodePointRange[] = [
    [firstToken, code - 1],
    [code + 1, lastToken],
  ];
  return {
    type: 'class',
    ranges: [...exceptCharacters().ranges, ...others.filter(([from, to]) => from <= to)],
  };
}

/** The token of a class made by `tokenClass`; `undefined` for any other class. */
export function classToken({ ranges }: CharacterClass): { id: number; negated: boolean } | undefined {
  const [from, to] = ranges.at(-1) ?? [0, 0];
  if (to < firstToken) return undefined;
  return to === lastToken
    ? { id: from - 1 - firstToken, negated: true }
    : { id: from - firstToken, negated: false };
}
