/**
 * Writes repeated characters as a recursive rule. XGrammar precomputes which tokens fit within a rule. In
 * `character*`, with `character ::= [^"] | "\\" escape`, every token of two characters crosses the end of its rule,
 * and all of those are checked again for each mask, which takes a tenth of a second. In `text ::= [^"] text | "\\"
 * escape text | ""`, the whole token stays within the rule.
 */
import {
  choice,
  type Expression,
  empty,
  type Grammar,
  repeat,
  rule,
  sequence,
} from '../../language/expression/expression.ts';
import { mapChildren } from '../../language/expression/references.ts';

/** Classes of at least this many code points are text rather than digits or names. */
const manyCodePoints = 1000;

/** Rewrites `grammar` as described above; it matches the same texts. */
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

/** Alternatives of a repeated character; `null` unless it is text, or if it is a single class. */
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
