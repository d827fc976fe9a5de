/**
 * Which constraints are satisfiable. Unsatisfiable branches must not reach the grammar: an engine that enters one is
 * stuck. The answer is a least fixpoint, because schemas are recursive.
 */
import { BudgetExceeded } from '../../language/expression/budget.ts';
import type { Constraint } from '../shapes/constraints.ts';
import { coveringRules } from '../shapes/covering-rules.ts';
import { intersectShapes } from '../shapes/intersect-shapes.ts';
import {
  type ArrayShape,
  type Clause,
  fitsRange,
  type ObjectShape,
  type Shape,
  type ValueType,
} from '../shapes/shapes.ts';
import { ArraySearch } from './array-search.ts';
import type { Languages } from './languages.ts';
import { type PlanContext, planObject } from './object-plan.ts';

/** Dependencies of the satisfiability check. */
interface SatisfiabilityContext extends PlanContext {
  readonly languages: Languages;
  shapes(constraint: Constraint): ReadonlyMap<ValueType, readonly Shape[]>;
}

type Ask = (constraint: Constraint) => boolean;

/** Thrown by a writer that finds no value of `constraint`, although the fixpoint considered it satisfiable. */
export class EmptyConstraint extends BudgetExceeded {
  readonly constraint: Constraint;
  constructor(constraint: Constraint) {
    super('conditions');
    this.constraint = constraint;
  }
}

/** Computes and memoises satisfiability. */
export class Satisfiability {
  readonly #context: SatisfiabilityContext;
  readonly #known = new Map<number, boolean>();
  #shapes = new WeakMap<Shape, boolean>();

  constructor(context: SatisfiabilityContext) {
    this.#context = context;
  }

  /** Whether some value meets `constraint`. */
  of(constraint: Constraint): boolean {
    const known = this.#known.get(constraint.id);
    if (known !== undefined) return known;
    const asked = new Map<number, Constraint>([[constraint.id, constraint]]);
    const satisfiable = new Set<number>();
    const ask = (inner: Constraint) => {
      const answer = this.#known.get(inner.id);
      if (answer === undefined) asked.set(inner.id, inner);
      return answer ?? satisfiable.has(inner.id);
    };
    for (let before = -1; before !== asked.size + satisfiable.size; ) {
      before = asked.size + satisfiable.size;
      // Later constraints were asked for by earlier ones, so in reverse order few rounds are enough.
      const known = [...asked.values()].reverse();
      for (const each of known) {
        this.#context.budget.spend();
        if (!satisfiable.has(each.id) && this.#once(each, ask)) satisfiable.add(each.id);
      }
    }
    for (const id of asked.keys()) this.#known.set(id, satisfiable.has(id));
    return satisfiable.has(constraint.id);
  }

  /** Records that `constraint` is unsatisfiable. Drops all positive answers, which may depend on it. */
  deny(constraint: Constraint): void {
    for (const [id, isMet] of this.#known) if (isMet) this.#known.delete(id);
    this.#known.set(constraint.id, false);
    this.#shapes = new WeakMap();
  }

  /** Whether any of `shapes` has a value. */
  ofShapes(shapes: readonly Shape[]): boolean {
    return shapes.some((shape) => this.ofShape(shape));
  }

  /** Whether `shape` has a value. */
  ofShape(shape: Shape): boolean {
    const known = this.#shapes.get(shape) ?? this.#alive(shape, (constraint) => this.of(constraint));
    this.#shapes.set(shape, known);
    return known;
  }

  #once(constraint: Constraint, ask: Ask): boolean {
    for (const shapes of this.#context.shapes(constraint).values()) {
      if (shapes.some((shape) => this.#alive(shape, ask))) return true;
    }
    return false;
  }

  #alive(shape: Shape, ask: Ask): boolean {
    switch (shape.type) {
      case 'null':
        return true;
      case 'boolean':
        return shape.values.length > 0;
      case 'string':
      case 'number':
        return this.#scalarAlive(shape);
      case 'array':
        return arrayAlive(shape, ask, this.#context);
      case 'object':
        return objectAlive(shape, ask, this.#context);
    }
  }

  #scalarAlive(shape: Shape): boolean {
    const { languages } = this.#context;
    try {
      if (shape.type === 'string') return languages.hasStrings(shape);
      return shape.type !== 'number' || languages.hasNumbers(shape);
    } catch (error) {
      if (!(error instanceof BudgetExceeded)) throw error;
      if (shape.type !== 'number') return true;
      const { values, complete } = languages.listed(shape);
      return values.length > 0 || !complete;
    }
  }
}

function arrayAlive(shape: ArrayShape, ask: Ask, context: SatisfiabilityContext): boolean {
  if (!eachMayBe(shape, ask, context)) return false;
  if (shape.contains.length === 0) return true;
  try {
    return new ArraySearch(shape, shape.prefix.length, context.constraints, ask).hasArrays;
  } catch (error) {
    if (error instanceof BudgetExceeded) return true;
    throw error;
  }
}

/** Whether enough items, and one for each `contains`, are possible: necessary, but not sufficient. */
function eachMayBe(shape: ArrayShape, ask: Ask, { constraints }: SatisfiabilityContext): boolean {
  const constraintAt = (index: number) => shape.prefix[index] ?? shape.rest;
  for (let index = 0; index < Math.min(shape.min, shape.prefix.length + 1); index += 1) {
    if (!ask(constraintAt(index))) return false;
  }
  return shape.contains.every(({ constraint, min, max }) => {
    if (max !== null && max < min) return false;
    if (min === 0) return true;
    if (shape.max !== null && shape.max < min) return false;
    for (let index = 0; index <= shape.prefix.length; index += 1) {
      if (!fitsRange(index + 1, 0, shape.max)) return false;
      if (ask(constraints.and(constraintAt(index), constraint))) return true;
      if (!ask(constraintAt(index))) return false;
    }
    return false;
  });
}

function objectAlive(shape: ObjectShape, ask: Ask, context: SatisfiabilityContext): boolean {
  if (shape.max !== null && shape.max < shape.required.size) return false;
  for (const key of shape.required) {
    const constraint = coveringRules(shape.rules, key, context.terms).reduce(
      (all, rule) => context.constraints.and(all, rule.constraint),
      context.constraints.anything,
    );
    if (!ask(constraint)) return false;
  }
  if (shape.clauses.length > 0) return clausesMayHold(shape, shape.clauses, ask, context);
  if (shape.some.length === 0 && shape.min <= shape.required.size) return true;
  const plan = planObject(shape, [], context);
  const usable = [...plan.declared, ...plan.classes];
  const everyFound = shape.some.every((_, index) =>
    usable.some(({ constraint, some }) => {
      const wanted = some.find((each) => each.index === index);
      return wanted !== undefined && ask(context.constraints.and(constraint, wanted.constraint));
    }),
  );
  if (!everyFound) return false;
  if (plan.classes.some(({ constraint }) => ask(constraint))) return true;
  return plan.declared.filter(({ constraint }) => ask(constraint)).length >= shape.min;
}

/** Maximum number of attempts to satisfy all clauses of an object; after that, it counts as satisfiable. */
const maxAttempts = 500;

/** Whether some object is of `shape` without its clauses and of one alternative of each of `clauses`. */
function clausesMayHold(
  shape: ObjectShape,
  clauses: readonly Clause[],
  ask: Ask,
  context: SatisfiabilityContext,
): boolean {
  const { terms, constraints, budget } = context;
  let attempts = 0;
  const hold = (all: ObjectShape, at: number): boolean => {
    const clause = clauses[at];
    if (clause === undefined) return true;
    return clause.some((alternative) => {
      attempts += 1;
      if (attempts > maxAttempts) return true;
      budget.spend();
      const both = intersectShapes(all, alternative, terms, constraints);
      return both?.type === 'object' && objectAlive(both, ask, context) && hold(both, at + 1);
    });
  };
  return hold({ ...shape, clauses: [] }, 0);
}
