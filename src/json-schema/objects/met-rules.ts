/** Which of the rules that some property of an object must meet are met by a value. */
import type { KeyClass, PlanContext } from '../plan/object-plan.ts';
import type { Constraint } from '../shapes/constraints.ts';

/** Cases that one step pays for, as a power of two. */
const casesPerStep = 3;

/** A constraint of the value, and the rules that are met then, as a bit set: there may be more than a number has bits. */
type MetCase = readonly [Constraint, bigint];

/**
 * The cases of a value of `constraint` under a key of `keys`, where the rules in `before` have been met. Those in which no
 * value can be are left out at once: closed objects that exclude each other would be two to the power of their number.
 */
export function metRules(
  keys: KeyClass,
  constraint: Constraint,
  before: bigint,
  { constraints, budget }: Pick<PlanContext, 'constraints' | 'budget'>,
): readonly MetCase[] {
  let cases: readonly MetCase[] = [[constraint, before]];
  for (const { index, constraint: wanted } of keys.some) {
    const bit = 1n << BigInt(index);
    const other = constraints.not(wanted) ?? constraints.anything;
    budget.spend(cases.length >> casesPerStep);
    cases = cases
      .flatMap(([value, met]): readonly MetCase[] =>
        (met & bit) !== 0n
          ? [[value, met]]
          : [
              [constraints.and(value, wanted), met | bit],
              [constraints.and(value, other), met],
            ],
      )
      .filter(([value]) => value !== constraints.nothing);
  }
  return cases;
}
