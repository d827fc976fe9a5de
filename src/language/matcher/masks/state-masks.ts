/**
 * Which tokens of a vocabulary a grammar allows at a position, as a bitmap. Three ways lead to it, and the cheapest is
 * taken:
 *
 * - *a walk* of the trie together with the automaton, where few beginnings are allowed;
 * - *a run*: the tokens made only of characters of one class, which are known, and a walk of those that leave it;
 * - *a difference*: the mask of a nearby state that leads back to itself, and a walk of what differs from it.
 *
 *     "name": ·            walk         few tokens are a value's beginning
 *     "name": "Par·        run          letters without a quote are known as a class; tokens with `"` are walked
 *     "name": "·           difference   as within the string, but for what an empty string forbids
 *
 * Masks are remembered by state: within a value the same states come again and again. The trie is flat (`token-trie.ts`):
 * a walk goes on to the next node, or over a subtree to its end.
 */

import type { Steps } from '../../expression/steps.ts';
import { type BytePosition, wholePosition } from '../byte-position.ts';
import type { Position, Stacks } from '../stacks.ts';
import { ByteAutomaton, dead, hasHigh } from './byte-automaton.ts';
import { lowestBit, type TokenBitmap } from './token-bitmap.ts';
import type { CharacterClass, Exits, TokenRuns } from './token-runs.ts';
import { noToken, type TokenTrie, tokensOf } from './token-trie.ts';

/** A walk of fewer nodes than this is the cheapest way. */
const fewNodes = 2000;
/** A class of fewer characters than this has no runs to speak of. */
const fewCharacters = 16;
/** A difference is tried where this part of the nodes comes after the other state. */
const mostNodes = 0.3;
/** A difference is given up after so many nodes. */
const maxDifference = 30_000;
/** How many differences a mask may be away from one that is found by itself. */
const nearby = 4;
/** Members that are treated alike for so long are worth the look at all of their runs. */
const longAlike = 8;
/** Maximum number of masks that are remembered: 20 MB for 150,000 tokens. */
const maxMasks = 1000;
/** A step ends after so many searches of the automaton: about two milliseconds. */
const searchesPerStep = 2000;

/** The masks of one grammar over one vocabulary, by the states of one automaton. */
export class StateMasks {
  readonly #stacks: Stacks;
  readonly #trie: TokenTrie;
  readonly #runs: (members: CharacterClass) => TokenRuns;
  readonly #automaton: ByteAutomaton;
  readonly #masks = new Map<number, TokenBitmap>();
  /** How many masks are being found as differences: states may lead to each other, or on and on. */
  #depth = 0;
  /** The states after the bytes of the current beginning, of a walk and of the walk that it is compared with. */
  readonly #path: Int32Array;
  readonly #otherPath: Int32Array;

  constructor(stacks: Stacks, trie: TokenTrie, runs: (members: CharacterClass) => TokenRuns) {
    this.#stacks = stacks;
    this.#trie = trie;
    this.#runs = runs;
    this.#automaton = new ByteAutomaton(stacks);
    this.#path = new Int32Array(trie.longest + 1);
    this.#otherPath = new Int32Array(trie.longest + 1);
  }

  /** Number of states so far. */
  get states(): number {
    return this.#automaton.size;
  }

  /** The tokens that may come next. Not to be changed. */
  at(position: BytePosition): Readonly<TokenBitmap> {
    return this.#mask(this.#automaton.stateAt(position));
  }

  /** `at` in steps. Each begins anew: what the steps before it have searched is known, and no more than a look. */
  *steps(position: BytePosition): Steps<Readonly<TokenBitmap>> {
    for (;;) {
      const mask = this.#automaton.within(searchesPerStep, () => this.at(position));
      if (mask !== null) return mask;
      yield;
    }
  }

  #mask(state: number): Readonly<TokenBitmap> {
    const known = this.#masks.get(state);
    if (known !== undefined) return known;
    const mask = this.#find(state);
    if (this.#masks.size >= maxMasks) this.#masks.delete(this.#masks.keys().next().value ?? state);
    this.#masks.set(state, mask);
    return mask;
  }

  #find(state: number): TokenBitmap {
    const position = this.#automaton.position(state);
    const { nodes, main, mainNodes, mainBytes } = this.#mainTarget(state);
    if (position === null || nodes < fewNodes || mainBytes < fewCharacters) return this.#walked(state);
    if (mainNodes > mostNodes * nodes && main !== state && this.#depth < nearby && this.#isLoop(main)) {
      const mask = this.#difference(state, main);
      if (mask !== null) return mask;
    }
    return this.#run(state, position, main) ?? this.#walked(state);
  }

  /**
   * How many nodes the first characters from a state lead to, and the state that most of them lead to. Only ASCII is
   * looked at.
   */
  #mainTarget(state: number) {
    const { roots, ends } = this.#trie;
    const row = this.#automaton.ascii(state);
    const byTarget = new Map<number, { nodes: number; bytes: number }>();
    let nodes = 0;
    for (let byte = 0; byte < row.length; byte += 1) {
      const target = row[byte] ?? dead;
      const root = roots[byte] ?? noToken;
      if (target === dead || root === noToken) continue;
      const below = (ends[root] ?? 0) - root;
      nodes += below;
      const sum = byTarget.get(target) ?? { nodes: 0, bytes: 0 };
      sum.nodes += below;
      sum.bytes += 1;
      byTarget.set(target, sum);
    }
    let main = { target: dead, nodes: 0, bytes: 0 };
    for (const [target, sum] of byTarget) if (sum.nodes > main.nodes) main = { target, ...sum };
    return { nodes, main: main.target, mainNodes: main.nodes, mainBytes: main.bytes };
  }

  /** Whether most characters lead back to this state, as within a string without a limit. */
  #isLoop(state: number): boolean {
    const row = this.#automaton.ascii(state);
    let count = 0;
    for (let byte = 0; byte < 0x80; byte += 1) if (row[byte] === state) count += 1;
    return count >= fewCharacters;
  }

  #walked(state: number): TokenBitmap {
    const mask = new Uint32Array(this.#trie.words);
    this.#walk(mask, 0, this.#trie.size, state);
    return mask;
  }

  /** Adds the tokens among the nodes `from` to `to`, siblings and what is below them, of which `state` is before. */
  #walk(mask: TokenBitmap, from: number, to: number, state: number): void {
    const { labels, ends, tokens } = this.#trie;
    const automaton = this.#automaton;
    const path = this.#path;
    const top = (labels[from] ?? 0) >>> 8;
    let node = from;
    while (node < to) {
      // A label is `depth << 8 | byte`.
      const label = labels[node] ?? 0;
      const depth = label >>> 8;
      const next = automaton.next(depth === top ? state : (path[depth - 1] ?? dead), label & 0xff);
      if (next === dead) {
        node = ends[node] ?? to;
        continue;
      }
      const entry = tokens[node] ?? noToken;
      if (entry >= 0) mask[entry >> 5] = (mask[entry >> 5] ?? 0) | (1 << (entry & 31));
      else if (entry !== noToken) this.#set(mask, entry, true); // below `noToken`: several equal tokens
      path[depth] = next;
      node += 1;
    }
  }

  /** The mask of `other`, changed where `state` differs from it; `null` if that takes too long. */
  #difference(state: number, other: number): TokenBitmap | null {
    const mask = this.#near(other).slice();
    const { labels, ends, tokens, size } = this.#trie;
    const path = this.#path;
    const otherPath = this.#otherPath;
    let left = maxDifference;
    let node = 0;
    while (node < size) {
      left -= 1;
      if (left < 0) return null;
      const label = labels[node] ?? 0;
      const depth = label >>> 8;
      const next = this.#after(depth === 0 ? state : (path[depth - 1] ?? dead), label & 0xff);
      const otherNext = this.#after(depth === 0 ? other : (otherPath[depth - 1] ?? dead), label & 0xff);
      if (next === otherNext) {
        node = ends[node] ?? size;
        continue;
      }
      const entry = tokens[node] ?? noToken;
      if (entry !== noToken) this.#set(mask, entry, next !== dead);
      path[depth] = next;
      otherPath[depth] = otherNext;
      node += 1;
    }
    return mask;
  }

  /** The mask of a state that another one's is a difference from. */
  #near(state: number): Readonly<TokenBitmap> {
    this.#depth += 1;
    try {
      return this.#mask(state);
    } finally {
      this.#depth -= 1;
    }
  }

  #after(state: number, byte: number): number {
    return state === dead ? dead : this.#automaton.next(state, byte);
  }

  /** Adds or removes the tokens of a node. */
  #set(mask: TokenBitmap, entry: number, isIn: boolean): void {
    for (const token of tokensOf(this.#trie, entry)) {
      const bit = 1 << (token & 31);
      const word = mask[token >> 5] ?? 0;
      mask[token >> 5] = isIn ? word | bit : word & ~bit;
    }
  }

  /**
   * The mask by runs of the characters that lead from `state` to `main`; `null` if the states after these do not treat
   * all of them alike.
   */
  #run(state: number, position: Position, main: number): TokenBitmap | null {
    const members = this.#membersTo(state, main);
    const after = this.#statesAfter(state, position, members);
    if (after === null) return null;
    const runs = this.#runsOf(members);
    const mask = runs.upTo(after.most).slice();
    for (let byte = 0; byte < 0x100; byte += 1) this.#addExits(mask, byte, runs, after);
    return mask;
  }

  /** The runs of a class: some ten milliseconds where nobody has asked for them before. */
  #runsOf(members: CharacterClass): TokenRuns {
    const runs = this.#runs(members);
    while (runs.advance()) this.#automaton.pause();
    return runs;
  }

  /** The characters that lead from one state to another. */
  #membersTo(state: number, target: number): CharacterClass {
    const row = this.#automaton.ascii(state);
    const ascii = new Uint32Array(4);
    for (let byte = 0; byte < 0x80; byte += 1) {
      if (row[byte] === target) ascii[byte >> 5] = (ascii[byte >> 5] ?? 0) | (1 << (byte & 31));
    }
    const high = this.#automaton.high(state);
    const isMember = high !== null && high.target === target;
    return {
      ascii,
      high: isMember ? high.set : null,
      key: `${ascii.join()} ${isMember ? high.key : ''}`,
    };
  }

  /**
   * The states after 0, 1, 2, … members; `null` if they are not the same for all members. If all members are in the
   * same sets here, they are so at every later position with the same nodes: no need to test each there.
   */
  #statesAfter(state: number, position: Position, members: CharacterClass): StatesAfter | null {
    const first = firstMember(members.ascii);
    const inSameSets = areInSameSets(position, members);
    const positions = [position];
    let last = position;
    let longest = this.#trie.longest;
    for (let most = 0; most < longest; most += 1) {
      // No need to go on beyond the longest run.
      if (most === longAlike) longest = this.#runsOf(members).longest;
      const isAlike = inSameSets && haveSameNodes(last, position);
      if (!isAlike && !this.#leadsAlike(last, members, state)) return null;
      const next = this.#stacks.advance(last, first);
      if (next === null) return { positions, most };
      // A fixed point: any number of members stays here.
      if (next === last) return { positions, most: longest };
      positions.push(next);
      last = next;
    }
    return { positions, most: longest };
  }

  /** Whether all members lead from a position to one state, or none is allowed there; the run begins at `origin`. */
  #leadsAlike(position: Position, { ascii, high }: CharacterClass, origin: number): boolean {
    const state = this.#automaton.stateAt(wholePosition(position));
    const row = this.#automaton.ascii(state);
    const target = row[firstMember(ascii)] ?? dead;
    for (let byte = 0; byte < 0x80; byte += 1) {
      if ((((ascii[byte >> 5] ?? 0) >>> (byte & 31)) & 1) === 1 && row[byte] !== target) return false;
    }
    if (high === null) return true;
    const here = this.#automaton.high(state);
    if (target === dead) return here === null;
    return here?.target === target && here.key === this.#automaton.high(origin)?.key;
  }

  /** Adds the tokens that leave the class by `byte`. */
  #addExits(mask: TokenBitmap, byte: number, { exits }: TokenRuns, { positions, most }: StatesAfter): void {
    const { nodes, places } = exits[byte] ?? noExits;
    const last = positions.length - 1;
    for (let characters = 0; characters < places.length - 1 && characters <= most; characters += 1) {
      const position = positions[Math.min(characters, last)];
      if (position === undefined) return;
      const state = this.#automaton.next(this.#automaton.stateAt(wholePosition(position)), byte);
      // Further places all share the last position.
      const end = characters < last ? characters + 1 : Math.min(most + 1, places.length - 1);
      if (state !== dead) this.#addBelow(mask, nodes.subarray(places[characters], places[end]), state);
      if (characters === last) return;
    }
  }

  /** Adds the tokens of `nodes` and what is below them; `state` is after each of them. */
  #addBelow(mask: TokenBitmap, nodes: Int32Array, state: number): void {
    const { ends, tokens } = this.#trie;
    for (let place = 0; place < nodes.length; place += 1) {
      const node = nodes[place] ?? 0;
      const entry = tokens[node] ?? noToken;
      if (entry >= 0) mask[entry >> 5] = (mask[entry >> 5] ?? 0) | (1 << (entry & 31));
      else if (entry !== noToken) this.#set(mask, entry, true);
      const end = ends[node] ?? 0;
      if (end > node + 1) this.#walk(mask, node + 1, end, state);
    }
  }
}

const noExits: Exits = { nodes: new Int32Array(), places: new Int32Array() };

/** What follows a run of members. */
interface StatesAfter {
  /** The positions after 0, 1, 2, … members; the last also after more. */
  readonly positions: readonly Position[];
  /** The most members that may come. */
  readonly most: number;
}

function firstMember(ascii: Uint32Array): number {
  const word = ascii.findIndex((bits) => bits !== 0);
  return (word << 5) | lowestBit(ascii[word] ?? 0);
}

/** Whether all members are in the same of the sets that a position allows. */
function areInSameSets({ characters }: Position, { ascii, high }: CharacterClass): boolean {
  return characters.every(({ node: { set } }) => {
    const common = ascii.map((word, index) => word & (set.ascii[index] ?? 0));
    const hasNone = common.every((word) => word === 0);
    const hasAll = common.every((word, index) => word === ascii[index]);
    // What a set has above ASCII, a class that has members there has, too.
    return high === null ? hasNone || hasAll : hasHigh(set) ? hasAll : hasNone;
  });
}

/** Whether two positions go on with the same nodes: what is in the same sets at one is so at the other. */
function haveSameNodes({ characters }: Position, { characters: others }: Position): boolean {
  return (
    characters.length === others.length && characters.every(({ node }, index) => node === others[index]?.node)
  );
}
