/** Finds free text up to a delimiter, for which XGrammar has nodes. */
import type { Expression, Grammar } from '../../language/expression/expression.ts';
import { children } from '../../language/expression/references.ts';
import { leastFixpoint, ruleGraph } from '../../language/expression/rule-facts.ts';

/** Returns a predicate: whether an expression of `grammar` contains free text, itself or through rules. */
export function freeText({ rules }: Grammar): (expression: Expression) => boolean {
  const free = leastFixpoint(rules, ruleGraph(rules), isFree);
  return (expression) => isFree(expression, free);
}

/** Whether `expression` contains free text, given the rules that do. */
function isFree(expression: Expression, free: ReadonlySet<string>): boolean {
  if (expression.type === 'rule') return free.has(expression.name);
  return expression.type === 'until' || children(expression).some((each) => isFree(each, free));
}
