/** Compiles statements of the syntax tree to functions, once per template. */

import { iterate } from '../values/operators.ts';
import type { Scope } from '../values/scope.ts';
import { str } from '../values/text.ts';
import { Attributes, PythonError, truthy, type Value } from '../values/values.ts';
import { compileExpression, compileFilter } from './compile-expression.ts';
import { compileCallBlock, compileMacro } from './compile-macro.ts';
import { type CompileContext, CompileError, type Evaluate } from './evaluate.ts';
import type { Capture, Execute, Outcome } from './execute.ts';
import { Loop } from './loop.ts';
import { rewritten } from './parse-source.ts';
import { blockNames } from './rewrite-statement.ts';
import type { CallNode, Expression, For, Identifier, Node, SetNode } from './tree.ts';

type Assign = (scope: Scope, value: Value) => void;

/** A body with its own scope. */
const ownScope: CompileContext = { conditional: false };

/** Compiles consecutive statements. */
function compileBlock(nodes: readonly Node[], place: CompileContext): Execute {
  const steps = nodes.map((node) => compileStatement(node, place));
  return (scope) => {
    for (const step of steps) {
      const outcome = step(scope);
      if (outcome !== 'next') return outcome;
    }
    return 'next';
  };
}

/** Compiles a body with its own scope whose output is captured as text. */
function compileCapture(nodes: readonly Node[]): Capture {
  const body = compileBlock(nodes, ownScope);
  return (scope) => scope.runtime.capture(() => body(scope.inner()));
}

function compileOutput(node: Expression, place: CompileContext): Execute {
  const value = compileExpression(node, place);
  return (scope) => {
    scope.runtime.charge(1);
    scope.runtime.write(str(scope.runtime, value(scope)));
    return 'next';
  };
}

function compileText(text: string): Execute {
  return (scope) => {
    scope.runtime.charge(1);
    scope.runtime.write(text);
    return 'next';
  };
}

function compileIf(
  test: Expression,
  body: readonly Node[],
  alternate: readonly Node[],
  place: CompileContext,
): Execute {
  const condition = compileExpression(test, { ...place, conditional: true });
  const positive = compileBlock(body, { ...place, conditional: true });
  const negative = compileBlock(alternate, { ...place, conditional: true });
  return (scope) => {
    scope.runtime.charge(1);
    return truthy(condition(scope)) ? positive(scope) : negative(scope);
  };
}

function compileUnpacking(targets: readonly Expression[]): Assign {
  const assigns = targets.map((target) => compileTarget(target));
  return (scope, value) => {
    const items = iterate(scope.runtime, value);
    if (items.length !== assigns.length) {
      const found = items.length < assigns.length ? 'not enough' : 'too many';
      throw new PythonError('ValueError', `${found} values to unpack (expected ${assigns.length})`);
    }
    assigns.forEach((assign, index) => {
      assign(scope, items[index] ?? null);
    });
  };
}

/** The target left of `=`, or after `for`. */
function compileTarget(target: Expression): Assign {
  if (target.type === 'Identifier') {
    const name = target.value;
    return (scope, value) => {
      scope.names.set(name, value);
    };
  }
  if (target.type === 'TupleLiteral') return compileUnpacking(target.value);
  if (target.type === 'CallExpression' && target.callee.type === 'Identifier') {
    if (target.callee.value === rewritten.tuple) return compileUnpacking(target.args);
    if (target.callee.value === rewritten.group && target.args[0] !== undefined)
      return compileTarget(target.args[0]);
  }
  if (target.type !== 'MemberExpression' || target.computed || target.property.type !== 'Identifier') {
    throw new CompileError(`cannot assign to ${target.type}`);
  }
  const object = compileExpression(target.object, ownScope);
  const name = target.property.value;
  return (scope, value) => {
    const container = object(scope);
    if (!(container instanceof Attributes && container.assignable)) {
      throw new PythonError('TemplateRuntimeError', 'cannot assign attribute on non-namespace object');
    }
    container.values.set(name, value);
  };
}

/** `{% set x | upper %}…{% endset %}`: the target, and the filters for the block's text. */
function splitFilteredTarget(assignee: Expression): {
  target: Expression;
  filters: (Identifier | CallNode)[];
} {
  const filters: (Identifier | CallNode)[] = [];
  let target = assignee;
  while (target.type === 'FilterExpression') {
    filters.unshift(target.filter);
    target = target.operand;
  }
  return { target, filters };
}

function compileSet(node: SetNode, place: CompileContext): Execute {
  const { target, filters } = splitFilteredTarget(node.assignee);
  const assign = compileTarget(target);
  const value: Evaluate =
    node.value === null ? compileCapture(node.body) : compileExpression(node.value, place);
  const changes = filters.map((filter) => compileFilter(filter, place));
  return (scope) => {
    scope.runtime.charge(1);
    assign(
      scope,
      changes.reduce((current, change) => change(scope, current), value(scope)),
    );
    return 'next';
  };
}

/** What a loop goes through. */
interface LoopItems {
  readonly iterable: Evaluate;
  /** The items of a value that the loop's condition keeps. */
  readonly itemsOf: (scope: Scope, value: Value) => readonly Value[];
  /** Whether `loop(…)` runs the loop's body for other items. */
  readonly isRecursive: boolean;
}

function compileItems(node: For, assign: Assign, place: CompileContext): LoopItems {
  const { iterable: given } = node;
  const [source, test] = given.type === 'SelectExpression' ? [given.lhs, given.test] : [given, null];
  const inner = recursiveItems(source);
  const iterable = compileExpression(inner ?? source, place);
  const isRecursive = inner !== null;
  if (test === null)
    return { iterable, isRecursive, itemsOf: (scope, value) => iterate(scope.runtime, value) };
  const condition = compileExpression(test, ownScope);
  const itemsOf = (scope: Scope, value: Value) =>
    iterate(scope.runtime, value).filter((item) => {
      const own = scope.inner();
      assign(own, item);
      return truthy(condition(own));
    });
  return { iterable, isRecursive, itemsOf };
}

/** The items of a loop that was marked as recursive; `null` for any other. */
function recursiveItems(source: Expression): Expression | null {
  if (source.type !== 'CallExpression' || source.callee.type !== 'Identifier') return null;
  return source.callee.value === blockNames.recursive ? (source.args[0] ?? null) : null;
}

function compileFor(node: For, place: CompileContext): Execute {
  const assign = compileTarget(node.loopvar);
  const { iterable, itemsOf, isRecursive } = compileItems(node, assign, place);
  const body = compileBlock(node.body, ownScope);
  const otherwise = compileBlock(node.defaultBlock, ownScope);
  const run = (scope: Scope, value: Value, depth: number): Outcome => {
    const { runtime } = scope;
    const items = itemsOf(scope, value);
    if (items.length === 0) return otherwise(scope.inner());
    const again = (other: Value) => runtime.nested(() => runtime.capture(() => run(scope, other, depth + 1)));
    const loop = new Loop(items, depth, isRecursive ? again : null);
    for (const [index, item] of items.entries()) {
      runtime.charge(1);
      loop.index = index;
      const inner = scope.inner();
      inner.names.set('loop', loop);
      assign(inner, item);
      if (body(inner) === 'break') break;
    }
    return 'next';
  };
  return (scope) => run(scope, iterable(scope), 1);
}

function compileFilterBlock(
  filter: Identifier | CallNode,
  nodes: readonly Node[],
  place: CompileContext,
): Execute {
  const args = filter.type === 'Identifier' ? [] : filter.args;
  const name = filter.type === 'Identifier' ? filter : filter.callee;
  switch (name.type === 'Identifier' ? name.value : '') {
    case blockNames.with:
      return compileWith(args, nodes, place);
    case blockNames.autoescape:
      return compileAutoescape(args, nodes);
    case blockNames.block:
      return compileScope(nodes, ({ outermost }) => outermost);
    case blockNames.scopedBlock:
      return compileScope(nodes, (scope) => scope);
  }
  const body = compileCapture(nodes);
  const change = compileFilter(filter, place);
  return (scope) => {
    scope.runtime.write(str(scope.runtime, change(scope, body(scope))));
    return 'next';
  };
}

/** Statements in a scope of their own, within the scope that `outer` chooses. */
function compileScope(nodes: readonly Node[], outer: (scope: Scope) => Scope): Execute {
  const body = compileBlock(nodes, ownScope);
  return (scope) => body(outer(scope).inner());
}

/** `{% with a=1, b=a %}`: a scope of its own, whose values are those of the scope around it. */
function compileWith(args: readonly Expression[], nodes: readonly Node[], place: CompileContext): Execute {
  const values = args.map((arg) => {
    if (arg.type !== 'KeywordArgumentExpression')
      throw new CompileError('a with block takes names and values: {% with a=1, b=2 %}');
    return [arg.key.value, compileExpression(arg.value, place)] as const;
  });
  const body = compileBlock(nodes, ownScope);
  return (scope) => {
    scope.runtime.charge(1 + values.length);
    const inner = scope.inner();
    for (const [name, value] of values) inner.names.set(name, value(scope));
    return body(inner);
  };
}

/** Chat templates are rendered without escaping, so a block that turns it off changes nothing. */
function compileAutoescape(args: readonly Expression[], nodes: readonly Node[]): Execute {
  const [on] = args;
  if (on?.type !== 'Identifier' || on.value.toLowerCase() !== 'false')
    throw new CompileError('of autoescape, only {% autoescape false %} is supported: use the filter escape');
  return compileScope(nodes, (scope) => scope);
}

function compileComment(text: string): Execute {
  if (!text.startsWith(rewritten.line)) return () => 'next';
  const line = Number(text.slice(rewritten.line.length));
  return (scope) => {
    scope.runtime.line = line;
    return 'next';
  };
}

function compileStatement(node: Node, place: CompileContext): Execute {
  switch (node.type) {
    case 'Program':
      return compileBlock(node.body, place);
    case 'Comment':
      return compileComment(node.value);
    case 'StringLiteral':
      return compileText(node.value);
    case 'If':
      return compileIf(node.test, node.body, node.alternate, place);
    case 'For':
      return compileFor(node, place);
    case 'Set':
      return compileSet(node, place);
    case 'Macro':
      return compileMacro(node, compileCapture);
    case 'CallStatement':
      return compileCallBlock(node, place, compileCapture);
    case 'FilterStatement':
      return compileFilterBlock(node.filter, node.body, place);
    case 'Break':
      return () => 'break';
    case 'Continue':
      return () => 'continue';
    default:
      return compileOutput(node, place);
  }
}

/** Compiles a whole template. Throws CompileError if Jinja would reject it. */
export function compileTemplate(nodes: readonly Node[]): Execute {
  return compileBlock(nodes, { conditional: false });
}
