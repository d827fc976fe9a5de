/** The order of an object's declared keys: which may come next, and what is remembered of those that came. */

/** What is remembered of the keys that came; equal numbers allow the same keys. */
interface OrderProgress {
  readonly position: number;
  readonly used: number;
}

/** An order other than the schema's. */
export interface KeyOrder {
  /** Labels of keys that may come any number of times. */
  readonly free: readonly number[];
  /** Labels that may come next, without those of `free`. */
  next(progress: OrderProgress): readonly number[];
  /** Whether undeclared keys may come next. */
  allowsOthers(progress: OrderProgress): boolean;
  /** The progress after a key; that of an undeclared one is beyond all labels. */
  after(progress: OrderProgress, label: number): OrderProgress;
  /** Whether all required keys have come. */
  isComplete(progress: OrderProgress): boolean;
}

/** Up to this many keys are tracked as one set. */
const maxTogether = 5;
const maxWindow = 5;
/** Limit for tracked keys times window states times keys allowed in each. */
const maxEntries = 4000;

/**
 * Declared keys in any order. Tracking which keys came takes 2^n states, so only a few keys are tracked as one set.
 * With more, required keys are tracked within a window, and optional keys may come anywhere, any number of times:
 * `JSON.parse` keeps the last value, which is as valid as the first.
 *
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

const maxOptional = 5;
/** Limit of states: before each required key and at the end, every set of the optional ones so far. */
const maxStates = 160;

/**
 * Keys in the schema's order, of which an optional one may also come later than in its turn: a model that has skipped
 * an argument can come back to it. Required keys keep their turns, so that what must come next stays forced.
 *
 * Tracks the keys of one object: required ones before `position` came, and the optional ones in `used`.
 */
export class LaterOrder implements KeyOrder {
  readonly free: readonly number[] = [];
  readonly #labels: readonly number[];
  readonly #required: ReadonlySet<number>;
  readonly #optional: readonly number[];
  readonly #lastRequired: number;

  /** `labels` are those of all keys that can be written, in ascending order; `required` those that must come. */
  constructor(labels: readonly number[], required: ReadonlySet<number>) {
    this.#labels = labels;
    this.#required = required;
    this.#optional = labels.filter((label) => !required.has(label));
    this.#lastRequired = Math.max(-1, ...required);
  }

  /** Whether there are optional keys that can come later, and not too many of them. */
  get isUseful(): boolean {
    const [first] = this.#optional;
    return first !== undefined && first !== this.#labels.at(-1) && this.#isSmall;
  }

  get #isSmall(): boolean {
    if (this.#optional.length > maxOptional) return false;
    let optional = 0;
    let states = 0;
    for (const label of this.#labels) {
      if (this.#required.has(label)) states += 2 ** optional;
      else optional += 1;
    }
    return states + 2 ** optional <= maxStates;
  }

  next({ position, used }: OrderProgress): readonly number[] {
    const left = this.#labels.filter((label) =>
      this.#required.has(label) ? label >= position : !this.#came(used, label),
    );
    const required = left.findIndex((label) => this.#required.has(label));
    return required < 0 ? left : left.slice(0, required + 1);
  }

  allowsOthers({ position }: OrderProgress): boolean {
    return position > this.#lastRequired;
  }

  after(progress: OrderProgress, label: number): OrderProgress {
    if (!this.#labels.includes(label)) return progress;
    const position = Math.max(progress.position, label + 1);
    // Once all required keys came, only the set of optional ones matters.
    return { position: Math.min(position, this.#lastRequired + 1), used: progress.used | this.#bit(label) };
  }

  isComplete(progress: OrderProgress): boolean {
    return this.allowsOthers(progress);
  }

  #came(used: number, label: number): boolean {
    return (used & this.#bit(label)) !== 0;
  }

  #bit(label: number): number {
    const at = this.#optional.indexOf(label);
    return at < 0 ? 0 : 1 << at;
  }
}
