/** Random texts that a grammar derives, and broken ones near them. */
import type { Expression, Grammar } from '../../src/language/expression/expression.ts';
import { unreachable } from '../../src/language/expression/expression.ts';

/** A number in [0, 1). */
export type Random = () => number;

/** A small seeded generator (mulberry32), so that a failure can be repeated. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const prose = [
  'The sun',
  ' and rain',
  '\n',
  ' <b>',
  ' {x}',
  ' 東京 😀',
  ' "so"',
  ' to',
  ' function',
  ' [1]',
  ' ok.',
];

/** One text that `grammar` derives. Beyond `depth` rules, the shortest way out is taken. */
export function sampleGrammar(grammar: Grammar, random: Random, depth = 12): string {
  const heights = knownHeights.get(grammar) ?? ruleHeights(grammar);
  knownHeights.set(grammar, heights);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const height = (expression: Expression) => expressionHeight(expression, heights);

  const sample = (expression: Expression, left: number): string => {
    switch (expression.type) {
      case 'literal':
        return expression.text;
      case 'class': {
        const [from, to] = pick(expression.ranges);
        const narrow = Math.min(to, from + 0x5e);
        return String.fromCodePoint(from + Math.floor(random() * (narrow - from + 1)));
      }
      case 'sequence':
        return expression.items.map((item) => sample(item, left)).join('');
      case 'choice': {
        const lowest = Math.min(...expression.alternatives.map(height));
        const open = expression.alternatives.filter((each) => left > 0 || height(each) === lowest);
        return sample(pick(open), left);
      }
      case 'repeat': {
        const extra = left > 0 ? Math.floor(random() * 4) : 0;
        const count = Math.min(expression.min + extra, expression.max ?? Number.POSITIVE_INFINITY);
        return Array.from({ length: count }, () => sample(expression.item, left)).join('');
      }
      case 'until': {
        const text = textWithout(expression.branches.map(({ delimiter }) => delimiter));
        const branches = expression.branches.filter(({ next }) => next !== null);
        if (branches.length === 0 || (expression.mayEnd && random() < 0.3)) return text;
        const { delimiter, next } = pick(branches);
        return text + delimiter + (next === null ? '' : sample(next, left));
      }
      case 'rule': {
        const body = grammar.rules.get(expression.name);
        if (body === undefined) throw new Error(`undefined rule ${expression.name}`);
        return sample(body, left - 1);
      }
      default:
        return unreachable(expression);
    }
  };

  /** Prose in which none of the delimiters begins, not even across its end. */
  const textWithout = (delimiters: readonly string[]): string => {
    const text = Array.from({ length: Math.floor(random() * 6) }, () => pick(prose)).join('');
    const risky = delimiters.some((delimiter) => `${text}${delimiter}`.indexOf(delimiter) < text.length);
    return risky ? '' : text;
  };

  return sample({ type: 'rule', name: grammar.root }, depth);
}

const knownHeights = new WeakMap<Grammar, ReadonlyMap<string, number>>();

/** For each rule, how many rules deep its shortest derivation goes. */
function ruleHeights(grammar: Grammar): ReadonlyMap<string, number> {
  const heights = new Map<string, number>();
  for (let changed = true; changed; ) {
    changed = false;
    for (const [name, body] of grammar.rules) {
      const height = expressionHeight(body, heights) + 1;
      if (height < (heights.get(name) ?? Number.POSITIVE_INFINITY)) {
        heights.set(name, height);
        changed = true;
      }
    }
  }
  return heights;
}

function expressionHeight(expression: Expression, heights: ReadonlyMap<string, number>): number {
  switch (expression.type) {
    case 'literal':
    case 'class':
      return 0;
    case 'sequence':
      return Math.max(0, ...expression.items.map((item) => expressionHeight(item, heights)));
    case 'choice':
      return Math.min(...expression.alternatives.map((each) => expressionHeight(each, heights)));
    case 'repeat':
      return expression.min === 0 ? 0 : expressionHeight(expression.item, heights);
    case 'until': {
      if (expression.mayEnd) return 0;
      const nexts = expression.branches.flatMap(({ next }) => (next === null ? [] : [next]));
      return Math.min(...nexts.map((next) => expressionHeight(next, heights)));
    }
    case 'rule':
      return heights.get(expression.name) ?? Number.POSITIVE_INFINITY;
    default:
      return unreachable(expression);
  }
}

const noise = [
  '<',
  '>',
  '{',
  '}',
  '"',
  "'",
  '\\',
  '\n',
  ',',
  ']',
  '[',
  ' ',
  'x',
  '</',
  '<tool_call>',
  '😀',
  '\u0000',
];

/** A text near `text`: pieces removed, doubled, cut off, moved, or one of `pieces` put in. */
export function mutate(text: string, random: Random, pieces: readonly string[] = noise): string {
  const at = Math.floor(random() * (text.length + 1));
  const length = 1 + Math.floor(random() * 8);
  switch (Math.floor(random() * 5)) {
    case 0:
      return text.slice(0, at) + text.slice(at + length);
    case 1:
      return text.slice(0, at + length) + text.slice(at);
    case 2:
      return text.slice(0, at);
    case 3:
      return text.slice(at) + text.slice(0, at);
    default:
      return text.slice(0, at) + (pieces[Math.floor(random() * pieces.length)] ?? '') + text.slice(at);
  }
}
