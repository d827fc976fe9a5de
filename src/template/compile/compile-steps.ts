/**
 * Expressions in steps: those that write JSON of the input, or call macros, and whatever is joined with them. They take as
 * long as the input is large; all others are one step.
 */
import { memoize } from '../../format/memoize.ts';
import type { Steps } from '../../language/expression/steps.ts';
import { tojsonSteps } from '../filters/filters-value.ts';
import { binary, concatenate } from '../values/operators.ts';
import type { Scope } from '../values/scope.ts';
import { truthy, type Value } from '../values/values.ts';
import { compileArguments, compileCallSteps, compileExpression } from './compile-expression.ts';
import { type Sum, sumOf } from './compile-operator.ts';
import type { CompileContext } from './evaluate.ts';
import { rewritten } from './parse-source.ts';
import type { Expression, FilterNode, Ternary } from './tree.ts';

/** Computes an expression, in steps. */
export type EvaluateSteps = (scope: Scope) => Steps<Value>;

/** An expression in steps; `null` if it is one step. */
export function compileSteps(node: Expression, place: CompileContext): EvaluateSteps | null {
  return hasSteps(node) ? compilePart(node, place) : null;
}

/** Each node is visited once, however deeply expressions nest. */
const hasSteps = memoize((node: Expression): boolean => {
  switch (node.type) {
    case 'CallExpression': {
      if (node.callee.type !== 'Identifier' || node.callee.value === rewritten.tuple) return false;
      return node.callee.value !== rewritten.group || node.args.slice(0, 1).some(hasSteps);
    }
    case 'FilterExpression':
      return isJson(node);
    case 'BinaryExpression':
      return sumOf(node)?.terms.flat().some(hasSteps) ?? false;
    case 'Ternary':
      return hasSteps(node.trueExpr) || hasSteps(node.falseExpr);
    default:
      return false;
  }
});

function isJson({ filter }: FilterNode): boolean {
  const name = filter.type === 'Identifier' ? filter : filter.callee;
  return name.type === 'Identifier' && name.value === 'tojson';
}

/** An expression that may be one step. */
function compilePart(node: Expression, place: CompileContext): EvaluateSteps {
  if (!hasSteps(node)) return oneStep(node, place);
  switch (node.type) {
    case 'FilterExpression':
      return compileJson(node, place);
    case 'BinaryExpression':
      return compileSum(sumOf(node) ?? { terms: [], signs: [] }, place);
    case 'Ternary':
      return compileTernary(node, place);
    default: {
      const [inner] = node.type === 'CallExpression' ? node.args : [];
      return (
        compileCallSteps(node, place) ??
        (inner === undefined ? oneStep(node, place) : compilePart(inner, place))
      );
    }
  }
}

function oneStep(node: Expression, place: CompileContext): EvaluateSteps {
  const value = compileExpression(node, place);
  return function* (scope) {
    const computed = value(scope);
    yield;
    return computed;
  };
}

function compileJson({ operand, filter }: FilterNode, place: CompileContext): EvaluateSteps {
  const value = compilePart(operand, place);
  const args = compileArguments(filter.type === 'Identifier' ? [] : filter.args, place);
  return function* (scope) {
    const written = yield* value(scope);
    scope.runtime.charge(1);
    return yield* tojsonSteps(scope.runtime, written, args.positional(scope), args.keywords(scope));
  };
}

function compileSum({ terms, signs }: Sum, place: CompileContext): EvaluateSteps {
  const compiled = terms.map((term) => compileTerm(term, place));
  return function* (scope) {
    let value: Value = null;
    for (const [index, term] of compiled.entries()) {
      const next = yield* term(scope);
      value = index === 0 ? next : binary(scope.runtime, signs[index - 1] ?? '+', value, next);
    }
    return value;
  };
}

function compileTerm(term: readonly Expression[], place: CompileContext): EvaluateSteps {
  const parts = term.map((part) => compilePart(part, place));
  const [single] = parts;
  if (single !== undefined && parts.length === 1) return single;
  return function* (scope) {
    const values: Value[] = [];
    for (const part of parts) values.push(yield* part(scope));
    return concatenate(scope.runtime, values);
  };
}

function compileTernary({ condition, trueExpr, falseExpr }: Ternary, place: CompileContext): EvaluateSteps {
  const branch = { ...place, conditional: true };
  const test = compileExpression(condition, branch);
  const [positive, negative] = [compilePart(trueExpr, branch), compilePart(falseExpr, branch)];
  return function* (scope) {
    scope.runtime.charge(1);
    return yield* (truthy(test(scope)) ? positive : negative)(scope);
  };
}
