/** Compiles statements of the syntax tree to functions, once per template. */

import type { Steps } from '../../language/expression/steps.ts';
import { iterate } from '../values/operators.ts';
import type { Scope } from '../values/scope.ts';
import { str } from '../values/text.ts';
import { Attributes, PythonError, truthy, type Value } from '../values/values.ts';
import { compileExpression, compileFilter } from './compile-expression.ts';
import { compileCallBlock, compileMacro } from './compile-macro.ts';
import { compileSteps, type EvaluateSteps } from './compile-steps.ts';
import { type CompileContext, CompileError, type Evaluate } from './evaluate.ts';
import type { Block, Capture, Execute, Outcome, Statement } from './execute.ts';
import { Loop } from './loop.ts';
import { rewritten } from './parse-source.ts';
import { blockNames } from './rewrite-statement.ts';
import type { CallNode, Expression, For, Identifier, Node, SetNode } from './tree.ts';

type Assign = (scope: Scope, value: Value) => void;

/** A body with its own scope. */
const ownScope: CompileContext = { conditional: false };

/** Compiles consecutive statements. */
function compileBlock(nodes: readonly Node[], place: CompileContext): Block {
  const statements = nodes.map((node, index) => {
    try {
      return compileStatement(node, place);
    } catch (error) {
      if (error instanceof CompileError && error.line === 0) error.line = lineAt(nodes, index);
      throw error;
    }
  });
  const run: Execute = (scope) => {
    for (const statement of statements) {
      const outcome = statement.run(scope);
      if (outcome !== 'next') return outcome;
    }
    return 'next';
  };
  function* steps(scope: Scope): Steps<Outcome> {
    for (const statement of statements) {
      const outcome = statement.steps === undefined ? statement.run(scope) : yield* statement.steps(scope);
      if (outcome !== 'next') return outcome;
      if (scope.runtime.isDue()) yield;
    }
    return 'next';
  }
  return { run, steps };
}

/** The line of a statement, which a comment before it tells; 0 if it begins its block. */
function lineAt(nodes: readonly Node[], index: number): number {
  for (let at = index; at >= 0; at -= 1) {
    const node = nodes[at];
    if (node?.type === 'Comment' && node.value.startsWith(rewritten.line)) return lineOf(node.value);
  }
  return 0;
}

function lineOf(comment: string): number {
  return Number(comment.slice(rewritten.line.length));
}

/** Compiles a body with its own scope whose output is captured as text. */
function compileCapture(nodes: readonly Node[]): Capture {
  const body = compileBlock(nodes, ownScope);
  return {
    run: (scope) => scope.runtime.capture(() => body.run(scope.inner())),
    steps: (scope) => scope.runtime.captureSteps(body.steps(scope.inner())),
  };
}

function write({ runtime }: Scope, value: Value): Outcome {
  runtime.write(str(runtime, value));
  return 'next';
}

function* writeInSteps(scope: Scope, value: EvaluateSteps): Steps<Outcome> {
  scope.runtime.charge(1);
  return write(scope, yield* value(scope));
}

function compileOutput(node: Expression, place: CompileContext): Statement {
  const value = compileExpression(node, place);
  const run: Execute = (scope) => {
    scope.runtime.charge(1);
    return write(scope, value(scope));
  };
  const inSteps = compileSteps(node, place);
  return inSteps === null ? { run } : { run, steps: (scope) => writeInSteps(scope, inSteps) };
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
): Statement {
  const condition = compileExpression(test, { ...place, conditional: true });
  const positive = compileBlock(body, { ...place, conditional: true });
  const negative = compileBlock(alternate, { ...place, conditional: true });
  const branch = (scope: Scope): Block => {
    scope.runtime.charge(1);
    return truthy(condition(scope)) ? positive : negative;
  };
  return { run: (scope) => branch(scope).run(scope), steps: (scope) => branch(scope).steps(scope) };
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
    node.value === null ? compileCapture(node.body).run : compileExpression(node.value, place);
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

function compileFor(node: For, place: CompileContext): Statement {
  const assign = compileTarget(node.loopvar);
  const { iterable, itemsOf, isRecursive } = compileItems(node, assign, place);
  const body = compileBlock(node.body, ownScope);
  const otherwise = compileBlock(node.defaultBlock, ownScope);
  const loopOf = (scope: Scope, items: readonly Value[], depth: number): Loop => {
    const { runtime } = scope;
    const again = (other: Value) => runtime.nested(() => runtime.capture(() => run(scope, other, depth + 1)));
    return new Loop(items, depth, isRecursive ? again : null);
  };
  const enter = (scope: Scope, loop: Loop, index: number, item: Value): Scope => {
    scope.runtime.charge(1);
    loop.index = index;
    const inner = scope.inner();
    inner.names.set('loop', loop);
    assign(inner, item);
    return inner;
  };
  const run = (scope: Scope, value: Value, depth: number): Outcome => {
    const items = itemsOf(scope, value);
    if (items.length === 0) return otherwise.run(scope.inner());
    const loop = loopOf(scope, items, depth);
    for (const [index, item] of items.entries())
      if (body.run(enter(scope, loop, index, item)) === 'break') break;
    return 'next';
  };
  function* steps(scope: Scope): Steps<Outcome> {
    const items = itemsOf(scope, iterable(scope));
    if (items.length === 0) return yield* otherwise.steps(scope.inner());
    const loop = loopOf(scope, items, 1);
    for (const [index, item] of items.entries())
      if ((yield* body.steps(enter(scope, loop, index, item))) === 'break') break;
    return 'next';
  }
  return { run: (scope) => run(scope, iterable(scope), 1), steps };
}

function compileFilterBlock(
  filter: Identifier | CallNode,
  nodes: readonly Node[],
  place: CompileContext,
): Statement {
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
  const run: Execute = (scope) => {
    scope.runtime.write(str(scope.runtime, change(scope, body.run(scope))));
    return 'next';
  };
  return { run };
}

/** Statements in a scope of their own, within the scope that `outer` chooses. */
function compileScope(nodes: readonly Node[], outer: (scope: Scope) => Scope): Statement {
  return within(nodes, (scope) => outer(scope).inner());
}

/** Statements in the scope that `enter` makes. */
function within(nodes: readonly Node[], enter: (scope: Scope) => Scope): Statement {
  const body = compileBlock(nodes, ownScope);
  return { run: (scope) => body.run(enter(scope)), steps: (scope) => body.steps(enter(scope)) };
}

/** `{% with a=1, b=a %}`: a scope of its own, whose values are those of the scope around it. */
function compileWith(args: readonly Expression[], nodes: readonly Node[], place: CompileContext): Statement {
  const values = args.map((arg) => {
    if (arg.type !== 'KeywordArgumentExpression')
      throw new CompileError('a with block takes names and values: {% with a=1, b=2 %}');
    return [arg.key.value, compileExpression(arg.value, place)] as const;
  });
  return within(nodes, (scope) => {
    scope.runtime.charge(1 + values.length);
    const inner = scope.inner();
    for (const [name, value] of values) inner.names.set(name, value(scope));
    return inner;
  });
}

/** Chat templates are rendered without escaping, so a block that turns it off changes nothing. */
function compileAutoescape(args: readonly Expression[], nodes: readonly Node[]): Statement {
  const [on] = args;
  if (on?.type !== 'Identifier' || on.value.toLowerCase() !== 'false')
    throw new CompileError('of autoescape, only {% autoescape false %} is supported: use the filter escape');
  return compileScope(nodes, (scope) => scope);
}

function compileComment(text: string): Execute {
  if (!text.startsWith(rewritten.line)) return () => 'next';
  const line = lineOf(text);
  return (scope) => {
    scope.runtime.line = line;
    return 'next';
  };
}

function compileStatement(node: Node, place: CompileContext): Statement {
  switch (node.type) {
    case 'Program':
      return compileBlock(node.body, place);
    case 'If':
      return compileIf(node.test, node.body, node.alternate, place);
    case 'For':
      return compileFor(node, place);
    case 'FilterStatement':
      return compileFilterBlock(node.filter, node.body, place);
    case 'Comment':
      return { run: compileComment(node.value) };
    case 'StringLiteral':
      return { run: compileText(node.value) };
    case 'Set':
      return { run: compileSet(node, place) };
    case 'Macro':
      return { run: compileMacro(node, compileCapture) };
    case 'CallStatement':
      return { run: compileCallBlock(node, place, compileCapture) };
    case 'Break':
      return { run: () => 'break' };
    case 'Continue':
      return { run: () => 'continue' };
    default:
      return compileOutput(node, place);
  }
}

/** Compiles a whole template. Throws CompileError if Jinja would reject it. */
export function compileTemplate(nodes: readonly Node[]): Block {
  return compileBlock(nodes, { conditional: false });
}
