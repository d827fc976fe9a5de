/**
 * States that hold another state: whatever may follow there may follow here, and more. Written as a reference and
 * what is more, an automaton of labels times a length has half the rules: after a letter comes what comes after
 * a hyphen, or the end.
 */
import type { Automaton, AutomatonEdge, AutomatonState } from './automaton.ts';
import type { CharacterSet } from './character-set.ts';

/** States that begin with the same edge and are compared with one that has it. */
const maxCandidates = 8;

/**
 * Per state, the largest other one that is a part of it, or -1. States with a loop are not parts and have none, and
 * `mayBePart` excludes others.
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

/** Per state, a number for each edge; the same for the same set and target. */
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

/** Edges are sorted alike, so that one walk is enough. */
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
