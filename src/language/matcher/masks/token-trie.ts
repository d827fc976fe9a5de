/**
 * A vocabulary as a trie, flat and depth first: a walk is a loop over arrays, and a subtree is skipped by one jump.
 *
 *     tokens a, ab, b     node   0   1   2        a subtree is the nodes from `node` to `ends[node]`
 *                         byte   a   b   b
 *                         depth  0   1   0
 *                         end    2   2   3
 */
import { finish, type Steps } from '../../expression/steps.ts';
import type { TokenIndex } from '../token-index.ts';

/** One node for each different beginning of a token. */
export interface TokenTrie {
  /** Number of nodes. */
  readonly size: number;
  /** The last byte of each beginning, and in the bits above it its depth, which is 0 for first bytes. */
  readonly labels: Uint32Array;
  /** The first node after each subtree. */
  readonly ends: Int32Array;
  /** The node one byte before; -1 for first bytes. */
  readonly parents: Int32Array;
  /** The token that is this beginning; `noToken`, or below it the place of several in `equals`. */
  readonly tokens: Int32Array;
  /** Tokens with the same bytes: those of node n are `equals[noToken - 1 - tokens[n]]`. */
  readonly equals: readonly (readonly number[])[];
  /** The node of each first byte; -1 if no token begins with it. */
  readonly roots: Int32Array;
  /** Length of the longest token in bytes. */
  readonly longest: number;
  /** Length of a bitmap of these tokens, in words. */
  readonly words: number;
}

/** The beginning is no token. */
export const noToken = -1;

/** So many tokens are added in a step: some three milliseconds. */
const tokensPerStep = 10_000;
const known = new WeakMap<TokenIndex, TokenTrie>();

/** The trie of a vocabulary, made once: some 50 ms and 4 MB for 150,000 tokens. */
export function tokenTrie(tokens: TokenIndex): TokenTrie {
  return known.get(tokens) ?? finish(tokenTrieSteps(tokens));
}

/** `tokenTrie` in steps. */
export function* tokenTrieSteps(tokens: TokenIndex): Steps<TokenTrie> {
  const made = known.get(tokens);
  if (made !== undefined) return made;
  const builder = new TrieBuilder(tokens);
  for (let place = 0; place < tokens.ids.length; place += tokensPerStep) {
    builder.add(place, Math.min(place + tokensPerStep, tokens.ids.length));
    yield;
  }
  // Others may have made it meanwhile.
  const trie = known.get(tokens) ?? builder.finish();
  known.set(tokens, trie);
  return trie;
}

class TrieBuilder {
  readonly #index: TokenIndex;
  readonly #labels: Uint32Array;
  readonly #ends: Int32Array;
  readonly #parents: Int32Array;
  readonly #tokens: Int32Array;
  readonly #equals: number[][] = [];
  /** The nodes from the first byte of the latest token to its last one. */
  readonly #path: Int32Array;
  /** Length of the latest token. */
  #depth = 0;
  #size = 0;
  #words = 0;

  constructor(index: TokenIndex) {
    const most = index.bytes.length;
    this.#index = index;
    this.#labels = new Uint32Array(most);
    this.#ends = new Int32Array(most);
    this.#parents = new Int32Array(most);
    this.#tokens = new Int32Array(most).fill(noToken);
    this.#path = new Int32Array(index.longest + 1);
  }

  /** Adds the tokens `from` to `to`, in the order of their bytes. */
  add(from: number, to: number): void {
    const { bytes, starts, ids } = this.#index;
    const labels = this.#labels;
    const path = this.#path;
    let depth = this.#depth;
    let size = this.#size;
    // Not by iterators, which are slow until they are compiled.
    for (let place = from; place < to; place += 1) {
      const id = ids[place] ?? 0;
      this.#words = Math.max(this.#words, (id >> 5) + 1);
      const start = starts[id] ?? 0;
      const length = (starts[id + 1] ?? 0) - start;
      let shared = 0;
      while (shared < depth && shared < length && sameByte(labels[path[shared] ?? 0], bytes[start + shared]))
        shared += 1;
      while (depth > shared) this.#ends[path[--depth] ?? 0] = size;
      for (; depth < length; depth += 1) {
        labels[size] = (bytes[start + depth] ?? 0) | (depth << 8);
        this.#parents[size] = depth === 0 ? -1 : (path[depth - 1] ?? 0);
        path[depth] = size;
        size += 1;
      }
      addToken(this.#tokens, this.#equals, path[length - 1] ?? 0, id);
    }
    this.#depth = depth;
    this.#size = size;
  }

  finish(): TokenTrie {
    const size = this.#size;
    const labels = this.#labels.slice(0, size);
    const ends = this.#ends.slice(0, size);
    for (let depth = this.#depth; depth > 0; depth -= 1) ends[this.#path[depth - 1] ?? 0] = size;
    const roots = new Int32Array(256).fill(-1);
    for (let node = 0; node < size; node = ends[node] ?? size) roots[(labels[node] ?? 0) & 0xff] = node;
    return {
      size,
      labels,
      ends,
      parents: this.#parents.slice(0, size),
      tokens: this.#tokens.slice(0, size),
      equals: this.#equals,
      roots,
      longest: this.#index.longest,
      words: this.#words,
    };
  }
}

function sameByte(label: number | undefined, byte: number | undefined): boolean {
  return ((label ?? 0) & 0xff) === byte;
}

function addToken(tokens: Int32Array, equals: number[][], node: number, id: number): void {
  const before = tokens[node] ?? noToken;
  if (before === noToken) tokens[node] = id;
  else if (before < noToken) equals[noToken - 1 - before]?.push(id);
  else {
    equals.push([before, id]);
    tokens[node] = noToken - equals.length;
  }
}

/** The tokens of a node, by its entry in `tokens`. */
export function tokensOf({ equals }: TokenTrie, entry: number): readonly number[] {
  if (entry === noToken) return [];
  return entry >= 0 ? [entry] : (equals[noToken - 1 - entry] ?? []);
}
