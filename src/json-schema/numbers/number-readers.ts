/**
 * Readers of numbers, symbol by symbol: what is asked of a number is one reader for each part ("an integer", "at least
 * 25.3", "a multiple of 0.5"), and the automaton of the number is their product (`number-product.ts`). Only those of
 * patterns are tables: the states of most others are composed of what they have counted.
 *
 * `plainReader` checks the form of a number, such as leading zeros and digits after the point. Readers that compare and
 * that divide rely on it being in the product.
 */
import { StepBudget } from '../../language/expression/budget.ts';
import { trieNodes } from '../../language/expression/trie.ts';
import { buildAutomaton } from '../../language/regular/build-automaton.ts';
import { setHas } from '../../language/regular/character-set.ts';
import { patternTerm } from '../../language/regular/parse-pattern.ts';
import { Terms } from '../../language/regular/terms.ts';
import { type Decimal, printDecimal } from '../document/decimal.ts';

/** The characters of numbers. A symbol is an index in this string; digits are their own symbols. */
export const numberSymbols = '0123456789.-+eE';

const point = numberSymbols.indexOf('.');

/** Integers of up to this many digits are written without exponent, as by JSON.stringify. */
export const wholeDigits = 21;
const fractionDigits = 25;

/** A deterministic automaton over symbols, given by functions; state 0 is the start. */
export interface NumberReader {
  /** The state after a symbol; `dead` if acceptance is no longer possible. */
  step(state: number, symbol: number): number;
  accepts(state: number): boolean;
  /**
   * Symbols that may lead elsewhere than their predecessor: the product tries one symbol of each stretch between them. A
   * reader that compares with 25 names 2, 3, 5 and 6. Symbols other than digits are always apart, except `E` from `e`.
   */
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

/**
 * Digits without sign and exponent. States:
 *
 *     0                          nothing has been read
 *     zero                       `0`, after which only the point may come
 *     n + 1                      n digits before the point; 2 for all n where they are unbounded
 *     afterPoint + 2 * n + bit   n digits after it; the bit: one of them is not zero, if that is required
 */
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
interface WantedOrder {
  readonly below: boolean;
  readonly equal: boolean;
  readonly above: boolean;
}

/**
 * Digits of numbers that compare as `wanted` with `value`, which is not negative. States, for 25.3:
 *
 *     3 * n + order     n digits before the point, compared with the first n of 25: 0 same, 1 less, 2 more
 *     above, below      decided, whatever follows
 *     afterPoint + n    25 and n digits after the point, all as in 25.3
 */
export function comparingReader(value: Decimal, wanted: WantedOrder): NumberReader {
  const [whole = '0', fraction = ''] = printDecimal(value).split('.');
  const [same, less, more] = [0, 1, 2] as const;
  const above = 3 * (whole.length + 1);
  const below = above + 1;
  const afterPoint = above + 2;
  const stateIfAbove = wanted.above ? above : dead;
  const stateIfBelow = wanted.below ? below : dead;
  const stepWhole = (state: number, symbol: number) => {
    const [count, order] = [Math.floor(state / 3), state % 3];
    if (symbol === point) {
      if (count < whole.length || order === less) return stateIfBelow;
      return order === more ? stateIfAbove : afterPoint;
    }
    if (!isDigit(symbol)) return dead;
    if (count === whole.length) return stateIfAbove;
    const difference = order === same ? symbol - Number(whole[count]) : 0;
    return 3 * (count + 1) + (difference === 0 ? order : difference < 0 ? less : more);
  };
  /** How a number that ends in `state` compares with `value`. */
  const orderAt = (state: number): keyof WantedOrder => {
    if (state === above) return 'above';
    if (state === below) return 'below';
    const isWhole = state < above;
    if (isWhole && (state < 3 * whole.length || state % 3 === less)) return 'below';
    if (isWhole && state % 3 === more) return 'above';
    const places = isWhole ? 0 : state - afterPoint;
    return places < fraction.length ? 'below' : 'equal';
  };
  return {
    distinguishes: Array.from(whole + fraction, Number).flatMap((digit) => [digit, digit + 1]),
    step(state, symbol) {
      if (state < above) return stepWhole(state, symbol);
      if (state < afterPoint) return state;
      if (!isDigit(symbol)) return dead;
      const places = state - afterPoint;
      const difference = symbol - Number(fraction[places] ?? '0');
      if (difference !== 0) return difference < 0 ? stateIfBelow : stateIfAbove;
      return afterPoint + Math.min(places + 1, fraction.length);
    },
    accepts: (state) => wanted[orderAt(state)],
  };
}

/**
 * Multiples of `of`, whose digits are the modulus m: for 0.25, the number without its point is a multiple of 25 once it
 * has two places. A state is the remainder r so far, by long division, and the digits p after the point:
 *
 *     0                     nothing has been read
 *     1 + r                 before the point
 *     1 + (1 + p) * m + r   after it; once p is `scale` + 1, only zeros may come
 */
export function multipleReader(of: Decimal): NumberReader {
  // `mergeMultiples` in `number-language.ts` has refused greater ones.
  const modulus = Number(of.digits);
  const { scale } = of;
  const stateOf = (places: number, remainder: number) => 1 + (places + 1) * modulus + remainder;
  return {
    distinguishes: eachDigit,
    step(state, symbol) {
      const places = state === 0 ? -1 : Math.floor((state - 1) / modulus) - 1;
      const remainder = state === 0 ? 0 : (state - 1) % modulus;
      if (symbol === point) {
        // A multiple of an integer is one before its point.
        const isNoMultiple = scale === 0 && remainder !== 0;
        return state === 0 || places >= 0 || isNoMultiple ? dead : stateOf(0, remainder);
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

/** Numbers of at most `most` digits, before and after the point together. A state is how many there have been. */
export function fewDigitsReader(most: number): NumberReader {
  return {
    distinguishes: [],
    step(state, symbol) {
      if (!isDigit(symbol)) return state;
      return state < most ? state + 1 : dead;
    },
    accepts: () => true,
  };
}

/** Accepts `words`, as a trie. */
export function wordsReader(words: readonly string[]): NumberReader {
  const nodes = trieNodes(words);
  const states = new Map(nodes.map((node, state) => [node, state]));
  return {
    distinguishes: Array.from(numberSymbols, (_, symbol) => symbol),
    step(state, symbol) {
      const next = nodes[state]?.children.get(numberSymbols.charAt(symbol));
      return next === undefined ? dead : (states.get(next) ?? dead);
    },
    accepts: (state) => typeof nodes[state]?.word === 'string',
  };
}

const fractionPattern = `(?:\\.\\d{1,${fractionDigits}})?`;

/** Unsigned numbers of any size; two digits of an exponent, so that no text reads as infinite. */
export const freeReader = patternReader(
  `(?:0|[1-9]\\d{0,${wholeDigits - 1}})${fractionPattern}(?:[eE][-+]?\\d\\d?)?`,
);

/** Numbers from 1e16 on, where Python's notation begins, to 1e307, in scientific notation: a double ends there. */
export const largeReader = patternReader(
  `[1-9]${fractionPattern}[eE]\\+(?:1[6-9]|[2-9]\\d|[12]\\d\\d|30[0-7])`,
);

/** Nonzero numbers below 1e-4, in scientific notation, down to 1e-307. */
export const smallReader = patternReader(
  `[1-9]${fractionPattern}[eE]-(?:0?[5-9]|[1-9]\\d|[12]\\d\\d|30[0-7])`,
);

/** Texts that match a pattern. Its automaton is built when it is first needed. */
function patternReader(pattern: string): () => NumberReader {
  let reader: NumberReader | undefined;
  return () => {
    reader ??= tableReader(pattern);
    return reader;
  };
}

function tableReader(pattern: string): NumberReader {
  const budget = new StepBudget(Number.POSITIVE_INFINITY);
  const terms = new Terms(budget);
  const { states } = buildAutomaton(terms, patternTerm(terms, `^${pattern}$`), budget);
  const table = states.map(({ edges }) =>
    Array.from(numberSymbols, (symbol) => {
      const edge = edges.find(([set]) => setHas(set, symbol.charCodeAt(0)));
      return edge === undefined ? dead : edge[1];
    }),
  );
  return {
    distinguishes: eachDigit,
    step: (state, symbol) => table[state]?.[symbol] ?? dead,
    accepts: (state) => states[state]?.accepts === true,
  };
}
