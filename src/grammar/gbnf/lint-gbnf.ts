/** What is wrong with a GBNF text: what `checkGrammar` finds, and traps of the notation itself. */

import { gbnfGrammar, requireOption } from '../../format/option-rules.ts';
import { checkGrammar, type GrammarFinding, type GrammarSeverity } from '../expression/check-grammar.ts';
import { repetitionWeight } from './engine-limits.ts';
import { engineRepetitionLimit, type GbnfGrammar, type GbnfNode } from './gbnf.ts';
import { gbnfExpression } from './gbnf-expression.ts';

/** How bad each finding about the notation is. */
const severities = {
  'missing-root': 'unbuildable',
  /** Weight times iterations exceed what the engine expands. */
  'repetition-limit': 'unbuildable',
  /** The engine forgets an upper bound above 2,000. */
  'forgotten-bound': 'surprise',
  /** Only the last definition counts. */
  'duplicate-rule': 'surprise',
  /** `[]` matches the empty text. */
  'empty-brackets': 'surprise',
  /** `[z-a]` holds nothing. */
  'reversed-range': 'surprise',
} as const;

type NotationKind = keyof typeof severities;

/** One thing that is wrong with a GBNF text. `surprise`: it does not mean what it seems to. */
export interface GbnfFinding {
  readonly kind: GrammarFinding['kind'] | NotationKind;
  readonly severity: GrammarSeverity | 'surprise';
  readonly rule: string;
  readonly reason: string;
}

/**
 * All findings; those that keep the engine from building it first. `grammar` is what `readGbnf` returns;
 * throws `UnsupportedOptionError` for anything else.
 */
export function lintGbnf(grammar: GbnfGrammar): readonly GbnfFinding[] {
  requireOption('grammar', grammar, gbnfGrammar);
  const notation = [...lintRules(grammar), ...lintNodes(grammar)];
  // Names are given ids of their own: what a token is called does not matter here.
  const ids = new Map<number | string, number>();
  const resolveToken = (token: number | string): number => {
    const id = typeof token === 'number' ? token : (ids.get(token) ?? namedTokens + ids.size);
    ids.set(token, id);
    return id;
  };
  const found = checkGrammar(gbnfExpression(grammar, { resolveToken }));
  const kept = found.filter(
    ({ kind, rule }) => !(kind === 'undefined-rule' && rule === 'root' && !hasRoot(grammar)),
  );
  const all: GbnfFinding[] = [...notation, ...kept];
  return [
    ...all.filter((each) => each.severity === 'unbuildable'),
    ...all.filter((each) => each.severity !== 'unbuildable'),
  ];
}

/** Above the ids of any vocabulary. */
const namedTokens = 2 ** 30;

function finding(kind: NotationKind, rule: string, reason: string): GbnfFinding {
  return { kind, severity: severities[kind], rule, reason };
}

function hasRoot({ rules }: GbnfGrammar): boolean {
  return rules.some(({ name }) => name === 'root');
}

function lintRules(grammar: GbnfGrammar): GbnfFinding[] {
  const names = grammar.rules.map(({ name }) => name);
  const twice = names.filter((name, index) => names.indexOf(name) < index);
  return [
    ...(hasRoot(grammar) ? [] : [finding('missing-root', 'root', 'no rule is called root')]),
    ...Array.from(new Set(twice), (name) =>
      finding('duplicate-rule', name, 'is defined more than once; only the last definition counts'),
    ),
  ];
}

/** Goes through the text in its order, because a name weighs only where it comes first. */
function lintNodes(grammar: GbnfGrammar): GbnfFinding[] {
  const found: GbnfFinding[] = [];
  const seen = new Set<string>();
  const visit = (node: GbnfNode, rule: string): void => {
    found.push(...lintNode(node, rule, seen));
    if (node.type === 'reference') seen.add(node.name);
    else if (node.type === 'repeat') visit(node.item, rule);
    else if (node.type === 'sequence') for (const item of node.items) visit(item, rule);
    else if (node.type === 'choice') for (const each of node.alternatives) visit(each, rule);
  };
  for (const { name, body } of grammar.rules) {
    seen.add(name);
    visit(body, name);
  }
  return found;
}

function lintNode(node: GbnfNode, rule: string, seen: ReadonlySet<string>): GbnfFinding[] {
  if (node.type === 'class') return lintClass(node.ranges, rule);
  if (node.type !== 'repeat') return [];
  const { item, min, max } = node;
  const bound = max !== null && max > engineRepetitionLimit ? null : max;
  const iterations = bound === null || bound === 0 ? Math.max(1, min) : bound;
  const fits = min <= engineRepetitionLimit && iterations * weightOf(item, seen) <= engineRepetitionLimit;
  if (!fits) {
    return [
      finding(
        'repetition-limit',
        rule,
        `${iterations} iterations of a group are more than the engine expands`,
      ),
    ];
  }
  return bound === max ? [] : [finding('forgotten-bound', rule, `${max} repetitions become any number`)];
}

function weightOf(item: GbnfNode, seen: ReadonlySet<string>): number {
  const met = new Set<string>();
  return repetitionWeight(item, (name) => !seen.has(name) && met.size < met.add(name).size);
}

function lintClass(ranges: readonly (readonly [number, number])[], rule: string): GbnfFinding[] {
  if (ranges.length === 0) return [finding('empty-brackets', rule, 'empty brackets match the empty text')];
  return ranges.some(([from, to]) => from > to)
    ? [finding('reversed-range', rule, 'a range runs backwards and holds nothing')]
    : [];
}
