/**
 * Sets of code points as sorted, disjoint ranges. The universe is what a grammar can match: every code point except
 * for NUL and the surrogates.
 */
import { anyCharacter, type CodePointRange, classOf } from '../expression/expression.ts';

/** Sorted, disjoint, non-adjacent ranges. */
export type CharacterSet = readonly CodePointRange[];

/** Every code point of the universe. */
export const allCharacters: CharacterSet = anyCharacter.ranges;

/** Creates a set from `ranges` in any order. */
export function characterSet(...ranges: readonly CodePointRange[]): CharacterSet {
  return setOf(ranges);
}

/** Like `characterSet`, for more ranges than a call can have arguments. */
export function setOf(ranges: readonly CodePointRange[]): CharacterSet {
  return classOf(ranges).ranges;
}

/** The set of the characters in `text`. */
export function charactersOf(text: string): CharacterSet {
  const [first, second] = text;
  if (first !== undefined && second === undefined) return characterSetOf(codePoint(first));
  return setOf(Array.from(text, (each): CodePointRange => [codePoint(each), codePoint(each)]));
}

/** Interned sets of one ASCII character: most single-character sets are among them. */
const ofAscii = Array.from({ length: 0x80 }, (_, point) => makeSetOf(point));

/** The set of one character; empty for NUL and surrogates. */
function characterSetOf(point: number): CharacterSet {
  return ofAscii[point] ?? makeSetOf(point);
}

function makeSetOf(point: number): CharacterSet {
  return point === 0 || (point >= 0xd800 && point <= 0xdfff) ? [] : [[point, point]];
}

/** The complement of `set`. */
export function complementSet(set: CharacterSet): CharacterSet {
  return subtractSets(allCharacters, set);
}

/** The union. */
export function uniteSets(a: CharacterSet, b: CharacterSet): CharacterSet {
  if (a.length === 0) return b;
  if (b.length === 0) return a;
  const united: [number, number][] = [];
  let i = 0;
  let j = 0;
  for (let left = a[i], right = b[j]; left !== undefined || right !== undefined; left = a[i], right = b[j]) {
    const takeLeft = right === undefined || (left !== undefined && left[0] <= right[0]);
    const next = takeLeft ? left : right;
    if (takeLeft) i += 1;
    else j += 1;
    if (next !== undefined) appendRange(united, next);
  }
  return united;
}

/** The union of all, in one pass: adding set by set would take quadratic time. */
export function uniteAll(sets: readonly CharacterSet[]): CharacterSet {
  const [first = [], second = [], third] = sets.filter((set) => set.length > 0);
  return third === undefined ? uniteSets(first, second) : setOf(sets.flat());
}

/** Appends a range that does not start before the last one. */
function appendRange(ranges: [number, number][], [from, to]: CodePointRange): void {
  const last = ranges.at(-1);
  if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to);
  else ranges.push([from, to]);
}

/** The intersection. */
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

/** Whether the intersection is non-empty. */
export function setsIntersect(a: CharacterSet, b: CharacterSet): boolean {
  let i = 0;
  let j = 0;
  for (let left = a[i], right = b[j]; left !== undefined && right !== undefined; left = a[i], right = b[j]) {
    if (left[1] < right[0]) i += 1;
    else if (right[1] < left[0]) j += 1;
    else return true;
  }
  return false;
}

/** The difference: `a` without `b`. */
export function subtractSets(a: CharacterSet, b: CharacterSet): CharacterSet {
  if (a.length === 0 || b.length === 0) return a;
  const left: CodePointRange[] = [];
  let at = 0;
  for (const [low, to] of a) {
    let from = low;
    for (let cut = b[at]; cut !== undefined && cut[0] <= to; cut = b[at]) {
      if (cut[0] > from) left.push([from, cut[0] - 1]);
      from = Math.max(from, cut[1] + 1);
      if (cut[1] > to) break;
      at += 1;
    }
    if (from <= to) left.push([from, to]);
  }
  return left;
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

const keys = new WeakMap<CharacterSet, string>();

/** A string that identifies the set. */
export function setKey(set: CharacterSet): string {
  const known = keys.get(set);
  if (known !== undefined) return known;
  const key = set
    .map(([from, to]) => (from === to ? from.toString(36) : `${from.toString(36)}-${to.toString(36)}`))
    .join();
  keys.set(set, key);
  return key;
}

/** The code point of the first character of `text`, which must not be empty. */
export function codePoint(text: string): number {
  return text.codePointAt(0) ?? 0;
}

/** An outcome for each character: the sets are disjoint and cover the universe. */
export type Partition<T> = readonly (readonly [set: CharacterSet, outcome: T])[];

/** Combines two partitions; merges sets whose outcomes have equal keys. */
export function combinePartitions<A, B, C>(
  left: Partition<A>,
  right: Partition<B>,
  combine: (a: A, b: B) => C,
  key: (outcome: C) => string | number,
): Partition<C> {
  const merged = new Map<string | number, Outcome<C>>();
  for (const [leftSet, a] of left) {
    for (const [rightSet, b] of right) {
      const set = intersectSets(leftSet, rightSet);
      if (set.length > 0) addOutcome(merged, set, combine(a, b), key);
    }
  }
  return Array.from(merged.values(), ({ sets, outcome }) => [uniteAll(sets), outcome]);
}

/** Maps every outcome; merges sets whose outcomes have equal keys. */
export function mapPartition<A, B>(
  partition: Partition<A>,
  change: (outcome: A) => B,
  key: (outcome: B) => string | number,
): Partition<B> {
  const merged = new Map<string | number, Outcome<B>>();
  for (const [set, outcome] of partition) addOutcome(merged, set, change(outcome), key);
  return Array.from(merged.values(), ({ sets, outcome }) => [uniteAll(sets), outcome]);
}

interface Outcome<T> {
  readonly sets: CharacterSet[];
  readonly outcome: T;
}

function addOutcome<T>(
  merged: Map<string | number, Outcome<T>>,
  set: CharacterSet,
  outcome: T,
  key: (outcome: T) => string | number,
): void {
  const found = merged.get(key(outcome));
  if (found === undefined) merged.set(key(outcome), { sets: [set], outcome });
  else found.sets.push(set);
}
