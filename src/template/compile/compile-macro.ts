/** Compiles macros, and call blocks that pass them a body. */

import { memoize } from '../../format/memoize.ts';
import { keywordEntries } from '../values/arguments.ts';
import type { Scope } from '../values/scope.ts';
import { str } from '../values/text.ts';
import {
  type Call,
  Callable,
  type CallSteps,
  Dict,
  type Keywords,
  orElse,
  PythonError,
  Tuple,
  Undefined,
  type Value,
} from '../values/values.ts';
import { compileExpression } from './compile-expression.ts';
import { type CompileContext, CompileError, type Evaluate } from './evaluate.ts';
import type { Capture, CompileCapture, Execute } from './execute.ts';
import type { CallStatement, Expression, Macro, Node } from './tree.ts';

interface Parameter {
  readonly name: string;
  readonly otherwise: Evaluate | null;
}

interface MacroShape {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  /** Whether the body reads `varargs`, `kwargs` or `caller`, so that the macro accepts them. */
  readonly accepts: { readonly varargs: boolean; readonly kwargs: boolean; readonly caller: boolean };
  readonly body: Capture;
}

/** Names that a macro accepts only if its body reads them. */
const extraNames = ['varargs', 'kwargs', 'caller'] as const;
type ExtraName = (typeof extraNames)[number];

/** Which of the extra names occur anywhere in a tree. Each node is visited once, however deeply macros nest. */
const mentionsOf = memoize((node: object): ReadonlySet<ExtraName> => {
  const found = new Set<ExtraName>();
  if ('type' in node && node.type === 'Identifier') {
    for (const name of extraNames) if ('value' in node && node.value === name) found.add(name);
  } else {
    const children = node instanceof Map ? [...node.keys(), ...node.values()] : Object.values(node);
    for (const child of children.filter((each) => typeof each === 'object' && each !== null))
      for (const name of mentionsOf(child)) found.add(name);
  }
  return found;
});

function compileParameter(node: Expression): Parameter {
  if (node.type === 'Identifier') return { name: node.value, otherwise: null };
  if (node.type !== 'KeywordArgumentExpression') throw new CompileError('Expected a parameter name');
  return { name: node.key.value, otherwise: compileExpression(node.value, { conditional: false }) };
}

function shapeOf(
  name: string,
  parameters: readonly Expression[],
  body: readonly Node[],
  compileCapture: CompileCapture,
): MacroShape {
  const mentioned = mentionsOf(body);
  const accepts = {
    varargs: mentioned.has('varargs'),
    kwargs: mentioned.has('kwargs'),
    caller: mentioned.has('caller'),
  };
  return { name, parameters: parameters.map(compileParameter), accepts, body: compileCapture(body) };
}

function bindExtras(shape: MacroShape, scope: Scope, args: readonly Value[], rest: Map<string, Value>): void {
  const { accepts, name, parameters } = shape;
  if (accepts.caller) {
    scope.names.set('caller', orElse(rest.get('caller'), new Undefined('No caller defined')));
    rest.delete('caller');
  }
  const [unknown] = rest.keys();
  if (accepts.kwargs) scope.names.set('kwargs', new Dict(keywordEntries(scope.runtime, rest)));
  else if (unknown !== undefined) {
    throw new PythonError('TypeError', `macro '${name}' takes no keyword argument '${unknown}'`);
  }
  if (accepts.varargs) scope.names.set('varargs', new Tuple(args.slice(parameters.length)));
  else if (args.length > parameters.length) {
    throw new PythonError(
      'TypeError',
      `macro '${name}' takes not more than ${parameters.length} argument(s)`,
    );
  }
}

function bindParameters(shape: MacroShape, scope: Scope, args: readonly Value[], keywords: Keywords): void {
  scope.runtime.charge(1 + shape.parameters.length + keywords.size);
  const rest = new Map(keywords);
  const pending: (() => void)[] = [];
  shape.parameters.forEach(({ name, otherwise }, index) => {
    const given = args[index] === undefined ? rest.get(name) : args[index];
    if (args[index] === undefined) rest.delete(name);
    scope.names.set(name, orElse(given, new Undefined(`parameter '${name}' was not provided`)));
    if (given === undefined && otherwise !== null)
      pending.push(() => scope.names.set(name, otherwise(scope)));
  });
  bindExtras(shape, scope, args, rest);
  for (const fill of pending) fill();
}

function makeMacro(shape: MacroShape, definition: Scope): Callable {
  const enter = (args: readonly Value[], keywords: Keywords): Scope => {
    const scope = definition.inner();
    bindParameters(shape, scope, args, keywords);
    return scope;
  };
  const call: Call = (runtime, args, keywords) => {
    const { line } = runtime;
    const scope = enter(args, keywords);
    const text = runtime.nested(() => shape.body.run(scope));
    runtime.line = line;
    return text;
  };
  const steps: CallSteps = function* (runtime, args, keywords) {
    const { line } = runtime;
    const text = yield* runtime.nestedSteps(shape.body.steps(enter(args, keywords)));
    runtime.line = line;
    return text;
  };
  return new Callable(shape.name, call, steps);
}

/** `{% macro %}`: defines a callable that sees the variables around its definition. */
export function compileMacro(node: Macro, compileCapture: CompileCapture): Execute {
  const shape = shapeOf(node.name.value, node.args, node.body, compileCapture);
  return (scope) => {
    scope.names.set(shape.name, makeMacro(shape, scope));
    return 'next';
  };
}

/** `{% call %}`: calls a macro, which can call the block's body as `caller()`. */
export function compileCallBlock(
  node: CallStatement,
  place: CompileContext,
  compileCapture: CompileCapture,
): Execute {
  const shape = shapeOf('caller', node.callerArgs ?? [], node.body, compileCapture);
  // The call has one more argument, whose name contains a space, so no template can write it.
  const callerName = { type: 'Identifier', value: 'a caller' } as const;
  const keyword = {
    type: 'KeywordArgumentExpression',
    key: { type: 'Identifier', value: 'caller' },
    value: callerName,
  } as const;
  const call = compileExpression(
    { ...node.call, type: 'CallExpression', args: [...node.call.args, keyword] },
    place,
  );
  return (scope) => {
    const inner = scope.inner();
    inner.names.set(callerName.value, makeMacro(shape, scope));
    scope.runtime.write(str(scope.runtime, call(inner)));
    return 'next';
  };
}
