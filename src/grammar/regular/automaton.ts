/** Deterministic automata: built from terms, trimmed, minimised, and multiplied by a range of lengths. */
import { BudgetExceeded, type StepBudget } from './budget.ts';
import { type CharacterSet, codePoint, setHas, setKey } from './character-set.ts';
import { minimise, reverseTopologicalOrder } from './minimise.ts';
import type { Machine, Term, Terms } from './terms.ts';

/** State 0 is the start. Every state can be reached, and from every state but perhaps 0 acceptance can. */
export interface Automaton {
  readonly states: readonly AutomatonState[];
}
export interface AutomatonState {
  readonly accepts: boolean;
  /** Which of several languages accepts here, where an automaton tells languages apart. */
  readonly label?: number;
  readonly edges: readonly AutomatonEdge[];
}
/** Edges of one state have disjoint sets and different targets. */
export type AutomatonEdge = readonly [set: CharacterSet, target: number];

/** How many states an automaton may have. */
export const maxAutomatonStates = 6000;
/** How many states an automaton may have times the lengths that are told apart. */
export const maxLengthStates = 20 * maxAutomatonStates;

/** The minimal automaton of `term`; throws `BudgetExceeded` when it needs more states than allowed. */
export function buildAutomaton(terms: Terms, term: Term, budget: StepBudget): Automaton {
  const numbers = new Map<number, number>([[term.id, 0]]);
  const queue: Term[] = [term];
  const states: AutomatonState[] = [];
  for (let at = 0; at < queue.length; at += 1) {
    const current = queue[at] ?? term;
    const edges: AutomatonEdge[] = [];
    for (const [set, target] of terms.transitions(current)) {
      if (target === terms.nothing) continue;
      const number = numbers.get(target.id) ?? numbers.size;
      if (number === numbers.size) {
        numbers.set(target.id, number);
        queue.push(target);
      }
      edges.push([set, number]);
    }
    if (queue.length > maxAutomatonStates) throw new BudgetExceeded('automaton states');
    budget.spend(1 + edges.length);
    states.push({ accepts: current.nullable, edges });
  }
  return minimise(trim({ states }), budget);
}

/** Without the states that are out of reach or lead nowhere, and with edges to one target united. */
export function trim(automaton: Automaton): Automaton {
  const useful = statesThatAccept(automaton);
  const numbers = new Map<number, number>([[0, 0]]);
  const queue = [0];
  const states: AutomatonState[] = [];
  for (let at = 0; at < queue.length; at += 1) {
    const state = automaton.states[queue[at] ?? 0];
    const edges: AutomatonEdge[] = [];
    for (const [set, target] of state?.edges ?? []) {
      if (!useful.has(target)) continue;
      if (!numbers.has(target)) {
        numbers.set(target, numbers.size);
        queue.push(target);
      }
      edges.push([set, numbers.get(target) ?? 0]);
    }
    states.push({ ...state, accepts: state?.accepts ?? false, edges });
  }
  return { states };
}

function statesThatAccept(automaton: Automaton): ReadonlySet<number> {
  const sources = new Map<number, number[]>();
  const useful = new Set<number>();
  automaton.states.forEach((state, index) => {
    if (state.accepts) useful.add(index);
    for (const [, target] of state.edges) {
      const list = sources.get(target);
      if (list === undefined) sources.set(target, [index]);
      else list.push(index);
    }
  });
  for (const state of useful) for (const source of sources.get(state) ?? []) useful.add(source);
  return useful;
}

/** Whether no text is accepted. */
export function isEmptyAutomaton(automaton: Automaton): boolean {
  return automaton.states.length === 1 && automaton.states[0]?.accepts !== true;
}

/** Whether `text` is accepted. */
export function automatonAccepts(automaton: Automaton, text: string): boolean {
  let state = automaton.states[0];
  for (const character of text) {
    const point = codePoint(character);
    const edge = state?.edges.find(([set]) => setHas(set, point));
    if (edge === undefined) return false;
    state = automaton.states[edge[1]];
  }
  return state?.accepts ?? false;
}

/** A text that is equal for equal automata. */
export function automatonKey(automaton: Automaton): string {
  const known = keys.get(automaton) ?? writeKey(automaton);
  keys.set(automaton, known);
  return known;
}

const keys = new WeakMap<Automaton, string>();

function writeKey(automaton: Automaton): string {
  return automaton.states
    .map(
      ({ accepts, edges }) =>
        `${accepts ? '+' : ''}${edges.map(([set, to]) => `${setKey(set)}>${to}`).join(';')}`,
    )
    .join('/');
}

/** Lengths, in code points, of the shortest and longest accepted text; `max: null` is without end. */
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

/** The texts of a minimal automaton whose length in code points is from `min` to `max`. */
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
  const states: AutomatonState[] = [];
  for (let length = 0; length <= layers; length += 1) {
    const last = length === layers;
    const next = last && upper === null ? length : length + 1;
    for (const state of automaton.states) {
      const edges = last && upper !== null ? [] : state.edges;
      states.push({
        accepts: state.accepts && length >= lower,
        edges: edges.map(([set, target]): AutomatonEdge => [set, next * count + target]),
      });
    }
  }
  return minimise(trim({ states }), budget);
}

const machines = new WeakMap<Automaton, Machine>();
const automata = new WeakMap<Machine, Automaton>();

/** The language of a minimal `automaton` as a term. */
export function automatonTerm(terms: Terms, automaton: Automaton): Term {
  const machine = machines.get(automaton) ?? {
    key: automatonKey(automaton),
    accepts: (state: number) => automaton.states[state]?.accepts ?? false,
    edges: (state: number) => automaton.states[state]?.edges ?? [],
  };
  machines.set(automaton, machine);
  automata.set(machine, automaton);
  return terms.machine(machine);
}

/** The minimal automaton that `term` was made from, if it was. */
export function automatonOf(term: Term): Automaton | undefined {
  return term.kind === 'machine' && term.state === 0 ? automata.get(term.machine) : undefined;
}
