import { expect, it } from 'vitest';
import { checkFields } from '../../src/serve/fields/field-table.ts';
import { samplingFields } from '../../src/serve/fields/sampling-fields.ts';

it('a refusal names both limits of a number', () => {
  expect(() => checkFields({ temperature: 2.5 }, samplingFields)).toThrow(
    'temperature must be a number from 0 to 2, got 2.5',
  );
});
