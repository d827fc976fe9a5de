/** Laws of the arithmetic of a transformer: each function is the sum that its name stands for, at every size. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { add, gateBy, multiply, normalise, softmax } from '../../../src/testing/evaluator/vectors.ts';

const numRuns = process.env.LAWS === 'long' ? 5_000 : 150;
/** Small whole numbers, whose sums are exact in any order. */
const numbers = (length: number) =>
  fc
    .array(fc.integer({ min: -9, max: 9 }), { minLength: length, maxLength: length, size: 'max' })
    .map((each) => Float32Array.from(each));
const guard = 77;

describe('vectors', () => {
  it('are multiplied by a matrix row by row, however many there are', () => {
    const sizes = fc.record({
      inputs: fc.integer({ min: 1, max: 5 }),
      outputs: fc.integer({ min: 1, max: 19 }),
      count: fc.integer({ min: 0, max: 10 }),
    });
    const given = sizes.chain(({ inputs, outputs, count }) =>
      fc.record({
        inputs: fc.constant(inputs),
        outputs: fc.constant(outputs),
        count: fc.constant(count),
        weights: numbers(inputs * outputs),
        input: numbers(inputs * count),
      }),
    );
    fc.assert(
      fc.property(given, ({ inputs, outputs, count, weights, input }) => {
        const output = new Float32Array(outputs * count + 1).fill(guard);
        multiply({ inputs, outputs, weights }, input, count, output);
        const products = Array.from({ length: outputs * count }, (_, at) => {
          const [row, out] = [Math.floor(at / outputs), at % outputs];
          const terms = weights.slice(out * inputs, (out + 1) * inputs).map((weight, index) => {
            return weight * (input[row * inputs + index] ?? 0);
          });
          return terms.reduce((sum, term) => sum + term, 0) + 0;
        });
        expect(Array.from(output, (each) => each + 0)).toEqual([...products, guard]);
      }),
      { numRuns },
    );
  });

  it('are added, as far as is asked', () => {
    fc.assert(
      fc.property(numbers(6), numbers(6), fc.nat(6), (target, change, length) => {
        const before = [...target];
        add(target, change, length);
        const sums = before.map((each, at) => (at < length ? each + (change[at] ?? 0) : each));
        expect([...target]).toEqual(sums);
      }),
      { numRuns },
    );
  });

  it('are normalised in stretches: the mean of squares is 1 before scaling', () => {
    const given = fc
      .integer({ min: 1, max: 5 })
      .chain((width) => fc.tuple(numbers(width), numbers(3 * width), fc.nat(3)));
    fc.assert(
      fc.property(given, ([scale, input, count]) => {
        const width = scale.length;
        const output = new Float32Array(3 * width).fill(guard);
        normalise(input, count * width, scale, 0, output);
        expect([...output.slice(count * width)]).toEqual(new Array((3 - count) * width).fill(guard));
        const ones = new Float32Array(width).fill(1);
        const even = new Float32Array(3 * width);
        normalise(input, count * width, ones, 0, even);
        for (let start = 0; start < count * width; start += width) {
          const stretch = [...even.slice(start, start + width)];
          const given = [...input.slice(start, start + width)];
          if (given.every((each) => each === 0)) continue;
          expect(stretch.reduce((sum, each) => sum + each ** 2, 0) / width).toBeCloseTo(1, 4);
          for (const [at, each] of stretch.entries()) {
            expect(Math.sign(each)).toBe(Math.sign(given[at] ?? 0));
            expect(output[start + at]).toBeCloseTo(each * (scale[at] ?? 0), 4);
          }
        }
      }),
      { numRuns },
    );
  });

  it('of nothing stay nothing when they are normalised, with an epsilon', () => {
    const output = new Float32Array(2).fill(guard);
    normalise(new Float32Array(2), 2, new Float32Array([1, 2]), 1e-5, output);
    expect([...output]).toEqual([0, 0]);
    normalise(new Float32Array([3, 3]), 2, new Float32Array([1, 1]), 7, output);
    expect(output[0]).toBeCloseTo(3 / 4);
  });

  it('gate others by SiLU: nothing far below zero, themselves far above, a share that adds up in between', () => {
    fc.assert(
      fc.property(numbers(4), numbers(4), fc.nat(4), (gate, up, length) => {
        const [own, mirrored] = [gate.slice(), gate.map((each) => -each)];
        gateBy(own, up, length);
        gateBy(mirrored, up, length);
        for (const [at, each] of gate.entries()) {
          const factor = up[at] ?? 0;
          if (at >= length) expect(own[at]).toBe(each);
          // x·σ(x) − (−x)·σ(−x) is x, as σ(x) + σ(−x) is 1.
          else expect((own[at] ?? 0) - (mirrored[at] ?? 0)).toBeCloseTo(each * factor, 3);
        }
        const far = Float32Array.from([40, -40, 0]);
        gateBy(far, Float32Array.from([1, 1, 1]), 3);
        expect(far[0]).toBeCloseTo(40);
        expect([Math.abs(far[1] ?? 1) < 1e-9, far[2]]).toEqual([true, 0]);
      }),
      { numRuns },
    );
  });

  it('become weights that add up to 1, in the ratio of their powers of e, however large they are', () => {
    fc.assert(
      fc.property(
        numbers(5),
        fc.integer({ min: 1, max: 5 }),
        fc.constantFrom(0, 200, -200),
        (scores, length, shift) => {
          const weights = scores.map((each) => each + shift);
          softmax(weights, length);
          const shown = [...weights.slice(0, length)];
          expect(shown.reduce((sum, each) => sum + each, 0)).toBeCloseTo(1, 5);
          for (const [at, each] of shown.entries())
            expect(Math.log(each / (shown[0] ?? 0))).toBeCloseTo((scores[at] ?? 0) - (scores[0] ?? 0), 3);
          expect([...weights.slice(length)]).toEqual([...scores.slice(length)].map((each) => each + shift));
        },
      ),
      { numRuns },
    );
  });
});
