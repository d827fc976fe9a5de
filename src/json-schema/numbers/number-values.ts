/** Lists numbers nearest to zero, for constraints whose automaton would be too large. */
import type { StepBudget } from '../../language/expression/budget.ts';
import {
  commonMultiple,
  compareDecimals,
  type Decimal,
  greatestCommonDivisor,
  normalDecimal,
  scaled,
} from '../document/decimal.ts';
import type { NumberShape } from '../shapes/shapes.ts';
import { fits, roundedIn } from './number-language.ts';

/** Numbers of a shape. */
export interface ListedNumbers {
  readonly values: readonly Decimal[];
  /** Whether the list is complete. */
  readonly complete: boolean;
}

const maxValues = 500;
const maxTries = 40_000;
/** A double prints as so many digits at most, zeros at the end aside. */
const mostDigits = 17;
/** Larger numbers might get rounded when written. */
const largest: Decimal = { digits: 2n ** 53n, scale: 0 };

/** The numbers of `shape` nearest to zero, up to a limit. */
export function numbersNearZero(shape: NumberShape, budget: StepBudget): ListedNumbers {
  const step = stepOf(shape);
  const lowest = shape.min === null ? null : quotient(shape.min.value, step, 'up');
  const highest = shape.max === null ? null : quotient(shape.max.value, step, 'down');
  const values: Decimal[] = [];
  /** Whether JSON readers keep all of them what they are. */
  let isWhole = true;
  let [below, above] = walkStarts(lowest, highest);
  for (let tries = 0; tries < maxTries && values.length < maxValues; tries += 1) {
    budget.spend();
    const lower = lowest === null || below >= lowest ? below : null;
    const upper = highest === null || above <= highest ? above : null;
    if (lower === null && upper === null) break;
    const next = nearerToZero(lower, upper);
    const after = next + awayFromZero(next, step);
    if (skips(next, after, lowest, highest)) isWhole = false;
    if (next === below) below = after;
    else above = after;
    const value = normalDecimal(next * step.digits, step.scale);
    const size: Decimal = value.digits < 0n ? { ...value, digits: -value.digits } : value;
    if (compareDecimals(size, largest) > 0) break;
    if (!fits(value, shape)) continue;
    const rounded = roundedIn(value, shape);
    if (rounded === null) isWhole = false;
    else values.push(rounded);
  }
  const walked = lowest !== null && highest !== null && below < lowest && above > highest;
  const onlySteps = shape.integer === true || shape.multiples.some(({ holds }) => holds);
  return { values, complete: walked && onlySteps && isWhole };
}

/** A number that divides all listed ones. */
function stepOf({ integer, multiples }: NumberShape): Decimal {
  const wanted = multiples.filter(({ holds }) => holds).map(({ of }) => of);
  const parts = integer === true || wanted.length === 0 ? [...wanted, { digits: 1n, scale: 0 }] : wanted;
  return commonMultiple(parts);
}

/**
 * How far from `count` the next multiple of `step` is that a double may hold, in the direction away from zero: more than
 * its digits have to be zeros.
 */
function awayFromZero(count: bigint, step: Decimal): bigint {
  const direction = count < 0n ? -1n : 1n;
  const size = direction * count;
  const zeros = String((size + 1n) * step.digits).length - mostDigits;
  if (zeros <= 0) return direction;
  const round = 10n ** BigInt(zeros);
  const stride = round / greatestCommonDivisor(round, step.digits);
  return direction * (stride - (size % stride));
}

/** Whether there are counts between two, within the bounds. */
function skips(from: bigint, to: bigint, lowest: bigint | null, highest: bigint | null): boolean {
  if (to < from) return to < from - 1n && (lowest === null || from > lowest);
  return to > from + 1n && (highest === null || from < highest);
}

/** `value` divided by `step`, rounded up or down. */
function quotient(value: Decimal, step: Decimal, direction: 'up' | 'down'): bigint {
  const scale = Math.max(value.scale, step.scale);
  const [whole, part] = [scaled(value, scale), scaled(step, scale)];
  const towardsZero = whole / part;
  const rest = whole - towardsZero * part;
  if (direction === 'up') return rest > 0n ? towardsZero + 1n : towardsZero;
  return rest < 0n ? towardsZero - 1n : towardsZero;
}

/** Where to start downwards and upwards: adjacent, as near to zero as the bounds allow. */
function walkStarts(lowest: bigint | null, highest: bigint | null): [below: bigint, above: bigint] {
  if (lowest !== null && lowest > 0n) return [lowest - 1n, lowest];
  if (highest !== null && highest < 0n) return [highest, highest + 1n];
  return [-1n, 0n];
}

function nearerToZero(lower: bigint | null, upper: bigint | null): bigint {
  if (lower === null || upper === null) return lower ?? upper ?? 0n;
  return -lower < upper ? lower : upper;
}
