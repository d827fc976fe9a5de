/** Which items may follow which in an array: the prefix, the number of items, and what `contains` counts. */
import { BudgetExceeded } from '../../language/expression/budget.ts';
import type { Constraint, Constraints } from '../shapes/constraints.ts';
import type { ArrayShape, Contained } from '../shapes/shapes.ts';

/** How far the array has been written. Counts stop where more make no difference. */
export interface ItemProgress {
  readonly index: number;
  /** Items found for each `contains`. */
  readonly found: readonly number[];
}

/** The constraint for an item, and the progress after it. */
type ItemCase = readonly [Constraint, ItemProgress];

const maxProgress = 3000;

/** Answers whether an array can continue or end. */
export class ArraySearch {
  readonly #shape: ArrayShape;
  readonly #contains: readonly Contained[];
  /** From this index on, all items have the same constraint. */
  readonly #uniform: number;
  readonly #constraints: Constraints;
  readonly #isSatisfiable: (constraint: Constraint) => boolean;
  readonly #alive = new Map<string, boolean>();

  /** `isSatisfiable` tells whether some value meets a constraint. */
  constructor(
    shape: ArrayShape,
    uniform: number,
    constraints: Constraints,
    isSatisfiable: (constraint: Constraint) => boolean,
  ) {
    this.#shape = shape;
    this.#contains = shape.contains.filter(({ min, max }) => min > 0 || max !== null);
    this.#uniform = uniform;
    this.#constraints = constraints;
    this.#isSatisfiable = isSatisfiable;
  }

  /** Before the first item. */
  get start(): ItemProgress {
    return { index: 0, found: this.#contains.map(() => 0) };
  }

  /** Whether any array is of the shape. */
  get hasArrays(): boolean {
    return this.mayEnd(this.start) || this.mayGoOn(this.start);
  }

  /** Whether the array may end here. */
  mayEnd({ index, found }: ItemProgress): boolean {
    return (
      index >= this.#shape.min &&
      this.#contains.every(
        ({ min, max }, at) => (found[at] ?? 0) >= min && (max === null || (found[at] ?? 0) <= max),
      )
    );
  }

  /** Whether another item can lead to an end. Throws `BudgetExceeded`. */
  mayGoOn(progress: ItemProgress): boolean {
    if (this.isUniform(progress)) {
      const { max, rest } = this.#shape;
      return (max === null || progress.index < max) && this.#isSatisfiable(rest);
    }
    const key = progressKey(progress);
    const known = this.#alive.get(key);
    if (known !== undefined) return known;
    if (this.#alive.size >= maxProgress) throw new BudgetExceeded('counts in an array');
    this.#alive.set(key, false);
    const alive = this.cases(progress).some(([, next]) => this.mayEnd(next) || this.mayGoOn(next));
    this.#alive.set(key, alive);
    return alive;
  }

  /** Constraints for the next item, with the progress after each. */
  cases({ index, found }: ItemProgress): readonly ItemCase[] {
    const { max, min, prefix, rest } = this.#shape;
    if (max !== null && index >= max) return [];
    const limit = Math.max(min, max ?? 0, this.#uniform);
    const next = Math.min(index + 1, limit);
    let cases: readonly (readonly [Constraint, readonly number[]])[] = [[prefix[index] ?? rest, found]];
    this.#contains.forEach((contained, at) => {
      cases = cases.flatMap(([constraint, counts]) => this.#split(constraint, counts, contained, at));
    });
    return cases
      .filter(([constraint]) => this.#isSatisfiable(constraint))
      .map(([constraint, counts]) => [constraint, { index: next, found: counts }] as const);
  }

  #split(
    constraint: Constraint,
    counts: readonly number[],
    contained: Contained,
    at: number,
  ): readonly (readonly [Constraint, readonly number[]])[] {
    const count = counts[at] ?? 0;
    if (contained.max === null && count >= contained.min) return [[constraint, counts]];
    const without = this.#constraints.not(contained.constraint);
    const limit = contained.max === null ? contained.min : contained.max + 1;
    const more = counts.map((each, index) => (index === at ? Math.min(each + 1, limit) : each));
    const split: (readonly [Constraint, readonly number[]])[] = [];
    if (contained.max === null || count < contained.max)
      split.push([this.#constraints.and(constraint, contained.constraint), more]);
    if (without !== null) split.push([this.#constraints.and(constraint, without), counts]);
    return split;
  }

  /** Whether all further items have one constraint and only their number matters. */
  isUniform({ index, found }: ItemProgress): boolean {
    return (
      index >= this.#uniform &&
      this.#contains.every(({ min, max }, at) => max === null && (found[at] ?? 0) >= min)
    );
  }
}

/** A string that identifies the progress. */
export function progressKey({ index, found }: ItemProgress): string {
  return `${index} ${found.join()}`;
}
