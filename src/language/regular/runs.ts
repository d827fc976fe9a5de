/** Runs of states that can be written as a counted repetition. */
import type { Automaton, AutomatonEdge, AutomatonState } from './automaton.ts';
import { type CharacterSet, setKey } from './character-set.ts';

/**
 * States that differ only in how many characters of one set may still follow. `exact` if the text can only continue
 * along the run; otherwise it may leave from each state as from the last.
 */
export interface Run {
  readonly set: CharacterSet;
  readonly count: number;
  readonly exact: boolean;
  readonly last: number;
}

/**
 * The first run that starts at state `index` and is worth a repetition; a run that is not exact must satisfy `fits`.
 */
export function runFrom(automaton: Automaton, index: number, fits: (run: Run) => boolean): Run | null {
  const start = automaton.states[index];
  if (start === undefined) return null;
  const exact = start.edges.length === 1 && !start.accepts;
  for (const edge of start.edges) {
    if (edge[1] === index || !canContinue(start, automaton.states[edge[1]])) continue;
    const { count, last, same } = walk(automaton, index, edge);
    const run = { set: edge[0], count, exact, last };
    if (exact ? count >= 3 && setKey(edge[0]).length > 3 : count >= 2 && same && fits(run)) return run;
  }
  return null;
}

/** Whether a state can be the second of a run; quickly excludes most of those that cannot. */
function canContinue(start: AutomatonState, next: AutomatonState | undefined): boolean {
  if (next === undefined || next.accepts !== start.accepts) return false;
  const more = next.edges.length - start.edges.length;
  // The last state of a run has no edge that continues it.
  return more === 0 || more === -1;
}

/** Follows edges with the set of `first`, an edge of `index`, as long as the other edges are unchanged. */
function walk(
  automaton: Automaton,
  index: number,
  first: AutomatonEdge,
): { readonly count: number; readonly last: number; readonly same: boolean } {
  const start = automaton.states[index] ?? { accepts: false, edges: [] };
  let last = index;
  for (let count = 0; ; count += 1) {
    const { accepts, edges } = automaton.states[last] ?? start;
    const edge = edges.find(([set, target]) => target !== last && equalSets(set, first[0]));
    if (accepts !== start.accepts) return { count, last, same: false };
    if (!equalWith(edges, edge?.[1] ?? null, start.edges, first[1])) return { count, last, same: false };
    if (edge === undefined) return { count, last, same: true };
    last = edge[1];
  }
}

/** Whether edges are equal, ignoring `left` edges to `leftTarget` and `right` edges to `rightTarget`. */
function equalWith(
  left: readonly AutomatonEdge[],
  leftTarget: number | null,
  right: readonly AutomatonEdge[],
  rightTarget: number,
): boolean {
  let at = 0;
  for (const [set, target] of left) {
    if (target === leftTarget) continue;
    if (right[at]?.[1] === rightTarget) at += 1;
    const other = right[at];
    if (other === undefined || other[1] !== target || !equalSets(other[0], set)) return false;
    at += 1;
  }
  if (right[at]?.[1] === rightTarget) at += 1;
  return at === right.length;
}

function equalSets(a: CharacterSet, b: CharacterSet): boolean {
  return a === b || (a.length === b.length && setKey(a) === setKey(b));
}
