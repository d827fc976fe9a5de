/** Minimisation of trimmed automata, so that equal languages give equal automata. */
import type { Automaton, AutomatonEdge, AutomatonState } from './automaton.ts';
import { BudgetExceeded, type StepBudget } from './budget.ts';
import {
  allCharacters,
  type CharacterSet,
  intersectSets,
  setHas,
  setKey,
  subtractSets,
  uniteSets,
} from './character-set.ts';

/**
 * The smallest automaton of the same language; states are numbered in the order of a breadth-first walk
 * over edges sorted by character, so the result is the same for every automaton of that language.
 */
export function minimise(automaton: Automaton, budget: StepBudget): Automaton {
  const columns = targetsByAtom(automaton, budget);
  const order = reverseTopologicalOrder(automaton);
  const classes =
    order === null ? refine(automaton, columns, budget) : mergeAcyclic(automaton, columns, order);
  return renumber(automaton, classes);
}

/** Per state, the target for each atom (-1 for none); atoms are sets that no edge tells apart. */
function targetsByAtom(automaton: Automaton, budget: StepBudget): readonly Int32Array[] {
  const atoms = atomsOf(automaton, budget);
  budget.spend(atoms.length * automaton.states.length);
  return automaton.states.map((state) =>
    Int32Array.from(atoms, (point) => state.edges.find(([set]) => setHas(set, point))?.[1] ?? -1),
  );
}

/** One character out of each atom. */
function atomsOf(automaton: Automaton, budget: StepBudget): readonly number[] {
  const distinct = new Map<string, CharacterSet>();
  for (const state of automaton.states) for (const [set] of state.edges) distinct.set(setKey(set), set);
  let atoms: CharacterSet[] = [allCharacters];
  for (const set of distinct.values()) {
    budget.spend(atoms.length);
    atoms = atoms
      .flatMap((atom) => [intersectSets(atom, set), subtractSets(atom, set)])
      .filter((atom) => atom.length > 0);
    if (atoms.length > 2000) throw new BudgetExceeded('distinct characters in an automaton');
  }
  return atoms.map((atom) => atom[0]?.[0] ?? 0);
}

/** Splits classes of states until all states of a class lead to the same classes (Moore 1956). */
function refine(automaton: Automaton, columns: readonly Int32Array[], budget: StepBudget): Int32Array {
  let classes = Int32Array.from(automaton.states, (state) => (state.accepts ? 1 + (state.label ?? 0) : 0));
  for (let size = new Set(classes).size; ; ) {
    budget.spend(columns.length);
    const numbers = new Map<string, number>();
    const refined = Int32Array.from(columns, (targets, state) => {
      const key = `${classes[state]}:${targets.map((target) => (target < 0 ? -1 : (classes[target] ?? -1))).join()}`;
      const number = numbers.get(key) ?? numbers.size;
      numbers.set(key, number);
      return number;
    });
    if (numbers.size === size) return refined;
    size = numbers.size;
    classes = refined;
  }
}

/** Without cycles one pass is enough: equal states have equal targets, which come first in `order`. */
function mergeAcyclic(
  automaton: Automaton,
  columns: readonly Int32Array[],
  order: readonly number[],
): Int32Array {
  const classes = new Int32Array(columns.length);
  const numbers = new Map<string, number>();
  for (const state of order) {
    const targets = columns[state]?.map((target) => (target < 0 ? -1 : (classes[target] ?? -1))) ?? [];
    const { accepts, label } = automaton.states[state] ?? { accepts: false };
    const key = `${accepts} ${label}:${targets.join()}`;
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    classes[state] = number;
  }
  return classes;
}

function renumber(automaton: Automaton, classes: Int32Array): Automaton {
  const numbers = new Map<number, number>([[classes[0] ?? 0, 0]]);
  const queue = [0];
  const states: AutomatonState[] = [];
  for (let at = 0; at < queue.length; at += 1) {
    const state = automaton.states[queue[at] ?? 0];
    const edges: AutomatonEdge[] = [];
    for (const [set, target] of byTargetClass(state?.edges ?? [], classes)) {
      const targetClass = classes[target] ?? 0;
      if (!numbers.has(targetClass)) {
        numbers.set(targetClass, numbers.size);
        queue.push(target);
      }
      edges.push([set, numbers.get(targetClass) ?? 0]);
    }
    states.push({ ...state, accepts: state?.accepts ?? false, edges });
  }
  return { states };
}

/** One edge per class of targets, sorted by first character. */
function byTargetClass(edges: readonly AutomatonEdge[], classes: Int32Array): AutomatonEdge[] {
  const merged = new Map<number, [CharacterSet, number]>();
  for (const [set, target] of edges) {
    const found = merged.get(classes[target] ?? 0);
    if (found === undefined) merged.set(classes[target] ?? 0, [set, target]);
    else found[0] = uniteSets(found[0], set);
  }
  return [...merged.values()].sort((a, b) => (a[0][0]?.[0] ?? 0) - (b[0][0]?.[0] ?? 0));
}

/** States in an order in which targets come before their sources; `null` when there is a cycle. */
export function reverseTopologicalOrder(automaton: Automaton): readonly number[] | null {
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
