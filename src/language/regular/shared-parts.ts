/**
 * States that contain another state: everything that may follow the part may follow the whole. Writing a reference to
 * the part plus the extra edges halves the rules of, for example, an automaton of domain labels times a length: after
 * a letter comes whatever comes after a hyphen, or the end.
 */
import type { Automaton, AutomatonEdge, AutomatonState } from './automaton.ts';
import type { CharacterSet } from './character-set.ts';

/** Maximum number of states with the same first edge that a state is compared with. */
const maxCandidates = 8;

/**
 * For each state, the largest other state that is part of it, or -1. States with a self-loop neither are nor have
 * parts; `mayBePart` excludes others.
 */
export function sharedParts(automaton: Automaton, mayBePart: (state: number) => boolean): Int32Array {
  const { states } = automaton;
  const keys = edgeKeys(states);
  const byFirst = new Map<number, number[]>();
  const plain = states.map(
    ({ edges }, index) => edges.length > 1 && edges.every(([, target]) => target !== index),
  );
  keys.forEach(([first = -1], state) => {
    if (plain[state] !== true || !mayBePart(state)) return;
    const list = byFirst.get(first);
    if (list === undefined) byFirst.set(first, [state]);
    else if (list.length < maxCandidates) list.push(state);
  });
  const parts = new Int32Array(states.length).fill(-1);
  for (let state = 0; state < states.length; state += 1) {
    if (plain[state] !== true) continue;
    let size = 0;
    for (const key of keys[state] ?? []) {
      for (const part of byFirst.get(key) ?? []) {
        if (part === state || (keys[part]?.length ?? 0) <= size) continue;
        if (!isPart(keys[part] ?? [], keys[state] ?? [], states[part], states[state])) continue;
        parts[state] = part;
        size = keys[part]?.length ?? 0;
      }
    }
  }
  return parts;
}

/** For each state, a number per edge; equal for equal set and target. */
function edgeKeys(states: readonly AutomatonState[]): readonly (readonly number[])[] {
  const sets = new Map<CharacterSet, number>();
  return states.map(({ edges }) =>
    edges.map(([set, target]: AutomatonEdge) => {
      const number = sets.get(set) ?? sets.size;
      sets.set(set, number);
      return number * states.length + target;
    }),
  );
}

/** Both lists are sorted, so one pass is enough. */
function isPart(
  part: readonly number[],
  whole: readonly number[],
  { accepts = false }: Partial<AutomatonState> = {},
  { accepts: wholeAccepts = false }: Partial<AutomatonState> = {},
): boolean {
  if (accepts && !wholeAccepts) return false;
  let at = 0;
  for (const key of whole) if (key === part[at]) at += 1;
  return at === part.length;
}
