/**
 * Lists non-ASCII characters one by one. XGrammar 0.1.27 reads a class such as `[äöü]` or `[à-ÿ]` as a class of
 * bytes: it rejects its members, or accepts ASCII letters instead. It handles classes of one character, literals, and
 * negated classes of ASCII characters correctly. Later versions and llama.cpp read both forms alike.
 */
import {
  type CharacterClass,
  type CodePointRange,
  characterClass,
  choice,
  type Expression,
  type Grammar,
  literal,
} from '../../language/expression/expression.ts';
import { mapChildren } from '../../language/expression/references.ts';

/** Classes with more non-ASCII characters stay classes. */
const maxListed = 256;
const lastOfAscii = 0x7f;

/** Rewrites small classes of non-ASCII characters as alternatives, for the reason given above. */
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
    if (to - first >= maxListed) return expression;
    for (let code = first; code <= to; code += 1) others.push(literal(String.fromCodePoint(code)));
  }
  if (others.length === 0 || others.length > maxListed) return expression;
  return choice(...(ascii.length === 0 ? [] : [characterClass(...ascii)]), ...others);
}
