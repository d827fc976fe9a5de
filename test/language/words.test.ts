/** The words of a finite language are all that it accepts, in order, or none where they are too many. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { StepBudget } from '../../src/language/expression/budget.ts';
import { buildAutomaton } from '../../src/language/regular/build-automaton.ts';
import { patternTerm } from '../../src/language/regular/parse-pattern.ts';
import { Terms } from '../../src/language/regular/terms.ts';
import { wordsOf } from '../../src/language/regular/words.ts';

function automatonOf(pattern: string) {
  const budget = new StepBudget(1_000_000);
  const terms = new Terms(budget);
  return buildAutomaton(terms, patternTerm(terms, pattern), budget);
}

const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'é', '😀'), maxLength: 4 });

it('gives every word once, up to the limit', () => {
  fc.assert(
    fc.property(fc.uniqueArray(word, { minLength: 1, maxLength: 9 }), (words) => {
      const automaton = automatonOf(`^(${words.join('|')})$`);
      const sorted = words.toSorted();
      expect(wordsOf(automaton, words.length)).toEqual(sorted);
      expect(wordsOf(automaton, words.length + 1)).toEqual(sorted);
      expect(wordsOf(automaton, words.length - 1)).toBe(null);
    }),
  );
});

it('gives every character of a class', () => {
  expect(wordsOf(automatonOf('^[a-d]x[0-2]$'), 12)).toEqual(
    Array.from('abcd').flatMap((first) => Array.from('012', (last) => `${first}x${last}`)),
  );
  expect(wordsOf(automatonOf('^[a-d]x[0-2]$'), 11)).toBe(null);
});

it('takes words of at most a thousand characters', () => {
  const found = [999, 1000, 1001].map((length) => wordsOf(automatonOf(`^a{${length}}$`), 5) !== null);
  expect(found).toEqual([true, true, false]);
});

it('ends with the first word too many of an endless language', () => {
  expect(wordsOf(automatonOf('^a*$'), 64)).toBe(null);
  expect(wordsOf(automatonOf('^a*b$'), 64)).toBe(null);
});
