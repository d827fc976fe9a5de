/** Each bound of response templates, which come with models: at it, one below and one above. */
import { describe, expect, it } from 'vitest';
import { schemaTypes } from '../../src/response-template/casting.ts';
import { parseRegex } from '../../src/response-template/pattern/parse-regex.ts';

describe('a pattern', () => {
  const bounds = {
    'has at most 20,000 characters': [20_000, (size: number) => 'a'.repeat(size)],
    'has at most 99 groups in one another': [99, (size: number) => `${'('.repeat(size)}a${')'.repeat(size)}`],
    'repeats at most 100,000 times': [100_000, (size: number) => `a{${size}}`],
    'repeats at least 100,000 times at most': [100_000, (size: number) => `a{${size},}`],
    'repeats no more than 100,000 times': [100_000, (size: number) => `a{0,${size}}`],
  } as const;

  it.each(Object.entries(bounds))('%s', (_, [bound, pattern]) => {
    expect(parseRegex(pattern(bound - 1)).pattern).toBe(pattern(bound - 1));
    expect(parseRegex(pattern(bound)).pattern).toBe(pattern(bound));
    expect(() => parseRegex(pattern(bound + 1))).toThrow();
  });
});

it.each([
  [49, ['string']],
  [50, ['string']],
  [51, []],
])('types of arguments are looked for in 50 choices within one another: %i', (depth, types) => {
  let schema: object = { type: 'string' };
  for (let at = 0; at < depth; at += 1) schema = { [at % 2 === 0 ? 'anyOf' : 'oneOf']: [schema] };
  expect(schemaTypes(schema)).toEqual(types);
});
