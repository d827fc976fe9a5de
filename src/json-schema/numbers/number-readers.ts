/** Readers of numbers, symbol by symbol; the automata of numbers are their products. */
import { type Decimal, printDecimal } from '../document/decimal.ts';
import { type ExponentKind, exponentTable } from './exponents.ts';

/** The characters of numbers. A symbol is an index in this string; digits are their own symbols. */
export const numberSymbols = '0123456789.-+eE';

const point = numberSymbols.indexOf('.');
const minus = numberSymbols.indexOf('-');
const plus = numberSymbols.indexOf('+');
const marks = numberSymbols.indexOf('e');

/** Integers of up to this many digits are written without exponent, as by JSON.stringify. */
export const wholeDigits = 21;
const fractionDigits = 25;

/** A deterministic automaton over symbols, given by functions; state 0 is the start. */
export interface NumberReader {
  /** The state after a symbol; `dead` if acceptance is no longer possible. */
  step(state: number, symbol: number): number;
  accepts(state: number): boolean;
  /** Symbols that it may distinguish from their predecessor, in addition to non-digits other than exponent marks. */
  readonly distinguishes: readonly number[];
}

const eachDigit = [1, 2, 3, 4, 5, 6, 7, 8, 9];

/** The dead state. */
export const dead = -1;

const isDigit = (symbol: number): boolean => symbol < 10;

/** Options for the part before the exponent. */
interface MantissaOptions {
  /** `true`: no fraction. `false`: a nonzero fraction. `null`: either. */
  readonly integer: boolean | null;
  /** Maximum number of digits before the point; `null` is unbounded. */
  readonly digits: number | null;
}

/** Digits without sign and exponent. States: start, `0`, digits before the point, digits after the point. */
export function plainReader({ integer, digits }: MantissaOptions): NumberReader {
  const zero = 1;
  const afterPoint = 2 + (digits ?? 1);
  const stepWhole = (state: number, symbol: number) => {
    if (symbol === point) return integer === true || state === 0 ? dead : afterPoint;
    if (!isDigit(symbol) || state === zero) return dead;
    if (state === 0) return symbol === 0 ? zero : 2;
    if (digits === null) return state;
    return state + 1 < afterPoint ? state + 1 : dead;
  };
  return {
    distinguishes: [1],
    step(state, symbol) {
      if (state < afterPoint) return stepWhole(state, symbol);
      const places = (state - afterPoint) >> 1;
      if (!isDigit(symbol) || places === fractionDigits) return dead;
      // Track a nonzero fraction only if one is required.
      const nonZero = integer === false && symbol > 0 ? 1 : 0;
      return afterPoint + 2 * (places + 1) + (((state - afterPoint) & 1) | nonZero);
    },
    accepts(state) {
      if (state < afterPoint) return state > 0 && integer !== false;
      return state - afterPoint > 1 && (integer === null || ((state - afterPoint) & 1) === 1);
    },
  };
}

/** Which results of a comparison to accept. */
interface Wanted {
  readonly below: boolean;
  readonly equal: boolean;
  readonly above: boolean;
}

/** Digits of numbers that compare as `wanted` with `value`, which is not negative. */
export function comparingReader(value: Decimal, wanted: Wanted): NumberReader {
  const [whole = '0', fraction = ''] = printDecimal(value).split('.');
  // While the number has at most as many digits as `value`, three states track the comparison.
  const [same, less] = [0, 1];
  const more = 2;
  const above = 3 * (whole.length + 1);
  const below = above + 1;
  const afterPoint = above + 2;
  const wantedAbove = wanted.above ? above : dead;
  const wantedBelow = wanted.below ? below : dead;
  const stepWhole = (state: number, symbol: number) => {
    const [count, order] = [Math.floor(state / 3), state % 3];
    if (symbol === point) {
      if (count < whole.length || order === less) return wantedBelow;
      return order === more ? wantedAbove : afterPoint;
    }
    if (!isDigit(symbol)) return dead;
    if (count === whole.length) return wantedAbove;
    const difference = order === same ? symbol - Number(whole[count]) : 0;
    return 3 * (count + 1) + (difference === 0 ? order : difference < 0 ? less : more);
  };
  return {
    distinguishes: Array.from(whole + fraction, Number).flatMap((digit) => [digit, digit + 1]),
    step(state, symbol) {
      if (state < above) return stepWhole(state, symbol);
      if (state < afterPoint) return state;
      if (!isDigit(symbol)) return dead;
      const places = state - afterPoint;
      const difference = symbol - Number(fraction[places] ?? '0');
      if (difference !== 0) return difference < 0 ? wantedBelow : wantedAbove;
      return afterPoint + Math.min(places + 1, fraction.length);
    },
    accepts(state) {
      if (state === above) return wanted.above;
      if (state === below) return wanted.below;
      const places = Math.max(0, state - afterPoint);
      if (state < 3 * whole.length || (state < above && state % 3 === less)) return wanted.below;
      if (state < above && state % 3 === more) return wanted.above;
      return places < fraction.length ? wanted.below : wanted.equal;
    },
  };
}

/**
 * Multiples of `of`. State 0 is the start, `1 + r` the integer part with remainder r, `1 + (1 + p) * m + r` the
 * fraction after p digits. Only zeros may follow the last significant digit.
 */
export function multipleReader(of: Decimal): NumberReader {
  const modulus = Number(of.digits);
  const { scale } = of;
  const stateOf = (places: number, remainder: number) => 1 + (places + 1) * modulus + remainder;
  return {
    distinguishes: eachDigit,
    step(state, symbol) {
      const places = state === 0 ? -1 : Math.floor((state - 1) / modulus) - 1;
      const remainder = state === 0 ? 0 : (state - 1) % modulus;
      if (symbol === point) {
        const hopeless = scale === 0 && remainder !== 0;
        return state === 0 || places >= 0 || hopeless ? dead : stateOf(0, remainder);
      }
      if (!isDigit(symbol)) return dead;
      const next = places < 0 ? -1 : Math.min(places + 1, scale + 1);
      if (next <= scale) return stateOf(next, (remainder * 10 + symbol) % modulus);
      // Zeros cannot fix a remainder, so counting them would only add states.
      return remainder === 0 && symbol === 0 ? stateOf(next, 0) : dead;
    },
    accepts(state) {
      if (state === 0) return false;
      const places = Math.floor((state - 1) / modulus) - 1;
      const missing = scale - Math.max(0, Math.min(places, scale));
      return (BigInt((state - 1) % modulus) * 10n ** BigInt(missing)) % of.digits === 0n;
    },
  };
}

/** The complement of `reader`. */
export function otherThan(reader: NumberReader): NumberReader {
  const anything = 0x7fffffff;
  return {
    distinguishes: reader.distinguishes,
    step(state, symbol) {
      if (state === anything) return anything;
      const next = reader.step(state, symbol);
      return next === dead ? anything : next;
    },
    accepts: (state) => state === anything || !reader.accepts(state),
  };
}

/** Accepts `words`, as a trie. */
export function wordsReader(words: readonly string[]): NumberReader {
  const nodes: { ends: boolean; readonly next: Map<number, number> }[] = [{ ends: false, next: new Map() }];
  for (const word of words) {
    let node = nodes[0];
    for (const character of word) {
      const symbol = numberSymbols.indexOf(character);
      const next = node?.next.get(symbol) ?? nodes.length;
      if (next === nodes.length) nodes.push({ ends: false, next: new Map() });
      node?.next.set(symbol, next);
      node = nodes[next];
    }
    if (node !== undefined) node.ends = true;
  }
  return {
    distinguishes: Array.from(numberSymbols, (_, symbol) => symbol),
    step: (state, symbol) => nodes[state]?.next.get(symbol) ?? dead,
    accepts: (state) => nodes[state]?.ends ?? false,
  };
}

/** Options for numbers with an exponent. */
interface ExponentOptions {
  /** Allows zero, several digits before the point, and no exponent. */
  readonly anyMantissa: boolean;
  /** Signs that the exponent may have. */
  readonly signs: readonly number[];
  /** Whether the exponent may have no sign. */
  readonly unsigned: boolean;
  /** Exponents after a mantissa with one digit from 1 to 9 before the point; `any` after others. */
  readonly kind: ExponentKind;
}

/** Unsigned numbers of any size. */
export const freeReader = (): NumberReader =>
  exponentReader({ anyMantissa: true, signs: [plus, minus], unsigned: true, kind: 'any' });

/** Numbers from 1e16 on, in scientific notation. */
export const largeReader = (): NumberReader =>
  exponentReader({ anyMantissa: false, signs: [plus], unsigned: false, kind: 'large' });

/** Nonzero numbers below 1e-4, in scientific notation. */
export const smallReader = (): NumberReader =>
  exponentReader({ anyMantissa: false, signs: [minus], unsigned: false, kind: 'small' });

/**
 * States: start, zero, digits before the point, digits after it, `e`, its sign, and those of both exponents. From the
 * point on, each state exists twice: after one digit from 1 to 9, and after anything else.
 */
function exponentReader({ anyMantissa, signs, unsigned, kind }: ExponentOptions): NumberReader {
  const zero = 1;
  const digits = anyMantissa ? wholeDigits : 1;
  const afterPoint = 2 + digits;
  const afterMark = afterPoint + 2 * (fractionDigits + 1);
  const afterSign = afterMark + 2;
  const exponent = afterSign + 2;
  const exponents = [exponentTable(kind), exponentTable('any')] as const;
  const kinds = exponents.flatMap((table, long) => table.map((state) => ({ ...state, long })));
  const starts = [exponent, exponent + exponents[0].length] as const;
  const stepExponent = (state: number, symbol: number) => {
    const { next, long } = kinds[state - exponent] ?? { next: [], long: 0 };
    const target = next[symbol] ?? dead;
    return target === dead ? dead : (starts[long] ?? exponent) + target;
  };
  const stepWhole = (state: number, symbol: number) => {
    const long = state === 2 ? 0 : 1;
    if (state > 0 && symbol === point) return afterPoint + long;
    if (state > 0 && symbol >= marks) return afterMark + long;
    if (!isDigit(symbol) || state === zero) return dead;
    if (state > 0) return state + 1 < afterPoint ? state + 1 : dead;
    return symbol > 0 ? 2 : anyMantissa ? zero : dead;
  };
  const stepFraction = (state: number, symbol: number) => {
    const places = (state - afterPoint) >> 1;
    if (isDigit(symbol)) return places < fractionDigits ? state + 2 : dead;
    return symbol >= marks && places > 0 ? afterMark + ((state - afterPoint) & 1) : dead;
  };
  return {
    distinguishes: eachDigit,
    step(state, symbol) {
      if (state < afterPoint) return stepWhole(state, symbol);
      if (state < afterMark) return stepFraction(state, symbol);
      if (state >= exponent) return stepExponent(state, symbol);
      const long = (state - afterMark) & 1;
      if (state < afterSign && signs.includes(symbol)) return afterSign + long;
      return state >= afterSign || unsigned ? stepExponent(starts[long] ?? exponent, symbol) : dead;
    },
    accepts(state) {
      if (state >= exponent) return kinds[state - exponent]?.accepts === true;
      if (state >= afterMark || !anyMantissa) return false;
      return state > 0 && state !== afterPoint && state !== afterPoint + 1;
    },
  };
}
