/** Texts of an automaton whose loops are counted, as a graph without cycles; `counted-loops.ts` has the idea. */
import type { AutomatonEdge } from './automaton.ts';
import { type PathPosition, regionLengths, shortestRests } from './loop-paths.ts';
import { type CountedLoop, hasPartialUnits, leastUnit } from './loop-pieces.ts';

/** What may follow at some place of a text. Nodes lead to earlier ones only. */
export type CountedNode = StepNode | RegionNode | LoopNode;

/** One character, or the end. */
interface StepNode {
  readonly type: 'step';
  readonly accepts: boolean;
  /** Targets are indexes of nodes. */
  readonly edges: readonly AutomatonEdge[];
}

/** The path from a position of a region to its joint, then what follows there. */
interface RegionNode {
  readonly type: 'region';
  readonly from: number;
  readonly joint: number;
  readonly next: number;
}

/** Iterations of a loop at its entry, then what follows them. Nodes are `null` where no text is short enough. */
export interface LoopNode {
  readonly type: 'loop';
  readonly loop: CountedLoop;
  /** After a full unit, where there may be more iterations. */
  readonly full: number | null;
  /** After iterations that do not fill a unit. */
  readonly part: number | null;
  /** After no iteration. */
  readonly none: number | null;
}

/** What nodes are built of. */
interface Plan {
  readonly paths: readonly PathPosition[];
  readonly joints: readonly number[];
  /** By entry, the iterations that take no units; empty if there are none. */
  readonly freeLoops: ReadonlyMap<number, CountedLoop>;
  /** By entry. */
  readonly loops: ReadonlyMap<number, CountedLoop>;
  /** In characters. */
  readonly unit: number;
}

interface BuiltNodes {
  readonly nodes: readonly CountedNode[];
  /** Index of the node where texts start. */
  readonly start: number;
  /** Length of the shortest text of the automaton that is not among the texts; infinite if there is none. */
  readonly lost: number;
}

/** The texts of a plan whose loops and regions take at most so many units; `null` beyond `most` nodes, or without texts. */
export function buildNodes(plan: Plan, units: number, most: number): BuiltNodes | null {
  const builder = new NodeBuilder(plan, most);
  const { node, lost } = builder.follow(0, units);
  const { nodes } = builder;
  return node === null || nodes.length > most ? null : { nodes, start: node, lost };
}

/** A node, or `null` where no text is short enough, and the length of the shortest text from there that is lost. */
interface Built {
  readonly node: number | null;
  readonly lost: number;
}

class NodeBuilder {
  readonly nodes: CountedNode[] = [];
  readonly #plan: Plan;
  /** Building ends beyond this number of nodes. */
  readonly #most: number;
  readonly #rests: readonly number[];
  readonly #built = new Map<string, Built>();

  constructor(plan: Plan, most: number) {
    this.#plan = plan;
    this.#most = most;
    this.#rests = shortestRests(plan.paths);
  }

  /** A position where so many units are left. */
  follow(position: number, units: number): Built {
    const { paths, freeLoops, loops } = this.#plan;
    if (units < 0 || this.nodes.length > this.#most) return { node: null, lost: this.#rests[position] ?? 0 };
    const { isEntry = false, state = 0 } = paths[position] ?? {};
    const loop = isEntry ? loops.get(state) : undefined;
    if (loop === undefined) return this.#after(position, units);
    const free = freeLoops.get(state);
    return free === undefined ? this.#loop(position, loop, units) : this.#free(position, free, loop, units);
  }

  #free(position: number, free: CountedLoop, loop: CountedLoop, units: number): Built {
    return this.#once(`free ${position} ${units}`, () => {
      const after = this.#after(position, units);
      return this.#iterations(
        free,
        this.#loop(position, loop, units),
        hasPartialUnits(free) ? after : nothing,
        after,
      );
    });
  }

  #loop(position: number, loop: CountedLoop, units: number): Built {
    return this.#once(`loop ${position} ${units}`, () => {
      const none = this.#after(position, units);
      const oneMore = loop.cycle.min + (this.#rests[position] ?? 0);
      if (units === 0) return { node: none.node, lost: Math.min(none.lost, oneMore) };
      const part = hasPartialUnits(loop) ? this.#after(position, units - 1) : nothing;
      return this.#iterations(loop, this.#loop(position, loop, units - 1), part, none);
    });
  }

  #iterations(loop: CountedLoop, full: Built, part: Built, none: Built): Built {
    const lost = Math.min(none.lost, loop.cycle.min + part.lost, leastUnit(loop) + full.lost);
    const nodes = { full: full.node, part: part.node, none: none.node };
    const isDead = Object.values(nodes).every((node) => node === null);
    return isDead ? { node: null, lost } : this.#add({ type: 'loop', loop, ...nodes }, lost);
  }

  /** A position after the iterations that may be there. */
  #after(position: number, units: number): Built {
    return this.#once(`${position} ${units}`, () => {
      const joint = this.#plan.joints[position] ?? -1;
      return joint < 0 ? this.#step(position, units) : this.#region(position, joint, units);
    });
  }

  #step(position: number, units: number): Built {
    const { accepts = false, steps = [] } = this.#plan.paths[position] ?? {};
    let lost = Number.POSITIVE_INFINITY;
    const edges: AutomatonEdge[] = [];
    for (const [set, to] of steps) {
      const built = this.follow(to, units);
      lost = Math.min(lost, 1 + built.lost);
      if (built.node !== null) edges.push([set, built.node]);
    }
    const isDead = !accepts && edges.length === 0;
    return isDead ? { node: null, lost } : this.#add({ type: 'step', accepts, edges }, lost);
  }

  #region(from: number, joint: number, units: number): Built {
    const { min, max } = regionLengths(this.#plan.paths, from, joint);
    const next = this.follow(joint, units - Math.ceil(max / this.#plan.unit));
    const lost = min + next.lost;
    if (next.node === null) return { node: null, lost };
    return this.#add({ type: 'region', from, joint, next: next.node }, lost);
  }

  #add(node: CountedNode, lost: number): Built {
    this.nodes.push(node);
    return { node: this.nodes.length - 1, lost };
  }

  #once(key: string, build: () => Built): Built {
    const found = this.#built.get(key) ?? build();
    this.#built.set(key, found);
    return found;
  }
}

const nothing: Built = { node: null, lost: Number.POSITIVE_INFINITY };
