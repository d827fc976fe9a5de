/** One name for rules that say the same: what a reader sees of a grammar should not repeat itself. */
import type { Expression, Grammar } from './expression.ts';
import { mapChildren } from './references.ts';

/**
 * The same grammar in which no two rules say the same, up to the names of what they refer to. Of equal rules the
 * first keeps its name, but one that `shared` matches comes first: it is named for what all places have in common.
 *
 * All rules begin as one class, and classes are split by what their bodies say with classes for names, until none
 * splits any more (partition refinement).
 */
export function mergeEqualRules({ root, rules }: Grammar, shared: RegExp): Grammar {
  const order = [...rules].sort(([a], [b]) => Number(shared.test(b)) - Number(shared.test(a)));
  let names: ReadonlyMap<string, string> = new Map(order.map(([name]) => [name, '']));
  for (let count = 0, before = -1; count !== before; ) {
    before = count;
    const first = new Map<string, string>();
    const refined = new Map<string, string>();
    for (const [name, body] of order) {
      const key = JSON.stringify(renamedRules(body, names));
      if (!first.has(key)) first.set(key, name);
      refined.set(name, first.get(key) ?? name);
    }
    names = refined;
    count = first.size;
  }
  const kept = [...rules].filter(([name]) => names.get(name) === name);
  return {
    root: names.get(root) ?? root,
    rules: new Map(kept.map(([name, body]) => [name, renamedRules(body, names)])),
  };
}

/** `expression` with other names for its rules. Throws `TypeError` for a rule that has none. */
export function renamedRules(expression: Expression, names: ReadonlyMap<string, string>): Expression {
  if (expression.type !== 'rule') return mapChildren(expression, (inner) => renamedRules(inner, names));
  const name = names.get(expression.name);
  if (name === undefined) throw new TypeError(`the rule ${expression.name} has no name`);
  return { type: 'rule', name };
}
