/** Texts without their iterations of loops (`loops.ts`): paths without cycles, from position to position. */
import type { Automaton, AutomatonEdge, AutomatonState } from './automaton.ts';

/** A position on a path. Positions lead to later ones only. */
export interface PathPosition {
  readonly state: number;
  /** Whether iterations of a loop may come first. After leaving the entry of its loop, a path does not return to it. */
  readonly isEntry: boolean;
  readonly accepts: boolean;
  /** Targets are indexes of positions. */
  readonly steps: readonly AutomatonEdge[];
}

/** All positions, from the start of texts; for each state, `entries` has the entry of its loop, or -1. */
export function loopPaths({ states }: Automaton, entries: readonly number[]): readonly PathPosition[] {
  const found: {
    readonly key: string;
    readonly isEntry: boolean;
    readonly state: number;
    readonly steps: Step[];
  }[] = [];
  const seen = new Set<string>();
  const visit = (state: number, isAfter: boolean): void => {
    const key = positionKey(state, isAfter);
    if (seen.has(key)) return;
    seen.add(key);
    const entry = entries[state] ?? -1;
    const isEntry = state === entry;
    const steps = (states[state]?.edges ?? []).flatMap(([set, target]): Step[] => {
      const isInside = entry >= 0 && entries[target] === entry;
      const left = isAfter || isEntry;
      return isInside && left && target === entry ? [] : [{ set, target, isAfter: isInside && left }];
    });
    for (const { target, isAfter } of steps) visit(target, isAfter);
    found.push({ key, isEntry, state, steps });
  };
  visit(0, false);
  found.reverse();
  const numbers = new Map(found.map(({ key }, index) => [key, index]));
  return found.map(({ state, isEntry, steps }) => ({
    state,
    isEntry,
    accepts: states[state]?.accepts === true,
    steps: steps.map(
      ({ set, target, isAfter }): AutomatonEdge => [set, numbers.get(positionKey(target, isAfter)) ?? 0],
    ),
  }));
}

interface Step {
  readonly set: AutomatonEdge[0];
  readonly target: number;
  /** Whether the entry of the loop was left. */
  readonly isAfter: boolean;
}

function positionKey(state: number, isAfter: boolean): string {
  return `${state}${isAfter ? ' after' : ''}`;
}

/** Smaller regions are not worth a rule of their own. */
const leastRegion = 16;

/**
 * For each position, the joint of its region, or -1. A region is a part of the paths without entries and ends of texts
 * that is left through one position, its joint: the longest such part, found as in a tree of post-dominators. An IPv6
 * address within a URI is one, whatever follows it.
 */
export function regionJoints(paths: readonly PathPosition[]): readonly number[] {
  // The next position that all paths pass; -1: they do not, or it is the entry of a loop.
  const parents = paths.map((): number => -1);
  const depths = paths.map(() => 1);
  const depthOf = (at: number) => (at < 0 ? 0 : (depths[at] ?? 0));
  const meet = (a: number, b: number): number => {
    let [first, second] = [a, b];
    while (first !== second) {
      if (depthOf(first) >= depthOf(second)) first = parents[first] ?? -1;
      else second = parents[second] ?? -1;
    }
    return first;
  };
  for (let at = paths.length - 1; at >= 0; at -= 1) {
    const { accepts = true, steps = [] } = paths[at] ?? {};
    const targets = steps.map(([, to]) => (paths[to]?.isEntry === false ? to : -1));
    parents[at] = accepts || targets.length === 0 ? -1 : targets.reduce(meet);
    depths[at] = depthOf(parents[at] ?? -1) + 1;
  }
  const joints = paths.map(() => -1);
  const sizes = paths.map(() => 0);
  for (let at = paths.length - 1; at >= 0; at -= 1) {
    const parent = parents[at] ?? -1;
    if (parent < 0) continue;
    const above = joints[parent] ?? -1;
    const joint = above < 0 ? parent : above;
    joints[at] = joint;
    sizes[joint] = (sizes[joint] ?? 0) + 1;
  }
  return joints.map((joint) => (joint >= 0 && (sizes[joint] ?? 0) >= leastRegion ? joint : -1));
}

/** The texts from a position of a region to its joint. */
export function regionAutomaton(paths: readonly PathPosition[], from: number, joint: number): Automaton {
  const numbers = new Map([[from, 0]]);
  const states: AutomatonState[] = [];
  for (const [at] of numbers) {
    const steps = at === joint ? [] : (paths[at]?.steps ?? []);
    const edges = steps.map(([set, to]): AutomatonEdge => {
      const number = numbers.get(to) ?? numbers.size;
      numbers.set(to, number);
      return [set, number];
    });
    states.push({ accepts: at === joint, edges });
  }
  return { states };
}

/** Characters of the longest path, not counting those within regions, with so many of each loop. */
export function longestPath(
  paths: readonly PathPosition[],
  joints: readonly number[],
  perLoop: number,
): number {
  const lengths = paths.map(() => 0);
  for (let at = paths.length - 1; at >= 0; at -= 1) {
    const { isEntry = false, steps = [] } = paths[at] ?? {};
    const joint = joints[at] ?? -1;
    const after = steps.reduce((most, [, to]) => Math.max(most, 1 + (lengths[to] ?? 0)), 0);
    lengths[at] = (joint >= 0 ? (lengths[joint] ?? 0) : after) + (isEntry ? perLoop : 0);
  }
  return lengths[0] ?? 0;
}

/** For each position, the characters of the shortest path from there to an end. */
export function shortestRests(paths: readonly PathPosition[]): readonly number[] {
  const rests = paths.map(() => 0);
  for (let at = paths.length - 1; at >= 0; at -= 1) {
    const { accepts = false, steps = [] } = paths[at] ?? {};
    if (!accepts) rests[at] = 1 + Math.min(...steps.map(([, to]) => rests[to] ?? 0));
  }
  return rests;
}

/** Characters of the shortest and the longest path from a position of a region to its joint. */
export function regionLengths(paths: readonly PathPosition[], from: number, joint: number): Lengths {
  const lengths = new Map<number, Lengths>([[joint, { min: 0, max: 0 }]]);
  for (let at = joint - 1; at >= from; at -= 1) {
    const next = (paths[at]?.steps ?? []).flatMap(([, to]) => lengths.get(to) ?? []);
    if (next.length === 0) continue;
    const min = 1 + Math.min(...next.map((each) => each.min));
    lengths.set(at, { min, max: 1 + Math.max(...next.map((each) => each.max)) });
  }
  return lengths.get(from) ?? { min: 0, max: 0 };
}

interface Lengths {
  readonly min: number;
  readonly max: number;
}
