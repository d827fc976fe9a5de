/**
 * Long texts of a large automaton, with a limit for each of its repeated parts instead of a counter for the
 * whole: the path of a URI may have so many characters, and so may its query. The limits are such that no text
 * is longer than allowed, so that some texts are lost, but the expression is as small as the automaton.
 *
 * A part is repeated through one state, its hub: all of its cycles lead through it. A text is then a way
 * through the automaton without cycles, with rounds at each hub that it meets.
 */
import { choice, type Expression, empty, sequence } from '../expression/expression.ts';
import type { RuleSet } from '../expression/rule-set.ts';
import type { Automaton, AutomatonEdge } from './automaton.ts';
import { countedRepeat } from './counted.ts';
import type { Spelling } from './spelling.ts';
import { automatonNumber, writeNode } from './write-automaton.ts';
import { spelledCharacter } from './write-characters.ts';

/** How an automaton repeats, and how often it may. */
export interface CountedParts {
  readonly automaton: Automaton;
  /** Per state, the hub of the part that it belongs to; -1 outside of parts. */
  readonly hubs: readonly number[];
  /** By hub, the characters that its part may have in its rounds. */
  readonly characters: ReadonlyMap<number, number>;
  /** By hub, the characters of its longest round. */
  readonly lengths: ReadonlyMap<number, number>;
}

/** Larger automata, and larger parts, are not looked at. */
const maxStates = 1000;
const maxPart = 64;
/** Rounds of more characters are as often much shorter, and to count them as that long would lose too much. */
const maxRound = 4;

/**
 * The parts of `automaton`, with limits by which no text has more than `max` characters; `null` where a part
 * has no hub.
 */
export function countParts(automaton: Automaton, max: number): CountedParts | null {
  const hubs = automaton.states.length > maxStates ? null : hubsOf(automaton);
  if (hubs === null) return null;
  const lengths = new Map<number, number>();
  for (const hub of new Set(hubs)) if (hub >= 0) lengths.set(hub, longestRound(automaton, hubs, hub));
  if (Math.max(0, ...lengths.values()) > maxRound) return null;
  if (lengths.size === 0) return null;
  const longest = (characters: ReadonlyMap<number, number>) =>
    longestText(automaton, hubs, (hub) => {
      const length = lengths.get(hub) ?? 1;
      return Math.floor((characters.get(hub) ?? 0) / length) * length;
    });
  const each = (count: number) => new Map([...lengths.keys()].map((hub) => [hub, count] as const));
  if (longest(each(0)) > max) return null;
  const some = most(max, (count) => longest(each(count)) <= max / 3);
  const main = mainHub(automaton, hubs);
  const all = most(max, (count) => longest(each(some).set(main, count)) <= max);
  return { automaton, hubs, characters: each(some).set(main, all), lengths };
}

/** The greatest number up to `limit` that fits, where all that are smaller fit, too. */
function most(limit: number, fits: (count: number) => boolean): number {
  let [low, high] = [0, limit];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (fits(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The hub to whose part most ways lead: the one that is worth the most characters. */
function mainHub({ states }: Automaton, hubs: readonly number[]): number {
  const ways = new Map<number, number>();
  states.forEach(({ edges }, state) => {
    for (const [, target] of edges) {
      const hub = hubs[target] ?? -1;
      if (hub >= 0 && hub !== hubs[state]) ways.set(hub, (ways.get(hub) ?? 0) + 1);
    }
  });
  const [main] = [...ways].sort((a, b) => b[1] - a[1]);
  return main?.[0] ?? hubs.find((hub) => hub >= 0) ?? -1;
}

/** Per state the hub of its part, -1 where it has none; `null` where a part has cycles next to any one state. */
function hubsOf(automaton: Automaton): readonly number[] | null {
  const parts = partsOf(automaton);
  const hubs = automaton.states.map(() => -1);
  for (const part of parts) {
    if (part.length > maxPart) return null;
    const members = new Set(part);
    const hub = part.find((each) => !hasCycle(automaton, members, each));
    if (hub === undefined) return null;
    for (const state of part) hubs[state] = hub;
  }
  return hubs;
}

/** Sets of states that lead to each other, without single ones that do not lead to themselves. */
function partsOf({ states }: Automaton): readonly (readonly number[])[] {
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
  const parts: (readonly number[])[] = [];
  visitAll(sources, order.reverse(), (found) => {
    parts.push(found);
  });
  return parts.filter(
    ([first = 0, second]) =>
      second !== undefined || states[first]?.edges.some(([, target]) => target === first),
  );
}

/** Walks from each of `starts` to all that was not seen yet; `report` gets those in the order of their ends. */
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

/** Whether `members` without `hub` have a cycle. */
function hasCycle({ states }: Automaton, members: ReadonlySet<number>, hub: number): boolean {
  const left = new Set([...members].filter((each) => each !== hub));
  for (let before = -1; before !== left.size; ) {
    before = left.size;
    for (const state of left) {
      if (!states[state]?.edges.some(([, target]) => left.has(target))) left.delete(state);
    }
  }
  return left.size > 0;
}

/** Characters of the longest way from `hub` to itself. */
function longestRound({ states }: Automaton, hubs: readonly number[], hub: number): number {
  const known = new Map<number, number>();
  const longest = (state: number): number => {
    const found = known.get(state);
    if (found !== undefined) return found;
    let most = 0;
    for (const [, target] of states[state]?.edges ?? []) {
      if (target === hub) most = Math.max(most, 1);
      else if (hubs[target] === hub) most = Math.max(most, 1 + longest(target));
    }
    known.set(state, most);
    return most;
  };
  return longest(hub);
}

/** Where a way through the automaton stands: `past` the hub of its part, it does not come back to it. */
interface Stand {
  readonly state: number;
  readonly past: boolean;
}

/** The steps of a way on from `state`, after the rounds of a hub. */
function stepsFrom(
  { states }: Automaton,
  hubs: readonly number[],
  { state, past }: Stand,
): readonly (readonly [AutomatonEdge, Stand])[] {
  const hub = hubs[state] ?? -1;
  const after = past || state === hub;
  return (states[state]?.edges ?? []).flatMap((edge): [AutomatonEdge, Stand][] => {
    const [, target] = edge;
    const inside = hub >= 0 && hubs[target] === hub;
    if (inside && after && target === hub) return [];
    return [[edge, { state: target, past: inside && after }]];
  });
}

/** Characters of the longest text, where the rounds at a hub have `weight`. */
function longestText(automaton: Automaton, hubs: readonly number[], weight: (hub: number) => number): number {
  const known = new Map<string, number>();
  const longest = (stand: Stand): number => {
    const key = standKey(stand);
    const found = known.get(key);
    if (found !== undefined) return found;
    let most = automaton.states[stand.state]?.accepts ? 0 : Number.NEGATIVE_INFINITY;
    for (const [, next] of stepsFrom(automaton, hubs, stand)) most = Math.max(most, 1 + longest(next));
    const all = most + (stand.state === hubs[stand.state] ? weight(stand.state) : 0);
    known.set(key, all);
    return all;
  };
  return longest({ state: 0, past: false });
}

function standKey({ state, past }: Stand): string {
  return `${state}${past ? ' past' : ''}`;
}

/** The texts of `parts` in `spelling`, then `end`, whose first character no spelling begins with. */
export function writeCountedParts(
  parts: CountedParts,
  spelling: Spelling,
  end: Expression,
  rules: RuleSet,
  hint: string,
): Expression {
  const number = automatonNumber(parts.automaton, rules);
  const key = `counted ${spelling.id} ${JSON.stringify(end)} ${number} ${[...parts.characters].join()}`;
  return new CountedWriter(parts, spelling, end, rules, hint, rules.shortKey(key)).start();
}

class CountedWriter {
  readonly #parts: CountedParts;
  readonly #spelling: Spelling;
  readonly #end: Expression;
  readonly #rules: RuleSet;
  readonly #hint: string;
  readonly #key: string;
  readonly #alive = new Map<string, boolean>();

  constructor(
    parts: CountedParts,
    spelling: Spelling,
    end: Expression,
    rules: RuleSet,
    hint: string,
    key: string,
  ) {
    this.#parts = parts;
    this.#spelling = spelling;
    this.#end = end;
    this.#rules = rules;
    this.#hint = hint;
    this.#key = key;
  }

  start(): Expression {
    return this.#reference({ state: 0, past: false });
  }

  #reference(stand: Stand): Expression {
    const { automaton } = this.#parts;
    const { accepts = false, edges = [] } = automaton.states[stand.state] ?? {};
    if (edges.length === 0) return accepts ? this.#end : empty;
    return this.#rules.named(`${this.#key} ${standKey(stand)}`, this.#hint, () => this.#node(stand));
  }

  #node(stand: Stand): Expression {
    const { automaton, hubs } = this.#parts;
    const { state } = stand;
    const steps = stepsFrom(automaton, hubs, stand).filter(([, next]) => this.#leadsOn(next));
    const rest = writeNode(
      {
        edges: steps.map(([[set], next]) => ({
          set,
          inline: () => this.#reference(next),
          shared: () => this.#reference(next),
        })),
        loop: [],
        self: () => empty,
        end: automaton.states[state]?.accepts ? this.#end : null,
      },
      this.#spelling,
      this.#rules,
    );
    return hubs[state] === state ? sequence(this.#repeated(state), rest) : rest;
  }

  /** What comes at a hub: its rounds, or more of them where each is one character. */
  #repeated(hub: number): Expression {
    const { automaton, characters, lengths } = this.#parts;
    const most = characters.get(hub) ?? 0;
    const rounds = Math.floor(most / (lengths.get(hub) ?? 1));
    const all = rounds === 0 ? empty : countedRepeat(this.#round(hub), 0, rounds, this.#rules);
    const loop = automaton.states[hub]?.edges.find(([, target]) => target === hub);
    if (loop === undefined || rounds === most) return all;
    const single = spelledCharacter(loop[0], this.#spelling, this.#rules);
    return choice(all, countedRepeat(single, 0, most - (most % (lengths.get(hub) ?? 1)), this.#rules));
  }

  /** Whether some text ends from `stand` on. */
  #leadsOn(stand: Stand): boolean {
    const { automaton, hubs } = this.#parts;
    const key = standKey(stand);
    const known = this.#alive.get(key);
    if (known !== undefined) return known;
    const alive =
      automaton.states[stand.state]?.accepts === true ||
      stepsFrom(automaton, hubs, stand).some(([, next]) => this.#leadsOn(next));
    this.#alive.set(key, alive);
    return alive;
  }

  /** One way from a hub to itself. */
  #round(hub: number): Expression {
    return this.#rules.named(`${this.#key} round ${hub}`, `${this.#hint}-part`, () => this.#way(hub, hub));
  }

  #way(state: number, hub: number): Expression {
    const { automaton, hubs } = this.#parts;
    const edges = (automaton.states[state]?.edges ?? []).filter(([, target]) => hubs[target] === hub);
    const follow = ([, target]: AutomatonEdge) =>
      target === hub
        ? empty
        : this.#rules.named(`${this.#key} way ${target}`, `${this.#hint}-part`, () => this.#way(target, hub));
    return writeNode(
      {
        edges: edges.map((edge) => ({
          set: edge[0],
          inline: () => follow(edge),
          shared: () => follow(edge),
        })),
        loop: [],
        self: () => empty,
        end: null,
      },
      this.#spelling,
      this.#rules,
    );
  }
}
