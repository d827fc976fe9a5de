/**
 * What llama.cpp's engine can take. It reads and follows grammars by recursion: of 18,500 nested groups, or of a chain
 * of 72,000 rules of which each begins with the next, the process dies, in a worker of half as many. Its time grows
 * with the square of a rule's alternatives: 11,000 take most of a second.
 *
 * How it expands repetitions: it makes a rule for each optional iteration, each group and each name it sees
 * for the first time. An item's weight is the number of rules that reading it makes; weight times iterations must not
 * exceed 2,000.
 */
import { GrammarError } from '../../format/errors.ts';
import type { GbnfNode } from './gbnf.ts';

/** How deep groups may be nested; XGrammar, too, reads so many. */
const maxNesting = 100;
const maxRules = 30_000;
const maxAlternatives = 12_000;

/** What opens, closes and separates; literals and classes are skipped as they are written. */
const signs = /"(?:[^"\\]|\\.)*"?|\[(?:[^\]\\]|\\.)*\]?|::=|[()|]/gs;

/** Throws `GrammarError` for GBNF text that the engine would not survive. */
export function requireBounded(gbnf: string): void {
  let [rules, alternatives, depth] = [0, 0, 0];
  for (const [sign] of gbnf.matchAll(signs)) {
    if (sign === '(') depth += 1;
    else if (sign === ')') depth -= 1;
    else if (sign === '|') alternatives += 1;
    else if (sign === '::=') [rules, alternatives, depth] = [rules + 1, 0, 0];
    if (depth > maxNesting) throw tooLarge(`groups nested more than ${maxNesting} deep`);
    if (alternatives >= maxAlternatives)
      throw tooLarge(`a rule of more than ${maxAlternatives} alternatives`);
  }
  if (rules > maxRules) throw tooLarge(`${rules} rules, more than ${maxRules}`);
}

function tooLarge(what: string): GrammarError {
  return new GrammarError({ reason: `llama.cpp cannot take a grammar with ${what}; simplify the schemas` });
}

/** Weight of a repeated item. `isNew` tells whether this is the first occurrence of a name. */
export function repetitionWeight(item: GbnfNode, isNew: (name: string) => boolean = () => true): number {
  return isGroup(item, 'repeated') ? Math.max(1, madeInGroup(item, isNew)) : 1;
}

function isGroup(node: GbnfNode, place: 'item' | 'repeated'): boolean {
  if (node.type === 'choice') return true;
  return place === 'repeated' && (node.type === 'sequence' || node.type === 'repeat');
}

function madeInGroup(node: GbnfNode, isNew: (name: string) => boolean): number {
  return 1 + made(node, isNew);
}

function made(node: GbnfNode, isNew: (name: string) => boolean): number {
  const inside = (each: GbnfNode, place: 'item' | 'repeated'): number =>
    isGroup(each, place) ? madeInGroup(each, isNew) : made(each, isNew);
  switch (node.type) {
    case 'reference':
      return isNew(node.name) ? 1 : 0;
    case 'sequence':
      return node.items.reduce((sum, item) => sum + inside(item, 'item'), 0);
    case 'choice':
      return node.alternatives.reduce((sum, each) => sum + made(each, isNew), 0);
    case 'repeat':
      return inside(node.item, 'repeated') + (node.max === null ? 1 : node.max - node.min);
    default:
      return 0;
  }
}
