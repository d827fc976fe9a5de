/** Numbers as JSON writes them, as regular languages over their digits. */
import { BudgetExceeded } from '../regular/budget.ts';
import { characterSet } from '../regular/character-set.ts';
import type { Machine, Term, Terms } from '../regular/terms.ts';
import { writeNumber } from '../write-values.ts';
import {
  commonMultiple,
  compareDecimals,
  type Decimal,
  decimalOf,
  isMultiple,
  printDecimal,
} from './decimal.ts';
import type { Bound, Multiple, NumberShape } from './shapes.ts';

/** Integers of so many digits are written without exponent, as JSON.stringify does. */
const wholeDigits = 21;
const fractionDigits = 25;
/** States of an automaton of remainders. */
const maxRemainders = 20_000n;

const zero: Decimal = { digits: 0n, scale: 0 };
const tiny = decimalOf(0.001);
const huge = decimalOf(1e15);

/** Everything that a number of `shape` may be written as. */
export function numberTerm(terms: Terms, shape: NumberShape): Term {
  return new NumberLanguage(terms).of(shape);
}

/** Two constraints on the digits: of numbers without and with a minus sign. */
interface Signed {
  readonly positive: Term;
  readonly negative: Term;
}

class NumberLanguage {
  readonly #terms: Terms;
  constructor(terms: Terms) {
    this.#terms = terms;
  }

  of(shape: NumberShape): Term {
    const terms = this.#terms;
    if (shape.only !== null) return terms.words(shape.only.filter((value) => fits(value, shape)).map(spell));
    if (isFree(shape)) return this.#free();
    const multiples = mergeMultiples(shape.multiples);
    const digits = Math.max(wholeDigits, ...boundsOf(shape).map((each) => lengthOf(each) + 1));
    const plain = this.#plain(shape.integer, multiples.length > 0 ? null : digits);
    const parts = [
      ...(shape.min === null ? [] : [this.#atLeast(shape.min)]),
      ...(shape.max === null ? [] : [this.#atMost(shape.max)]),
      ...shape.excluded.map((value) => this.#unequal(value)),
      ...multiples.map((multiple) => this.#multiple(multiple)),
    ];
    const positive = terms.and(plain, ...parts.map((part) => part.positive));
    const negative = terms.and(plain, terms.not(this.#equal(zero)), ...parts.map((part) => part.negative));
    return terms.or(positive, terms.sequence(terms.text('-'), negative), this.#scientific(shape));
  }

  #digit(from = '0', to = '9'): Term {
    return from > to
      ? this.#terms.nothing
      : this.#terms.set(characterSet([from.charCodeAt(0), to.charCodeAt(0)]));
  }

  /** Whole numbers of at most so many digits; `null` is any number of digits. */
  #whole(digits: number | null): Term {
    const terms = this.#terms;
    const more = digits === null ? null : digits - 1;
    return terms.or(terms.text('0'), terms.sequence(this.#digit('1'), terms.loop(this.#digit(), 0, more)));
  }

  #fraction(): Term {
    const terms = this.#terms;
    return terms.sequence(terms.text('.'), terms.loop(this.#digit(), 1, fractionDigits));
  }

  /** Digits without sign and exponent; `integer` as in `NumberShape`. */
  #plain(integer: boolean | null, digits: number | null): Term {
    const terms = this.#terms;
    const whole = this.#whole(digits);
    if (integer === true) return whole;
    if (integer === null) return terms.sequence(whole, terms.optional(this.#fraction()));
    const nonZero = terms.sequence(terms.everything, this.#digit('1'), terms.everything);
    return terms.sequence(
      whole,
      terms.text('.'),
      terms.and(terms.loop(this.#digit(), 1, fractionDigits), nonZero),
    );
  }

  /** Any number; exponents are bounded so that no text reads as infinite. */
  #free(): Term {
    const terms = this.#terms;
    const exponentMark = terms.sequence(
      terms.set(characterSet([0x45, 0x45], [0x65, 0x65])),
      terms.optional(terms.or(terms.text('+'), terms.text('-'))),
    );
    const mantissa = this.#plain(null, wholeDigits);
    const short = terms.sequence(mantissa, exponentMark, terms.loop(this.#digit(), 1, 2));
    return terms.sequence(
      terms.optional(terms.text('-')),
      terms.or(
        mantissa,
        short,
        this.#power(terms.optional(terms.or(terms.text('+'), terms.text('-'))), this.#hundreds()),
      ),
    );
  }

  /** 100 to 307. */
  #hundreds(): Term {
    const terms = this.#terms;
    const two = terms.sequence(this.#digit('1', '2'), this.#digit(), this.#digit());
    return terms.or(two, terms.sequence(terms.text('30'), this.#digit('0', '7')));
  }

  /** One digit, perhaps a fraction, and an exponent. */
  #power(sign: Term, exponent: Term): Term {
    const terms = this.#terms;
    const mark = terms.set(characterSet([0x45, 0x45], [0x65, 0x65]));
    return terms.sequence(this.#digit('1'), terms.optional(this.#fraction()), mark, sign, exponent);
  }

  /** Very large and very small numbers in scientific notation, where the bounds are no matter for them. */
  #scientific({ integer, min, max, multiples, excluded }: NumberShape): Term {
    const terms = this.#terms;
    if (integer !== null || multiples.length > 0) return terms.nothing;
    const noneLarge = excluded.every((value) => compareDecimals(sizeOf(value), huge) <= 0);
    const noneSmall = excluded.every(
      (value) => value.digits === 0n || compareDecimals(sizeOf(value), tiny) >= 0,
    );
    const large = this.#power(
      terms.text('+'),
      terms.or(
        terms.sequence(terms.text('1'), this.#digit('6')),
        terms.sequence(this.#digit('2'), this.#digit()),
        this.#hundreds(),
      ),
    );
    const small = this.#power(
      terms.text('-'),
      terms.or(
        terms.sequence(terms.optional(terms.text('0')), this.#digit('5')),
        terms.sequence(this.#digit('1'), this.#digit()),
        this.#hundreds(),
      ),
    );
    const minus = terms.text('-');
    const found: Term[] = [];
    const above = (bound: Bound | null, limit: Decimal) =>
      bound === null || compareDecimals(bound.value, limit) >= 0;
    const below = (bound: Bound | null, limit: Decimal) =>
      bound === null || compareDecimals(bound.value, limit) <= 0;
    if (noneLarge && max === null && below(min, huge)) found.push(large);
    if (noneLarge && min === null && above(max, negated(huge))) found.push(terms.sequence(minus, large));
    if (noneSmall && below(min, zero) && above(max, tiny)) found.push(small);
    if (noneSmall && below(min, negated(tiny)) && above(max, zero)) found.push(terms.sequence(minus, small));
    return terms.or(...found);
  }

  #atLeast({ value, exclusive }: Bound): Signed {
    const terms = this.#terms;
    if (value.digits < 0n) {
      return { positive: terms.everything, negative: terms.not(this.#above(negated(value), !exclusive)) };
    }
    return { positive: this.#above(value, exclusive), negative: terms.nothing };
  }

  #atMost({ value, exclusive }: Bound): Signed {
    const terms = this.#terms;
    if (value.digits < 0n)
      return { positive: terms.nothing, negative: this.#above(negated(value), exclusive) };
    return { positive: terms.not(this.#above(value, !exclusive)), negative: terms.everything };
  }

  #unequal(value: Decimal): Signed {
    const terms = this.#terms;
    const different = terms.not(this.#equal(value.digits < 0n ? negated(value) : value));
    return value.digits < 0n
      ? { positive: terms.everything, negative: different }
      : { positive: different, negative: terms.everything };
  }

  #multiple({ of, holds }: Multiple): Signed {
    const terms = this.#terms;
    const multiples = terms.machine(remainderMachine(of));
    const term = holds ? multiples : terms.not(multiples);
    return { positive: term, negative: term };
  }

  /** Spellings of `value`, which is not negative. */
  #equal(value: Decimal): Term {
    const terms = this.#terms;
    const zeros = terms.loop(terms.text('0'), 0, null);
    const text = terms.text(printDecimal(value));
    if (value.scale > 0) return terms.sequence(text, zeros);
    return terms.sequence(text, terms.optional(terms.sequence(terms.text('.'), zeros)));
  }

  /** Digits of numbers that are at least `value` (or more, when `exclusive`), which is not negative. */
  #above(value: Decimal, exclusive: boolean): Term {
    const terms = this.#terms;
    const [whole = '0', fraction = ''] = printDecimal(value).split('.');
    const anyFraction = terms.optional(terms.sequence(terms.text('.'), terms.loop(this.#digit(), 0, null)));
    const longer = terms.sequence(
      this.#digit('1'),
      terms.loop(this.#digit(), whole.length, null),
      anyFraction,
    );
    const greaterWhole = terms.sequence(this.#greater(whole, whole.length), anyFraction);
    const sameWhole = terms.sequence(
      terms.text(`${whole}.`),
      terms.or(
        this.#greater(fraction, null),
        terms.sequence(terms.text(fraction), terms.loop(this.#digit(), 0, null)),
      ),
    );
    const same = fraction === '' ? terms.sequence(terms.text(whole), anyFraction) : sameWhole;
    const above = terms.or(longer, greaterWhole, same);
    return exclusive ? terms.and(above, terms.not(this.#equal(value))) : above;
  }

  /** Digits that differ from `digits` first by a greater one; of the same `length`, or of any. */
  #greater(digits: string, length: number | null): Term {
    const terms = this.#terms;
    // From the last digit on, so that each is looked at once.
    return Array.from(digits).reduceRight((later, digit, at) => {
      const left = length === null ? null : length - at - 1;
      const after = left === 0 ? terms.epsilon : terms.loop(this.#digit(), left ?? 0, left);
      const here = this.#digit(String.fromCharCode(digit.charCodeAt(0) + 1));
      return terms.or(terms.sequence(here, after), terms.sequence(terms.text(digit), later));
    }, terms.nothing);
  }
}

/** A number as templates write it. */
function spell(value: Decimal): string {
  return writeNumber(Number(printDecimal(value)));
}

function negated(value: Decimal): Decimal {
  return { digits: -value.digits, scale: value.scale };
}

function lengthOf(value: Decimal): number {
  return printDecimal(value).replace(/^-|\..*$/g, '').length;
}

function sizeOf(value: Decimal): Decimal {
  return value.digits < 0n ? negated(value) : value;
}

function boundsOf({ min, max, excluded }: NumberShape): readonly Decimal[] {
  return [...(min === null ? [] : [min.value]), ...(max === null ? [] : [max.value]), ...excluded];
}

/**
 * Being a multiple of several numbers is being one of their least common multiple; and a few negated
 * ones are kept as they are. Throws `BudgetExceeded` when the automaton of all remainders is too large.
 */
function mergeMultiples(multiples: readonly Multiple[]): readonly Multiple[] {
  const wanted = multiples.filter(({ holds }) => holds).map(({ of }) => of);
  const others = multiples.filter(({ holds }) => !holds);
  const merged: Multiple[] = wanted.length === 0 ? [] : [{ of: commonMultiple(wanted), holds: true }];
  const all = [...merged, ...others];
  const states = all.reduce((product, { of }) => product * of.digits * BigInt(of.scale + 1), 1n);
  if (states > maxRemainders) throw new BudgetExceeded('remainders of multipleOf');
  return all;
}

function isFree({ integer, min, max, multiples, excluded }: NumberShape): boolean {
  return integer === null && min === null && max === null && multiples.length === 0 && excluded.length === 0;
}

/** Whether `value` is of `shape`, whose list of values is left aside. */
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

/**
 * Reads digits and keeps their remainder: state 0 is the start, `1 + r` the whole part with remainder r,
 * `1 + (1 + p) * m + r` the fraction after p digits. Behind the last digit that counts only zeros follow.
 */
function remainderMachine(of: Decimal): Machine {
  const modulus = Number(of.digits);
  const { scale } = of;
  const stateOf = (places: number, remainder: number) => 1 + (places + 1) * modulus + remainder;
  const readState = (state: number) => ({
    places: Math.floor((state - 1) / modulus) - 1,
    remainder: (state - 1) % modulus,
  });
  const digitEdges = (places: number, remainder: number) => {
    // Zeros do not mend a remainder, so that counting them would only multiply the states.
    if (places > scale && remainder !== 0) return [];
    const byTarget = new Map<number, number[]>();
    for (let digit = 0; digit <= (places > scale ? 0 : 9); digit += 1) {
      const next = places > scale ? remainder : (remainder * 10 + digit) % modulus;
      const target = stateOf(places, next);
      byTarget.set(target, [...(byTarget.get(target) ?? []), 0x30 + digit]);
    }
    return [...byTarget].map(
      ([target, points]) => [characterSet(...points.map((each) => [each, each] as const)), target] as const,
    );
  };
  return {
    key: `remainder ${of.digits} ${scale}`,
    accepts: (state) => {
      if (state === 0) return false;
      const { places, remainder } = readState(state);
      const missing = scale - Math.max(0, Math.min(places, scale));
      return (BigInt(remainder) * 10n ** BigInt(missing)) % of.digits === 0n;
    },
    edges: (state) => {
      if (state === 0) return digitEdges(-1, 0);
      const { places, remainder } = readState(state);
      const point = [characterSet([0x2e, 0x2e]), stateOf(0, remainder)] as const;
      if (places < 0)
        return [...digitEdges(-1, remainder), ...(scale === 0 && remainder !== 0 ? [] : [point])];
      return digitEdges(Math.min(places + 1, scale + 1), remainder);
    },
  };
}
