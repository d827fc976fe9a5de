/** A vocabulary sorted by the bytes of its tokens, to be walked in parallel with a grammar. */

/** The bytes of all tokens, concatenated. */
export interface TokenTexts {
  readonly bytes: Uint8Array;
  /** Offset of each token's bytes, by id; one more entry marks the end. */
  readonly starts: Uint32Array;
}

/** Tokens sorted by their bytes. */
export interface TokenIndex extends TokenTexts {
  readonly ids: Uint32Array;
  /** Length of the longest token in bytes. */
  readonly longest: number;
}

/** Keeps the index of one vocabulary from one process to the next. */
export interface TokenIndexStore {
  /** What was written; `null` if there is nothing, or nothing of use. */
  read(): TokenIndex | null;
  /** Keeps an index for later readings; it may also keep nothing. */
  write(index: TokenIndex): void;
}

/** The latest indexes, of vocabularies that are still in use. */
const latest: WeakRef<TokenIndex>[] = [];
const maxLatest = 4;

/**
 * Sorts the tokens `ids`, about a tenth of a second for 150,000 tokens. Leave out tokens without text, such as end of
 * generation; empty tokens are dropped here. The same vocabulary again has the same index, and all that is known of it:
 * a model may be loaded more than once.
 */
export function indexTokens({ bytes, starts }: TokenTexts, ids: Iterable<number>): TokenIndex {
  const kept: number[] = [];
  let longest = 0;
  for (const id of ids) {
    const length = (starts[id + 1] ?? 0) - (starts[id] ?? 0);
    if (length > 0) kept.push(id);
    longest = Math.max(longest, length);
  }
  const same = knownIndex({ bytes, starts }, kept);
  if (same !== undefined) return same;
  const sorted = Uint32Array.from(kept);
  sortTokens(sorted, { bytes, starts });
  return remember({ bytes, starts, ids: sorted, longest });
}

/** An index from a store; that of this process if it has the same vocabulary already. */
export function sharedIndex(stored: TokenIndex): TokenIndex {
  return knownIndex(stored, stored.ids) ?? remember(stored);
}

/** The tokens that begin with these bytes, in order. */
export function tokensFrom(index: TokenIndex, beginning: Uint8Array): Uint32Array {
  const from = firstPlace(index, (token) => order(index, token, beginning) >= 0);
  const to = firstPlace(index, (token) => order(index, token, beginning) > 0);
  return index.ids.subarray(from, to);
}

/** The first place of a token that is far enough; all after it are. */
function firstPlace({ ids }: TokenIndex, isFarEnough: (token: number) => boolean): number {
  let [from, to] = [0, ids.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (isFarEnough(ids[middle] ?? 0)) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** Whether a token comes before all texts with that beginning (below 0), has it (0), or comes after them. */
function order({ bytes, starts }: TokenTexts, token: number, beginning: Uint8Array): number {
  const start = starts[token] ?? 0;
  const length = (starts[token + 1] ?? 0) - start;
  for (let offset = 0; offset < beginning.length; offset += 1) {
    if (offset === length) return -1;
    const difference = (bytes[start + offset] ?? 0) - (beginning[offset] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function remember(index: TokenIndex): TokenIndex {
  latest.unshift(new WeakRef(index));
  latest.length = Math.min(latest.length, maxLatest);
  return index;
}

function knownIndex(texts: TokenTexts, ids: ArrayLike<number>): TokenIndex | undefined {
  return latest.map((each) => each.deref()).find((each) => each !== undefined && isSame(each, texts, ids));
}

/** Whether `index` is that of the tokens `ids`, which has no duplicates. */
function isSame(index: TokenIndex, { bytes, starts }: TokenTexts, ids: ArrayLike<number>): boolean {
  if (index.ids.length !== ids.length || index.starts.length !== starts.length) return false;
  if (!starts.every((start, id) => index.starts[id] === start)) return false;
  if (!bytes.every((byte, at) => index.bytes[at] === byte)) return false;
  const known = new Set(index.ids);
  return Array.prototype.every.call(ids, (id) => known.has(id));
}

/** The keys of the sort: the end of a token, which comes first, and 256 bytes. */
const radix = 257;
/** At most this many tokens are sorted by insertion. */
const fewTokens = 16;

/** Tokens `from` to `to`, which share their first `depth` bytes. */
interface Group {
  readonly from: number;
  readonly to: number;
  readonly depth: number;
}

/**
 * Sorts ids by their tokens' bytes, and equal tokens by id; `ids` must ascend. It is a radix sort from the first byte
 * on (MSD; Knuth, volume 3, 5.2.5), each round of which is a counting sort. A group of few tokens is sorted by
 * insertion.
 *
 *     depth 0   b ab a abc b   ─ counts: a 3, b 2 ─   ab a abc │ b b
 *     depth 1   ab a abc       ─ end 1, b 2 ───────   a │ ab abc        b b: both end, so they are equal
 */
function sortTokens(ids: Uint32Array, texts: TokenTexts): void {
  /** At first how many tokens each key has, one slot further; then where the next token of each key goes. */
  const places = new Uint32Array(radix + 1);
  const before = new Uint32Array(ids.length);
  const groups: Group[] = [{ from: 0, to: ids.length, depth: 0 }];
  for (let group = groups.pop(); group !== undefined; group = groups.pop()) {
    const { from, to, depth } = group;
    if (to - from <= fewTokens) {
      insertionSort(ids, group, texts);
      continue;
    }
    places.fill(0);
    for (let place = from; place < to; place++) {
      const id = ids[place] ?? 0;
      const next = keyAt(texts, id, depth) + 1;
      before[place] = id;
      places[next] = (places[next] ?? 0) + 1;
    }
    // Slot `key + 1` counts the tokens of a key, and becomes the start of the next key.
    for (let slot = 1; slot <= radix; slot++) {
      const start = places[slot - 1] ?? 0;
      const count = places[slot] ?? 0;
      places[slot] = start + count;
      // Those of slot 1 (key 0) end here: they are equal, and there is nothing to sort.
      if (slot > 1 && count > 1)
        groups.push({ from: from + start, to: from + start + count, depth: depth + 1 });
    }
    for (let place = from; place < to; place++) {
      const id = before[place] ?? 0;
      const key = keyAt(texts, id, depth);
      const start = places[key] ?? 0;
      ids[from + start] = id;
      places[key] = start + 1;
    }
  }
}

/** The key of a token at one depth: 0 if it ends there. */
function keyAt({ bytes, starts }: TokenTexts, id: number, depth: number): number {
  const place = (starts[id] ?? 0) + depth;
  return place < (starts[id + 1] ?? 0) ? (bytes[place] ?? 0) + 1 : 0;
}

function insertionSort(ids: Uint32Array, { from, to, depth }: Group, texts: TokenTexts): void {
  for (let next = from + 1; next < to; next++) {
    const id = ids[next] ?? 0;
    let place = next;
    while (place > from && precedes(texts, id, ids[place - 1] ?? 0, depth)) {
      ids[place] = ids[place - 1] ?? 0;
      place -= 1;
    }
    ids[place] = id;
  }
}

/** Compares by bytes. Equal tokens stay in their order. */
function precedes({ bytes, starts }: TokenTexts, first: number, second: number, depth: number): boolean {
  const start = starts[first] ?? 0;
  const length = (starts[first + 1] ?? 0) - start;
  const otherStart = starts[second] ?? 0;
  const otherLength = (starts[second + 1] ?? 0) - otherStart;
  const shared = Math.min(length, otherLength);
  for (let offset = depth; offset < shared; offset++) {
    const difference = (bytes[start + offset] ?? 0) - (bytes[otherStart + offset] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return length < otherLength;
}
