/** Texts that no grammar writes, NUL and halves of surrogate pairs among them, are validated like any other. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileValidator } from '../../src/index.ts';

const text = fc.string({ unit: fc.constantFrom('a', 'b', '\0', '\ud800', '😀'), maxLength: 6 });
const piece = fc.constantFrom(
  'a',
  '.',
  '\\S',
  '[^a]',
  '\\u0000',
  '[\\u0000-b]',
  '\\u{1F600}',
  '(?:a|\\u0000)',
);
const quantified = fc.tuple(piece, fc.constantFrom('', '*', '+', '?', '{2}')).map((parts) => parts.join(''));
const pattern = fc
  .tuple(
    fc.constantFrom('', '^'),
    fc.array(quantified, { minLength: 1, maxLength: 4 }),
    fc.constantFrom('', '$'),
  )
  .map(([begin, pieces, end]) => begin + pieces.join('') + end);

describe('a pattern', () => {
  it('matches what it matches in JavaScript', () => {
    fc.assert(
      fc.property(pattern, text, (source, value) => {
        const matches = new RegExp(source, 'u').test(value);
        expect(compileValidator({ pattern: source })(value).length === 0).toBe(matches);
        expect(compileValidator({ not: { pattern: source } })(value).length === 0).toBe(!matches);
        const keys = { patternProperties: { [source]: false } };
        expect(compileValidator(keys)({ [value]: 1 }).length === 0).toBe(!matches);
      }),
    );
  });
});
