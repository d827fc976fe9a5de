/** Each bound of expressions and grammars: at it, one below and one above. */
import { describe, expect, it } from 'vitest';
import { GrammarError } from '../../src/index.ts';
import { BudgetExceeded } from '../../src/language/expression/budget.ts';
import { characterClass } from '../../src/language/expression/expression.ts';
import { RuleSet } from '../../src/language/expression/rule-set.ts';
import { requireBounded } from '../../src/language/gbnf/engine-limits.ts';
import { createMatcher } from '../../src/language/matcher/matcher.ts';
import { countedRepeat, maxRepetitions } from '../../src/language/regular/counted.ts';

describe('a grammar for llama.cpp', () => {
  const bounds = {
    'has at most 100 groups in one another': [
      100,
      (size: number) => `root ::= ${'('.repeat(size)}"a"${')'.repeat(size)}`,
    ],
    'has at most 12,000 alternatives in a rule': [
      12_000,
      (size: number) => `root ::= ${Array<string>(size).fill('"a"').join('|')}\nb ::= "b" | "c"`,
    ],
    'has at most 30,000 rules': [
      30_000,
      (size: number) => Array.from({ length: size }, (_, at) => `r${at} ::= "("`).join('\n'),
    ],
  } as const;

  it.each(Object.entries(bounds))('%s', (_, [bound, gbnf]) => {
    expect(() => requireBounded(gbnf(bound - 1))).not.toThrow();
    expect(() => requireBounded(gbnf(bound))).not.toThrow();
    expect(() => requireBounded(gbnf(bound + 1))).toThrow(GrammarError);
  });
});

describe('a counted repetition', () => {
  const item = characterClass([0x61, 0x61]);

  it.each([
    [1999, 1999],
    [2000, 2000],
    [2001, 2001],
    [0, 1999],
    [0, 2000],
    [0, 2001],
    [3, 2000],
    [3, 2001],
    [1999, 4001],
    [2001, 4000],
    [4000, 4001],
    [4001, 6002],
    [2001, null],
  ])('of %j to %j has so many, and is written with counts of at most 2000', (min, max) => {
    const rules = new RuleSet();
    const grammar = rules.grammar('root', countedRepeat(item, min, max, rules));
    const counts = JSON.stringify([...grammar.rules.values()]).matchAll(/"(?:min|max)":(\d+)/g);
    expect(Math.max(...Array.from(counts, ([, count]) => Number(count)))).toBeLessThanOrEqual(2000);
    const isWhole = (count: number) => {
      const matcher = createMatcher(grammar);
      return matcher.accept('a'.repeat(count)) && matcher.complete;
    };
    const most = max ?? min + 5000;
    expect([min, most].map(isWhole)).toEqual([true, true]);
    if (min > 0) expect(isWhole(min - 1)).toBe(false);
    if (max !== null) expect(isWhole(max + 1)).toBe(false);
  });

  it('counts up to two million, above which a schema is refused', () => {
    expect(maxRepetitions).toBe(2_000_000);
    for (const [min, max] of [
      [0, maxRepetitions - 1],
      [maxRepetitions, null],
      [0, maxRepetitions],
    ] as const)
      expect(() => countedRepeat(item, min, max, new RuleSet())).not.toThrow();
    for (const [min, max] of [
      [0, maxRepetitions + 1],
      [maxRepetitions + 1, null],
    ] as const)
      expect(() => countedRepeat(item, min, max, new RuleSet())).toThrow(BudgetExceeded);
  });
});
