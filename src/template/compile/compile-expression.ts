/** Compiles expressions of the syntax tree to functions, once per template. */

import type { Steps } from '../../language/expression/steps.ts';
import type { Filter } from '../filters/filter.ts';
import { filters, findFilter } from '../filters/filters.ts';
import { findTest, tests } from '../filters/tests.ts';
import { callMethod, getAttribute, getItem, getSlice } from '../values/attributes.ts';
import { pairsOf } from '../values/container-methods.ts';
import { invoke, invokeSteps, iterate } from '../values/operators.ts';
import type { Scope } from '../values/scope.ts';
import {
  Dict,
  Float,
  type Keywords,
  List,
  orElse,
  PythonError,
  Tuple,
  textOf,
  truthy,
  Undefined,
  type Value,
} from '../values/values.ts';
import { compileBinary, compileUnary } from './compile-operator.ts';
import { type CompileContext, CompileError, type Evaluate } from './evaluate.ts';
import { globals } from './globals.ts';
import { rewritten } from './parse-source.ts';
import { blockNames } from './rewrite-statement.ts';
import type { CallNode, Expression, FilterNode, Identifier, MemberNode, SliceNode, Ternary } from './tree.ts';

const constants: ReadonlyMap<string, Value> = new Map<string, Value>([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['none', null],
  ['None', null],
]);

const noKeywords: Keywords = new Map();

function compileName(name: string): Evaluate {
  const constant = constants.get(name);
  if (constant !== undefined) return () => constant;
  const missing = new Undefined(`'${name}' is undefined`);
  const global = orElse(globals.get(name), missing);
  return (scope) => orElse(scope.lookup(name), global);
}

/** The arguments of a call. */
export interface Arguments {
  readonly positional: (scope: Scope) => Value[];
  readonly keywords: (scope: Scope) => Keywords;
}

function compileKeywords(nodes: readonly Expression[], place: CompileContext): (scope: Scope) => Keywords {
  const parts = nodes.flatMap((node): ((scope: Scope) => readonly (readonly [Value, Value])[])[] => {
    if (node.type === 'KeywordArgumentExpression') {
      const value = compileExpression(node.value, place);
      const name = node.key.value;
      return [(scope) => [[name, value(scope)]]];
    }
    if (node.type !== 'KeywordSpreadExpression') return [];
    const spread = compileExpression(node.argument, place);
    return [(scope) => pairsOf(scope.runtime, spread(scope))];
  });
  if (parts.length === 0) return () => noKeywords;
  return (scope) => {
    const keywords = new Map<string, Value>();
    for (const part of parts) {
      for (const [key, value] of part(scope)) {
        const name = textOf(key) ?? '';
        scope.runtime.chargeRead(name.length);
        if (keywords.has(name))
          throw new PythonError('TypeError', `got multiple values for keyword argument '${name}'`);
        keywords.set(name, value);
      }
    }
    return keywords;
  };
}

/** The arguments of a call. */
export function compileArguments(nodes: readonly Expression[], place: CompileContext): Arguments {
  const plain = nodes.filter(
    ({ type }) => type !== 'KeywordArgumentExpression' && type !== 'KeywordSpreadExpression',
  );
  const keywords = compileKeywords(nodes, place);
  if (!plain.some(({ type }) => type === 'SpreadExpression')) {
    const values = plain.map((node) => compileExpression(node, place));
    return { positional: (scope) => values.map((value) => value(scope)), keywords };
  }
  const parts = plain.map((node) => {
    const spread = node.type === 'SpreadExpression';
    const value = compileExpression(spread ? node.argument : node, place);
    return (scope: Scope) => (spread ? iterate(scope.runtime, value(scope)) : [value(scope)]);
  });
  return { positional: (scope) => parts.flatMap((part) => part(scope)), keywords };
}

function compileMethodCall(
  callee: MemberNode,
  name: string,
  args: Arguments,
  place: CompileContext,
): Evaluate {
  const object = compileExpression(callee.object, place);
  return (scope) => {
    const self = object(scope);
    return callMethod(scope.runtime, self, name, args.positional(scope), args.keywords(scope));
  };
}

function compileCall(node: CallNode, place: CompileContext): Evaluate {
  const { callee } = node;
  if (callee.type === 'Identifier' && callee.value === rewritten.group) return compileGroup(node, place);
  if (callee.type === 'Identifier' && callee.value === rewritten.tuple) {
    const items = compileItems(node.args, place);
    return (scope) => new Tuple(items(scope));
  }
  const args = compileArguments(node.args, place);
  if (callee.type === 'MemberExpression' && !callee.computed && callee.property.type === 'Identifier') {
    return compileMethodCall(callee, callee.property.value, args, place);
  }
  const target = compileExpression(callee, place);
  return (scope) => {
    const callable = target(scope);
    return invoke(scope.runtime, callable, args.positional(scope), args.keywords(scope));
  };
}

/** A call of a name, which may be a macro's, in steps; `null` for any other expression. */
export function compileCallSteps(
  node: Expression,
  place: CompileContext,
): ((scope: Scope) => Steps<Value>) | null {
  if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier') return null;
  const { value: name } = node.callee;
  if (name === rewritten.group || name === rewritten.tuple) return null;
  const target = compileName(name);
  const args = compileArguments(node.args, place);
  return (scope) => invokeSteps(scope.runtime, target(scope), args.positional(scope), args.keywords(scope));
}

function compileGroup(node: CallNode, place: CompileContext): Evaluate {
  const [inner] = node.args;
  if (inner === undefined) throw new CompileError('Expected an expression in parentheses');
  return compileExpression(inner, place);
}

function compileSlice(node: SliceNode, object: Evaluate, place: CompileContext): Evaluate {
  const part = (bound: Expression | undefined): Evaluate => {
    return bound === undefined ? () => null : compileExpression(bound, place);
  };
  const [start, stop, step] = [part(node.start), part(node.stop), part(node.step)];
  return (scope) => getSlice(scope.runtime, object(scope), start(scope), stop(scope), step(scope));
}

function compileMember(node: MemberNode, place: CompileContext): Evaluate {
  const object = compileExpression(node.object, place);
  const { property } = node;
  if (node.computed && property.type === 'SliceExpression') return compileSlice(property, object, place);
  if (!node.computed && property.type === 'Identifier') {
    const name = property.value;
    return (scope) => {
      scope.runtime.charge(1);
      return getAttribute(scope.runtime, object(scope), name);
    };
  }
  const key = compileExpression(property, place);
  return (scope) => {
    scope.runtime.charge(1);
    return getItem(scope.runtime, object(scope), key(scope));
  };
}

/** A filter or test with its arguments, applied to a value. */
export function compileFilter(
  node: Identifier | CallNode,
  place: CompileContext,
): (scope: Scope, value: Value) => Value {
  if (node.type === 'Identifier') {
    const filter = filterByName(node.value, place);
    return (scope, value) => {
      scope.runtime.charge(1);
      return filter(scope.runtime, value, [], noKeywords);
    };
  }
  if (node.callee.type !== 'Identifier') throw new CompileError('Expected the name of a filter');
  const filter = filterByName(node.callee.value, place);
  const args = compileArguments(node.args, place);
  return (scope, value) => {
    scope.runtime.charge(1);
    return filter(scope.runtime, value, args.positional(scope), args.keywords(scope));
  };
}

function compileFiltered(node: FilterNode, place: CompileContext): Evaluate {
  const operand = compileExpression(node.operand, place);
  const filter = compileFilter(node.filter, place);
  return (scope) => filter(scope, operand(scope));
}

function compileTernary(node: Ternary, place: CompileContext): Evaluate {
  const branch = { ...place, conditional: true };
  const condition = compileExpression(node.condition, branch);
  const positive = compileExpression(node.trueExpr, branch);
  const negative = compileExpression(node.falseExpr, branch);
  return (scope) => {
    scope.runtime.charge(1);
    return truthy(condition(scope)) ? positive(scope) : negative(scope);
  };
}

/** `a if b` without `else` is undefined if the condition is false. */
function compileSelect(lhs: Expression, test: Expression, place: CompileContext): Evaluate {
  const branch = { ...place, conditional: true };
  const condition = compileExpression(test, branch);
  const value = compileExpression(lhs, branch);
  const missing = new Undefined(
    'the inline if-expression evaluated to false and no else section was defined',
  );
  return (scope) => {
    scope.runtime.charge(1);
    return truthy(condition(scope)) ? value(scope) : missing;
  };
}

function compileItems(nodes: readonly Expression[], place: CompileContext): (scope: Scope) => Value[] {
  const items = nodes.map((node) => compileExpression(node, place));
  return (scope) => {
    scope.runtime.charge(1 + items.length);
    return items.map((item) => item(scope));
  };
}

function compileDict(entries: ReadonlyMap<Expression, Expression>, place: CompileContext): Evaluate {
  const pairs = Array.from(entries, ([key, value]) => {
    return [compileExpression(key, place), compileExpression(value, place)] as const;
  });
  return (scope) => {
    scope.runtime.charge(1 + pairs.length);
    const dict = new Dict();
    for (const [key, value] of pairs) dict.set(scope.runtime, key(scope), value(scope));
    return dict;
  };
}

/** Compiles one expression. Throws CompileError if Jinja would reject it. */
export function compileExpression(node: Expression, place: CompileContext): Evaluate {
  switch (node.type) {
    case 'Identifier':
      return compileName(node.value);
    case 'IntegerLiteral':
    case 'StringLiteral': {
      const { value } = node;
      return () => value;
    }
    case 'FloatLiteral': {
      const value = new Float(node.value);
      return () => value;
    }
    case 'ArrayLiteral': {
      const items = compileItems(node.value, place);
      return (scope) => new List(items(scope));
    }
    case 'TupleLiteral': {
      const items = compileItems(node.value, place);
      return (scope) => new Tuple(items(scope));
    }
    case 'ObjectLiteral':
      return compileDict(node.value, place);
    case 'CallExpression':
      return compileCall(node, place);
    case 'MemberExpression':
      return compileMember(node, place);
    case 'BinaryExpression':
      return compileBinary(node, (operand) => compileExpression(operand, place));
    case 'FilterExpression':
      return compileFiltered(node, place);
    case 'UnaryExpression':
      return compileUnary(node.operator.value, compileExpression(node.argument, place));
    case 'Ternary':
      return compileTernary(node, place);
    case 'SelectExpression':
      return compileSelect(node.lhs, node.test, place);
    default:
      throw new CompileError(`Unexpected ${node.type}`);
  }
}

function testFilter(name: string, wanted: boolean, place: CompileContext): Filter {
  if (!place.conditional && !tests.has(name)) throw new CompileError(`No test named '${name}'.`);
  return (runtime, value, args, keywords) => findTest(name)(runtime, value, args, keywords) === wanted;
}

/** The filter of a name, including tests. Throws CompileError for an unknown name that is certainly reached. */
function filterByName(name: string, place: CompileContext): Filter {
  if (name === blockNames.generation) return (_runtime, value) => value;
  const { test, negatedTest } = rewritten;
  if (name.startsWith(negatedTest)) return testFilter(name.slice(negatedTest.length), false, place);
  if (name.startsWith(test)) return testFilter(name.slice(test.length), true, place);
  if (!place.conditional && !filters.has(name)) throw new CompileError(`No filter named '${name}'.`);
  return (runtime, value, args, keywords) => findFilter(name)(runtime, value, args, keywords);
}
