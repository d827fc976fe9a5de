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
  return isFree;
}
