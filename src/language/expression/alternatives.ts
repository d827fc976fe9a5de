/**
 * Left-factors choices so that the next character decides: `<think>…` and `<tool_call>…` become `"<t" ("hink>…" |
 * "ool_call>…")`.
 */
import { addToGroup } from '../../format/groups.ts';
import { choice, type Expression, empty, literal, optional, sequence } from './expression.ts';

/**
 * A choice between `expressions`, left-factored by common leading literals and rules. An expression that begins with
 * anything else is kept whole; its first set must be disjoint from all others. An empty alternative makes the choice
 * optional.
 */
export function alternatives(...expressions: readonly Expression[]): Expression {
  const [only, second] = expressions;
  if (only !== undefined && second === undefined) return only;
  const groups = new Map<string, Expression[]>();
  const others = new Map<string, Expression[]>();
  let optionalWhole = false;
  for (const expression of expressions) {
    const first = leadingCharacter(expression);
    if (first === '') optionalWhole = true;
    else if (first === undefined) {
      const key = leadingRule(expression) ?? `#${others.size}`;
      addToGroup(others, key, expression);
    } else addToGroup(groups, first, expression);
  }
  const factored = [...[...groups.values()].map(factorGroup), ...[...others.values()].map(factorRule)];
  if (factored.length === 0) return empty;
  const whole = choice(...factored);
  return optionalWhole ? optional(whole) : whole;
}

/** A choice between `texts`, left-factored so that the next character decides. */
export function oneOf(texts: Iterable<string>): Expression {
  return alternatives(...Array.from(new Set(texts), literal));
}

/** Factors expressions that begin with the same character: the common prefix, then a choice of the rests. */
function factorGroup(group: readonly Expression[]): Expression {
  const [first, ...rest] = group;
  if (first === undefined) return empty;
  if (rest.length === 0) return first;
  const common = rest.map(leadingText).reduce(commonPrefix, leadingText(first));
  return sequence(literal(common), alternatives(...group.map((each) => dropLeading(each, common.length))));
}

/** Factors expressions that begin with the same rule: the rule, then a choice of the rests. */
function factorRule(group: readonly Expression[]): Expression {
  const [first, second] = group;
  if (first?.type !== 'sequence' || second === undefined) return first ?? empty;
  const [rule = empty] = first.items;
  const rests = group.map((each) => (each.type === 'sequence' ? sequence(...each.items.slice(1)) : empty));
  return sequence(rule, alternatives(...rests));
}

/** The rule that a sequence begins with. */
function leadingRule(expression: Expression): string | null {
  const [first] = expression.type === 'sequence' ? expression.items : [];
  return first?.type === 'rule' ? first.name : null;
}

/** First code point of the leading literal: `''` for the empty expression, `undefined` if there is no literal. */
function leadingCharacter(expression: Expression): string | undefined {
  const text = leadingText(expression);
  if (text !== '') return String.fromCodePoint(text.codePointAt(0) ?? 0);
  return expression.type === 'literal' ? '' : undefined;
}

function leadingText(expression: Expression): string {
  if (expression.type === 'literal') return expression.text;
  const [first] = expression.type === 'sequence' ? expression.items : [];
  return first?.type === 'literal' ? first.text : '';
}

function dropLeading(expression: Expression, length: number): Expression {
  if (expression.type === 'literal') return literal(expression.text.slice(length));
  if (expression.type !== 'sequence') return expression;
  const [first, ...rest] = expression.items;
  return first?.type === 'literal' ? sequence(literal(first.text.slice(length)), ...rest) : expression;
}

/** Longest common prefix that does not split a surrogate pair. */
export function commonPrefix(a: string, b: string): string {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length += 1;
  const last = a.charCodeAt(length - 1);
  if (last >= 0xd800 && last <= 0xdbff) length -= 1;
  return a.slice(0, length);
}
