/** Text lengths of automata, and products of automata with a range of lengths. */

import { BudgetExceeded, type StepBudget } from '../expression/budget.ts';
import type { Automaton, AutomatonEdge, AutomatonState } from './automaton.ts';
import { maxAutomatonStates } from './build-automaton.ts';
import { type CharacterSet, setKey, uniteSets } from './character-set.ts';
import { TupleTable } from './tuple-table.ts';

/** Limit for the number of states times the number of distinct lengths. */
export const maxLengthStates = 20 * maxAutomatonStates;

/** Lengths of the shortest and longest accepted text in code points; `max: null` is unbounded. */
export function lengthsOf(automaton: Automaton): Lengths {
  const known = knownLengths.get(automaton) ?? { min: shortest(automaton), max: longest(automaton) };
  knownLengths.set(automaton, known);
  return known;
}

interface Lengths {
  readonly min: number;
  readonly max: number | null;
}

const knownLengths = new WeakMap<Automaton, Lengths>();

function shortest(automaton: Automaton): number {
  let front = new Set([0]);
  const seen = new Set(front);
  for (let length = 0; front.size > 0; length += 1) {
    const next = new Set<number>();
    for (const state of front) {
      if (automaton.states[state]?.accepts) return length;
      for (const [, target] of automaton.states[state]?.edges ?? []) if (!seen.has(target)) next.add(target);
    }
    for (const state of next) seen.add(state);
    front = next;
  }
  return 0;
}

function longest(automaton: Automaton): number | null {
  const order = reverseTopologicalOrder(automaton);
  if (order === null) return null;
  const lengths = new Map<number, number>();
  for (const state of order) {
    const edges = automaton.states[state]?.edges ?? [];
    lengths.set(
      state,
      edges.reduce((most, [, to]) => Math.max(most, 1 + (lengths.get(to) ?? 0)), 0),
    );
  }
  return lengths.get(0) ?? 0;
}

/** States in reverse topological order, targets first; `null` if there is a cycle. */
function reverseTopologicalOrder(automaton: Automaton): readonly number[] | null {
  const waiting = automaton.states.map((state) => state.edges.length);
  const sources: number[][] = automaton.states.map(() => []);
  automaton.states.forEach((state, index) => {
    for (const [, target] of state.edges) sources[target]?.push(index);
  });
  const order = waiting.flatMap((count, index) => (count === 0 ? [index] : []));
  for (const state of order) {
    for (const source of sources[state] ?? []) {
      const left = (waiting[source] ?? 0) - 1;
      waiting[source] = left;
      if (left === 0) order.push(source);
    }
  }
  return order.length === automaton.states.length ? order : null;
}

/** Restricts a minimal automaton to texts of `min` to `max` code points; the result is minimal. */
export function restrictLength(
  automaton: Automaton,
  min: number,
  max: number | null,
  budget: StepBudget,
): Automaton {
  const lengths = lengthsOf(automaton);
  const lower = lengths.min >= min ? 0 : min;
  const upper = max !== null && lengths.max !== null && lengths.max <= max ? null : max;
  if (lower === 0 && upper === null) return automaton;
  const count = automaton.states.length;
  const layers = upper === null ? lower : upper;
  if (count * (layers + 1) > maxLengthStates) throw new BudgetExceeded('automaton states times length');
  budget.spend(count * (layers + 1));
  const product = new LengthProduct(automaton);
  if (upper === null) product.startAfterLeast();
  for (let length = upper === null ? layers - 1 : layers; length >= 0; length -= 1) {
    product.addLayer(length >= lower);
  }
  return product.automaton();
}

/** The greatest length up to `max`, or a few less, whose product with a minimal automaton has at most `states` states. */
export function lengthWithin(automaton: Automaton, max: number, states: number, budget: StepBudget): number {
  const product = new LengthProduct(automaton);
  for (let length = 0; length <= max; length += 1) {
    budget.spend(automaton.states.length);
    product.addLayer(true);
    const isLooked = length === max || length % interval === interval - 1;
    if (isLooked && product.size > states && product.reached > states) return Math.max(0, length - interval);
  }
  return max;
}

/** How many lengths are tried at once. */
const interval = 8;

/**
 * The product of an automaton and a counter, built from the last length backwards. What can follow a state at one
 * length depends only on its targets at the next length, so equal states are found on creation. A state is a tuple:
 * whether it accepts, then set and target of each edge.
 */
class LengthProduct {
  readonly #states: readonly AutomatonState[];
  readonly #table = new TupleTable();
  readonly #sets = new SetNumbers();
  /** For each state and edge, the number of its set. */
  readonly #edgeSets: readonly Int32Array[];
  /** For each state of the automaton, its number in the newest layer; -1 if it accepts nothing. */
  #layer: Int32Array;
  readonly #tuple: Int32Array;

  constructor({ states }: Automaton) {
    this.#states = states;
    this.#edgeSets = states.map(({ edges }) => Int32Array.from(edges, ([set]) => this.#sets.of(set)));
    this.#layer = new Int32Array(states.length).fill(-1);
    this.#tuple = new Int32Array(1 + 2 * Math.max(0, ...states.map(({ edges }) => edges.length)));
  }

  /** Number of states so far. */
  get size(): number {
    return this.#table.size;
  }

  /** How many of them texts reach that start in the newest layer. */
  get reached(): number {
    const start = this.#layer[0] ?? -1;
    const queue = start < 0 ? [] : [start];
    const seen = new Uint8Array(this.#table.size);
    for (const each of queue) {
      const length = this.#table.length(each);
      for (let at = 2; at < length; at += 2) {
        const target = this.#table.value(each, at);
        if (seen[target] === 0) queue.push(target);
        seen[target] = 1;
      }
    }
    return queue.length;
  }

  /** The layer of all lengths from the minimum on, if there is no maximum: the automaton itself. */
  startAfterLeast(): void {
    this.#layer.forEach((_, state) => {
      this.#layer[state] = state;
    });
    // The automaton is minimal, so each state gets its own number.
    this.#states.forEach(({ accepts }, state) => {
      this.#table.number(this.#tuple, this.#fill(state, accepts));
    });
  }

  /** Adds the layer for the preceding length. */
  addLayer(accepts: boolean): void {
    const layer = new Int32Array(this.#states.length);
    for (const [state, each] of this.#states.entries()) {
      const accepted = accepts && each.accepts;
      const length = this.#fill(state, accepted);
      layer[state] = length === 1 && !accepted ? -1 : this.#table.number(this.#tuple, length);
    }
    this.#layer = layer;
  }

  /** Writes the tuple of `state` before the newest layer; returns its length. */
  #fill(state: number, accepts: boolean): number {
    const tuple = this.#tuple;
    const { edges = [] } = this.#states[state] ?? {};
    const sets = this.#edgeSets[state];
    tuple[0] = accepts ? 1 : 0;
    let length = 1;
    for (const [at, [, to]] of edges.entries()) {
      const target = this.#layer[to] ?? -1;
      if (target < 0) continue;
      const set = sets?.[at] ?? 0;
      const same = this.#edgeTo(target, length);
      if (same > 0) tuple[same] = this.#sets.united(tuple[same] ?? 0, set);
      else {
        tuple[length] = set;
        tuple[length + 1] = target;
        length += 2;
      }
    }
    // Edges are sorted by first character. A merged edge keeps the position of its first part.
    return length;
  }

  /** Index in the tuple of the edge to `target`; 0 if there is none. */
  #edgeTo(target: number, length: number): number {
    for (let at = 1; at < length; at += 2) if (this.#tuple[at + 1] === target) return at;
    return 0;
  }

  /** The automaton that starts in the newest layer, numbered breadth first. */
  automaton(): Automaton {
    const start = this.#layer[0] ?? -1;
    if (start < 0) return { states: [{ accepts: false, edges: [] }] };
    const numbers = new Int32Array(this.#table.size).fill(-1);
    numbers[start] = 0;
    const queue = [start];
    const states: AutomatonState[] = [];
    for (const each of queue) {
      const edges: AutomatonEdge[] = [];
      const length = this.#table.length(each);
      for (let at = 1; at < length; at += 2) {
        const target = this.#table.value(each, at + 1);
        if (numbers[target] === -1) {
          numbers[target] = queue.length;
          queue.push(target);
        }
        edges.push([this.#sets.at(this.#table.value(each, at)), numbers[target] ?? 0]);
      }
      states.push({ accepts: this.#table.value(each, 0) === 1, edges });
    }
    return { states };
  }
}

/** Numbers character sets; equal sets have equal numbers. */
class SetNumbers {
  readonly #sets: CharacterSet[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #unions = new Map<number, number>();

  of(set: CharacterSet): number {
    const key = setKey(set);
    const number = this.#numbers.get(key) ?? this.#sets.length;
    if (number === this.#sets.length) {
      this.#numbers.set(key, number);
      this.#sets.push(set);
    }
    return number;
  }

  at(number: number): CharacterSet {
    return this.#sets[number] ?? [];
  }

  united(a: number, b: number): number {
    const key = a * 0x100000 + b;
    const found = this.#unions.get(key) ?? this.of(uniteSets(this.at(a), this.at(b)));
    this.#unions.set(key, found);
    return found;
  }
}
