/**
 * Maximum lengths for large automata. A counter over the whole text multiplies the states by the length; here, only the
 * iterations of loops (`loops.ts`) are counted, in units of several characters. At the entry of a loop, what is left of
 * the maximum is known in whole units; iterations use up units, the last of which may not be full. `a[bc]*-[de]*` with
 * at most 22 characters, in 4 units of 5:
 *
 *     a ─ [bc], 4 units left ┬ nothing ── - ─ [de], 4 units left ...
 *                            ├ 1 to 4 ─── - ─ [de], 3 units left ...
 *                            └ 5 ──────── [bc], 3 units left ┬ nothing ── - ─ [de], 3 units left ...
 *                                                            ...
 *
 * So some of the longest texts are lost, those that use few characters of their units: `complete` tells which are not.
 * Where there are more loops than units, each may also have some characters that take none. The result has about as
 * many nodes as the automaton has states, times the number of units.
 */
import type { StepBudget } from '../expression/budget.ts';
import type { Automaton } from './automaton.ts';
import { buildNodes, type CountedNode } from './loop-nodes.ts';
import { longestPath, loopPaths, type PathPosition, regionJoints } from './loop-paths.ts';
import { type CountedLoop, leastUnit, loopInUnits } from './loop-pieces.ts';
import { loopEntries } from './loops.ts';

interface Loops {
  readonly automaton: Automaton;
  /** For each state of the automaton, the entry of its loop; -1 outside loops. */
  readonly entries: readonly number[];
  readonly paths: readonly PathPosition[];
}

/** The texts of an automaton up to a maximum length, except some long ones. */
export interface CountedLoops extends Loops {
  readonly nodes: readonly CountedNode[];
  /** Index of the node where texts start. */
  readonly start: number;
  /** What the automaton was counted with: equal for the same nodes. */
  readonly way: string;
  /** All texts of at most so many characters are among the texts, of which none has more characters than the maximum. */
  readonly complete: number;
}

/** Larger automata are not handled. */
const maxStates = 1000;
/** Maximum number of nodes, including what pieces and regions take: each becomes a rule or a part of one. */
const maxNodes = 2000;
/** Numbers of units to try: with fewer, each is longer, and more is lost at the end of a loop. */
const unitCounts = [1, 2, 4, 6, 8, 10, 12, 16, 20, 24, 32];
/** With all texts up to this part of the maximum, no more units are tried. */
const enoughOf = 1 / 3;
/** Parts of the maximum to try that all loops have together before they take units. */
const freeShares = [0, 1 / 3];
/** Nodes that one step pays for, as a power of two. */
const nodesPerStep = 2;

/** What is wanted of counted loops. */
interface Wanted {
  /** The most characters of a text. */
  readonly max: number;
  /** All texts of more than so many characters are wanted before no more units are tried. */
  readonly beyond?: number;
  /** Fewer nodes than `maxNodes`. */
  readonly nodes?: number;
}

/**
 * Counts the loops of `automaton`; `null` if it has no loops, if it or they are too large or without an entry, or if
 * nothing fits.
 */
export function countLoops(automaton: Automaton, wanted: Wanted, budget: StepBudget): CountedLoops | null {
  const { max, beyond = 0, nodes = maxNodes } = wanted;
  const most = Math.min(nodes, maxNodes);
  const enough = Math.max(beyond + 1, max * enoughOf);
  const entries = automaton.states.length > maxStates ? null : loopEntries(automaton);
  if (entries === null || entries.every((entry) => entry < 0)) return null;
  const paths = loopPaths(automaton, entries);
  const regions = regionJoints(paths);
  const none = paths.map(() => -1);
  const ways = regions.some((joint) => joint >= 0) ? [none, regions] : [none];
  let best: Counted | null = null;
  for (const share of freeShares) {
    const possible = new Set(ways);
    for (const count of unitCounts) {
      for (const joints of possible) {
        const free = freeCharacters(paths, joints, max, share);
        const unit = Math.floor((max - longestPath(paths, joints, free)) / count);
        const counting = { automaton, entries, paths, joints, free, unit, count };
        const counted = countWith(counting, max, most, budget);
        // With more units, they are shorter, and there are more nodes.
        if (counted === null) possible.delete(joints);
        else if (counted.worth > (best?.worth ?? -1)) best = counted;
        if (counted !== null && counted.loops.complete >= enough) return counted.loops;
      }
    }
  }
  return best?.loops ?? null;
}

/** How many characters each loop may have if all of them together have this share of what the path leaves. */
function freeCharacters(
  paths: readonly PathPosition[],
  joints: readonly number[],
  max: number,
  share: number,
): number {
  const fixed = longestPath(paths, joints, 0);
  const allowed = fixed + (max - fixed) * share;
  let [low, high] = [0, Math.floor(allowed)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (longestPath(paths, joints, middle) <= allowed) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** A way to count. */
interface Counting extends Loops {
  readonly joints: readonly number[];
  /** Characters that each loop has before it takes units. */
  readonly free: number;
  /** Characters of a unit. */
  readonly unit: number;
  /** How many units there are. */
  readonly count: number;
}

interface Counted {
  readonly loops: CountedLoops;
  readonly worth: number;
}

/** `null` if a unit is too short, or there are more nodes than `most`. */
function countWith(
  { automaton, entries, paths, joints, free, unit, count }: Counting,
  max: number,
  most: number,
  budget: StepBudget,
): Counted | null {
  const loops = loopsInUnits(automaton, entries, unit);
  const freeLoops = free === 0 ? new Map<number, CountedLoop>() : loopsInUnits(automaton, entries, free);
  if (loops === null || freeLoops === null) return null;
  const left = most - extraNodes([...loops.values(), ...freeLoops.values()], entries, joints);
  const built = buildNodes({ paths, joints, freeLoops, loops, unit }, count, left);
  budget.spend((built?.nodes.length ?? left) >> nodesPerStep);
  if (built === null) return null;
  const complete = Math.min(max, built.lost - 1);
  const way = `${free} ${unit} ${count} ${joints.some((joint) => joint >= 0)}`;
  // What any text may have, and what may be in one place.
  const worth = complete * (free + count * Math.min(...Array.from(loops.values(), leastUnit)));
  return {
    worth,
    loops: { automaton, entries, paths, nodes: built.nodes, start: built.start, way, complete },
  };
}

/** By entry; `null` if a unit is too short. */
function loopsInUnits(
  automaton: Automaton,
  entries: readonly number[],
  unit: number,
): ReadonlyMap<number, CountedLoop> | null {
  const loops = new Map<number, CountedLoop>();
  for (const entry of new Set(entries)) {
    if (entry < 0) continue;
    const loop = loopInUnits(automaton, entries, entry, unit);
    if (loop === null) return null;
    loops.set(entry, loop);
  }
  return loops;
}

/** How many nodes pieces take (for each state, one per character, in full pieces and in others), and regions. */
function extraNodes(
  loops: readonly CountedLoop[],
  entries: readonly number[],
  joints: readonly number[],
): number {
  let count = joints.filter((joint) => joint >= 0).length;
  for (const { entry, cycle, piece } of loops)
    if (cycle.max > 1) count += 2 * piece * entries.filter((each) => each === entry).length;
  return count;
}
