/** Deterministic finite automata; `build-automaton.ts` builds them from terms. */
import { type CharacterSet, setKey } from './character-set.ts';
import type { Machine, Term, Terms } from './terms.ts';

/** State 0 is the start. Every state is reachable, and every state except possibly 0 can reach acceptance. */
export interface Automaton {
  readonly states: readonly AutomatonState[];
}
/** One state; edges refer to states by index. */
export interface AutomatonState {
  readonly accepts: boolean;
  /** Which language accepts here, if the automaton distinguishes several. */
  readonly label?: number;
  readonly edges: readonly AutomatonEdge[];
}
/** A state's edges have disjoint sets and distinct targets. */
export type AutomatonEdge = readonly [set: CharacterSet, target: number];

/** Whether no text is accepted. */
export function isEmptyAutomaton(automaton: Automaton): boolean {
  return automaton.states.length === 1 && automaton.states[0]?.accepts !== true;
}

/** Whether two automata are identical, state by state. */
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

/** A string that identifies the automaton. */
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

/** The minimal automaton a term was made from; `undefined` if it was made otherwise. */
export function automatonOf(term: Term): Automaton | undefined {
  return term.kind === 'machine' && term.state === 0 ? automata.get(term.machine) : undefined;
}
