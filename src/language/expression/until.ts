/**
 * Expands "text up to a delimiter" to an automaton: one rule per state, one alternative per edge (Aho and Corasick
 * 1975), so that every `until` becomes plain rules.
 *
 *     thoughts ::= until("</x>")     thoughts   ::= [^<] thoughts | "<" thoughts-1
 *                                    thoughts-1 ::= [^</] thoughts | "<" thoughts-1 | "/" thoughts-2
 *                                    …
 *
 * A state stands for the longest suffix of the text that is a prefix of a delimiter. Delimiters that overlap
 * themselves (`aab` in `aaab`) are thus found where a backtracking search would find them.
 */

import {
  type CharacterClass,
  choice,
  choiceOf,
  type Expression,
  empty,
  exceptCharacters,
  type Grammar,
  literal,
  repeat,
  rule,
  sequence,
  sequenceOf,
  type Until,
} from './expression.ts';
import { finish, type Steps } from './steps.ts';
import { type TrieNode, trieNodes } from './trie.ts';

/** A grammar without `until`, and a comment for the first rule of each automaton. */
export interface ExpandedGrammar extends Grammar {
  readonly comments: ReadonlyMap<string, string>;
}

/** Replaces every `until` by rules; equal ones share them. Other rules keep their names. */
export function expandUntil(grammar: Grammar): ExpandedGrammar {
  return finish(expandUntilSteps(grammar));
}

/** Rules that are looked through in one step. */
const stepRules = 500;

/** `expandUntil` in steps. */
export function* expandUntilSteps(grammar: Grammar): Steps<ExpandedGrammar> {
  let holders = 0;
  let seen = 0;
  for (const expression of grammar.rules.values()) {
    if (anyHolds([expression])) holders += 1;
    seen += 1;
    if (seen % stepRules === 0) yield;
  }
  if (holders === 0) return { ...grammar, comments: noComments };
  const expansion = new Expansion(grammar);
  for (const [name, expression] of grammar.rules) {
    expansion.addRule(name, expression);
    seen += 1;
    if (seen % stepRules === 0) yield;
  }
  return { root: grammar.root, rules: expansion.rules, comments: expansion.comments };
}

const noComments: ReadonlyMap<string, string> = new Map();

class Expansion {
  readonly rules = new Map<string, Expression>();
  readonly comments = new Map<string, string>();
  readonly #root: string;
  readonly #taken: Set<string>;
  readonly #known = new Map<string, string>();

  constructor(grammar: Grammar) {
    this.#root = grammar.root;
    this.#taken = new Set(grammar.rules.keys());
  }

  addRule(name: string, expression: Expression): void {
    // Insert it now, so that the rule is printed before those of its automata.
    this.rules.set(name, expression);
    // Keep the start rule separate, so that another one can replace it.
    if (expression.type === 'until' && name !== this.#root) this.#expandRule(expression, name);
    else if (holdsUntil(expression)) this.rules.set(name, this.#expand(expression, name));
  }

  /** A rule that consists of one `until` becomes the first state of its automaton. */
  #expandRule(until: Until, name: string): void {
    const first = this.#automaton(until, name, name);
    if (first !== name) this.rules.set(name, rule(first));
  }

  #expand(expression: Expression, name: string): Expression {
    switch (expression.type) {
      case 'sequence':
        return sequenceOf(expression.items.map((item) => this.#expand(item, name)));
      case 'choice':
        return choiceOf(expression.alternatives.map((each) => this.#expand(each, name)));
      case 'repeat':
        return repeat(this.#expand(expression.item, name), expression.min, expression.max);
      case 'until':
        return rule(this.#automaton(expression, name));
      default:
        return expression;
    }
  }

  /** Name of the automaton's first state. A new automaton uses `begin` if it is given. */
  #automaton(until: Until, name: string, begin: string | null = null): string {
    const branches = until.branches.map(({ delimiter, next }) => ({
      delimiter,
      next: next === null ? null : this.#expand(next, name),
    }));
    const key = JSON.stringify([until.mayEnd, branches]);
    const known = this.#known.get(key);
    if (known !== undefined) return known;

    const automaton = buildAutomaton(branches.map(({ delimiter }) => delimiter));
    const first = begin ?? this.#freshName(`${name}-text`);
    const names = automaton.states.map((_, index) => (index === 0 ? first : this.#freshName(first)));
    this.#known.set(key, first);
    const nextOf = new Map(branches.map(({ delimiter, next }) => [delimiter, next]));
    for (const [index, state] of automaton.states.entries()) {
      this.rules.set(names[index] ?? name, stateExpression(state, names, nextOf, until.mayEnd));
    }
    this.comments.set(first, describe(until));
    return first;
  }

  #freshName(base: string): string {
    let number = 1;
    while (this.#taken.has(`${base}-${number}`)) number += 1;
    const name = `${base}-${number}`;
    this.#taken.add(name);
    return name;
  }
}

/** Most expressions contain no `until` and are kept as they are. */
function holdsUntil(expression: Expression): boolean {
  switch (expression.type) {
    case 'until':
      return true;
    case 'sequence':
      return anyHolds(expression.items);
    case 'choice':
      return anyHolds(expression.alternatives);
    case 'repeat':
      return holdsUntil(expression.item);
    default:
      return false;
  }
}

function anyHolds(expressions: Iterable<Expression>): boolean {
  for (const each of expressions) {
    if (each.type !== 'literal' && each.type !== 'rule' && holdsUntil(each)) return true;
  }
  return false;
}

function describe(until: Until): string {
  const list = (forbidden: boolean): string =>
    until.branches
      .filter(({ next }) => (next === null) === forbidden)
      .map(({ delimiter }) => JSON.stringify(delimiter))
      .join(' or ');
  const [wanted, unwanted] = [list(false), list(true)];
  const parts = [
    wanted === '' ? 'any text' : `text up to ${wanted}${until.mayEnd ? ' or the end' : ''}`,
    unwanted === '' ? '' : `without ${unwanted}`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}

/** A state of the automaton: its transitions. */
interface UntilState {
  /** Transitions, except for those back to the first state. */
  readonly edges: ReadonlyMap<string, Target>;
}
/** Another state by number, or a completed delimiter. */
type Target = { readonly state: number } | { readonly delimiter: string };

interface Automaton {
  /** The first is the start state: no prefix of a delimiter has been read. */
  readonly states: readonly UntilState[];
}

/** Aho–Corasick over `delimiters`. If two end at the same position, the longer one wins. */
function buildAutomaton(delimiters: readonly string[]): Automaton {
  const nodes = trieNodes(delimiters).filter(({ word }) => word === null);
  const numbers = new Map(nodes.map((node, index) => [node, index]));
  const states: UntilState[] = [];
  const fallbacks = new Map<TrieNode, number>();
  // Breadth first: the fallback state is shallower, so it is done already.
  for (const node of nodes) {
    const fallback = fallbackState(node, states, fallbacks);
    fallbacks.set(node, fallback);
    const edges = new Map<string, Target>(node.parent === null ? [] : states[fallback]?.edges);
    for (const [character, child] of node.children) {
      const state = numbers.get(child);
      edges.set(character, state === undefined ? { delimiter: child.word ?? '' } : { state });
    }
    states.push({ edges });
  }
  return { states };
}

/**
 * Fallback link: the state of the longest proper suffix of the node's text that is a prefix of a delimiter. Found by
 * following the parent's fallback on this character.
 */
function fallbackState(
  { parent, character }: TrieNode,
  states: readonly UntilState[],
  fallbacks: ReadonlyMap<TrieNode, number>,
): number {
  if (parent === null || parent.parent === null) return 0;
  const target = states[fallbacks.get(parent) ?? 0]?.edges.get(character);
  return target !== undefined && 'state' in target ? target.state : 0;
}

function stateExpression(
  state: UntilState,
  names: readonly string[],
  nextOf: ReadonlyMap<string, Expression | null>,
  mayEnd: boolean,
): Expression {
  const [first = ''] = names;
  const byState = new Map<number, string[]>();
  const alternatives: Expression[] = [sequence(otherThan(state.edges.keys()), rule(first))];
  const completions: Expression[] = [];
  for (const [character, target] of state.edges) {
    if ('state' in target) {
      byState.set(target.state, [...(byState.get(target.state) ?? []), character]);
    } else {
      const next = nextOf.get(target.delimiter) ?? null;
      if (next !== null) completions.push(sequence(literal(character), next));
    }
  }
  for (const [target, characters] of byState) {
    alternatives.push(
      ...characters.map((character) => sequence(literal(character), rule(names[target] ?? first))),
    );
  }
  return choice(...alternatives, ...completions, ...(mayEnd ? [empty] : []));
}

function otherThan(characters: Iterable<string>): CharacterClass {
  return exceptCharacters(
    ...Array.from(characters, (character): [number, number] => {
      const code = character.codePointAt(0) ?? 0;
      return [code, code];
    }),
  );
}
