import { expect, it } from 'vitest';
import { readSampling } from '../../src/serve/fields/sampling-fields.ts';

it('names both limits of a number', () => {
  expect(() => readSampling({ temperature: 2.5 })).toThrow(
    'temperature must be a number from 0 to 2, got 2.5',
  );
  expect(() => readSampling({ top_p: -1 })).toThrow('top_p must be a number from 0 to 1, got -1');
  expect(readSampling({ temperature: 2 })).toMatchObject({ temperature: 2 });
});
