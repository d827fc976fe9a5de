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
  const known = latest.map((each) => each.deref());
  const same = known.find((each) => each !== undefined && isSame(each, { bytes, starts }, kept));
  if (same !== undefined) return same;
  const order = Float64Array.from(kept);
  sortTokens(order, { bytes, starts });
  const index = { bytes, starts, ids: Uint32Array.from(order), longest };
  if (latest.unshift(new WeakRef(index)) > maxLatest) latest.pop();
  return index;
}

/** Whether `index` is that of the tokens `ids`, each of which it has once. */
function isSame(index: TokenIndex, { bytes, starts }: TokenTexts, ids: readonly number[]): boolean {
  if (index.ids.length !== ids.length || index.starts.length !== starts.length) return false;
  if (index.bytes.length !== bytes.length) return false;
  if (!starts.every((start, id) => index.starts[id] === start)) return false;
  if (!bytes.every((byte, at) => index.bytes[at] === byte)) return false;
  const indexed = new Set(index.ids);
  return ids.every((id) => indexed.has(id));
}

/** Bytes compared at once: together with an id they make an integer that a double represents exactly. */
const keyBytes = 2;
/** A byte value, or the end of a token, which sorts first. */
const radix = 257;
/** Greater than any id. */
const idSpan = 2 ** 32;
/** At most this many tokens are sorted by insertion. */
const fewTokens = 24;

/** Tokens `from` to `to`, which share their first `depth` bytes. */
interface Group {
  readonly from: number;
  readonly to: number;
  readonly depth: number;
}

/** Sorts ids by their tokens' bytes. Sorting numbers made of bytes and id is many times faster than comparing texts. */
function sortTokens(order: Float64Array, texts: TokenTexts): void {
  const groups: Group[] = [{ from: 0, to: order.length, depth: 0 }];
  for (const { from, to, depth } of groups) {
    const part = order.subarray(from, to);
    if (part.length <= fewTokens) insertionSort(part, texts, depth);
    else {
      sortByKey(part, texts, depth, (start, end) =>
        groups.push({ from: from + start, to: from + end, depth: depth + keyBytes }),
      );
    }
  }
}

/** Sorts by the bytes at `depth`; `onEqual` gets the ranges of tokens that may differ only after them. */
function sortByKey(
  part: Float64Array,
  texts: TokenTexts,
  depth: number,
  onEqual: (start: number, end: number) => void,
): void {
  for (let place = 0; place < part.length; place++) {
    const id = part[place] ?? 0;
    part[place] = keyAt(texts, id, depth) * idSpan + id;
  }
  part.sort();
  let start = 0;
  let key = -1;
  for (let place = 0; place <= part.length; place++) {
    const next = Math.floor((part[place] ?? Number.POSITIVE_INFINITY) / idSpan);
    if (next !== key) {
      if (place - start > 1 && key % radix > 0) onEqual(start, place);
      start = place;
      key = next;
    }
    if (place < part.length) part[place] = (part[place] ?? 0) - key * idSpan;
  }
}

function keyAt({ bytes, starts }: TokenTexts, id: number, depth: number): number {
  const start = (starts[id] ?? 0) + depth;
  const end = starts[id + 1] ?? 0;
  let key = 0;
  for (let place = start; place < start + keyBytes; place++) {
    key = key * radix + (place < end ? (bytes[place] ?? 0) + 1 : 0);
  }
  return key;
}

function insertionSort(part: Float64Array, texts: TokenTexts, depth: number): void {
  for (let next = 1; next < part.length; next++) {
    const id = part[next] ?? 0;
    let place = next;
    while (place > 0 && comesBefore(texts, id, part[place - 1] ?? 0, depth)) {
      part[place] = part[place - 1] ?? 0;
      place -= 1;
    }
    part[place] = id;
  }
}

/** Compares by bytes, then by id. */
function comesBefore({ bytes, starts }: TokenTexts, first: number, second: number, depth: number): boolean {
  const [start, end] = [starts[first] ?? 0, starts[first + 1] ?? 0];
  const [otherStart, otherEnd] = [starts[second] ?? 0, starts[second + 1] ?? 0];
  const length = Math.min(end - start, otherEnd - otherStart);
  for (let offset = depth; offset < length; offset++) {
    const difference = (bytes[start + offset] ?? 0) - (bytes[otherStart + offset] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  const longer = end - start - (otherEnd - otherStart);
  return longer === 0 ? first < second : longer < 0;
}
