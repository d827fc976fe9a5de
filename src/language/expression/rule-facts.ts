/** Nullable rules, productive rules, and the graph of references between rules. */
import { addToGroup } from '../../format/groups.ts';
import { type Expression, unreachable } from './expression.ts';
import { eachOnce, referredRules } from './references.ts';

/** For each rule, the rules that its body refers to. */
export type RuleReferences = ReadonlyMap<string, readonly string[]>;

function ruleReferences(rules: ReadonlyMap<string, Expression>): RuleReferences {
  const references = new Map<string, readonly string[]>();
  for (const [name, body] of rules) references.set(name, referredRules(body));
  return references;
}

/** References between rules, in both directions. */
export interface RuleGraph {
  readonly references: RuleReferences;
  /** For each rule, the rules whose bodies refer to it. */
  readonly users: RuleReferences;
}

/** Builds the reference graph of `rules`. */
export function ruleGraph(rules: ReadonlyMap<string, Expression>): RuleGraph {
  const references = ruleReferences(rules);
  return { references, users: ruleUsers(references) };
}

function ruleUsers(references: RuleReferences): RuleReferences {
  const users = new Map<string, string[]>();
  for (const [name, used] of references) {
    for (const each of used) addToGroup(users, each, name);
  }
  return users;
}

/** Rules that can match the empty text. */
export function nullableRules(
  rules: ReadonlyMap<string, Expression>,
  graph: RuleGraph = ruleGraph(rules),
): ReadonlySet<string> {
  return leastFixpoint(rules, graph, isNullable);
}

/** Rules that match at least one text. */
export function productiveRules(
  rules: ReadonlyMap<string, Expression>,
  graph: RuleGraph = ruleGraph(rules),
): ReadonlySet<string> {
  return leastFixpoint(rules, graph, isProductive);
}

/** Whether `expression` can match the empty text, given the nullable rules. */
export function isNullable(expression: Expression, nullable: ReadonlySet<string>): boolean {
  switch (expression.type) {
    case 'literal':
      return expression.text === '';
    case 'class':
      return false;
    case 'sequence':
      return expression.items.every((item) => isNullable(item, nullable));
    case 'choice':
      return expression.alternatives.some((each) => isNullable(each, nullable));
    case 'repeat':
      return expression.min === 0 || isNullable(expression.item, nullable);
    case 'until':
      return expression.mayEnd;
    case 'rule':
      return nullable.has(expression.name);
    default:
      return unreachable(expression);
  }
}

/** Whether `expression` can match some text, given the productive rules. */
export function isProductive(expression: Expression, productive: ReadonlySet<string>): boolean {
  switch (expression.type) {
    case 'literal':
      return true;
    case 'class':
      return expression.ranges.length > 0;
    case 'sequence':
      return expression.items.every((item) => isProductive(item, productive));
    case 'choice':
      return expression.alternatives.some((each) => isProductive(each, productive));
    case 'repeat':
      return expression.min === 0 || isProductive(expression.item, productive);
    case 'until':
      return (
        expression.mayEnd ||
        expression.branches.some(({ next }) => next !== null && isProductive(next, productive))
      );
    case 'rule':
      return productive.has(expression.name);
    default:
      return unreachable(expression);
  }
}

/**
 * The least set of rules such that `holds(body, set)` for each member. A rule is revisited when a rule that it uses
 * joins.
 */
export function leastFixpoint(
  rules: ReadonlyMap<string, Expression>,
  { users }: RuleGraph,
  holds: (body: Expression, known: ReadonlySet<string>) => boolean,
): ReadonlySet<string> {
  const known = new Set<string>();
  const pending = [...rules.keys()];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const body = rules.get(name);
    if (body === undefined || known.has(name) || !holds(body, known)) continue;
    known.add(name);
    // Not `push(...users)`: a rule may have more users than a call can have arguments.
    for (const user of users.get(name) ?? []) if (!known.has(user)) pending.push(user);
  }
  return known;
}

/** Rules that `expression` may enter before it consumes a character. */
export function leftmostRules(expression: Expression, nullable: ReadonlySet<string>): readonly string[] {
  const names: string[] = [];
  collectLeftmost(expression, nullable, names);
  return eachOnce(names);
}

function collectLeftmost(each: Expression, nullable: ReadonlySet<string>, names: string[]): void {
  if (each.type === 'rule') names.push(each.name);
  else if (each.type === 'repeat') collectLeftmost(each.item, nullable, names);
  else if (each.type === 'choice') {
    for (const alternative of each.alternatives) collectLeftmost(alternative, nullable, names);
  } else if (each.type === 'sequence') {
    for (const item of each.items) {
      collectLeftmost(item, nullable, names);
      if (!isNullable(item, nullable)) break;
    }
  }
}

/** Rules on cycles of `edges`: at least one for each strongly connected component, enough to reject it. */
export function rulesOnCycles(edges: RuleReferences): ReadonlySet<string> {
  const state = new Map<string, 'open' | 'done'>();
  const cyclic = new Set<string>();
  for (const start of edges.keys()) {
    if (!state.has(start)) findCycles(start, edges, state, cyclic);
  }
  return cyclic;
}

function findCycles(
  start: string,
  edges: RuleReferences,
  state: Map<string, 'open' | 'done'>,
  cyclic: Set<string>,
): void {
  const path: { readonly name: string; readonly rest: Iterator<string> }[] = [];
  const enter = (name: string): void => {
    state.set(name, 'open');
    path.push({ name, rest: (edges.get(name) ?? []).values() });
  };
  enter(start);
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const { value: next, done } = top.rest.next();
    if (done === true) {
      state.set(top.name, 'done');
      path.pop();
    } else if (state.get(next) === 'open') {
      const from = path.findIndex(({ name }) => name === next);
      for (const { name } of path.slice(from)) cyclic.add(name);
    } else if (!state.has(next)) {
      enter(next);
    }
  }
}
