/** Walks expressions and their references to rules. */

import { GrammarError } from '../../format/errors.ts';
import { choiceOf, type Expression, type Grammar, repeat, sequenceOf, unreachable } from './expression.ts';

/** What `rules` says of `rule`. Throws `GrammarError` if the rule is not defined. */
export function definedRule<Value>(rules: ReadonlyMap<string, Value>, rule: string): Value {
  const found = rules.get(rule);
  if (found === undefined) throw new GrammarError({ reason: 'is not defined', rule });
  return found;
}

/** Names of the rules that `expression` refers to, without duplicates, in order of first use. */
export function referredRules(expression: Expression): readonly string[] {
  const names: string[] = [];
  collectNames(expression, names);
  return eachOnce(names);
}

/** Removes duplicates. Most rules have few references, for which a `Set` costs more than it saves. */
export function eachOnce(names: readonly string[]): readonly string[] {
  if (names.length > 8) return [...new Set(names)];
  return names.filter((name, index) => names.indexOf(name) === index);
}

function collectNames(expression: Expression, names: string[]): void {
  if (expression.type === 'rule') names.push(expression.name);
  else if (expression.type !== 'literal' && expression.type !== 'class') {
    for (const child of children(expression)) collectNames(child, names);
  }
}

/**
 * Size of rules: ten for each, one for each of their parts, for fifty characters, and for each time that a part is counted:
 * engines write repetitions out. Not counted beyond `most`.
 */
export function sizeOfRules(rules: Iterable<Expression>, most: number): number {
  let size = 0;
  const count = (expression: Expression): void => {
    size += 1;
    if (expression.type === 'literal') size += expression.text.length / 50;
    else if (expression.type === 'repeat') size += expression.max ?? expression.min;
    if (size <= most) for (const child of children(expression)) count(child);
  };
  for (const body of rules) {
    size += 10;
    count(body);
    if (size > most) break;
  }
  return size;
}

/** The direct subexpressions. */
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

/** Applies `change` to each direct subexpression. */
export function mapChildren(expression: Expression, change: (inner: Expression) => Expression): Expression {
  switch (expression.type) {
    case 'literal':
    case 'class':
    case 'rule':
      return expression;
    case 'sequence':
      return sequenceOf(expression.items.map(change));
    case 'choice':
      return choiceOf(expression.alternatives.map(change));
    case 'repeat':
      return repeat(change(expression.item), expression.min, expression.max);
    case 'until': {
      const branches = expression.branches.map(({ delimiter, next }) => ({
        delimiter,
        next: next === null ? null : change(next),
      }));
      return { ...expression, branches };
    }
    default:
      return unreachable(expression);
  }
}

/** Removes rules that are not reachable from the start rule. */
export function withoutUnused({ root, rules }: Grammar): Grammar {
  const used = new Set([root]);
  for (const name of used) {
    const body = rules.get(name);
    for (const each of body === undefined ? [] : referredRules(body)) used.add(each);
  }
  return { root, rules: new Map([...rules].filter(([name]) => used.has(name))) };
}
