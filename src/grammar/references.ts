/** Which rules an expression refers to. */
import { type Expression, unreachable } from './expression.ts';

/** Names of the rules that `expression` refers to, each once, in the order of their first mention. */
export function referredRules(expression: Expression): ReadonlySet<string> {
  const names = new Set<string>();
  const todo: Expression[] = [expression];
  for (let each = todo.pop(); each !== undefined; each = todo.pop()) {
    if (each.type === 'rule') names.add(each.name);
    todo.push(...[...children(each)].reverse());
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
