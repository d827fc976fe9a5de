/**
 * Tracks an object's clauses while its keys are written: which alternatives are still possible. Only clauses between
 * their first and last key are tracked. Conditions about different keys thus cost a sum instead of a product,
 * provided that the keys of each are adjacent (see `instance-locations.ts`).
 */
import type { PlannedClause } from '../plan/object-plan.ts';
import type { Constraint, Constraints } from '../shapes/constraints.ts';

/** By clause number, the alternatives still possible; empty if one holds already. */
export type Pending = ReadonlyMap<number, readonly number[]>;

/** No clause has begun. */
export const noneBegun: Pending = new Map();

/** A constraint for a value, and the pending clauses after it. */
type ClauseStep = readonly [Constraint, Pending];

const holds: readonly number[] = [];

/** Tracks the clauses of one object. */
export class PendingClauses {
  readonly #clauses: readonly PlannedClause[];
  readonly #constraints: Constraints;

  constructor(clauses: readonly PlannedClause[], constraints: Constraints) {
    this.#clauses = clauses;
    this.#constraints = constraints;
  }

  /** What is pending if the keys from `from` up to `to` (exclusive) are absent; `null` if one of them is required. */
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
   * Constraints for the value of key `label` within `constraint`, with what is pending after each. `isPossible` tells
   * which constraints are satisfiable.
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

  /** Equal for states in which the same may follow a key; while a clause is pending, the position matters, too. */
  keyOf(pending: Pending, position: number): string {
    if (pending.size === 0) return '';
    const parts = Array.from(pending, ([index, left]) => `${index}:${left.join()}`);
    const open = [...pending.values()].some((left) => left !== holds);
    return `${parts.join(';')}${open ? `@${position}` : ''}`;
  }

  #possible(pending: Pending, index: number): readonly number[] {
    return pending.get(index) ?? this.#clauses[index]?.alternatives.map((_, at) => at) ?? [];
  }

  /** Groups the alternatives that require the same value of `label`. */
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

  /** Records the alternatives left after key `label`. */
  #settle(next: Map<number, readonly number[]>, index: number, left: readonly number[], label: number): void {
    const clause = this.#clauses[index];
    if (clause === undefined) return;
    const held = left === holds || left.some((at) => (clause.alternatives[at]?.last ?? -1) <= label);
    if (clause.last <= label) next.delete(index);
    else next.set(index, held ? holds : left);
  }
}
