/** A set of tokens: one bit for each, so that a set of 150,000 takes 19 kB and is copied in a microsecond. */

/** Bit `token & 31` of word `token >> 5` is set for each token of the set. */
export type TokenBitmap = Uint32Array;

/** Whether the set has `token`. */
export function hasToken(bitmap: Readonly<TokenBitmap>, token: number): boolean {
  return (((bitmap[token >> 5] ?? 0) >>> (token & 31)) & 1) === 1;
}

/** The number of tokens. */
export function countTokens(bitmap: Readonly<TokenBitmap>): number {
  let count = 0;
  for (let word = 0; word < bitmap.length; word += 1) count += countBits(bitmap[word] ?? 0);
  return count;
}

/** The tokens in ascending order; `null` if there are more than `limit`. */
export function listTokens(bitmap: Readonly<TokenBitmap>, limit: number): readonly number[] | null {
  const found: number[] = [];
  for (let word = 0; word < bitmap.length; word += 1) {
    let bits = bitmap[word] ?? 0;
    if (bits !== 0 && found.length + countBits(bits) > limit) return null;
    while (bits !== 0) {
      found.push((word << 5) | lowestBit(bits));
      bits &= bits - 1;
    }
  }
  return found;
}

/** Adds `tokens` to the set. Hot loops inline this. */
export function addTokens(bitmap: TokenBitmap, tokens: readonly number[]): void {
  for (const token of tokens) bitmap[token >> 5] = (bitmap[token >> 5] ?? 0) | (1 << (token & 31));
}

/** Removes `tokens` from the set. */
export function removeTokens(bitmap: TokenBitmap, tokens: readonly number[]): void {
  for (const token of tokens) bitmap[token >> 5] = (bitmap[token >> 5] ?? 0) & ~(1 << (token & 31));
}

/** The tokens below `size` that the set lacks. */
export function complementOf(bitmap: Readonly<TokenBitmap>, size: number): TokenBitmap {
  const others = new Uint32Array((size + 31) >> 5).map((_, word) => ~(bitmap[word] ?? 0));
  const rest = size & 31;
  if (rest > 0) others[others.length - 1] = (others.at(-1) ?? 0) & ((1 << rest) - 1);
  return others;
}

/** Whether two sets have the same tokens. */
export function isSameSet(first: Readonly<TokenBitmap>, second: Readonly<TokenBitmap>): boolean {
  if (first.length !== second.length) return false;
  for (let word = 0; word < first.length; word += 1) if (first[word] !== second[word]) return false;
  return true;
}

/** A number that equal sets share, and others hardly ever (FNV-1a over words). */
export function hashTokens(bitmap: Readonly<TokenBitmap>): number {
  let hash = 0x811c9dc5;
  for (let word = 0; word < bitmap.length; word += 1)
    hash = Math.imul(hash ^ (bitmap[word] ?? 0), 0x01000193);
  return hash >>> 0;
}

/** The place of the lowest bit of a word that has one. */
export function lowestBit(word: number): number {
  return 31 - Math.clz32(word & -word);
}

/** The number of bits set, summed in pairs, nibbles and bytes (Warren, Hacker's Delight, 5-1). */
function countBits(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const nibbles = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
