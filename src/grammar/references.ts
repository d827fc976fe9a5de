/** Which rules an expression refers to. */
import { type Expression, unreachable } from './expression.ts';

/** Names of the rules that `expression` refers to, each once, in the order of their first mention. */
export function referredRules(expression: Expression): ReadonlySet<string> {
  const names = new Set<string>();
  collectNames(expression, names);
  return names;
}

function collectNames(expression: Expression, names: Set<string>): void {
  if (expression.type === 'rule') names.add(expression.name);
  else if (expression.type !== 'literal' && expression.type !== 'class') {
    for (const child of children(expression)) collectNames(child, names);
  }
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
