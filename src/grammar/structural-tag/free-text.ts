/** Finds free text up to a delimiter, for which XGrammar has nodes. */
import type { Expression, Grammar } from '../../language/expression/expression.ts';
import { children } from '../../language/expression/references.ts';

/** Returns a predicate: whether an expression of `grammar` contains free text. */
export function freeText({ rules }: Grammar): (expression: Expression) => boolean {
  const free = freeRules(rules);
  return function isFree(expression: Expression): boolean {
    if (expression.type === 'rule') return free.has(expression.name);
    return expression.type === 'until' || children(expression).some(isFree);
  };
}

/** The rules that contain free text, directly or through others. Not recursive, because rules may form long chains. */
function freeRules(rules: Grammar['rules']): ReadonlySet<string> {
  const users = new Map<string, string[]>();
  const usersOf = (name: string): string[] => {
    const known = users.get(name) ?? [];
    users.set(name, known);
    return known;
  };
  const open: string[] = [];
  for (const [name, body] of rules) {
    const parts = [body];
    for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
      if (part.type === 'until') open.push(name);
      else if (part.type === 'rule') usersOf(part.name).push(name);
      else for (const child of children(part)) parts.push(child);
    }
  }
  const free = new Set<string>();
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (free.has(name)) continue;
    free.add(name);
    for (const user of users.get(name) ?? []) open.push(user);
  }
  return free;
}
