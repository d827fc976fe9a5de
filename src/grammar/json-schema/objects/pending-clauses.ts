/**
 * The clauses of an object while its keys are written one by one: which alternatives are still possible. Only
 * clauses between their first and their last key are remembered, so that conditions about different keys cost a
 * sum and no product, if the keys of each stand together (see `instance-locations.ts`).
 */
import type { PlannedClause } from '../plan/object-plan.ts';
import type { Constraint, Constraints } from '../shapes/constraints.ts';

/** By number of the clause, its possible alternatives; an empty list where one of them holds already. */
export type Pending = ReadonlyMap<number, readonly number[]>;

/** No clause has begun. */
export const noneBegun: Pending = new Map();

/** A constraint that a value may meet, and the clauses after it. */
export type ClauseStep = readonly [Constraint, Pending];

const holds: readonly number[] = [];

/** Follows the clauses of one object. */
export class PendingClauses {
  readonly #clauses: readonly PlannedClause[];
  readonly #constraints: Constraints;

  constructor(clauses: readonly PlannedClause[], constraints: Constraints) {
    this.#clauses = clauses;
    this.#constraints = constraints;
  }

  /** What is left when the keys from `from` to before `to` do not come; `null` where one of them has to. */
  skip(pending: Pending, from: number, to: number): Pending | null {
    if (this.#clauses.length === 0 || from >= to) return pending;
    let next: Map<number, readonly number[]> | null = null;
    for (const [index, clause] of this.#clauses.entries()) {
      if (clause.last < from || clause.first >= to) continue;
      const before = this.#possible(pending, index);
      const left = before.filter((at) => {
        for (const label of clause.alternatives[at]?.required ?? []) {
          if (label >= from && label < to) return false;
        }
        return true;
      });
      if (left.length === 0 && before !== holds) return null;
      next ??= new Map(pending);
      this.#settle(next, index, before === holds ? holds : left, to - 1);
    }
    return next ?? pending;
  }

  /**
   * What the value of the key `label` may be within `constraint`, and what is left after it. `isPossible` says of which
   * constraints there are values.
   */
  take(
    pending: Pending,
    label: number,
    constraint: Constraint,
    isPossible: (constraint: Constraint) => boolean,
  ): readonly ClauseStep[] {
    let steps: readonly ClauseStep[] = [[constraint, pending]];
    for (const [index, clause] of this.#clauses.entries()) {
      if (clause.first > label || clause.last < label) continue;
      const groups = this.#groups(index, this.#possible(pending, index), label);
      steps = steps.flatMap(([value, left]) =>
        groups.flatMap(([wanted, alternatives]): readonly ClauseStep[] => {
          const both = this.#constraints.and(value, wanted);
          if (!isPossible(both)) return [];
          const next = new Map(left);
          this.#settle(next, index, alternatives, label);
          return [[both, next]];
        }),
      );
    }
    return steps;
  }

  /** Equal where the same may follow a key: where a clause is under way, the position matters, too. */
  keyOf(pending: Pending, position: number): string {
    if (pending.size === 0) return '';
    const parts = Array.from(pending, ([index, left]) => `${index}:${left.join()}`);
    const open = [...pending.values()].some((left) => left !== holds);
    return `${parts.join(';')}${open ? `@${position}` : ''}`;
  }

  #possible(pending: Pending, index: number): readonly number[] {
    return pending.get(index) ?? this.#clauses[index]?.alternatives.map((_, at) => at) ?? [];
  }

  /** Alternatives that ask for the same value of `label`. */
  #groups(
    index: number,
    possible: readonly number[],
    label: number,
  ): readonly (readonly [Constraint, readonly number[]])[] {
    const { anything } = this.#constraints;
    if (possible === holds) return [[anything, holds]];
    const groups = new Map<number, [Constraint, number[]]>();
    for (const at of possible) {
      const constraint = this.#clauses[index]?.alternatives[at]?.constraints.get(label) ?? anything;
      const group = groups.get(constraint.id);
      if (group === undefined) groups.set(constraint.id, [constraint, [at]]);
      else group[1].push(at);
    }
    return [...groups.values()];
  }

  /** Notes the alternatives that are left after the key `label`. */
  #settle(next: Map<number, readonly number[]>, index: number, left: readonly number[], label: number): void {
    const clause = this.#clauses[index];
    if (clause === undefined) return;
    const held = left === holds || left.some((at) => (clause.alternatives[at]?.last ?? -1) <= label);
    if (clause.last <= label) next.delete(index);
    else next.set(index, held ? holds : left);
  }
}
