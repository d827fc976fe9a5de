/** Prints expression trees as GBNF, within the limits of llama.cpp's engine. */
import { GrammarError } from '../../format/errors.ts';
import {
  type CharacterClass,
  type CodePointRange,
  classExcept,
  type Expression,
  type Grammar,
  maxCodePoint,
  unreachable,
} from '../expression/expression.ts';
import { definedRule } from '../expression/references.ts';
import { type ExpandedGrammar, expandUntil } from '../expression/until.ts';
import { repetitionWeight } from './engine-limits.ts';
import {
  columnOf,
  engineRepetitionLimit,
  type GbnfNode,
  type GbnfRepeat,
  type GbnfRule,
  writeRule,
} from './gbnf.ts';
import { classToken } from './token-character.ts';

/**
 * Prints a grammar as GBNF, its start rule first and renamed to `root`. Equal grammars print equally.
 *
 * @throws GrammarError for what GBNF cannot express: a rule name with characters outside `[A-Za-z0-9-]`, a literal
 * with NUL.
 */
export function printGbnf(grammar: Grammar): string {
  const expanded = expandUntil(grammar);
  const { root, rules } = expanded;
  const printer = new GbnfPrinter(expanded, printedNames(rules.keys(), root));
  const names = [root, ...[...rules.keys()].filter((name) => name !== root)];
  const width = columnOf(names);
  let text = '';
  // One rule at a time, so that its nodes can be garbage-collected.
  for (const name of names) for (const rule of printer.rule(name)) text += writeRule(rule, width);
  return text;
}

/** Repetitions per block if a count exceeds the engine's limit. */
const blockSize = 1000;

/** Prints the rules of a grammar without `until`, one at a time, under the given names. */
export class GbnfPrinter {
  readonly #grammar: ExpandedGrammar;
  readonly #names: ReadonlyMap<string, string>;
  /** Names in use; created with the first rule. */
  #taken: Set<string> | null = null;
  /** Rules added for repeated groups of the rule being printed. */
  #made: GbnfRule[] = [];

  /** `names` maps rules to their printed names. */
  constructor(grammar: ExpandedGrammar, names: ReadonlyMap<string, string>) {
    this.#grammar = grammar;
    this.#names = names;
  }

  /** Prints a rule, followed by the rules added for its repetitions. */
  rule(name: string): GbnfRule[] {
    const expression = definedRule(this.#grammar.rules, name);
    const comment = this.#grammar.comments.get(name);
    const [rule, ...made] = this.#rules(expression, definedRule(this.#names, name));
    return [{ ...rule, ...(comment === undefined ? {} : { comment }) }, ...made];
  }

  /** Prints a start rule `root` for `expression`; the names of its added rules become free again. */
  root(expression: Expression): GbnfRule[] {
    const rules = this.#rules(expression, 'root');
    for (const { name } of this.#made) this.#taken?.delete(name);
    return rules;
  }

  #rules(expression: Expression, name: string): [GbnfRule, ...GbnfRule[]] {
    this.#made = [];
    const body = this.#print(expression, name);
    return [{ name, body }, ...this.#made];
  }

  #print(expression: Expression, owner: string): GbnfNode {
    switch (expression.type) {
      case 'literal':
        return printLiteral(expression.text, owner);
      case 'class':
        return printClass(expression);
      case 'sequence':
        return { type: 'sequence', items: expression.items.map((item) => this.#print(item, owner)) };
      case 'choice':
        return {
          type: 'choice',
          alternatives: expression.alternatives.map((each) => this.#print(each, owner)),
        };
      case 'repeat':
        return this.#repeat(this.#print(expression.item, owner), expression.min, expression.max, owner);
      case 'rule':
        return { type: 'reference', name: definedRule(this.#names, expression.name) };
      case 'until':
        throw new TypeError('until is expanded before printing');
      default:
        return unreachable(expression);
    }
  }

  /** A repetition within the engine's limit: large groups become rules, large counts blocks. */
  #repeat(item: GbnfNode, min: number, max: number | null, owner: string): GbnfNode {
    const count = max ?? min;
    if (count * repetitionWeight(item) <= engineRepetitionLimit) return { type: 'repeat', item, min, max };
    if (repetitionWeight(item) > 1) return this.#repeat(this.#makeRule(item, owner), min, max, owner);
    const required = min === 0 ? [] : [this.#exactly(item, min, owner)];
    const rest = max === null ? unbounded(item) : this.#atMost(item, max - min, owner);
    return joined([...required, rest]);
  }

  #exactly(item: GbnfNode, count: number, owner: string): GbnfNode {
    if (count <= engineRepetitionLimit) return counted(item, count, count);
    const block = this.#makeRule(counted(item, blockSize, blockSize), owner);
    const blocks = this.#exactly(block, Math.floor(count / blockSize), owner);
    return joined([blocks, counted(item, count % blockSize, count % blockSize)]);
  }

  /**
   * Full blocks, then a partial block: together they reach a multiple of the block size, minus one. Anything above is
   * split off first, so that every count has exactly one derivation.
   */
  #atMost(item: GbnfNode, count: number, owner: string): GbnfNode {
    if (count <= engineRepetitionLimit) return counted(item, 0, count);
    const block = this.#makeRule(counted(item, blockSize, blockSize), owner);
    const blocks = Math.floor((count + 1) / blockSize);
    const evenly = joined([this.#atMost(block, blocks - 1, owner), counted(item, 0, blockSize - 1)]);
    const left = count - (blocks * blockSize - 1);
    if (left === 0) return evenly;
    const whole = joined([counted(item, left, left), evenly]);
    return { type: 'choice', alternatives: [whole, counted(item, 0, left - 1)] };
  }

  #makeRule(body: GbnfNode, owner: string): GbnfNode {
    const same = this.#made.find((made) => JSON.stringify(made.body) === JSON.stringify(body));
    if (same !== undefined) return { type: 'reference', name: same.name };
    this.#taken ??= new Set(this.#names.values());
    let number = 1;
    while (this.#taken.has(`${owner}-item-${number}`)) number += 1;
    const name = `${owner}-item-${number}`;
    this.#taken.add(name);
    this.#made.push({ name, body });
    return { type: 'reference', name };
  }
}

/** Printed names of rules: the start rule becomes `root`, and another rule of that name is renamed. */
export function printedNames(rules: Iterable<string>, root: string | null): Map<string, string> {
  const names = new Map<string, string>();
  for (const name of rules) {
    if (!/^[A-Za-z0-9-]+$/.test(name)) {
      throw new GrammarError({
        reason: 'a rule name in GBNF consists of letters, digits and dashes',
        rule: name,
      });
    }
    names.set(name, name);
  }
  if (root !== 'root' && names.has('root')) {
    let number = 1;
    while (names.has(`root-${number}`)) number += 1;
    names.set('root', `root-${number}`);
  }
  if (root !== null) names.set(root, 'root');
  return names;
}

function printLiteral(text: string, rule: string): GbnfNode {
  if (text.includes('\0'))
    throw new GrammarError({ reason: 'a literal contains NUL, which no sampler produces', rule });
  return { type: 'literal', text };
}

/**
 * The class or its complement, whichever is shorter. But the engine rejects a character under a negated class that
 * excludes any character with the same first byte; such a class is written positively.
 */
function printClass(expression: CharacterClass): GbnfNode {
  const known = printedClasses.get(expression.ranges) ?? makeClass(expression);
  printedClasses.set(expression.ranges, known);
  return known;
}

/** Cached, because most classes of a grammar share their ranges. */
const printedClasses = new WeakMap<readonly CodePointRange[], GbnfNode>();

function makeClass(expression: CharacterClass): GbnfNode {
  const token = classToken(expression);
  if (token !== undefined) return { type: 'token', negated: token.negated, token: token.id };
  const { ranges } = expression;
  // A class that excludes non-ASCII characters is never negated.
  if (ranges[ranges.length - 1]?.[1] !== maxCodePoint) return { type: 'class', negated: false, ranges };
  const complement = classExcept(ranges).ranges;
  // XGrammar has no bare `.`.
  if (complement.length === 0) return { type: 'class', negated: true, ranges: [[0, 0]] };
  const excludesAscii = complement.every(([, to]) => to < 0x80);
  const negated = excludesAscii && complement.length <= expression.ranges.length;
  return { type: 'class', negated, ranges: negated ? fromNul(complement) : ranges };
}

/** `[^\x00-\x1F]` reads better than `[^\x01-\x1F]` and is equivalent: NUL never occurs. */
function fromNul([first, ...rest]: readonly CodePointRange[]): readonly CodePointRange[] {
  if (first === undefined) return [];
  return [first[0] === 1 ? [0, first[1]] : first, ...rest];
}

function counted(item: GbnfNode, min: number, max: number): GbnfNode {
  if (max === 0) return { type: 'literal', text: '' };
  return min === 1 && max === 1 ? item : { type: 'repeat', item, min, max };
}

function unbounded(item: GbnfNode): GbnfRepeat {
  return { type: 'repeat', item, min: 0, max: null };
}

function joined(items: readonly GbnfNode[]): GbnfNode {
  const present = items.filter((item) => !(item.type === 'literal' && item.text === ''));
  const [only, second] = present;
  if (only === undefined) return { type: 'literal', text: '' };
  return second === undefined ? only : { type: 'sequence', items: present };
}
