/**
 * Loops of automata. A loop is a strongly connected component whose cycles all pass through one state, its entry. A
 * text is then an acyclic path through the automaton, with iterations of the loop at each entry on the path.
 * `(/[a-z]+)+(\?[a-z]*)?`, where state 2 leads on `/` back to 1 and on `a` to itself, and 3 on `a` to itself:
 *
 *     0 ─ / ─ 1 ─ a ─ 2 ─ ? ─ 3        loops: 1 and 2, with the entry 2 and cycles of 1 and 2 characters; 3
 *             └ ─ / ─ ┘ a     a
 */
import type { Automaton } from './automaton.ts';

/** Larger loops are not handled. */
const maxLoopStates = 64;

/** For each state, the entry of its loop, or -1; `null` if a component has cycles without a common state. */
export function loopEntries(automaton: Automaton): readonly number[] | null {
  const found = components(automaton);
  const entries = automaton.states.map(() => -1);
  for (const component of found) {
    if (component.length > maxLoopStates) return null;
    const members = new Set(component);
    const entry = component.find((each) => !hasCycle(automaton, members, each));
    if (entry === undefined) return null;
    for (const state of component) entries[state] = entry;
  }
  return entries;
}

/**
 * The strongly connected components, without single states that have no self-loop, by Kosaraju's algorithm (Sharir
 * 1981): a search from each state against the edges, in the reverse postorder of a search along them.
 */
function components({ states }: Automaton): readonly (readonly number[])[] {
  const order: number[] = [];
  visitAll(
    states.map(({ edges }) => edges.map(([, target]) => target)),
    [...states.keys()],
    (found) => {
      order.push(...found);
    },
  );
  const sources: number[][] = states.map(() => []);
  states.forEach(({ edges }, index) => {
    for (const [, target] of edges) sources[target]?.push(index);
  });
  const found: (readonly number[])[] = [];
  visitAll(sources, order.reverse(), (component) => {
    found.push(component);
  });
  return found.filter(
    ([first = 0, second]) =>
      second !== undefined || states[first]?.edges.some(([, target]) => target === first),
  );
}

/** Depth-first search from each of `starts`; `report` gets the states in postorder. */
function visitAll(
  next: readonly (readonly number[])[],
  starts: readonly number[],
  report: (found: readonly number[]) => void,
): void {
  const seen = new Set<number>();
  for (const start of starts) {
    if (seen.has(start)) continue;
    seen.add(start);
    const found: number[] = [];
    const stack = [{ state: start, at: 0 }];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const target = next[top.state]?.[top.at];
      top.at += 1;
      if (target === undefined) {
        found.push(top.state);
        stack.pop();
      } else if (!seen.has(target)) {
        seen.add(target);
        stack.push({ state: target, at: 0 });
      }
    }
    report(found);
  }
}

/** Whether `members` have a cycle that avoids `entry`. */
function hasCycle({ states }: Automaton, members: ReadonlySet<number>, entry: number): boolean {
  const left = new Set([...members].filter((each) => each !== entry));
  for (let before = -1; before !== left.size; ) {
    before = left.size;
    for (const state of left) {
      if (!states[state]?.edges.some(([, target]) => left.has(target))) left.delete(state);
    }
  }
  return left.size > 0;
}

/** Lengths in characters of the shortest and the longest cycle through `entry`. */
export function cycleLengths({ states }: Automaton, entries: readonly number[], entry: number): CycleLengths {
  const known = new Map<number, CycleLengths>();
  const from = (state: number): CycleLengths => {
    const found = known.get(state);
    if (found !== undefined) return found;
    let [min, max] = [Number.POSITIVE_INFINITY, 0];
    for (const [, target] of states[state]?.edges ?? []) {
      if (entries[target] !== entry) continue;
      const rest = target === entry ? { min: 0, max: 0 } : from(target);
      min = Math.min(min, 1 + rest.min);
      max = Math.max(max, 1 + rest.max);
    }
    known.set(state, { min, max });
    return { min, max };
  };
  return from(entry);
}

export interface CycleLengths {
  readonly min: number;
  readonly max: number;
}
