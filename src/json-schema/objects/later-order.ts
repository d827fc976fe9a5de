/**
 * Keys in the schema's order, of which an optional one may also come later than in its turn: a model that has skipped
 * an argument can come back to it. Required keys keep their turns, so that what must come next stays forced.
 */
import type { KeyOrder, OrderProgress } from './key-order.ts';

const maxOptional = 5;
/** Limit of states: before each required key and at the end, every set of the optional ones so far. */
const maxStates = 160;

/** Tracks the keys of one object: required ones before `position` came, and the optional ones in `used`. */
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
