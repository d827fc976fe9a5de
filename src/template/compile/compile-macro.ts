/** Macros, and the call blocks that hand a body to them. */

import { Scope } from '../values/runtime.ts';
import { str } from '../values/text.ts';
import {
  Callable,
  Dict,
  type Keywords,
  orElse,
  PythonError,
  Tuple,
  Undefined,
  type Value,
} from '../values/values.ts';
import { CompileError, compileExpression, type Evaluate, type Place } from './compile-expression.ts';
import { compileCapture, type Execute } from './compile-statement.ts';
import type { CallStatement, Expression, Macro, Node } from './tree.ts';

interface Parameter {
  readonly name: string;
  readonly otherwise: Evaluate | null;
}

interface MacroShape {
  readonly name: string;
  readonly parameters: readonly Parameter[];
  /** The body reads `varargs`, `kwargs` or `caller`, so the macro accepts them. */
  readonly accepts: { readonly varargs: boolean; readonly kwargs: boolean; readonly caller: boolean };
  readonly body: (scope: Scope) => string;
}

/** Whether a tree reads a name anywhere. */
function mentions(node: unknown, name: string): boolean {
  if (Array.isArray(node)) return node.some((item) => mentions(item, name));
  if (node instanceof Map) return mentions([...node.keys(), ...node.values()], name);
  if (typeof node !== 'object' || node === null) return false;
  if ('type' in node && node.type === 'Identifier') return 'value' in node && node.value === name;
  return Object.values(node).some((child) => mentions(child, name));
}

function compileParameter(node: Expression): Parameter {
  if (node.type === 'Identifier') return { name: node.value, otherwise: null };
  if (node.type !== 'KeywordArgumentExpression') throw new CompileError('Expected a parameter name');
  return { name: node.key.value, otherwise: compileExpression(node.value, { conditional: false }) };
}

function shapeOf(name: string, parameters: readonly Expression[], body: readonly Node[]): MacroShape {
  const accepts = {
    varargs: mentions(body, 'varargs'),
    kwargs: mentions(body, 'kwargs'),
    caller: mentions(body, 'caller'),
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
  if (accepts.kwargs) scope.names.set('kwargs', new Dict(rest));
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
  return new Callable(shape.name, (runtime, args, keywords) => {
    const { line } = runtime;
    const scope = new Scope(runtime, definition);
    bindParameters(shape, scope, args, keywords);
    const text = runtime.nested(() => shape.body(scope));
    runtime.line = line;
    return text;
  });
}

/** `{% macro %}`: defines a callable that sees the names around its definition. */
export function compileMacro(node: Macro): Execute {
  const shape = shapeOf(node.name.value, node.args, node.body);
  return (scope) => {
    scope.names.set(shape.name, makeMacro(shape, scope));
    return 'next';
  };
}

/** `{% call %}`: calls a macro, which can call the block's body as `caller()`. */
export function compileCallBlock(node: CallStatement, place: Place): Execute {
  const shape = shapeOf('caller', node.callerArgs ?? [], node.body);
  // The call is given one more argument, by a name with a space in it, which no template can write.
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
    const inner = new Scope(scope.runtime, scope);
    inner.names.set(callerName.value, makeMacro(shape, scope));
    scope.runtime.write(str(scope.runtime, call(inner)));
    return 'next';
  };
}
