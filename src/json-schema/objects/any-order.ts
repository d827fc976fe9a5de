/**
 * Declared keys in any order. Tracking which keys came takes 2^n states, so only a few keys are tracked as one set.
 * With more, required keys are tracked within a window, and optional keys may come anywhere, any number of times:
 * `JSON.parse` keeps the last value, which is as valid as the first.
 */

import type { KeyOrder, OrderProgress } from './key-order.ts';

/** Up to this many keys are tracked as one set. */
const maxTogether = 5;
const maxWindow = 5;
/** Limit for tracked keys times window states times keys allowed in each. */
const maxEntries = 4000;

/**
 * Tracks the keys of one object: all before `position` came, and those after it whose bit in `used` is set. Bit 0 is
 * the key at `position`, which has not come.
 */
export class AnyOrder implements KeyOrder {
  readonly free: readonly number[];
  /** How many places earlier than in the schema a required key may come. */
  readonly ahead: number;
  readonly #tracked: readonly number[];
  readonly #required: ReadonlySet<number>;

  /** `labels` are those of all keys that can be written, in ascending order; `required` those that must come. */
  constructor(labels: readonly number[], required: ReadonlySet<number>) {
    const together = labels.length <= maxTogether;
    this.#tracked = together ? labels : labels.filter((label) => required.has(label));
    this.free = together ? [] : labels.filter((label) => !required.has(label));
    this.#required = required;
    this.ahead = (together ? labels.length : windowFor(this.#tracked.length)) - 1;
  }

  /** Whether required keys are restricted to some orders. */
  get isLimited(): boolean {
    return this.ahead + 1 < this.#tracked.length;
  }

  next({ position, used }: OrderProgress): readonly number[] {
    return this.#tracked
      .slice(position, position + this.ahead + 1)
      .filter((_, offset) => (used & (1 << offset)) === 0);
  }

  allowsOthers(): boolean {
    return true;
  }

  after({ position, used }: OrderProgress, label: number): OrderProgress {
    const offset = this.#tracked.indexOf(label) - position;
    if (offset < 0) return { position, used };
    let next = { position, used: used | (1 << offset) };
    while ((next.used & 1) !== 0) next = { position: next.position + 1, used: next.used >> 1 };
    return next;
  }

  isComplete({ position, used }: OrderProgress): boolean {
    return this.#tracked
      .slice(position)
      .every(
        (label, offset) =>
          !this.#required.has(label) || (offset <= this.ahead && (used & (1 << offset)) !== 0),
      );
  }
}

function windowFor(count: number): number {
  for (let window = maxWindow; window > 1; window -= 1) {
    if (count * 2 ** (window - 1) * window <= maxEntries) return window;
  }
  return 1;
}
