/**
 * Length limits for large automata: a limit per loop instead of a counter over the whole text. For a URI, the path
 * gets a maximum of characters, and so does the query. The limits are chosen so that no text is longer than allowed;
 * this loses some texts, but keeps the expression as small as the automaton.
 *
 * A loop is a strongly connected component whose cycles all pass through one state, its entry. A text is then an
 * acyclic path through the automaton, with iterations of the loop at each entry on the path. `(/[a-z]+)+(\?[a-z]*)?`:
 *
 *     0 ─ / ─ 1 ─ a ─ 2 ─ ? ─ 3        loops: 1 and 2, with the entry 2 and cycles of 1 and 2 characters; 3
 *             └ ─ / ─ ┘ a     a        at most 30 characters: 25 for the loop at 2, of which cycles of 2 can use 24;
 *                                      3 for that at 3, and 3 for the path
 *
 * State 2 leads on `/` back to 1 and on `a` to itself, state 3 on `a` to itself.
 */
import type { Automaton, AutomatonEdge } from './automaton.ts';

/** The loops of an automaton, and their limits. */
export interface CountedLoops {
  readonly automaton: Automaton;
  /** For each state, the entry of its loop; -1 outside loops. */
  readonly entries: readonly number[];
  /** For each entry, the most characters of all iterations of its loop together. */
  readonly characters: ReadonlyMap<number, number>;
  /** For each entry, the length of its longest cycle in characters. */
  readonly lengths: ReadonlyMap<number, number>;
}

/** Larger automata and loops are not handled. */
const maxStates = 1000;
const maxLoopStates = 64;
/**
 * An automaton with a longer cycle is refused: its iterations are mostly shorter, and counting the full length would
 * lose too many texts.
 */
const maxCycle = 4;
/** This part of the length is shared equally by all loops; the main one, such as the path of a URI, has the rest, too. */
const equalShare = 1 / 3;

/**
 * The loops of `automaton`, with limits such that no text exceeds `max` characters; `null` if it has no loops, if it or
 * they are too large, too long or without an entry, or if it does not fit.
 */
export function countLoops(automaton: Automaton, max: number): CountedLoops | null {
  const entries = automaton.states.length > maxStates ? null : loopEntries(automaton);
  if (entries === null) return null;
  const lengths = new Map<number, number>();
  for (const entry of new Set(entries))
    if (entry >= 0) lengths.set(entry, longestCycle(automaton, entries, entry));
  if (Math.max(0, ...lengths.values()) > maxCycle) return null;
  if (lengths.size === 0) return null;
  const longest = (characters: ReadonlyMap<number, number>) =>
    longestText(automaton, entries, (entry) => {
      const length = lengths.get(entry) ?? 1;
      return Math.floor((characters.get(entry) ?? 0) / length) * length;
    });
  const each = (count: number) => new Map([...lengths.keys()].map((entry) => [entry, count] as const));
  if (longest(each(0)) > max) return null;
  const equal = most(max, (count) => longest(each(count)) <= max * equalShare);
  const main = mainEntry(automaton, entries);
  const rest = most(max, (count) => longest(each(equal).set(main, count)) <= max);
  return { automaton, entries, characters: each(equal).set(main, rest), lengths };
}

/** The greatest number up to `limit` for which `fits` holds; `fits` must be monotonic. */
function most(limit: number, fits: (count: number) => boolean): number {
  let [low, high] = [0, limit];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The entry of the loop with the most incoming edges, which deserves the most characters. */
function mainEntry({ states }: Automaton, entries: readonly number[]): number {
  const edgesTo = new Map<number, number>();
  states.forEach(({ edges }, state) => {
    for (const [, target] of edges) {
      const entry = entries[target] ?? -1;
      if (entry >= 0 && entry !== entries[state]) edgesTo.set(entry, (edgesTo.get(entry) ?? 0) + 1);
    }
  });
  const [main] = [...edgesTo].sort((a, b) => b[1] - a[1]);
  return main?.[0] ?? entries.find((entry) => entry >= 0) ?? -1;
}

/** For each state, the entry of its loop, or -1; `null` if a component has cycles without a common state. */
function loopEntries(automaton: Automaton): readonly number[] | null {
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

/** Length in characters of the longest cycle through `entry`. */
function longestCycle({ states }: Automaton, entries: readonly number[], entry: number): number {
  const known = new Map<number, number>();
  const longest = (state: number): number => {
    const found = known.get(state);
    if (found !== undefined) return found;
    let longestSoFar = 0;
    for (const [, target] of states[state]?.edges ?? []) {
      if (target === entry) longestSoFar = Math.max(longestSoFar, 1);
      else if (entries[target] === entry) longestSoFar = Math.max(longestSoFar, 1 + longest(target));
    }
    known.set(state, longestSoFar);
    return longestSoFar;
  };
  return longest(entry);
}

/** A position on a path. After leaving the entry of its loop, the path does not return to it. */
export interface LoopPosition {
  readonly state: number;
  readonly afterEntry: boolean;
}

/** Next positions on a path, after the iterations of a loop. */
export function stepsFrom(
  { states }: Automaton,
  entries: readonly number[],
  { state, afterEntry }: LoopPosition,
): readonly (readonly [AutomatonEdge, LoopPosition])[] {
  const entry = entries[state] ?? -1;
  const after = afterEntry || state === entry;
  return (states[state]?.edges ?? []).flatMap((edge): [AutomatonEdge, LoopPosition][] => {
    const [, target] = edge;
    const inside = entry >= 0 && entries[target] === entry;
    if (inside && after && target === entry) return [];
    return [[edge, { state: target, afterEntry: inside && after }]];
  });
}

/** Length of the longest text if all iterations of an entry's loop together have `weight` characters. */
function longestText(
  automaton: Automaton,
  entries: readonly number[],
  weight: (entry: number) => number,
): number {
  const known = new Map<string, number>();
  const longest = (position: LoopPosition): number => {
    const key = positionKey(position);
    const found = known.get(key);
    if (found !== undefined) return found;
    let longestSoFar = automaton.states[position.state]?.accepts ? 0 : Number.NEGATIVE_INFINITY;
    for (const [, next] of stepsFrom(automaton, entries, position))
      longestSoFar = Math.max(longestSoFar, 1 + longest(next));
    const all = longestSoFar + (position.state === entries[position.state] ? weight(position.state) : 0);
    known.set(key, all);
    return all;
  };
  return longest({ state: 0, afterEntry: false });
}

/** Equal for equal positions. */
export function positionKey({ state, afterEntry }: LoopPosition): string {
  return `${state}${afterEntry ? ' after' : ''}`;
}
