/**
 * Characters beyond ASCII one by one. XGrammar 0.1.27 takes a class such as `[äöü]` or `[à-ÿ]` for one of bytes, and then
 * refuses what is in it, or takes letters of ASCII for it; a class of one character, a text, and what is not of some
 * characters of ASCII it reads rightly. Later versions, and llama.cpp, read both alike.
 */
import {
  type CharacterClass,
  type CodePointRange,
  characterClass,
  choice,
  type Expression,
  type Grammar,
  literal,
} from '../expression/expression.ts';
import { mapChildren } from '../expression/references.ts';

/** Characters beyond ASCII that are listed; a class of more is left as it is. */
const mostListed = 256;
const lastOfAscii = 0x7f;

/** The same texts, with classes of few characters beyond ASCII as alternatives; see the top of this file. */
export function withListedCharacters(grammar: Grammar): Grammar {
  const rewrite = (expression: Expression): Expression =>
    expression.type === 'class' ? listed(expression) : mapChildren(expression, rewrite);
  return { ...grammar, rules: new Map(Array.from(grammar.rules, ([name, body]) => [name, rewrite(body)])) };
}

function listed(expression: CharacterClass): Expression {
  const ascii: CodePointRange[] = [];
  const others: Expression[] = [];
  for (const [from, to] of expression.ranges) {
    if (from <= lastOfAscii) ascii.push([from, Math.min(to, lastOfAscii)]);
    const first = Math.max(from, lastOfAscii + 1);
    if (to - first >= mostListed) return expression;
    for (let code = first; code <= to; code += 1) others.push(literal(String.fromCodePoint(code)));
  }
  if (others.length === 0 || others.length > mostListed) return expression;
  return choice(...(ascii.length === 0 ? [] : [characterClass(...ascii)]), ...others);
}
