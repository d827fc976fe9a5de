/** Minimises automata, so that equal languages have equal automata. */

import { BudgetExceeded, type StepBudget } from '../expression/budget.ts';
import type { Automaton, AutomatonEdge, AutomatonState } from './automaton.ts';
import {
  allCharacters,
  type CharacterSet,
  intersectSets,
  setKey,
  setsIntersect,
  subtractSets,
  uniteAll,
} from './character-set.ts';
import { TupleTable } from './tuple-table.ts';

/** An automaton as a transition table; state 0 is the start. */
interface TransitionTable {
  /** Disjoint character sets; all characters of a set have the same transitions everywhere. */
  readonly atoms: readonly CharacterSet[];
  /** For each state: 0 if it does not accept, 1 if it does, label + 2 if it has a label. */
  readonly marks: Int32Array;
  /** For each state and atom, the target, or -1. */
  readonly targets: Int32Array;
}

/**
 * The minimal automaton of the same language. States are numbered breadth first over edges sorted by character, so
 * the result is canonical.
 */
export function minimise(automaton: Automaton, budget: StepBudget): Automaton {
  return minimiseTable(tableOf(automaton, budget), budget);
}

/** `minimise` for a table, which may contain useless states. */
export function minimiseTable(table: TransitionTable, budget: StepBudget): Automaton {
  return renumber(table, classesOf(table, budget));
}

function tableOf(automaton: Automaton, budget: StepBudget): TransitionTable {
  const states = withoutDeadEdges(automaton.states);
  const { atoms, parts } = atomsOf(states, budget);
  budget.spend(atoms.length * states.length);
  const targets = new Int32Array(states.length * atoms.length).fill(-1);
  states.forEach(({ edges }, state) => {
    for (const [set, target] of edges) {
      for (const atom of parts.get(setKey(set)) ?? []) targets[state * atoms.length + atom] = target;
    }
  });
  const marks = Int32Array.from(states, ({ accepts, label = -1 }) => (accepts ? 2 + label : 0));
  return { atoms, marks, targets };
}

/** Drops edges to states that cannot reach acceptance: their sets would only add atoms. */
export function withoutDeadEdges(states: readonly AutomatonState[]): readonly AutomatonState[] {
  const sources = states.map((): number[] => []);
  const useful = new Set<number>();
  states.forEach(({ accepts, edges }, state) => {
    if (accepts) useful.add(state);
    for (const [, target] of edges) sources[target]?.push(state);
  });
  // The set grows during iteration.
  for (const state of useful) for (const source of sources[state] ?? []) useful.add(source);
  if (useful.size === states.length) return states;
  return states.map((state) => ({ ...state, edges: state.edges.filter(([, target]) => useful.has(target)) }));
}

interface Atoms {
  readonly atoms: readonly CharacterSet[];
  /** The atoms of a set, by the set's key. */
  readonly parts: ReadonlyMap<string, readonly number[]>;
}

function atomsOf(states: readonly AutomatonState[], budget: StepBudget): Atoms {
  const distinct = new Map<string, CharacterSet>();
  for (const state of states) for (const [set] of state.edges) distinct.set(setKey(set), set);
  let atoms: CharacterSet[] = [allCharacters];
  for (const set of distinct.values()) {
    budget.spend(atoms.length);
    atoms = atoms.flatMap((atom) => splitAtom(atom, set));
    if (atoms.length > 2000) throw new BudgetExceeded('distinct characters in an automaton');
  }
  const parts = new Map<string, readonly number[]>();
  for (const [key, set] of distinct) {
    parts.set(
      key,
      atoms.flatMap((atom, index) => (setsIntersect(atom, set) ? [index] : [])),
    );
  }
  return { atoms, parts };
}

function splitAtom(atom: CharacterSet, set: CharacterSet): CharacterSet[] {
  const common = intersectSets(atom, set);
  if (common.length === 0) return [atom];
  const rest = subtractSets(atom, common);
  return rest.length === 0 ? [atom] : [common, rest];
}

/** For each state, the number of its class of equivalent states; -1 if it accepts nothing. */
function classesOf(table: TransitionTable, budget: StepBudget): Int32Array {
  const { marks, targets } = table;
  const width = table.atoms.length;
  const sources = sourcesOf(table);
  const useful = usefulStates(table, sources);
  const classes = new Int32Array(marks.length).fill(-1);
  const order = topologicalOrder(table, sources, useful);
  const tuple = new Int32Array(width + 1);
  const look = (state: number, mark: number) => {
    tuple[0] = mark;
    for (let atom = 0; atom < width; atom += 1) {
      const target = targets[state * width + atom] ?? -1;
      tuple[atom + 1] = target < 0 ? -1 : (classes[target] ?? -1);
    }
    return tuple;
  };
  // For states that reach no cycle, one pass in reverse topological order is enough: equivalent states have equal
  // targets, which are numbered first.
  const numbers = new TupleTable();
  for (const state of order) {
    classes[state] = numbers.number(look(state, marks[state] ?? 0));
    useful[state] = 0;
  }
  const cyclic = Int32Array.from(statesIn(useful));
  if (cyclic.length > 0) refine(cyclic, classes, numbers.size, marks, look, budget);
  return classes;
}

function statesIn(useful: Uint8Array): number[] {
  const states: number[] = [];
  for (let state = 0; state < useful.length; state += 1) if (useful[state] === 1) states.push(state);
  return states;
}

/**
 * Splits classes of the states `among` until all states of a class have transitions to the same classes (Moore 1956).
 */
function refine(
  among: Int32Array,
  classes: Int32Array,
  first: number,
  marks: Int32Array,
  look: (state: number, mark: number) => Int32Array,
  budget: StepBudget,
): void {
  for (const state of among) classes[state] = first + (marks[state] ?? 0);
  for (let size = new Set(among.map((state) => marks[state] ?? 0)).size; ; ) {
    budget.spend(among.length);
    const numbers = new TupleTable();
    const refined = among.map((state) => numbers.number(look(state, classes[state] ?? 0)));
    among.forEach((state, at) => {
      classes[state] = first + (refined[at] ?? 0);
    });
    if (numbers.size === size) return;
    size = numbers.size;
  }
}

/** The sources of all edges, grouped by target. */
interface Sources {
  readonly starts: Int32Array;
  readonly states: Int32Array;
}

function sourcesOf({ atoms, marks, targets }: TransitionTable): Sources {
  const starts = new Int32Array(marks.length + 1);
  for (let at = 0; at < targets.length; at += 1) {
    const target = targets[at] ?? -1;
    if (target >= 0) starts[target + 1] = (starts[target + 1] ?? 0) + 1;
  }
  for (let state = 1; state < starts.length; state += 1) {
    starts[state] = (starts[state] ?? 0) + (starts[state - 1] ?? 0);
  }
  const states = new Int32Array(starts[marks.length] ?? 0);
  const filled = starts.slice();
  for (let at = 0; at < targets.length; at += 1) {
    const target = targets[at] ?? -1;
    if (target < 0) continue;
    const place = filled[target] ?? 0;
    states[place] = Math.floor(at / atoms.length);
    filled[target] = place + 1;
  }
  return { starts, states };
}

/** Marks the states that can reach acceptance. */
function usefulStates({ marks }: TransitionTable, { starts, states }: Sources): Uint8Array {
  const useful = new Uint8Array(marks.length);
  const queue: number[] = [];
  const add = (state: number) => {
    if (useful[state] === 1) return;
    useful[state] = 1;
    queue.push(state);
  };
  marks.forEach((mark, state) => {
    if (mark > 0) add(state);
  });
  for (const target of queue) {
    for (let at = starts[target] ?? 0; at < (starts[target + 1] ?? 0); at += 1) add(states[at] ?? 0);
  }
  return useful;
}

/** The useful states that reach no cycle of useful states, targets first: a topological order (Kahn 1962). */
function topologicalOrder(table: TransitionTable, sources: Sources, useful: Uint8Array): readonly number[] {
  const width = table.atoms.length;
  const waiting = new Int32Array(useful.length);
  const order: number[] = [];
  for (let state = 0; state < useful.length; state += 1) {
    if (useful[state] === 0) continue;
    for (let atom = 0; atom < width; atom += 1) {
      const target = table.targets[state * width + atom] ?? -1;
      if (target >= 0 && useful[target] === 1) waiting[state] = (waiting[state] ?? 0) + 1;
    }
    if (waiting[state] === 0) order.push(state);
  }
  for (const state of order) {
    for (let at = sources.starts[state] ?? 0; at < (sources.starts[state + 1] ?? 0); at += 1) {
      const source = sources.states[at] ?? 0;
      const left = (waiting[source] ?? 0) - 1;
      waiting[source] = left;
      if (left === 0 && useful[source] === 1) order.push(source);
    }
  }
  return order;
}

function renumber(table: TransitionTable, classes: Int32Array): Automaton {
  const numbers = new Map<number, number>([[classes[0] ?? -1, 0]]);
  const queue = [0];
  const states: AutomatonState[] = [];
  const unite = memoizedUnion(table.atoms);
  for (let at = 0; at < queue.length; at += 1) {
    const state = queue[at] ?? 0;
    const edges: AutomatonEdge[] = [];
    for (const [set, target] of edgesOf(state, table, classes, unite)) {
      const targetClass = classes[target] ?? 0;
      const number = numbers.get(targetClass) ?? numbers.size;
      if (number === numbers.size) {
        numbers.set(targetClass, number);
        queue.push(target);
      }
      edges.push([set, number]);
    }
    const mark = table.marks[state] ?? 0;
    states.push({ accepts: mark > 0, ...(mark > 1 ? { label: mark - 2 } : {}), edges });
  }
  return { states };
}

/** One edge per target class, sorted by first character. */
function edgesOf(
  state: number,
  { atoms, targets }: TransitionTable,
  classes: Int32Array,
  unite: (atoms: readonly number[]) => CharacterSet,
): readonly AutomatonEdge[] {
  const merged = new Map<number, { readonly atoms: number[]; readonly target: number }>();
  for (let atom = 0; atom < atoms.length; atom += 1) {
    const target = targets[state * atoms.length + atom] ?? -1;
    const targetClass = target < 0 ? -1 : (classes[target] ?? -1);
    if (targetClass < 0) continue;
    const found = merged.get(targetClass);
    if (found === undefined) merged.set(targetClass, { atoms: [atom], target });
    else found.atoms.push(atom);
  }
  return Array.from(merged.values(), (each): AutomatonEdge => [unite(each.atoms), each.target]).sort(byFirst);
}

function byFirst([a]: AutomatonEdge, [b]: AutomatonEdge): number {
  return (a[0]?.[0] ?? 0) - (b[0]?.[0] ?? 0);
}

/** Unites atoms, memoised: equal unions are the same set. */
function memoizedUnion(atoms: readonly CharacterSet[]): (among: readonly number[]) => CharacterSet {
  const known = new Map<string, CharacterSet>();
  return (among) => {
    const [only, second] = among;
    if (only !== undefined && second === undefined) return atoms[only] ?? [];
    const key = among.join();
    const found = known.get(key) ?? uniteAll(among.map((atom) => atoms[atom] ?? []));
    known.set(key, found);
    return found;
  };
}
