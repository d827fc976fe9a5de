/**
 * What is wrong with a grammar, found before the first token.
 *
 * Two linear checks exclude dead ends: every rule can produce some text, and every class has a character.
 */
import { GrammarError } from '../errors.ts';
import { type Expression, type Grammar, unreachable } from './expression.ts';
import { findAmbiguities, reachableRules } from './first-sets.ts';
import { children, referredRules } from './references.ts';
import {
  isNullable,
  isProductive,
  leftmostRules,
  nullableRules,
  productiveRules,
  rulesOnCycles,
} from './rule-facts.ts';

/** How bad each finding is. */
const severities = {
  /** No engine can run it. */
  'undefined-rule': 'unbuildable',
  'left-recursion': 'unbuildable',
  'invalid-repetition': 'unbuildable',
  'invalid-until': 'unbuildable',
  /** llama.cpp takes it for left recursion; the matcher can run it. */
  'nullable-repetition': 'unbuildable',
  /** It runs, and may come to a place that nothing leads out of. */
  'unproductive-rule': 'dead-end',
  'empty-class': 'dead-end',
  'nul-character': 'dead-end',
  /** A PEG and a context-free reading may differ, and engines get slow. */
  'ambiguous-choice': 'ambiguous',
  'ambiguous-repetition': 'ambiguous',
  'ambiguous-end': 'ambiguous',
  /** Harmless. */
  'unused-rule': 'unused',
} as const;

export type GrammarFindingKind = keyof typeof severities;
export type GrammarSeverity = (typeof severities)[GrammarFindingKind];

/** One thing that is wrong. */
export interface GrammarFinding {
  readonly kind: GrammarFindingKind;
  readonly severity: GrammarSeverity;
  /** Name of the rule at fault. */
  readonly rule: string;
  readonly reason: string;
}

/**
 * Everything that is wrong with `grammar`, worst first. Whether the next character always decides is
 * looked at only in a grammar that could be built; `ambiguity: false` leaves it out.
 */
export function checkGrammar(
  grammar: Grammar,
  options: { readonly ambiguity?: boolean } = {},
): readonly GrammarFinding[] {
  const nullable = nullableRules(grammar.rules);
  const found = [
    ...findUndefined(grammar),
    ...findInvalid(grammar),
    ...findLeftRecursion(grammar, nullable),
    ...findUnproductive(grammar),
    ...findNullableRepetition(grammar, nullable),
    ...findUnused(grammar),
  ];
  const buildable = found.every(({ severity }) => severity !== 'unbuildable');
  if (!buildable || options.ambiguity === false) return worstFirst(found);
  const ambiguities = findAmbiguities(grammar).map((each) => finding(each.kind, each.rule, each.reason));
  return worstFirst([...found, ...ambiguities]);
}

const order: readonly GrammarSeverity[] = ['unbuildable', 'dead-end', 'ambiguous', 'unused'];

function worstFirst(findings: readonly GrammarFinding[]): readonly GrammarFinding[] {
  return [...findings].sort((a, b) => order.indexOf(a.severity) - order.indexOf(b.severity));
}

/** What a sampler must not be given: it cannot be built, or may come to a dead end. */
export function isFatal({ severity }: GrammarFinding): boolean {
  return severity === 'unbuildable' || severity === 'dead-end';
}

/** @throws GrammarError for the first finding that `refuses` names, fatal ones by default. */
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

function findUndefined({ root, rules }: Grammar): GrammarFinding[] {
  const missing = (name: string, rule: string): GrammarFinding[] =>
    rules.has(name) ? [] : [finding('undefined-rule', rule, `refers to ${name}, which is not defined`)];
  return [
    ...(rules.has(root) ? [] : [finding('undefined-rule', root, 'the start rule is not defined')]),
    ...[...rules].flatMap(([rule, body]) => [...referredRules(body)].flatMap((name) => missing(name, rule))),
  ];
}

function findUnused({ root, rules }: Grammar): GrammarFinding[] {
  const reached = reachableRules(rules, root);
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

/** Also a part of a rule that as a whole is productive leads into a dead end. */
function findUnproductive({ rules }: Grammar): GrammarFinding[] {
  const productive = productiveRules(rules);
  const found = eachExpression(rules, (expression, rule) =>
    isProductive(expression, productive)
      ? []
      : [
          finding(
            'unproductive-rule',
            rule,
            productive.has(rule) ? 'has a part that matches no text' : 'matches no text at all',
          ),
        ],
  );
  // Once for each rule, whose body comes before its parts.
  const firsts = new Map([...found].reverse().map((each) => [each.rule, each]));
  return found.filter((each) => firsts.get(each.rule) === each);
}

function findNullableRepetition({ rules }: Grammar, nullable: ReadonlySet<string>): GrammarFinding[] {
  return eachExpression(rules, (expression, rule) =>
    expression.type === 'repeat' && isNullable(expression.item, nullable)
      ? [finding('nullable-repetition', rule, 'repeats something that can be empty')]
      : [],
  );
}

function findInvalid({ rules }: Grammar): GrammarFinding[] {
  return eachExpression(rules, (expression, rule) => {
    switch (expression.type) {
      case 'literal':
        return expression.text.includes('\0')
          ? [finding('nul-character', rule, 'a literal holds NUL, which no sampler lets through')]
          : [];
      case 'class':
        return expression.ranges.length === 0
          ? [finding('empty-class', rule, 'a class has no character')]
          : [];
      case 'repeat':
        return validCount(expression.min, expression.max)
          ? []
          : [
              finding(
                'invalid-repetition',
                rule,
                `repeats from ${expression.min} to ${expression.max} times`,
              ),
            ];
      case 'until':
        return invalidDelimiters(expression.branches.map(({ delimiter }) => delimiter)).map((reason) =>
          finding('invalid-until', rule, reason),
        );
      case 'sequence':
      case 'choice':
      case 'rule':
        return [];
      default:
        return unreachable(expression);
    }
  });
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

function eachExpression(
  rules: ReadonlyMap<string, Expression>,
  look: (expression: Expression, rule: string) => GrammarFinding[],
): GrammarFinding[] {
  const found: GrammarFinding[] = [];
  for (const [rule, body] of rules) {
    const todo = [body];
    for (let each = todo.pop(); each !== undefined; each = todo.pop()) {
      found.push(...look(each, rule));
      for (const child of children(each)) todo.push(child);
    }
  }
  return found;
}
