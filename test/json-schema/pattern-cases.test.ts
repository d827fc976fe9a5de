/** Law: with the flags `i` and `u`, a letter is every letter that RegExp takes for it, alone and in classes. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createMatcher } from '../../src/language/matcher/matcher.ts';
import { schemaGrammar } from '../../src/masks/index.ts';

/** Letters with another case, and what is folded in none or several: dotless i, long s, the Kelvin sign. */
const letters = Array.from({ length: 0x2_0000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))
  .filter((char) => char.toLowerCase() !== char || char.toUpperCase() !== char);

function takes(pattern: string, text: string): boolean {
  const { expression, report } = schemaGrammar({ type: 'string', pattern });
  expect(report).toEqual([]);
  const matcher = createMatcher(expression);
  return matcher.accept(JSON.stringify(text)) && matcher.complete;
}

it('a letter under the flag i', () => {
  const letter = fc.oneof(
    fc.constantFrom(...letters),
    fc.constantFrom('i', 'I', 'ı', 'İ', 's', 'S', 'ſ', 'k', 'K'),
  );
  const relative = fc
    .tuple(letter, fc.constantFrom('same', 'lower', 'upper', 'other'), letter)
    .map(([one, kind, other]) => {
      if (kind === 'other') return [one, other] as const;
      const cased = { same: one, lower: one.toLowerCase(), upper: one.toUpperCase() }[kind];
      return [one, Array.from(cased).length === 1 ? cased : other] as const;
    });
  fc.assert(
    fc.property(
      relative,
      fc.constantFrom('X', '[X]', '[^X]', '\\w', '\\W', '[\\W]'),
      ([one, other], form) => {
        const pattern = `^${form.replace('X', one)}$`;
        expect([pattern, other, takes(`(?i)${pattern}`, other)]).toEqual([
          pattern,
          other,
          new RegExp(pattern, 'iu').test(other),
        ]);
      },
    ),
    { numRuns: process.env.LAWS === 'long' ? 5000 : 100 },
  );
});

it('a condition on the length may be followed by a last character that may be a line end', () => {
  const pattern = '^(?=.{3,}\\n?$)';
  for (const text of ['ab', 'abc', 'ab\n', 'abc\n', 'abcd\n', 'a\nbc'])
    expect([text, takes(pattern, text)]).toEqual([text, new RegExp(pattern, 'u').test(text)]);
});
