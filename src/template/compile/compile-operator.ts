/** Compiles operators of the syntax tree to functions; the compiler of operands is passed in. */
import { formatPercent } from '../values/format-text.ts';
import { binary, compare, concatenate, contains, equals, signed } from '../values/operators.ts';
import type { Scope } from '../values/scope.ts';
import { tracedOf, truthy, type Value } from '../values/values.ts';
import type { Evaluate } from './evaluate.ts';
import type { BinaryNode, Expression } from './tree.ts';

/** Compiles an operand. */
type Compile = (node: Expression) => Evaluate;

type Comparison = (scope: Scope, left: Value, right: Value) => boolean;

const comparisons: ReadonlyMap<string, Comparison> = new Map<string, Comparison>([
  ['==', (scope, a, b) => equals(scope.runtime, a, b)],
  ['!=', (scope, a, b) => !equals(scope.runtime, a, b)],
  ['<', (scope, a, b) => compare(scope.runtime, a, b) < 0],
  ['<=', (scope, a, b) => compare(scope.runtime, a, b) <= 0],
  ['>', (scope, a, b) => compare(scope.runtime, a, b) > 0],
  ['>=', (scope, a, b) => compare(scope.runtime, a, b) >= 0],
  ['in', (scope, a, b) => contains(scope.runtime, b, a)],
  ['not in', (scope, a, b) => !contains(scope.runtime, b, a)],
]);

/** The operands of consecutive operators of one kind, and the operators between them. */
function unroll(node: BinaryNode, isMember: (operator: string) => boolean) {
  const operands: Expression[] = [node.right];
  const operators: string[] = [node.operator.value];
  let left = node.left;
  while (left.type === 'BinaryExpression' && isMember(left.operator.value)) {
    operands.push(left.right);
    operators.push(left.operator.value);
    left = left.left;
  }
  operands.push(left);
  return { operands: operands.reverse(), operators: operators.reverse() };
}

/** `a < b < c` compares neighbours, each evaluated once. */
function compileComparison(node: BinaryNode, compile: Compile): Evaluate {
  const chain = unroll(node, (operator) => comparisons.has(operator));
  const [first, ...rest] = chain.operands.map((operand) => compile(operand));
  const links = rest.map((operand, index) => ({
    operand,
    holds: comparisons.get(chain.operators[index] ?? ''),
  }));
  return (scope) => {
    let left = first?.(scope) ?? null;
    for (const { operand, holds } of links) {
      scope.runtime.charge(1);
      const right = operand(scope);
      if (holds?.(scope, left, right) !== true) return false;
      left = right;
    }
    return true;
  };
}

/** The parts of a sum: terms, each of which is concatenated, and the signs between them. */
export interface Sum {
  readonly terms: readonly (readonly Expression[])[];
  readonly signs: readonly string[];
}

/**
 * In Jinja, `~` binds more tightly than `+` and `-`; the parser puts them on one level. `null` for any other operator.
 */
export function sumOf(node: BinaryNode): Sum | null {
  const isOfSums = (operator: string): boolean => '+-~'.includes(operator);
  if (!isOfSums(node.operator.value)) return null;
  const { operands, operators } = unroll(node, isOfSums);
  const terms: Expression[][] = [];
  operands.forEach((operand, index) => {
    if (index > 0 && operators[index - 1] === '~') terms.at(-1)?.push(operand);
    else terms.push([operand]);
  });
  return { terms, signs: operators.filter((operator) => operator !== '~') };
}

function compileSum({ terms, signs }: Sum, compile: Compile): Evaluate {
  const [first = () => null, ...rest] = terms.map((term) => compileConcatenation(term.map(compile)));
  return (scope) => {
    let sum = first(scope);
    rest.forEach((term, index) => {
      sum = binary(scope.runtime, signs[index] ?? '+', sum, term(scope));
    });
    return sum;
  };
}

function compileConcatenation(parts: readonly Evaluate[]): Evaluate {
  const [single] = parts;
  if (single !== undefined && parts.length === 1) return single;
  return (scope) =>
    concatenate(
      scope.runtime,
      parts.map((part) => part(scope)),
    );
}

/** Compiles binary operators, and chains of them. */
export function compileBinary(node: BinaryNode, compile: Compile): Evaluate {
  const operator = node.operator.value;
  if (comparisons.has(operator)) return compileComparison(node, compile);
  const sum = sumOf(node);
  if (sum !== null) return compileSum(sum, compile);
  const left = compile(node.left);
  const right = compile(node.right);
  if (operator === 'and') {
    return (scope) => {
      scope.runtime.charge(1);
      const value = left(scope);
      return truthy(value) ? right(scope) : value;
    };
  }
  if (operator === 'or') {
    return (scope) => {
      scope.runtime.charge(1);
      const value = left(scope);
      return truthy(value) ? value : right(scope);
    };
  }
  return (scope) => {
    const value = left(scope);
    const text = operator === '%' ? tracedOf(value) : null;
    if (text !== null) return formatPercent(scope.runtime, text, right(scope));
    return binary(scope.runtime, operator, value, right(scope));
  };
}

/** Compiles a unary operator. */
export function compileUnary(operator: string, argument: Evaluate): Evaluate {
  return (scope) => {
    scope.runtime.charge(1);
    return operator === 'not' ? !truthy(argument(scope)) : signed(operator, argument(scope));
  };
}
