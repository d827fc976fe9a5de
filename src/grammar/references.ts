/** Which rules an expression refers to. */
import { type Expression, unreachable } from './expression.ts';

/** Names of the rules that `expression` refers to, each once, in the order of their first mention. */
export function referredRules(expression: Expression): ReadonlySet<string> {
  const names = new Set<string>();
  const todo: Expression[] = [expression];
  for (let each = todo.pop(); each !== undefined; each = todo.pop()) {
    if (each.type === 'rule') names.add(each.name);
    // One by one: a choice may have more alternatives than a call can have arguments.
    for (const child of children(each).toReversed()) todo.push(child);
  }
  return names;
}

/** The expressions directly inside one. */
export function children(expression: Expression): readonly Expression[] {
  switch (expression.type) {
    case 'literal':
    case 'class':
    case 'rule':
      return [];
    case 'sequence':
      return expression.items;
    case 'choice':
      return expression.alternatives;
    case 'repeat':
      return [expression.item];
    case 'until':
      return expression.branches.flatMap(({ next }) => (next === null ? [] : [next]));
    default:
      return unreachable(expression);
  }
}
