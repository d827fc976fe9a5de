/**
 * Repeated characters as a recursive rule. XGrammar works out once which tokens fit within a rule. In `character*`,
 * with `character ::= [^"] | "\\" escape`, every token of two characters leaves its rule, and all of these are tried
 * again for each mask, which takes a tenth of a second. In `text ::= [^"] text | "\\" escape text | ""` the whole token
 * stays within the rule.
 */
import {
  choice,
  type Expression,
  empty,
  type Grammar,
  repeat,
  rule,
  sequence,
} from '../expression/expression.ts';
import { mapChildren } from '../expression/references.ts';

/** Code points from which on a class is text rather than digits or names. */
const manyCodePoints = 1000;

/** The same texts; see the top of this file. */
export function withTextRules(grammar: Grammar): Grammar {
  const rules = new Map<string, Expression>();
  const made = new Map<string, string>();
  const textRule = (alternatives: readonly Expression[]): Expression => {
    const key = JSON.stringify(alternatives);
    const known = made.get(key);
    if (known !== undefined) return rule(known);
    const name = freshName(grammar.rules, rules);
    made.set(key, name);
    rules.set(name, choice(...alternatives.map((each) => sequence(each, rule(name))), empty));
    return rule(name);
  };
  const rewrite = (expression: Expression): Expression => {
    const isOpen = expression.type === 'repeat' && expression.max === null;
    const text = isOpen ? textAlternatives(expression.item, grammar) : null;
    if (!isOpen || text === null) return mapChildren(expression, rewrite);
    return sequence(repeat(expression.item, expression.min, expression.min), textRule(text));
  };
  for (const [name, body] of grammar.rules) rules.set(name, rewrite(body));
  return { root: grammar.root, rules };
}

/** What a repeated character may be; `null` where the repetition is none of text, or of one class alone. */
function textAlternatives(item: Expression, { rules }: Grammar): readonly Expression[] | null {
  const body = item.type === 'rule' ? rules.get(item.name) : item;
  if (body?.type !== 'choice') return null;
  const isWide = (each: Expression): boolean =>
    each.type === 'class' &&
    each.ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0) > manyCodePoints;
  return body.alternatives.some(isWide) ? body.alternatives : null;
}

function freshName(...taken: readonly ReadonlyMap<string, Expression>[]): string {
  let number = 1;
  while (taken.some((rules) => rules.has(`text-rule-${number}`))) number += 1;
  return `text-rule-${number}`;
}
