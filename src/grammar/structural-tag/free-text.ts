/** Finds free text up to a delimiter, for which XGrammar has nodes. */
import type { Expression, Grammar } from '../expression/expression.ts';
import { children } from '../expression/references.ts';

/** Returns a predicate: whether an expression of `grammar` contains free text. */
export function freeText({ rules }: Grammar): (expression: Expression) => boolean {
  /** By rule; `null` while it is being computed. */
  const known = new Map<string, boolean | null>();
  const isFree = (expression: Expression): boolean => {
    if (expression.type === 'until') return true;
    if (expression.type !== 'rule') return children(expression).some(isFree);
    const before = known.get(expression.name);
    if (before !== undefined) return before === true;
    known.set(expression.name, null);
    const body = rules.get(expression.name);
    const found = body !== undefined && isFree(body);
    known.set(expression.name, found);
    return found;
  };
}

/** The rules that contain free text, themselves or in others; without recursion, because rules may form long chains. */
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
