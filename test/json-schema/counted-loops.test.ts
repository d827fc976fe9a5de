/** Counted loops of a long pattern: what is written is of the pattern, and no longer than allowed. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unless } from '../../src/format/error-class.ts';
import { formatPattern } from '../../src/json-schema/document/formats.ts';
import { patternLanguage } from '../../src/json-schema/plan/known-languages.ts';
import { BudgetExceeded, StepBudget } from '../../src/language/expression/budget.ts';
import { type Grammar, literal } from '../../src/language/expression/expression.ts';
import { RuleSet } from '../../src/language/expression/rule-set.ts';
import { createMatcher } from '../../src/language/matcher/matcher.ts';
import type { Automaton } from '../../src/language/regular/automaton.ts';
import { buildAutomaton } from '../../src/language/regular/build-automaton.ts';
import { type CountedLoops, countLoops } from '../../src/language/regular/counted-loops.ts';
import { plainSpelling } from '../../src/language/regular/spelling.ts';
import { Terms } from '../../src/language/regular/terms.ts';
import { writeCountedLoops } from '../../src/language/regular/write-counted-loops.ts';
import { type Random, sampleGrammar, seededRandom } from '../support/sample-grammar.ts';

/** The last one has so many states that lead through one that they are a region. */
const unit = fc.constantFrom(
  ...['a', 'b', '[ab]', '%[0-9]', '(?:a|%b)', 'ab?', '-', '(?:a{3,5}|b)', 'x(?:a{1,9}|b{2,9}-?)y'],
);
const piece = fc
  .tuple(
    fc.array(unit, { minLength: 1, maxLength: 2 }),
    fc.constantFrom('', '*', '+', '?', '{1,3}', '{9,20}'),
  )
  .map(([units, times]) => `(?:${units.join('|')})${times}`);
const pattern = fc.array(piece, { minLength: 1, maxLength: 5 }).map((pieces) => `^${pieces.join('')}$`);

const budget = () => new StepBudget(Number.POSITIVE_INFINITY);

function automatonOf(source: string): Automaton {
  const terms = new Terms(budget());
  return buildAutomaton(terms, patternLanguage(terms, source, budget()), budget());
}

/** Not every pattern has an automaton that is small enough. */
function loopsOf(source: string, max: number): CountedLoops | null {
  const automaton = unless([BudgetExceeded], () => automatonOf(source));
  return automaton === null ? null : countLoops(automaton, { max }, budget());
}

/** Texts end with a quotation mark. */
function grammarOf(loops: CountedLoops): Grammar {
  const rules = new RuleSet();
  return rules.grammar('root', writeCountedLoops(loops, plainSpelling, literal('"'), rules, 'text'));
}

/** A text of the automaton that ends as soon as it may and has `length` characters. */
function textOf({ states }: Automaton, length: number, random: Random): string {
  let [text, state] = ['', 0];
  for (;;) {
    const { accepts, edges } = states[state] ?? { accepts: true, edges: [] };
    const edge = edges[Math.floor(random() * edges.length)];
    if (edge === undefined || (accepts && Array.from(text).length >= length)) return text;
    const [set, target] = edge;
    const [from, to] = set[Math.floor(random() * set.length)] ?? [0, 0];
    text += String.fromCodePoint(from + Math.floor(random() * Math.min(3, to - from + 1)));
    state = target;
  }
}

test('texts of counted loops are of the pattern, and short enough', () => {
  let long = 0;
  fc.assert(
    fc.property(pattern, fc.integer({ min: 8, max: 90 }), fc.integer(), (source, max, seed) => {
      const loops = loopsOf(source, max);
      if (loops === null) return;
      const grammar = grammarOf(loops);
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

test('counted loops have all texts of the pattern up to the length they tell', () => {
  let long = 0;
  fc.assert(
    fc.property(pattern, fc.integer({ min: 8, max: 90 }), fc.integer(), (source, max, seed) => {
      const loops = loopsOf(source, max);
      if (loops === null) return;
      const start = createMatcher(grammarOf(loops));
      const random = seededRandom(seed);
      for (let round = 0; round < 30; round += 1) {
        const text = textOf(loops.automaton, Math.floor(random() * (loops.complete + 1)), random);
        if (text.length > loops.complete) continue;
        const matcher = start.clone();
        expect([source, max, text, matcher.accept(`${text}"`)]).toEqual([source, max, text, true]);
        long += Number(text.length > 10);
      }
    }),
    { numRuns: process.env.LAWS === 'long' ? 5000 : 50 },
  );
  expect(long).toBeGreaterThan(50);
});

test.each([
  ['uri', 255, 90],
  ['uri', 2083, 890],
  ['uri-reference', 255, 90],
  ['iri', 1024, 350],
  ['duration', 255, 100],
])('%s of at most %i characters has all texts of at least %i', (format, max, least) => {
  const source = formatPattern(format);
  const loops = loopsOf(String(source), max);
  expect(loops?.complete).toBeGreaterThan(least);
});

test('an address of which one part is long is a URI, whichever part it is', () => {
  const loops = loopsOf(String(formatPattern('uri')), 255);
  if (loops === null) throw new Error('no loops');
  const start = createMatcher(grammarOf(loops));
  const part = 'x'.repeat(150);
  for (const text of [
    `https://example.com/${part}`,
    `https://example.com/?q=${part}`,
    `https://example.com/#${part}`,
    `https://${part.slice(60)}.example.com/a?b#c`,
    `https://${part}@example.com:80/`,
    `${part}:a`,
    `https://[2001:db8:85a3:8d3:1319:8a2e:370:7348]/${part.slice(60)}`,
    `https://example.com/${'%20'.repeat(50)}`,
  ]) {
    expect([text, start.clone().accept(`${text}"`)]).toEqual([text, true]);
  }
  expect(start.clone().accept(`https://example.com/${'x'.repeat(236)}"`)).toBe(false);
});
