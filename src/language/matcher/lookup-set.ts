/** Code point sets for single lookups: a bitmap for ASCII, binary search above. */
import type { CodePointRange } from '../expression/expression.ts';

/** A set of code points, prepared for lookups. */
export interface LookupSet {
  /** Sorted and disjoint. */
  readonly ranges: readonly CodePointRange[];
  /** The only member, or -1. */
  readonly only: number;
  /** One bit per ASCII character. */
  readonly ascii: Uint32Array;
}

/** Prepares `ranges`, which are sorted and disjoint. */
export function lookupSet(ranges: readonly CodePointRange[]): LookupSet {
  const ascii = new Uint32Array(4);
  for (const [from, to] of ranges) {
    for (let code = from; code <= to && code < 128; code += 1) {
      ascii[code >> 5] = (ascii[code >> 5] ?? 0) | (1 << (code & 31));
    }
  }
  const [first] = ranges;
  const only = ranges.length === 1 && first !== undefined && first[0] === first[1] ? first[0] : -1;
  return { ranges, only, ascii };
}

/** Whether `code` is a member. */
export function hasCharacter(set: LookupSet, code: number): boolean {
  if (code < 128) return (((set.ascii[code >> 5] ?? 0) >>> (code & 31)) & 1) === 1;
  return intersectsRange(set, code, code);
}

/** Whether any code point from `low` to `high` is a member. */
export function intersectsRange({ ranges }: LookupSet, low: number, high: number): boolean {
  let start = 0;
  let end = ranges.length;
  while (start < end) {
    const middle = (start + end) >> 1;
    const range = ranges[middle];
    if (range === undefined) return false;
    if (range[1] < low) start = middle + 1;
    else if (range[0] > high) end = middle;
    else return true;
  }
  return false;
}
