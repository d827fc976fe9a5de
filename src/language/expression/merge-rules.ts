/** Merges equal rules, so that a printed grammar does not repeat itself. */
import type { Expression, Grammar } from './expression.ts';
import { mapChildren } from './references.ts';

/**
 * Merges rules that are equal up to the names of the rules they refer to. Of equal rules, the first keeps its name;
 * one whose name matches `shared` takes precedence, because it is named for what all uses have in common.
 *
 * Partition refinement: all rules start in one class; classes are split by the bodies, with classes in place of
 * names, until no class splits.
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

/** Renames the rules in `expression`. Throws `TypeError` for a rule without a new name. */
export function renamedRules(expression: Expression, names: ReadonlyMap<string, string>): Expression {
  if (expression.type !== 'rule') return mapChildren(expression, (inner) => renamedRules(inner, names));
  const name = names.get(expression.name);
  if (name === undefined) throw new TypeError(`the rule ${expression.name} has no name`);
  return { type: 'rule', name };
}
