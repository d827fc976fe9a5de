/**
 * Sets of code points as sorted, disjoint ranges. The universe is what a grammar can write: every code
 * point but NUL and the surrogates.
 */
import { anyCharacter, type CodePointRange, characterClass, exceptCharacters } from '../expression.ts';

/** Sorted, disjoint, non-adjacent ranges; empty when nothing is in the set. */
export type CharacterSet = readonly CodePointRange[];

/** Every code point of the universe. */
export const allCharacters: CharacterSet = anyCharacter.ranges;

/** The set of `ranges`, given in any order. */
export function characterSet(...ranges: readonly CodePointRange[]): CharacterSet {
  return characterClass(...ranges).ranges;
}

/** The set of the characters of `text`. */
export function charactersOf(text: string): CharacterSet {
  return characterSet(...Array.from(text, (each): CodePointRange => [codePoint(each), codePoint(each)]));
}

/** Everything that is not in `set`. */
export function complementSet(set: CharacterSet): CharacterSet {
  return exceptCharacters(...set).ranges;
}

/** What is in either. */
export function uniteSets(a: CharacterSet, b: CharacterSet): CharacterSet {
  if (a.length === 0) return b;
  return b.length === 0 ? a : characterSet(...a, ...b);
}

/** What is in both. */
export function intersectSets(a: CharacterSet, b: CharacterSet): CharacterSet {
  if (a === allCharacters) return b;
  if (b === allCharacters) return a;
  const common: CodePointRange[] = [];
  let i = 0;
  let j = 0;
  for (let left = a[i], right = b[j]; left !== undefined && right !== undefined; left = a[i], right = b[j]) {
    const from = Math.max(left[0], right[0]);
    const to = Math.min(left[1], right[1]);
    if (from <= to) common.push([from, to]);
    if (left[1] < right[1]) i += 1;
    else j += 1;
  }
  return common;
}

/** What is in `a` and not in `b`. */
export function subtractSets(a: CharacterSet, b: CharacterSet): CharacterSet {
  return b.length === 0 ? a : intersectSets(a, complementSet(b));
}

/** Whether `point` is in `set`. */
export function setHas(set: CharacterSet, point: number): boolean {
  let low = 0;
  let high = set.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const range = set[middle];
    if (range === undefined) return false;
    if (point < range[0]) high = middle - 1;
    else if (point > range[1]) low = middle + 1;
    else return true;
  }
  return false;
}

/** How many code points are in `set`. */
export function setSize(set: CharacterSet): number {
  return set.reduce((size, [from, to]) => size + to - from + 1, 0);
}

/** A text that is equal for equal sets and differs for different ones. */
export function setKey(set: CharacterSet): string {
  return set
    .map(([from, to]) => (from === to ? from.toString(36) : `${from.toString(36)}-${to.toString(36)}`))
    .join(',');
}

/** The code point of the first character of `text`, which is not empty. */
export function codePoint(text: string): number {
  return text.codePointAt(0) ?? 0;
}

/** An outcome for each character: the sets are disjoint and together the universe. */
export type Partition<T> = readonly (readonly [set: CharacterSet, outcome: T])[];

/** Combines two partitions; outcomes that are equal by `key` come back under one set. */
export function combinePartitions<A, B, C>(
  left: Partition<A>,
  right: Partition<B>,
  combine: (a: A, b: B) => C,
  key: (outcome: C) => string | number,
): Partition<C> {
  const merged = new Map<string | number, [CharacterSet, C]>();
  for (const [leftSet, a] of left) {
    for (const [rightSet, b] of right) {
      const set = intersectSets(leftSet, rightSet);
      if (set.length > 0) addOutcome(merged, set, combine(a, b), key);
    }
  }
  return [...merged.values()];
}

/** Applies `change` to every outcome; outcomes that become equal by `key` come back under one set. */
export function mapPartition<A, B>(
  partition: Partition<A>,
  change: (outcome: A) => B,
  key: (outcome: B) => string | number,
): Partition<B> {
  const merged = new Map<string | number, [CharacterSet, B]>();
  for (const [set, outcome] of partition) addOutcome(merged, set, change(outcome), key);
  return [...merged.values()];
}

function addOutcome<T>(
  merged: Map<string | number, [CharacterSet, T]>,
  set: CharacterSet,
  outcome: T,
  key: (outcome: T) => string | number,
): void {
  const found = merged.get(key(outcome));
  if (found === undefined) merged.set(key(outcome), [set, outcome]);
  else found[0] = uniteSets(found[0], set);
}
