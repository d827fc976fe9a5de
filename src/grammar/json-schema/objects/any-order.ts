/**
 * Declared keys in any order. Each set of keys that have come would be a state, and there are 2^n of them; so only
 * few keys are tracked all together. Of more, the required ones are tracked within a window, and the others may
 * come anywhere, each as often as it likes: `JSON.parse` keeps the last value, which is as valid as the first.
 */

/** The tracked keys before `position` have come, and those after it whose bit is set in `used`. */
export interface OrderProgress {
  readonly position: number;
  /** Bit 0 is the key at `position`, which has not come. */
  readonly used: number;
}

/** So many keys are tracked all together. */
const mostTogether = 5;
const widestWindow = 5;
/** Tracked keys times the states of the window times the keys that may come in each. */
const maxEntries = 4000;

/** The keys of one object. */
export class AnyOrder {
  /** Labels that come in any number. */
  readonly free: readonly number[];
  /** A required key may come so many places before another one that the schema has before it. */
  readonly ahead: number;
  readonly #tracked: readonly number[];
  readonly #required: ReadonlySet<number>;

  /** `labels` of the keys that can be written, ascending, and those of them that must come. */
  constructor(labels: readonly number[], required: ReadonlySet<number>) {
    const together = labels.length <= mostTogether;
    this.#tracked = together ? labels : labels.filter((label) => required.has(label));
    this.free = together ? [] : labels.filter((label) => !required.has(label));
    this.#required = required;
    this.ahead = (together ? labels.length : windowFor(this.#tracked.length)) - 1;
  }

  /** Whether required keys come in some orders only. */
  get isLimited(): boolean {
    return this.ahead + 1 < this.#tracked.length;
  }

  /** Tracked labels that may come next. */
  next({ position, used }: OrderProgress): readonly number[] {
    return this.#tracked
      .slice(position, position + this.ahead + 1)
      .filter((_, offset) => (used & (1 << offset)) === 0);
  }

  /** What has come after `label`. */
  after({ position, used }: OrderProgress, label: number): OrderProgress {
    const offset = this.#tracked.indexOf(label) - position;
    if (offset < 0) return { position, used };
    let next = { position, used: used | (1 << offset) };
    while ((next.used & 1) !== 0) next = { position: next.position + 1, used: next.used >> 1 };
    return next;
  }

  /** Whether all required keys have come. */
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
  for (let window = widestWindow; window > 1; window -= 1) {
    if (count * 2 ** (window - 1) * window <= maxEntries) return window;
  }
  return 1;
}
