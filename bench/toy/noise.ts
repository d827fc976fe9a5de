/** Noise on the toy's weights: what a model looks like that is not quite what it should be. */
import { Random } from '../../scripts/toy/random.ts';
import { fromHalf } from '../../src/testing/half-float.ts';
import { tensorShapes } from '../../src/testing/toy/toy-model.ts';
import { toyVocabulary } from '../../src/testing/toy/vocabulary.ts';

/**
 * The weights (16-bit floats, one tensor after the other) with normally distributed noise. `share`: its deviation, as
 * a share of the deviation of each tensor's own numbers. Norms stay as they are.
 */
export function addNoise(weights: Uint8Array, share: number, seed: number): Uint8Array {
  const halves = new Uint16Array(Uint8Array.from(weights).buffer);
  const random = new Random(seed);
  let at = 0;
  for (const [, shape] of tensorShapes(toyVocabulary('json').size)) {
    const size = shape.reduce((product, each) => product * each, 1);
    if (shape.length > 1) disturb(halves.subarray(at, at + size), share, random);
    at += size;
  }
  return new Uint8Array(halves.buffer);
}

function disturb(halves: Uint16Array, share: number, random: Random): void {
  const numbers = Float64Array.from(halves, (bits) => fromHalf(bits));
  const mean = numbers.reduce((sum, each) => sum + each, 0) / numbers.length;
  const variance = numbers.reduce((sum, each) => sum + (each - mean) ** 2, 0) / numbers.length;
  const deviation = share * Math.sqrt(variance);
  numbers.forEach((number, index) => {
    halves[index] = toHalf(number + deviation * normal(random));
  });
}

/** One draw of the normal distribution, by Box and Muller. */
function normal(random: Random): number {
  return Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
}

/** The bits of the nearest float; numbers beyond 65504 become the largest. */
function toHalf(number: number): number {
  const sign = number < 0 ? 0x8000 : 0;
  const size = Math.min(Math.abs(number), 65504);
  const exponent = Math.max(-14, Math.floor(Math.log2(size || 2 ** -24)));
  const fraction = Math.round(size * 2 ** (10 - exponent)); // 1024 to 2048, below that subnormal
  // A fraction rounded up to 2048 carries into the exponent, which is correct.
  return sign | (((exponent + 14) << 10) + fraction);
}
