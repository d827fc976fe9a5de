/** When forced tokens are evaluated one by one. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { BatchCosts } from '../../src/runtime/node-llama-cpp/batch-costs.ts';

const sizes = fc.integer({ min: 2, max: 4 });
const time = fc.double({ min: 0.1, max: 100, noNaN: true });

it('a batch is slow if its least time is more than that of its tokens alone, and the answer stays', () => {
  fc.assert(
    fc.property(
      sizes,
      fc.array(time, { minLength: 3, maxLength: 3 }),
      fc.array(time, { minLength: 3 }),
      (size, single, batch) => {
        const costs = new BatchCosts();
        for (const each of single) costs.note(1, each);
        const isSlow = () => costs.isSlow(size);
        for (const each of batch.slice(0, 3)) {
          expect(isSlow()).toBe(false);
          costs.note(size, each);
        }
        const expected = Math.min(...batch.slice(0, 3)) > size * Math.min(...single);
        expect(isSlow()).toBe(expected);
        for (const each of batch.slice(3)) costs.note(size, each);
        costs.note(1, 1000);
        expect(isSlow()).toBe(expected);
      },
    ),
  );
});

it('large batches are never evaluated one by one, nor is what was not measured', () => {
  const costs = new BatchCosts();
  for (let round = 0; round < 9; round += 1) for (const size of [1, 5, 16]) costs.note(size, size * size);
  expect([1, 2, 5, 16].map((size) => costs.isSlow(size))).toEqual([false, false, false, false]);
});
