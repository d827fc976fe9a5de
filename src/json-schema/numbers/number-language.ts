/** Automata of JSON numbers. */

import { writeNumber } from '../../format/write-values.ts';
import { BudgetExceeded, type StepBudget } from '../../language/expression/budget.ts';
import type { Automaton } from '../../language/regular/automaton.ts';
import {
  commonMultiple,
  compareDecimals,
  type Decimal,
  decimalOf,
  isMultiple,
  printDecimal,
} from '../document/decimal.ts';
import type { Bound, Multiple, NumberShape } from '../shapes/shapes.ts';
import { multiplyReaders, type NumberAlternative } from './number-product.ts';
import {
  comparingReader,
  fewDigitsReader,
  freeReader,
  largeReader,
  multipleReader,
  type NumberReader,
  otherThan,
  plainReader,
  smallReader,
  wholeDigits,
  wordsReader,
} from './number-readers.ts';

/** Maximum number of states of a remainder automaton. */
const maxRemainders = 20_000n;

/** Maximum number of states that count digits together with remainders, without those by 2 and 5. */
const maxCounted = 165;
/** Where that is too few, multiples have so many digits more than what they are multiples of. */
const moreDigits = 3;
/** A double holds any number of so many digits. */
const doubleDigits = 15;

const zero: Decimal = { digits: 0n, scale: 0 };
const tiny = decimalOf(0.001);
const large = decimalOf(1e15);

/** All spellings of the numbers of `shapes`. Throws `BudgetExceeded`. */
export function numberAutomaton(shapes: readonly NumberShape[], budget: StepBudget): Automaton {
  return multiplyReaders(shapes.flatMap(alternativesOf), budget);
}

function alternativesOf(shape: NumberShape): readonly NumberAlternative[] {
  if (shape.only !== null) return listed(shape.only.filter((value) => fits(value, shape)).map(spell));
  if (shape.integer === null && isUnbounded(shape))
    return [false, true].map((negative) => ({ negative, readers: [freeReader()] }));
  const multiples = mergeMultiples(shape.multiples);
  const digits = Math.max(wholeDigits, ...boundsOf(shape).map((each) => lengthOf(each) + 1));
  const plain = plainReader({
    integer: shape.integer,
    digits: multiples.length > 0 ? digitsOfMultiples(shape, multiples) : digits,
  });
  const counted = countsDigits(shape) ? [fewDigitsReader(doubleDigits)] : [];
  const readers = [plain, ...multiples.map(multipleCondition), ...counted];
  return [...positive(shape, readers), ...negative(shape, readers), ...scientific(shape)];
}

/**
 * How many digits multiples may have before the point so that a double holds them; fewer if counting them would take
 * too many states. `null` if any number of them, or if the bounds leave none that a double holds.
 */
function digitsOfMultiples(shape: NumberShape, multiples: readonly Multiple[]): number | null {
  const most = exactDigits(multiples);
  const lengths = boundsOf(shape).map(lengthOf);
  const isFar = lengths.some((length) => length >= most);
  if (most < 1 || isFar || isBounded(shape) || multiples.every(survivesRounding)) return null;
  const counted = Math.floor(maxCounted / Number(withoutTens(statesOf(multiples))));
  const longest = Math.max(...lengths, ...multiples.map(({ of }) => String(of.digits).length - of.scale));
  return Math.min(most, Math.max(counted, longest + moreDigits));
}

/** How many digits before the point a multiple may have that a double holds. */
function exactDigits(multiples: readonly Multiple[]): number {
  return doubleDigits - Math.max(...multiples.map(({ of }) => of.scale));
}

/** Whether the bounds leave only numbers that a double holds. */
function isBounded({ min, max }: NumberShape): boolean {
  return [min, max].every((bound) => bound !== null && lengthOf(bound.value) < doubleDigits);
}

/**
 * Whether all digits of a number count, because it must be no multiple of something: more than a double holds can be
 * as close to a multiple as one likes, and get rounded to it.
 */
function countsDigits(shape: NumberShape): boolean {
  const { multiples } = shape;
  if (multiples.length === 0 || multiples.some(({ holds }) => holds)) return false;
  return boundsOf(shape).every((bound) => lengthOf(bound) < doubleDigits);
}

/** What is left without the factors 2 and 5, for which the last digits decide and a few states do. */
function withoutTens(count: bigint): bigint {
  for (const factor of [2n, 5n]) if (count % factor === 0n) return withoutTens(count / factor);
  return count;
}

/**
 * What is not exact about the multiples of `shape`: those of more `digits` are not written, or, if `null`, written
 * although JSON readers round them to other numbers. `null` if everything is.
 */
export function inexactMultiples(shape: NumberShape): { readonly digits: number | null } | null {
  if (shape.only !== null || shape.multiples.length === 0 || isBounded(shape)) return null;
  const multiples = mergeMultiples(shape.multiples);
  if (multiples.every(survivesRounding)) return null;
  const digits = digitsOfMultiples(shape, multiples);
  if (digits === null && countsDigits(shape)) return null;
  return digits === exactDigits(multiples) ? null : { digits };
}

/** Whether a number remains a multiple if only its first digits are kept: it is, if these are decimal places. */
function survivesRounding({ of, holds }: Multiple): boolean {
  return holds && /^10*$/.test(String(of.digits));
}

function multipleCondition({ of, holds }: Multiple): NumberReader {
  return holds ? multipleReader(of) : otherThan(multipleReader(of));
}

/** Groups `words`, which are numbers, by sign. */
function listed(words: readonly string[]): readonly NumberAlternative[] {
  const signed = words.filter((word) => word.startsWith('-')).map((word) => word.slice(1));
  const unsigned = words.filter((word) => !word.startsWith('-'));
  return [
    { negative: false, readers: [wordsReader(unsigned)] },
    { negative: true, readers: [wordsReader(signed)] },
  ];
}

/** Unsigned numbers whose digits satisfy `readers`; no alternatives if the bounds exclude them all. */
function positive(
  { min, max, excluded }: NumberShape,
  readers: readonly NumberReader[],
): NumberAlternative[] {
  if (max !== null && max.value.digits < 0n) return [];
  const lower = min !== null && min.value.digits >= 0n ? [atLeast(min)] : [];
  const upper = max === null ? [] : [atMost(max)];
  const others = excluded.filter(({ digits }) => digits >= 0n).map(unequal);
  return [{ negative: false, readers: [...readers, ...lower, ...upper, ...others] }];
}

/** `positive` for numbers with a minus sign, with bounds swapped; excludes zero. */
function negative(
  { min, max, excluded }: NumberShape,
  readers: readonly NumberReader[],
): NumberAlternative[] {
  if (min !== null && min.value.digits >= 0n) return [];
  const lower = max !== null && max.value.digits < 0n ? [atLeast(max)] : [];
  const upper = min === null ? [] : [atMost(min)];
  const others = excluded.filter(({ digits }) => digits < 0n).map(unequal);
  return [{ negative: true, readers: [...readers, unequal(zero), ...lower, ...upper, ...others] }];
}

/** Digits of a number whose magnitude is at least the bound's. */
function atLeast({ value, exclusive }: Bound): NumberReader {
  return comparingReader(sizeOf(value), { below: false, equal: !exclusive, above: true });
}

/** Digits of a number whose magnitude is at most the bound's. */
function atMost({ value, exclusive }: Bound): NumberReader {
  return comparingReader(sizeOf(value), { below: true, equal: !exclusive, above: false });
}

function unequal(value: Decimal): NumberReader {
  return comparingReader(sizeOf(value), { below: true, equal: false, above: true });
}

/**
 * Very large and very small numbers in scientific notation, if the bounds do not affect them. Small ones are never
 * integers, large ones usually are.
 */
function scientific({ integer, min, max, multiples, excluded }: NumberShape): readonly NumberAlternative[] {
  if (integer === true || multiples.length > 0) return [];
  const noneLarge = integer === null && excluded.every((value) => compareDecimals(sizeOf(value), large) <= 0);
  const noneSmall = excluded.every(
    (value) => value.digits === 0n || compareDecimals(sizeOf(value), tiny) >= 0,
  );
  const above = (bound: Bound | null, limit: Decimal) =>
    bound === null || compareDecimals(bound.value, limit) >= 0;
  const below = (bound: Bound | null, limit: Decimal) =>
    bound === null || compareDecimals(bound.value, limit) <= 0;
  const found: NumberAlternative[] = [];
  const add = (negative: boolean, reader: NumberReader) => found.push({ negative, readers: [reader] });
  if (noneLarge && max === null && below(min, large)) add(false, largeReader());
  if (noneLarge && min === null && above(max, negated(large))) add(true, largeReader());
  if (noneSmall && below(min, zero) && above(max, tiny)) add(false, smallReader());
  if (noneSmall && below(min, negated(tiny)) && above(max, zero)) add(true, smallReader());
  return found;
}

/** A number of a list, as JSON readers round it; `null` if it is no longer one of `shape`. */
export function roundedIn(value: Decimal, shape: NumberShape): Decimal | null {
  const rounded = decimalOf(Number(printDecimal(value)));
  return fits(rounded, shape) ? rounded : null;
}

/** A number as templates write it. */
function spell(value: Decimal): string {
  return writeNumber(Number(printDecimal(value)));
}

function negated(value: Decimal): Decimal {
  return { digits: -value.digits, scale: value.scale };
}

function lengthOf(value: Decimal): number {
  const [whole = ''] = printDecimal(value).split('.', 1);
  return whole.replace('-', '').length;
}

function sizeOf(value: Decimal): Decimal {
  return value.digits < 0n ? negated(value) : value;
}

function boundsOf({ min, max, excluded }: NumberShape): readonly Decimal[] {
  return [...(min === null ? [] : [min.value]), ...(max === null ? [] : [max.value]), ...excluded];
}

/**
 * Merges multiples into their least common multiple, and keeps a few negated ones. Throws `BudgetExceeded` if the
 * automaton of all remainders is too large.
 */
function mergeMultiples(multiples: readonly Multiple[]): readonly Multiple[] {
  const wanted = multiples.filter(({ holds }) => holds).map(({ of }) => of);
  const others = multiples.filter(({ holds }) => !holds);
  const merged: Multiple[] = wanted.length === 0 ? [] : [{ of: commonMultiple(wanted), holds: true }];
  const all = [...merged, ...others];
  if (statesOf(all) > maxRemainders) throw new BudgetExceeded('remainders of multipleOf');
  return all;
}

function statesOf(multiples: readonly Multiple[]): bigint {
  return multiples.reduce((product, { of }) => product * of.digits * BigInt(of.scale + 1), 1n);
}

/** Whether a shape restricts its numbers at most to integers or to non-integers. */
export function isUnbounded({ min, max, multiples, only, excluded }: NumberShape): boolean {
  return min === null && max === null && multiples.length === 0 && only === null && excluded.length === 0;
}

/** Whether `shape` contains an integer near zero or near a bound; a quick test without an automaton. */
export function hasSmallInteger(shape: NumberShape): boolean {
  if (shape.only !== null || shape.multiples.length > 0) return false;
  const near = [shape.min, shape.max].flatMap((bound) => (bound === null ? [] : [wholeNear(bound.value)]));
  return [0n, ...near].some((middle) =>
    [middle - 1n, middle, middle + 1n].some(
      (digits) => digits < limit && digits > -limit && fits({ digits, scale: 0 }, shape),
    ),
  );
}

/** Numbers of smaller magnitude are written without an exponent. */
const limit = 10n ** 20n;

function wholeNear({ digits, scale }: Decimal): bigint {
  return digits / 10n ** BigInt(scale);
}

/** Whether `value` is of `shape`, ignoring its list of values. */
export function fits(value: Decimal, { integer, min, max, multiples, excluded }: NumberShape): boolean {
  if (integer !== null && (value.scale === 0) !== integer) return false;
  const low = min === null ? 1 : compareDecimals(value, min.value);
  const high = max === null ? -1 : compareDecimals(value, max.value);
  if (low < 0 || (low === 0 && min?.exclusive) || high > 0 || (high === 0 && max?.exclusive)) return false;
  return (
    multiples.every(({ of, holds }) => isMultiple(value, of) === holds) &&
    excluded.every((each) => compareDecimals(each, value) !== 0)
  );
}
