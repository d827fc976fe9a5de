/** Deterministic automata. `build-automaton.ts` makes them of terms. */
import { type CharacterSet, setKey } from './character-set.ts';
import type { Machine, Term, Terms } from './terms.ts';

/** State 0 is the start. Every state can be reached, and from every state but perhaps 0 acceptance can. */
export interface Automaton {
  readonly states: readonly AutomatonState[];
}
/** One state; edges lead to others by their positions in the list of states. */
export interface AutomatonState {
  readonly accepts: boolean;
  /** Which of several languages accepts here, where an automaton tells languages apart. */
  readonly label?: number;
  readonly edges: readonly AutomatonEdge[];
}
/** Edges of one state have disjoint sets and different targets. */
export type AutomatonEdge = readonly [set: CharacterSet, target: number];

/** Whether no text is accepted. */
export function isEmptyAutomaton(automaton: Automaton): boolean {
  return automaton.states.length === 1 && automaton.states[0]?.accepts !== true;
}

/** Whether two automata are the same, state by state. */
export function equalAutomata(a: Automaton, b: Automaton): boolean {
  if (a === b) return true;
  if (a.states.length !== b.states.length) return false;
  return a.states.every(({ accepts, edges }, index) => {
    const other = b.states[index];
    return (
      other?.accepts === accepts &&
      other.edges.length === edges.length &&
      edges.every(([set, target], at) => other.edges[at]?.[1] === target && sameSet(set, other.edges[at][0]))
    );
  });
}

function sameSet(a: CharacterSet, b: CharacterSet): boolean {
  return a === b || setKey(a) === setKey(b);
}

/** A text that is equal for equal automata. */
function automatonKey(automaton: Automaton): string {
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
