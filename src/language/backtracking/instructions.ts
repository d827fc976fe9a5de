/** What a search that tries one path after the other does at each step. */

/** Tells whether a character is in a set; a unit of UTF-16 where the pattern is read without the flag `u`. */
export type CharacterTest = (character: string) => boolean;

/** The index of a number that a path carries: where a group begins or ends, how often a loop went round. */
export type Slot = number;

/** The slots of a group; -1 in both where it took no part. */
export interface GroupSlots {
  readonly start: Slot;
  readonly end: Slot;
}

/** How often a loop goes round. */
export interface LoopBounds {
  readonly min: number;
  /** Infinite where nothing bounds it. */
  readonly max: number;
  readonly greedy: boolean;
}

/** One step of a path. Those that are `backward` read to the left, as all do within a lookbehind. */
export type Instruction =
  | { readonly op: 'character'; readonly fits: CharacterTest; readonly backward: boolean }
  /** Goes on at `first`, later at `second`. */
  | { readonly op: 'split'; first: number; second: number }
  | { readonly op: 'jump'; to: number }
  | { readonly op: 'set'; readonly slot: Slot; readonly to: number | 'position' }
  /** Ends a group that began at the position in `from`. */
  | {
      readonly op: 'capture';
      readonly group: GroupSlots;
      readonly from: Slot;
      readonly backward: boolean;
    }
  /** Goes on with the next instruction, or at `exit`. */
  | { readonly op: 'loop'; readonly count: Slot; readonly bounds: LoopBounds; exit: number }
  /** Ends an iteration that began at `from`, and fails if it was not demanded and read nothing. */
  | {
      readonly op: 'again';
      readonly count: Slot;
      readonly from: Slot;
      readonly bounds: LoopBounds;
      readonly to: number;
    }
  | { readonly op: 'edge'; readonly kind: 'start' | 'end'; readonly multiline: boolean }
  | { readonly op: 'boundary'; readonly negate: boolean; readonly isWord: CharacterTest }
  /** Searches the instructions up to `after` from here, and goes on there at the same position. */
  | { readonly op: 'look'; readonly negate: boolean; after: number }
  | {
      readonly op: 'reference';
      readonly groups: readonly GroupSlots[];
      readonly same: (one: string, other: string) => boolean;
      readonly backward: boolean;
    }
  | { readonly op: 'found' };

/** A pattern, ready to be searched. */
export interface PatternProgram {
  readonly code: readonly Instruction[];
  /** The number of slots of a path. */
  readonly slots: number;
  /** Whether texts are read by code points, not by units of UTF-16. */
  readonly unicode: boolean;
}
