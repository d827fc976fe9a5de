/** The types of parts that a template distinguishes, including in branches that no render takes. */
import type { Expression } from './tree.ts';

/**
 * The strings with which a tree compares a member `type`: `thinking` of `part.type == 'thinking'`, of `part['type'] !=
 * 'thinking'` and of `part.type in ['thinking', 'text']`.
 */
export function comparedTypes(tree: readonly unknown[]): ReadonlySet<string> {
  const types = new Set<string>();
  const pending: unknown[] = [...tree];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node instanceof Map) for (const entry of node) pending.push(entry);
    else if (typeof node === 'object' && node !== null) {
      if (isComparison(node)) addTypes(node, types);
      for (const each of Object.values(node))
        if (typeof each === 'object' && each !== null) pending.push(each);
    }
  }
  return types;
}

type Comparison = Extract<Expression, { readonly type: 'BinaryExpression' }>;

const comparing = new Set(['==', '!=', 'in', 'not in']);

function isComparison(node: object): node is Comparison {
  if (!('type' in node) || node.type !== 'BinaryExpression' || !('operator' in node)) return false;
  const { operator } = node;
  if (typeof operator !== 'object' || operator === null || !('value' in operator)) return false;
  return comparing.has(String(operator.value));
}

function addTypes({ left, right }: Comparison, types: Set<string>): void {
  for (const [one, other] of [
    [left, right],
    [right, left],
  ] as const) {
    if (!isTypeMember(one)) continue;
    const literals = other.type === 'ArrayLiteral' || other.type === 'TupleLiteral' ? other.value : [other];
    for (const literal of literals) if (literal.type === 'StringLiteral') types.add(literal.value);
  }
}

function isTypeMember(node: Expression): boolean {
  if (node.type !== 'MemberExpression') return false;
  const { property, computed } = node;
  return property.type === (computed ? 'StringLiteral' : 'Identifier') && property.value === 'type';
}
