/** Writes automata as expressions: right-linear rules, with repetitions and inlined chains where they are shorter. */
import {
  choice,
  choiceOf,
  type Expression,
  empty,
  optional,
  repeat,
  sequence,
} from '../expression/expression.ts';
import type { RuleSet } from '../expression/rule-set.ts';
import type { Automaton, AutomatonEdge, AutomatonState } from './automaton.ts';
import { type CharacterSet, setsIntersect, uniteAll } from './character-set.ts';
import { countedRepeat } from './counted.ts';
import { type Run, runFrom } from './runs.ts';
import { sharedParts } from './shared-parts.ts';
import { plainSpelling, type SpelledCharacter, type Spelling } from './spelling.ts';
import { hasEscapes, spelledCharacter, spelledChoice } from './write-characters.ts';

/** A state of an automaton, ready to be written. */
export interface AutomatonNode {
  /** The transitions. `shared` gives a reference to the target; `inline` may give the target itself. */
  readonly edges: readonly {
    readonly set: CharacterSet;
    readonly inline: () => Expression;
    readonly shared: () => Expression;
  }[];
  /** Characters of the self-loop. */
  readonly loop: CharacterSet;
  /** A reference to this node, for a self-loop that cannot be written as a repetition. */
  readonly self: () => Expression;
  /** What follows if the text ends here; `null` if it cannot. */
  readonly end: Expression | null;
}

/** Each may be a group within the last: engines take a hundred. */
const maxInlineDepth = 60;

/** Writes the texts of `automaton` in `spelling`, then `end`, whose first character begins no spelling. */
export function writeAutomaton(
  automaton: Automaton,
  spelling: Spelling,
  end: Expression,
  rules: RuleSet,
  hint: string,
): Expression {
  const key = rules.shortKey(`${spelling.id} ${JSON.stringify(end)} ${rules.automatonNumber(automaton)}`);
  return rules.named(key, hint, () =>
    new AutomatonWriter(automaton, spelling, end, rules, hint, key).node(0, 0),
  );
}

/** Iterations of repetitions allowed per state of the automaton. */
const iterationsPerState = 4;

class AutomatonWriter {
  readonly #automaton: Automaton;
  readonly #spelling: Spelling;
  readonly #end: Expression;
  readonly #rules: RuleSet;
  readonly #hint: string;
  readonly #key: string;
  readonly #parts: Int32Array;
  readonly #entries: readonly number[];
  readonly #references: Expression[] = [];
  readonly #characters = new Map<CharacterSet, Expression>();
  /** Iterations of repetitions so far. */
  #iterations = 0;

  /** `key` is the key of the rule for the whole automaton. */
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
    const entries = countEntries(automaton, new Int32Array());
    const endsEmpty = end.type === 'literal' && end.text === '';
    // A state used once needs no rule, and a reference to a nullable part would have to come last.
    this.#parts = sharedParts(
      automaton,
      (state) => (entries[state] ?? 0) > 1 && !(endsEmpty && this.#state(state).accepts),
    );
    this.#parts.forEach((part, state) => {
      if (part >= 0 && this.#escapedEdges(state) > 1) this.#parts[state] = -1;
    });
    this.#entries = countEntries(automaton, this.#parts);
  }

  node(index: number, depth: number): Expression {
    const part = this.#parts[index] ?? -1;
    if (part >= 0) return this.#adjacent(part, index, depth);
    const run = runFrom(this.#automaton, index, (each) => !this.#overlaps(index, each));
    if (run === null || !this.#isWithinBudget(run)) return this.#edges(index, depth);
    const item = this.#character(run.set);
    const { count, last } = run;
    if (run.exact) {
      const all = countedRepeat(item, count, count, this.#rules);
      return sequence(all, this.#follow(last, depth + 1));
    }
    const rest = this.#edges(last, depth);
    return sequence(countedRepeat(item, 0, count, this.#rules), rest);
  }

  /**
   * Whether a run may be written as a repetition, whose iterations the engine expands. In a long run, a repetition
   * from each state would be expanded separately; states as rules share the rest of the run.
   */
  #isWithinBudget({ count }: Run): boolean {
    this.#iterations += count;
    return this.#iterations <= iterationsPerState * this.#automaton.states.length;
  }

  /** Whether the characters of a run begin like characters of other edges. */
  #overlaps(index: number, run: Run): boolean {
    const others = this.#state(index).edges.filter(([set]) => set !== run.set);
    return overlap(
      run.set,
      others.map(([set]) => set),
      this.#spelling,
    );
  }

  #state(index: number): AutomatonState {
    return this.#automaton.states[index] ?? { accepts: false, edges: [] };
  }

  /** A state, ignoring runs. Most have sets that can be told apart whatever the escapes. */
  #edges(index: number, depth: number): Expression {
    const { accepts, edges } = this.#state(index);
    if (this.#escapedEdges(index) > 1)
      return writeNode(this.#prepare(index, depth), this.#spelling, this.#rules);
    const loop = edges.find(([, target]) => target === index);
    const again = loop === undefined ? empty : repeat(this.#character(loop[0]));
    const alternatives: Expression[] = [];
    for (const edge of edges) {
      if (edge === loop) continue;
      const character = this.#character(edge[0]);
      alternatives.push(sequence(character, this.#follow(edge[1], depth + 1)));
    }
    return sequence(again, nodeExpression(alternatives, accepts ? this.#end : null));
  }

  /** A state as a reference to its part plus the extra edges. */
  #adjacent(part: number, index: number, depth: number): Expression {
    const { accepts, edges } = this.#state(index);
    const others = edges.filter((edge) => !hasEdge(this.#state(part), edge));
    const alternatives = [
      this.#reference(part),
      ...others.map(([set, target]) => sequence(this.#character(set), this.#follow(target, depth + 1))),
    ];
    return nodeExpression(alternatives, accepts && !this.#state(part).accepts ? this.#end : null);
  }

  /** Number of edges that have escaped characters; with several, escapes may begin alike. */
  #escapedEdges(index: number): number {
    return this.#state(index).edges.filter(([set]) => hasEscapes(set, this.#spelling)).length;
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

  /** One character of `set`; memoised, because there are few sets. */
  #character(set: CharacterSet): Expression {
    const known = this.#characters.get(set) ?? spelledCharacter(set, this.#spelling, this.#rules);
    this.#characters.set(set, known);
    return known;
  }

  /** What `target` accepts; inlined if it is used only once. */
  #follow(target: number, depth: number): Expression {
    const once = this.#entries[target] === 1 && depth < maxInlineDepth;
    return once ? this.node(target, depth) : this.#reference(target);
  }

  #reference(target: number): Expression {
    const known = this.#references[target] ?? this.#makeReference(target);
    this.#references[target] = known;
    return known;
  }

  #makeReference(target: number): Expression {
    const { accepts, edges } = this.#state(target);
    if (edges.length === 0) return accepts ? this.#end : empty;
    const build = () => this.node(target, 0);
    return target === 0
      ? this.#rules.named(this.#key, this.#hint, build)
      : this.#rules.later(this.#hint, build);
  }
}

function hasEdge({ edges }: AutomatonState, [set, target]: AutomatonEdge): boolean {
  return edges.some((each) => each[1] === target && each[0] === set);
}

/** How often each state is written if states that have a part refer to it. */
function countEntries({ states }: Automaton, parts: Int32Array): readonly number[] {
  const entries = states.map(() => 0);
  entries[0] = 2;
  states.forEach(({ edges }, index) => {
    const part = states[parts[index] ?? -1];
    for (const edge of edges) {
      const target = edge[1];
      const written = target !== index && (part === undefined || !hasEdge(part, edge));
      if (written) entries[target] = (entries[target] ?? 0) + 1;
    }
  });
  parts.forEach((part) => {
    if (part >= 0) entries[part] = 2;
  });
  return entries;
}

/** Writes a node and everything that follows. */
export function writeNode(node: AutomatonNode, spelling: Spelling, rules: RuleSet): Expression {
  const sets = node.edges.map((edge) => edge.set);
  if (node.loop.length > 0 && !overlap(node.loop, sets, spelling)) {
    const item = spelledCharacter(node.loop, spelling, rules);
    return sequence(repeat(item), writeNode({ ...node, loop: [] }, spelling, rules));
  }
  const edges = [...node.edges];
  if (node.loop.length > 0) edges.push({ set: node.loop, inline: node.self, shared: node.self });
  const overlapping = overlappingEdges(edges, spelling);
  const alternatives = edges
    .filter((edge) => !overlapping.includes(edge))
    .map((edge) => sequence(spelledCharacter(edge.set, spelling, rules), edge.inline()));
  if (overlapping.length > 0) {
    const sets = overlapping.map((edge) => edge.set);
    alternatives.push(
      ...spelledChoice(
        sets,
        overlapping.map((edge) => edge.shared()),
        spelling,
      ),
    );
  }
  return nodeExpression(alternatives, node.end);
}

/** One of `alternatives`, or `end` if it is not `null`. */
function nodeExpression(alternatives: readonly Expression[], end: Expression | null): Expression {
  if (end === null) return choiceOf(alternatives);
  if (alternatives.length === 0) return end;
  const endsEmpty = end.type === 'literal' && end.text === '';
  return endsEmpty ? optional(choice(...alternatives)) : choice(...alternatives, end);
}

/** The edges whose spellings share a prefix with spellings of another edge. */
function overlappingEdges<T extends { readonly set: CharacterSet }>(
  edges: readonly T[],
  spelling: Spelling,
): readonly T[] {
  if (edges.length < 2) return [];
  const firsts = edges.map((edge) => firstSet(edge.set, spelling));
  return edges.filter((_, index) => {
    const own = firsts[index] ?? [];
    return firsts.some((other, at) => at !== index && setsIntersect(own, other));
  });
}

/** Whether spellings of `set` share a prefix with spellings of one of `sets`. */
function overlap(set: CharacterSet, sets: readonly CharacterSet[], spelling: Spelling): boolean {
  const firsts = firstSet(set, spelling);
  return sets.some((each) => setsIntersect(firsts, firstSet(each, spelling)));
}

const knownFirsts = new WeakMap<readonly SpelledCharacter[], CharacterSet>();

function firstSet(set: CharacterSet, spelling: Spelling): CharacterSet {
  if (spelling === plainSpelling) return set;
  const words = spelling.spell(set);
  const found = knownFirsts.get(words) ?? uniteAll(words.map((word) => word[0] ?? []));
  knownFirsts.set(words, found);
  return found;
}
