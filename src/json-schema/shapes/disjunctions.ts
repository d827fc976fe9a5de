/** Boolean operations on disjunctions of shapes: their conjunction, and whether anything is in it. */
import { BudgetExceeded } from '../../language/expression/budget.ts';
import { anyShape } from './any-shape.ts';
import type { ExpansionContext } from './assertions.ts';
import { keptApart, type Part } from './clauses.ts';
import { subsume, uniteAbsent } from './fewer-shapes.ts';
import { costOfProduct, intersectShapes } from './intersect-shapes.ts';
import { shapeKey } from './shape-keys.ts';
import type { Shape, ValueType } from './shapes.ts';

const maxShapes = 2000;
/** With more alternatives, unsatisfiable ones are searched for and dropped. */
const pruneThreshold = 24;
/** Maximum number of nested overlap tests; without a limit they could exhaust the stack. */
const maxDepth = 6;

/** Whether two branches of one type have a common value; true if that cannot be determined. */
export type OverlapTest = (shapes: readonly Shape[]) => boolean;

/** Thrown when an overlap test reaches the node that started it. */
export class Reentered extends Error {}

/** Disjunctions of shapes of one type. */
export class Disjunctions {
  readonly #context: ExpansionContext;
  readonly #mayProduce: OverlapTest;
  /** How many overlap tests are running, one within the other. */
  depth = 0;
  /** Whether the shapes of some node allow less than the node. */
  narrowed = false;

  constructor(context: ExpansionContext, mayProduce: OverlapTest) {
    this.#context = context;
    this.#mayProduce = mayProduce;
  }

  /** Every value of the type. */
  any(type: ValueType): readonly Shape[] {
    return [anyShape(type, this.#context.terms, this.#context.constraints)];
  }

  /** The conjunction of several disjunctions. */
  conjunction(type: ValueType, parts: readonly Part[]): readonly Shape[] {
    if (parts.length === 0) return this.any(type);
    const apart = type === 'object' && !this.#context.document.usesUnevaluated;
    return this.#multiply(apart ? keptApart(parts, (several) => this.#multiply(several)) : parts);
  }

  /** The product of `parts`, which must not be empty. */
  #multiply(parts: readonly Part[]): readonly Shape[] {
    const { terms, constraints, budget } = this.#context;
    const [first = () => [], ...rest] = parts;
    let shapes = this.#pruned(first());
    budget.spend(1 + shapes.length);
    for (const part of rest) {
      if (shapes.length === 0) return shapes;
      const others = part();
      budget.spend(costOfProduct(shapes, others));
      if (shapes.length * others.length > 20 * maxShapes) throw new BudgetExceeded('alternatives');
      const product = shapes.flatMap((a) =>
        others.flatMap((b) => intersectShapes(a, b, terms, constraints) ?? []),
      );
      shapes = this.#pruned(this.distinct(product));
    }
    return shapes;
  }

  #pruned(shapes: readonly Shape[]): readonly Shape[] {
    return shapes.length > pruneThreshold ? shapes.filter((shape) => this.mayOverlap([shape])) : shapes;
  }

  /** The shapes without repetitions and without those that others contain. */
  distinct(shapes: readonly Shape[]): readonly Shape[] {
    if (shapes.length < 2) return shapes;
    const byKey = new Map(shapes.map((shape) => [shapeKey(shape), shape]));
    const { constraints, budget } = this.#context;
    const left = subsume(uniteAbsent([...byKey.values()], constraints, budget));
    if (left.length > maxShapes) throw new BudgetExceeded('alternatives');
    return left;
  }

  /** Whether `shapes` may be satisfiable; true for a branch that depends on the node being expanded. */
  mayOverlap(shapes: readonly Shape[]): boolean {
    if (this.depth >= maxDepth) return true;
    this.depth += 1;
    try {
      // If a branch allows more than its shapes, values outside all of its shapes may still be valid against it.
      return this.#mayProduce(shapes) || this.narrowed;
    } catch (error) {
      if (error instanceof Reentered) return true;
      throw error;
    } finally {
      this.depth -= 1;
    }
  }
}
