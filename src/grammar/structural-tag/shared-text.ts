/**
 * Makes every text up to a delimiter a rule of its own, so that the places where it occurs share one automaton:
 * `until("</x>", rest)` becomes `text rest`, with `text ::= until("</x>")`.
 */
import {
  type Expression,
  empty,
  type Grammar,
  rule,
  sequence,
  type Until,
  until,
} from '../../language/expression/expression.ts';
import { mapChildren } from '../../language/expression/references.ts';

/** Rewrites `grammar` as described above; it matches the same texts. */
export function withSharedText(grammar: Grammar): Grammar {
  const rules = new Map<string, Expression>();
  const made = new Map<string, string>();
  const shared = (text: Until): Expression => {
    const key = JSON.stringify(text);
    const known = made.get(key);
    if (known !== undefined) return rule(known);
    let number = made.size + 1;
    while (grammar.rules.has(`free-${number}`)) number += 1;
    const name = `free-${number}`;
    made.set(key, name);
    rules.set(name, text);
    return rule(name);
  };
  const rewrite = (expression: Expression): Expression => {
    const inner = mapChildren(expression, rewrite);
    if (inner.type !== 'until') return inner;
    const [only, second] = inner.branches;
    if (inner.mayEnd || only?.next == null || second !== undefined) return shared(inner);
    return sequence(shared(until({ delimiter: only.delimiter, next: empty })), only.next);
  };
  for (const [name, body] of grammar.rules) rules.set(name, rewrite(body));
  return { root: grammar.root, rules };
}
