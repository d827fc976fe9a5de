/** Each bound of schemas: at it, one below and one above. */
import { describe, expect, it } from 'vitest';
import { normalDecimal } from '../../src/json-schema/document/decimal.ts';
import { schemaText } from '../../src/json-schema/document/schema-text.ts';
import { isTooLarge } from '../../src/json-schema/validate/schema-size.ts';

describe('a schema', () => {
  it.each([
    [7999, false],
    [8000, false],
    [8001, true],
  ])('is checked with at most 8000 parts, itself and lists among them: %i', (parts, isRefused) => {
    const own = ['the schema', 'the list'].length;
    expect(isTooLarge({ anyOf: Array<boolean>(parts - own).fill(true) })).toBe(isRefused);
    expect(isTooLarge({ anyOf: Array.from({ length: parts - own }, () => ({})) })).toBe(isRefused);
  });

  it('has as many keywords and values as it likes, which are no parts', () => {
    expect(isTooLarge({ enum: Array.from({ length: 50_000 }, (_, each) => each) })).toBe(false);
  });

  it.each([
    [19_999, true],
    [20_000, true],
    [20_001, false],
  ])('is compared with at most 20,000 values, itself among them: %i', (values, isCompared) => {
    const schema = Array<number>(values - 1).fill(0);
    expect(schemaText(schema)).toBe(isCompared ? JSON.stringify(schema) : null);
  });
});

it.each([
  [399, 400],
  [400, 401],
  [401, 401],
])('a decimal has at most 400 zeros that its exponent adds, more than any number: %i', (zeros, length) => {
  expect(String(normalDecimal(1n, -zeros).digits)).toHaveLength(length);
});
