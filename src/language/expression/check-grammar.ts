/**
 * Checks a grammar before the first token is sampled.
 *
 * Two linear checks exclude dead ends: every rule is productive, and every class has a character.
 */
import { GrammarError } from '../../format/errors.ts';
import { type Expression, type Grammar, unreachable } from './expression.ts';
import { findAmbiguities, reachableRules } from './first-sets.ts';
import { children } from './references.ts';
import {
  isNullable,
  isProductive,
  leftmostRules,
  nullableRules,
  productiveRules,
  type RuleGraph,
  type RuleReferences,
  ruleGraph,
  rulesOnCycles,
} from './rule-facts.ts';
import { finish, type Steps } from './steps.ts';

/** Severity of each kind of finding. */
const severities = {
  /** No engine can build it. */
  'undefined-rule': 'unbuildable',
  'left-recursion': 'unbuildable',
  'invalid-repetition': 'unbuildable',
  'invalid-until': 'unbuildable',
  /** llama.cpp rejects it as left recursion; the matcher can run it. */
  'nullable-repetition': 'unbuildable',
  /** Builds, but can reach a state with no way out. */
  'unproductive-rule': 'dead-end',
  'empty-class': 'dead-end',
  'nul-character': 'dead-end',
  /** PEG and context-free readings may differ, and engines slow down. */
  'ambiguous-choice': 'ambiguous',
  'ambiguous-repetition': 'ambiguous',
  'ambiguous-end': 'ambiguous',
  /** Harmless. */
  'unused-rule': 'unused',
} as const;

/** Kinds of findings. */
export type GrammarFindingKind = keyof typeof severities;
/**
 * `unbuildable`: no engine builds it. `dead-end`: can get stuck. `ambiguous`: has several readings. `unused`:
 * harmless.
 */
export type GrammarSeverity = (typeof severities)[GrammarFindingKind];

/** One problem of a grammar. */
export interface GrammarFinding {
  readonly kind: GrammarFindingKind;
  readonly severity: GrammarSeverity;
  /** Name of the offending rule. */
  readonly rule: string;
  readonly reason: string;
}

/**
 * All problems of `grammar`, worst first. Ambiguity is checked only if the grammar is buildable; `ambiguity: false`
 * skips that check.
 */
export function checkGrammar(
  grammar: Grammar,
  options: { readonly ambiguity?: boolean } = {},
): readonly GrammarFinding[] {
  return finish(checkGrammarSteps(grammar, options));
}

/** `checkGrammar` in steps. */
export function* checkGrammarSteps(
  grammar: Grammar,
  options: { readonly ambiguity?: boolean } = {},
): Steps<readonly GrammarFinding[]> {
  const graph = ruleGraph(grammar.rules);
  yield;
  const unbuildable = yield* findUnbuildableSteps(grammar, () => graph);
  yield;
  const productive = productiveRules(grammar.rules, graph);
  yield;
  const found = [
    ...unbuildable,
    ...findUnproductive(grammar, productive),
    ...findUnused(grammar, graph.references),
  ];
  const buildable = found.every(({ severity }) => severity !== 'unbuildable');
  if (!buildable || options.ambiguity === false) return bySeverity(found);
  const ambiguities = findAmbiguities(grammar).map((each) => finding(each.kind, each.rule, each.reason));
  return bySeverity([...found, ...ambiguities]);
}

/** What has been found so far: a request's grammar is checked when it is built, and again by its matcher. */
const unbuildable = new WeakMap<Grammar, readonly GrammarFinding[]>();

/** Says of a grammar that how it was made keeps it buildable, so that no matcher looks. */
export function assumeBuildable(grammar: Grammar): void {
  unbuildable.set(grammar, []);
}

/** What keeps a grammar from being built, among other findings: all that a matcher asks. */
export function findUnbuildable(
  grammar: Grammar,
  graph: () => RuleGraph = () => ruleGraph(grammar.rules),
): readonly GrammarFinding[] {
  return finish(findUnbuildableSteps(grammar, graph));
}

function* findUnbuildableSteps(grammar: Grammar, graph: () => RuleGraph): Steps<readonly GrammarFinding[]> {
  const known = unbuildable.get(grammar);
  if (known !== undefined) return known;
  const made = graph();
  const nullable = nullableRules(grammar.rules, made);
  const found = findUndefined(grammar, made.references);
  yield;
  for (const each of findInvalid(grammar, nullable)) found.push(each);
  yield;
  for (const each of findLeftRecursion(grammar, nullable)) found.push(each);
  unbuildable.set(grammar, found);
  return found;
}

const order: readonly GrammarSeverity[] = ['unbuildable', 'dead-end', 'ambiguous', 'unused'];

function bySeverity(findings: readonly GrammarFinding[]): readonly GrammarFinding[] {
  return [...findings].sort((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity));
}

/** Whether a finding makes a grammar unfit for sampling: it cannot be built, or has a dead end. */
function isFatal({ severity }: GrammarFinding): boolean {
  return severity === 'unbuildable' || severity === 'dead-end';
}

/**
 * Rejects a grammar because of its findings.
 *
 * @throws GrammarError for the first finding that satisfies `refuses`; by default, for the first fatal one.
 */
export function refuseFindings(
  findings: readonly GrammarFinding[],
  refuses: (finding: GrammarFinding) => boolean = isFatal,
): void {
  const first = findings.find(refuses);
  if (first !== undefined) throw new GrammarError({ rule: first.rule, reason: first.reason });
}

function finding(kind: GrammarFindingKind, rule: string, reason: string): GrammarFinding {
  return { kind, severity: severities[kind], rule, reason };
}

function findUndefined({ root, rules }: Grammar, references: RuleReferences): GrammarFinding[] {
  const found: GrammarFinding[] = [];
  if (!rules.has(root)) found.push(finding('undefined-rule', root, 'the start rule is not defined'));
  for (const [rule, names] of references) {
    for (const name of names) {
      if (rules.has(name)) continue;
      found.push(finding('undefined-rule', rule, `refers to ${name}, which is not defined`));
    }
  }
  return found;
}

function findUnused({ root, rules }: Grammar, references: RuleReferences): GrammarFinding[] {
  const reached = reachableRules(references, root);
  return [...rules.keys()]
    .filter((name) => !reached.has(name))
    .map((name) => finding('unused-rule', name, 'is not used'));
}

function findLeftRecursion({ rules }: Grammar, nullable: ReadonlySet<string>): GrammarFinding[] {
  const edges = new Map([...rules].map(([name, body]) => [name, leftmostRules(body, nullable)]));
  return Array.from(rulesOnCycles(edges), (name) =>
    finding('left-recursion', name, 'comes back to itself before any character'),
  );
}

/** Even in a productive rule, an unproductive part is a dead end. */
function findUnproductive({ rules }: Grammar, productive: ReadonlySet<string>): GrammarFinding[] {
  const found: GrammarFinding[] = [];
  for (const [rule, body] of rules) {
    if (!productive.has(rule)) found.push(finding('unproductive-rule', rule, 'matches no text at all'));
    else if (!allProductive(body, productive))
      found.push(finding('unproductive-rule', rule, 'has a part that matches no text'));
  }
  return found;
}

/** Whether every leaf of `expression` is productive. */
function allProductive(expression: Expression, productive: ReadonlySet<string>): boolean {
  const inner = children(expression);
  if (inner.length === 0) return isProductive(expression, productive);
  return inner.every((each) => allProductive(each, productive));
}

function findInvalid({ rules }: Grammar, nullable: ReadonlySet<string>): GrammarFinding[] {
  const found: GrammarFinding[] = [];
  for (const [rule, body] of rules) {
    findInvalidParts(body, nullable, (kind, reason) => found.push(finding(kind, rule, reason)));
  }
  return found;
}

function findInvalidParts(
  expression: Expression,
  nullable: ReadonlySet<string>,
  report: (kind: GrammarFindingKind, reason: string) => void,
): void {
  switch (expression.type) {
    case 'literal':
      if (expression.text.includes('\0'))
        report('nul-character', 'a literal contains NUL, which no sampler produces');
      return;
    case 'class':
      if (expression.ranges.length === 0) report('empty-class', 'a class has no character');
      return;
    case 'rule':
      return;
    case 'repeat': {
      const { item, min, max } = expression;
      if (!validCount(min, max)) report('invalid-repetition', `repeats from ${min} to ${max} times`);
      if (isNullable(item, nullable)) report('nullable-repetition', 'repeats something that can be empty');
      break;
    }
    case 'until':
      for (const reason of invalidDelimiters(expression.branches.map(({ delimiter }) => delimiter)))
        report('invalid-until', reason);
      break;
    case 'sequence':
    case 'choice':
      break;
    default:
      unreachable(expression);
  }
  for (const child of children(expression)) findInvalidParts(child, nullable, report);
}

function validCount(min: number, max: number | null): boolean {
  return Number.isSafeInteger(min) && min >= 0 && (max === null || (Number.isSafeInteger(max) && max >= min));
}

function invalidDelimiters(delimiters: readonly string[]): string[] {
  if (delimiters.includes('')) return ['text goes up to an empty delimiter'];
  if (delimiters.some((each) => each.includes('\0'))) return ['a delimiter holds NUL'];
  return delimiters.flatMap((outer, index) =>
    delimiters
      .filter((inner, other) => other !== index && (outer === inner || outer.slice(0, -1).includes(inner)))
      .map((inner) => `delimiter ${JSON.stringify(outer)} contains ${JSON.stringify(inner)}`),
  );
}
