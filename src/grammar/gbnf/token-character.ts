/**
 * Tokens as characters beyond Unicode, so that GBNF's token terminals need no node of their own in the
 * expression tree: token 5 is U+110005.
 */
import {
  type CharacterClass,
  type CodePointRange,
  exceptCharacters,
  maxCodePoint,
} from '../expression/expression.ts';

const firstToken = maxCodePoint + 1;
/** Above the largest vocabulary; ids fit into 31 bits together with the offset. */
const lastToken = 2 ** 31 - 1;

/** The character that stands for a token. */
export function tokenCharacter(id: number): number {
  return firstToken + id;
}

/** The token, or what is any other token and, as a token of its own, any character. */
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

/** The token that a class made by `tokenClass` is about; `undefined` for any other class. */
export function classToken({ ranges }: CharacterClass): { id: number; negated: boolean } | undefined {
  const [from, to] = ranges.at(-1) ?? [0, 0];
  if (to < firstToken) return undefined;
  return to === lastToken
    ? { id: from - 1 - firstToken, negated: true }
    : { id: from - firstToken, negated: false };
}
