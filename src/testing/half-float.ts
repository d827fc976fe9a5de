/** 16-bit floats (IEEE 754 binary16) as bits, because Node 20 has no arrays for them. */

/** The number of these bits. */
export function fromHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * 2 ** -24 * fraction;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * 2 ** (exponent - 25) * (1024 + fraction);
}

/** The bits of the nearest float; numbers beyond 65504 become the largest. */
export function toHalf(number: number): number {
  const sign = number < 0 ? 0x8000 : 0;
  const size = Math.min(Math.abs(number), 65504);
  const exponent = Math.max(-14, Math.floor(Math.log2(size || 2 ** -24)));
  const fraction = Math.round(size * 2 ** (10 - exponent)); // 1024 to 2048, below that subnormal
  // A fraction rounded up to 2048 carries into the exponent, which is correct.
  return sign | (((exponent + 14) << 10) + fraction);
}
