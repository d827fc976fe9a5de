/** Lints GBNF text: the findings of `checkGrammar`, and pitfalls of the notation. */

import { gbnfGrammar, requireOption } from '../../format/option-rules.ts';
import { checkGrammar, type GrammarFinding, type GrammarSeverity } from '../expression/check-grammar.ts';
import { repetitionWeight } from './engine-limits.ts';
import { engineRepetitionLimit, type GbnfGrammar, type GbnfNode } from './gbnf.ts';
import { gbnfExpression } from './gbnf-expression.ts';

/** Severity of each finding about the notation. */
const severities = {
  'missing-root': 'unbuildable',
  /** Weight times iterations exceeds what the engine expands. */
  'repetition-limit': 'unbuildable',
  /** The engine ignores an upper bound above 2,000. */
  'forgotten-bound': 'surprise',
  /** Only the last definition takes effect. */
  'duplicate-rule': 'surprise',
  /** `[]` matches the empty text. */
  'empty-brackets': 'surprise',
  /** `[z-a]` matches nothing. */
  'reversed-range': 'surprise',
} as const;

type NotationKind = keyof typeof severities;

/** One problem of a GBNF text. `surprise`: it does not mean what it seems to. */
export interface GbnfFinding {
  readonly kind: GrammarFinding['kind'] | NotationKind;
  readonly severity: GrammarSeverity | 'surprise';
  readonly rule: string;
  readonly reason: string;
}

/**
 * All findings; those that prevent the engine from building the grammar come first. `grammar` comes from `readGbnf`;
 * throws `UnsupportedOptionError` for anything else.
 */
export function lintGbnf(grammar: GbnfGrammar): readonly GbnfFinding[] {
  requireOption('grammar', grammar, gbnfGrammar);
  const notation = [...lintRules(grammar), ...lintNodes(grammar)];
  // Named tokens get placeholder ids: the checks do not depend on which token it is.
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
  const seen = new Set<string>();
  const twice = grammar.rules.map(({ name }) => name).filter((name) => seen.size === seen.add(name).size);
  return [
    ...(hasRoot(grammar) ? [] : [finding('missing-root', 'root', 'no rule is called root')]),
    ...Array.from(new Set(twice), (name) =>
      finding('duplicate-rule', name, 'is defined more than once; only the last definition counts'),
    ),
  ];
}

/** Visits nodes in source order, because a name has weight only at its first occurrence. */
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
