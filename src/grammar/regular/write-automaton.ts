/** Automata as expressions: right-linear rules, with repetitions and inlined chains where they are shorter. */
import { choice, type Expression, literal, optional, repeat, sequence } from '../expression.ts';
import type { RuleSet } from '../json-schema/rule-set.ts';
import type { Automaton, AutomatonEdge, AutomatonState } from './automaton.ts';
import { automatonKey } from './automaton.ts';
import { type CharacterSet, setKey, setsMeet, uniteSets } from './character-set.ts';
import { countedRepeat } from './counted.ts';
import { plainSpelling, type SpelledCharacter, type Spelling } from './spelling.ts';
import { spelledCharacter, spelledChoice } from './write-characters.ts';

/** A place in an automaton, ready to be written. */
export interface AutomatonNode {
  /** Where each of the disjoint sets leads. `shared` gives a reference, `inline` may give the thing itself. */
  readonly edges: readonly {
    readonly set: CharacterSet;
    readonly inline: () => Expression;
    readonly shared: () => Expression;
  }[];
  /** Characters that lead back here. */
  readonly loop: CharacterSet;
  /** A reference to this place, for when the loop cannot be written as a repetition. */
  readonly self: () => Expression;
  /** What follows when the text ends here; `null` when it cannot. */
  readonly end: Expression | null;
}

const maxInlineDepth = 150;

/** The texts of `automaton` in `spelling`, then `end`, whose first character no spelling begins with. */
export function writeAutomaton(
  automaton: Automaton,
  spelling: Spelling,
  end: Expression,
  rules: RuleSet,
  hint: string,
): Expression {
  const key = rules.shortKey(
    `${spelling.id} ${JSON.stringify(end)} ${rules.shortKey(automatonKey(automaton))}`,
  );
  return rules.named(key, hint, () =>
    new AutomatonWriter(automaton, spelling, end, rules, hint, key).node(0, 0),
  );
}

class AutomatonWriter {
  readonly #automaton: Automaton;
  readonly #spelling: Spelling;
  readonly #end: Expression;
  readonly #rules: RuleSet;
  readonly #hint: string;
  readonly #key: string;
  readonly #entries: readonly number[];

  constructor(
    automaton: Automaton,
    spelling: Spelling,
    end: Expression,
    rules: RuleSet,
    hint: string,
    key: string,
  ) {
    this.#automaton = automaton;
    this.#spelling = spelling;
    this.#end = end;
    this.#rules = rules;
    this.#hint = hint;
    this.#key = key;
    this.#entries = countEntries(automaton);
  }

  node(index: number, depth: number): Expression {
    const run = this.#run(index);
    if (run !== null) {
      const item = spelledCharacter(run.set, this.#spelling, this.#rules);
      if (run.exact)
        return sequence(
          countedRepeat(item, run.count, run.count, this.#rules),
          this.#follow(run.last, depth + 1),
        );
      const rest = writeNode(this.#prepare(run.last, depth), this.#spelling, this.#rules);
      return sequence(countedRepeat(item, 0, run.count, this.#rules), rest);
    }
    return writeNode(this.#prepare(index, depth), this.#spelling, this.#rules);
  }

  #state(index: number): AutomatonState {
    return this.#automaton.states[index] ?? { accepts: false, edges: [] };
  }

  #prepare(index: number, depth: number): AutomatonNode {
    const state = this.#state(index);
    return {
      edges: state.edges
        .filter(([, target]) => target !== index)
        .map(([set, target]) => ({
          set,
          inline: () => this.#follow(target, depth + 1),
          shared: () => this.#reference(target),
        })),
      loop: state.edges.find(([, target]) => target === index)?.[0] ?? [],
      self: () => this.#reference(index),
      end: state.accepts ? this.#end : null,
    };
  }

  /** What `target` accepts, in place where it is needed only once. */
  #follow(target: number, depth: number): Expression {
    const once = this.#entries[target] === 1 && depth < maxInlineDepth;
    return once ? this.node(target, depth) : this.#reference(target);
  }

  #reference(target: number): Expression {
    const state = this.#state(target);
    if (state.edges.length === 0) return state.accepts ? this.#end : literal('');
    const key = target === 0 ? this.#key : `${this.#key}#${target}`;
    return this.#rules.named(key, this.#hint, () => this.node(target, 0));
  }

  /**
   * A run of states that differ only in how many characters of one set may still come: `exact` when
   * nothing else can happen on the way, else the text may go on from each state as from the last.
   */
  #run(index: number): { set: CharacterSet; count: number; exact: boolean; last: number } | null {
    const start = this.#state(index);
    for (const [set, target] of start.edges) {
      if (target === index) continue;
      const last = this.#walk(index, set, target);
      const exact = start.edges.length === 1 && !start.accepts;
      const count = last.count;
      if (exact && count >= 3 && setKey(set).length > 3) return { set, count, exact, last: last.state };
      if (exact || count < 2 || !last.same) continue;
      const otherSets = start.edges.filter((edge) => edge[1] !== target).map((edge) => edge[0]);
      if (!clash(set, otherSets, this.#spelling)) return { set, count, exact: false, last: last.state };
    }
    return null;
  }

  /** Follows edges of `set`, first to `first`, while everything else stays as it is. */
  #walk(index: number, set: CharacterSet, first: number): { count: number; state: number; same: boolean } {
    const start = this.#state(index);
    const { accepts } = start;
    const others = start.edges.filter((edge) => edge[1] !== first);
    let state = index;
    for (let count = 0; ; count += 1) {
      const current = this.#state(state);
      const edge = current.edges.find((each) => each[1] !== state && equalSets(each[0], set));
      if (current.accepts !== accepts) return { count, state, same: false };
      if (edge === undefined) return { count, state, same: equalEdges(current.edges, others) };
      if (!equalEdges(current.edges, others, edge[1])) return { count, state, same: false };
      state = edge[1];
    }
  }
}

function equalSets(a: CharacterSet, b: CharacterSet): boolean {
  return a === b || (a.length === b.length && setKey(a) === setKey(b));
}

/** Whether `edges`, without those that lead to `except`, are `others`. */
function equalEdges(
  edges: readonly AutomatonEdge[],
  others: readonly AutomatonEdge[],
  except: number | null = null,
): boolean {
  let at = 0;
  for (const [set, target] of edges) {
    if (target === except) continue;
    const other = others[at];
    if (other === undefined || other[1] !== target || !equalSets(other[0], set)) return false;
    at += 1;
  }
  return at === others.length;
}

function countEntries(automaton: Automaton): readonly number[] {
  const entries = automaton.states.map(() => 0);
  entries[0] = 2;
  automaton.states.forEach((state, index) => {
    for (const [, target] of state.edges) if (target !== index) entries[target] = (entries[target] ?? 0) + 1;
  });
  return entries;
}

/** A place of an automaton and all that follows. */
export function writeNode(node: AutomatonNode, spelling: Spelling, rules: RuleSet): Expression {
  const sets = node.edges.map((edge) => edge.set);
  if (node.loop.length > 0 && !clash(node.loop, sets, spelling)) {
    const item = spelledCharacter(node.loop, spelling, rules);
    return sequence(repeat(item), writeNode({ ...node, loop: [] }, spelling, rules));
  }
  const edges = [...node.edges];
  if (node.loop.length > 0) edges.push({ set: node.loop, inline: node.self, shared: node.self });
  const clashing = clashingEdges(edges, spelling);
  const alternatives = edges
    .filter((edge) => !clashing.includes(edge))
    .map((edge) => sequence(spelledCharacter(edge.set, spelling, rules), edge.inline()));
  if (clashing.length > 0) {
    const sets = clashing.map((edge) => edge.set);
    alternatives.push(
      ...spelledChoice(
        sets,
        clashing.map((edge) => edge.shared()),
        spelling,
      ),
    );
  }
  if (node.end === null) return choice(...alternatives);
  if (alternatives.length === 0) return node.end;
  const endsEmpty = node.end.type === 'literal' && node.end.text === '';
  return endsEmpty ? optional(choice(...alternatives)) : choice(...alternatives, node.end);
}

/** Those whose spellings begin like spellings of another one. */
function clashingEdges<T extends { readonly set: CharacterSet }>(
  edges: readonly T[],
  spelling: Spelling,
): readonly T[] {
  if (edges.length < 2) return [];
  const firsts = edges.map((edge) => firstSet(edge.set, spelling));
  return edges.filter((_, index) => {
    const own = firsts[index] ?? [];
    return firsts.some((other, at) => at !== index && setsMeet(own, other));
  });
}

/** Whether spellings of `set` begin like spellings of one of `sets`. */
function clash(set: CharacterSet, sets: readonly CharacterSet[], spelling: Spelling): boolean {
  const firsts = firstSet(set, spelling);
  return sets.some((each) => setsMeet(firsts, firstSet(each, spelling)));
}

const knownFirsts = new WeakMap<readonly SpelledCharacter[], CharacterSet>();

function firstSet(set: CharacterSet, spelling: Spelling): CharacterSet {
  if (spelling === plainSpelling) return set;
  const words = spelling.spell(set);
  const found =
    knownFirsts.get(words) ?? words.reduce<CharacterSet>((all, word) => uniteSets(all, word[0] ?? []), []);
  knownFirsts.set(words, found);
  return found;
}
