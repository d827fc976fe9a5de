/** Exact decimal arithmetic: 0.1 must be exactly a tenth. */

/** `digits` × 10^-`scale`. In normal form, `scale` is the smallest possible one that is not negative. */
export interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

const maxMagnitude = 400;

/** The decimal that `value` prints as. Throws `RangeError` if it is not finite. */
export function decimalOf(value: number): Decimal {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(String(value));
  if (match === null) throw new RangeError(`not a finite number: ${value}`);
  const [, sign = '', whole = '0', fraction = '', exponent = '0'] = match;
  return normalDecimal(BigInt(sign + whole + fraction), fraction.length - Number(exponent));
}

/** `digits` × 10^-`scale` in normal form. */
export function normalDecimal(digits: bigint, scale: number): Decimal {
  let value = digits;
  let places = scale;
  if (places < 0) {
    value *= 10n ** BigInt(Math.min(-places, maxMagnitude));
    places = 0;
  }
  while (places > 0 && value % 10n === 0n) {
    value /= 10n;
    places -= 1;
  }
  return { digits: value, scale: places };
}

/** Negative, zero or positive if `a` is less than, equal to or greater than `b`. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const scale = Math.max(a.scale, b.scale);
  const difference = scaled(a, scale) - scaled(b, scale);
  return difference === 0n ? 0 : difference < 0n ? -1 : 1;
}

/** `value` in units of 10^-`scale`; `scale` must not be smaller than its own. */
export function scaled(value: Decimal, scale: number): bigint {
  if (scale === value.scale) return value.digits;
  return value.digits * 10n ** BigInt(scale - value.scale);
}

/** Whether `value` is an integer multiple of `of`, which is not zero. */
export function isMultiple(value: Decimal, of: Decimal): boolean {
  const scale = Math.max(value.scale, of.scale);
  return scaled(value, scale) % scaled(of, scale) === 0n;
}

/** The least common multiple of `values`, which are positive and at least one. */
export function commonMultiple(values: readonly Decimal[]): Decimal {
  const scale = values.reduce((most, value) => Math.max(most, value.scale), 0);
  const common = values
    .map((value) => scaled(value, scale))
    .reduce((all, each) => (all / greatestCommonDivisor(all, each)) * each, 1n);
  return normalDecimal(common, scale);
}

/** The greatest common divisor of two positive numbers. */
export function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : greatestCommonDivisor(b, a % b);
}

/** Plain digits without exponent: `-12.5`. */
export function printDecimal(value: Decimal): string {
  const negative = value.digits < 0n;
  const digits = String(negative ? -value.digits : value.digits).padStart(value.scale + 1, '0');
  const whole = digits.slice(0, digits.length - value.scale);
  const fraction = value.scale === 0 ? '' : `.${digits.slice(-value.scale)}`;
  return `${negative ? '-' : ''}${whole}${fraction}`;
}
