/** Patterns with back-references: what is written for them takes the texts that the platform's own RegExp takes. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createMatcher } from '../../src/language/matcher/matcher.ts';
import { schemaGrammar } from '../../src/masks/index.ts';

const texts = ((): readonly string[] => {
  const longer = (some: readonly string[]) => some.flatMap((text) => [`${text}a`, `${text}b`, `${text}c`]);
  let last: readonly string[] = [''];
  const all = [...last];
  for (let length = 1; length <= 5; length += 1) {
    last = longer(last);
    all.push(...last);
  }
  return all;
})();

/** Patterns of few letters, groups, alternatives, quantifiers, assertions and references. */
const { pattern: patterns } = fc.letrec<{ pattern: string; item: string }>((tie) => ({
  item: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('a', 'b', 'c', '[bc]'),
    fc.constantFrom('\\1', '\\2', '\\1?', '(?=b)', '(?!c)'),
    fc
      .tuple(
        fc.constantFrom('(', '(', '(?:', '(?<='),
        tie('pattern'),
        fc.constantFrom(')', ')', ')?', ')*', '){0}'),
      )
      .map((parts) => parts.join('')),
  ),
  pattern: fc
    .tuple(
      fc.array(tie('item'), { minLength: 1, maxLength: 3 }),
      fc.array(tie('item'), { maxLength: 2 }),
      fc.boolean(),
    )
    .map(([one, other, isChoice]) => one.join('') + (isChoice ? `|${other.join('')}` : other.join(''))),
}));

it('a pattern with back-references takes what RegExp takes, or its report says that it takes more', () => {
  const referring = patterns
    .map((pattern) => `^(?:${pattern})$`)
    .filter((pattern) => /\\[12]/.test(pattern) && isRegExp(pattern));
  fc.assert(
    fc.property(referring, (pattern) => {
      const expected = new RegExp(pattern, 'u');
      const taken = takenBy(pattern);
      for (const text of texts) {
        const isTaken = taken?.texts.has(text) ?? false;
        if (taken?.isExact ?? true) expect([text, isTaken]).toEqual([text, expected.test(text)]);
        else if (expected.test(text)) expect([text, isTaken]).toEqual([text, true]);
      }
    }),
    { numRuns: process.env.LAWS === 'long' ? 3000 : 60 },
  );
});

/** What the grammar takes of the texts, and whether it claims to be exact; `null` if it says that no text is valid. */
function takenBy(pattern: string): { readonly texts: ReadonlySet<string>; readonly isExact: boolean } | null {
  try {
    const { expression, report } = schemaGrammar({ type: 'string', pattern }, { policy: 'degrade' });
    const start = createMatcher(expression);
    const taken = texts.filter((text) => {
      const matcher = start.clone();
      return matcher.accept(JSON.stringify(text)) && matcher.complete;
    });
    return { texts: new Set(taken), isExact: report.length === 0 };
  } catch (error) {
    expect(String(error)).toContain('no value is valid');
    return null;
  }
}

function isRegExp(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').source !== '';
  } catch {
    return false;
  }
}
