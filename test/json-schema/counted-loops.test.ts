/** Limits for the loops of a long pattern: what is written is of the pattern, and no longer than allowed. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { patternLanguage } from '../../src/json-schema/plan/known-languages.ts';
import { StepBudget } from '../../src/language/expression/budget.ts';
import { literal } from '../../src/language/expression/expression.ts';
import { RuleSet } from '../../src/language/expression/rule-set.ts';
import { buildAutomaton } from '../../src/language/regular/build-automaton.ts';
import { countLoops } from '../../src/language/regular/counted-loops.ts';
import { plainSpelling } from '../../src/language/regular/spelling.ts';
import { Terms } from '../../src/language/regular/terms.ts';
import { writeCountedLoops } from '../../src/language/regular/write-counted-loops.ts';
import { sampleGrammar, seededRandom } from '../support/sample-grammar.ts';

const unit = fc.constantFrom('a', 'b', '[ab]', '%[0-9]', '(?:a|%b)', 'ab?', '-');
const piece = fc
  .tuple(fc.array(unit, { minLength: 1, maxLength: 2 }), fc.constantFrom('', '*', '+', '?', '{1,3}'))
  .map(([units, times]) => `(?:${units.join('|')})${times}`);
const pattern = fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => `^${pieces.join('')}$`);

test('texts of counted loops are of the pattern, and short enough', () => {
  let long = 0;
  fc.assert(
    fc.property(pattern, fc.integer({ min: 8, max: 60 }), fc.integer(), (source, max, seed) => {
      const budget = new StepBudget(Number.POSITIVE_INFINITY);
      const terms = new Terms(budget);
      const automaton = buildAutomaton(terms, patternLanguage(terms, source, budget), budget);
      const loops = countLoops(automaton, max);
      if (loops === null) return;
      const rules = new RuleSet();
      const written = writeCountedLoops(loops, plainSpelling, literal('"'), rules, 'text');
      const grammar = rules.grammar('root', written);
      const random = seededRandom(seed);
      for (let round = 0; round < 30; round += 1) {
        const text = sampleGrammar(grammar, random, 40);
        expect(text.endsWith('"')).toBe(true);
        expect([source, text.slice(0, -1)]).toEqual([source, expect.stringMatching(new RegExp(source))]);
        expect(text.length - 1).toBeLessThanOrEqual(max);
        long += Number(text.length > 6);
      }
    }),
    { numRuns: process.env.LAWS === 'long' ? 5000 : 50 },
  );
  expect(long).toBeGreaterThan(50);
});
