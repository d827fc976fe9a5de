/** Patterns that no automaton expresses, judged by JavaScript's own engine where that comes to an end. */
import { RegExpParser } from '@eslint-community/regexpp';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compileValidator } from '../../src/json-schema/validate/validate.ts';
import { matchesSomewhere, maxSearchSteps } from '../../src/language/backtracking/bounded-search.ts';
import { compilePattern, maxInstructions } from '../../src/language/backtracking/compile-pattern.ts';
import { BudgetExceeded } from '../../src/language/expression/budget.ts';

const letters = ['a', 'b', '1', ' ', 'é', 'K', 'ſ', '😀', '\n', '-'];

const atom = fc.constantFrom(
  ...[
    'a',
    'b',
    '1',
    'é',
    '😀',
    '.',
    '\\w',
    '\\W',
    '\\d',
    '\\s',
    '[ab]',
    '[^a]',
    '[^😀]',
    '\\u{1F600}',
    '\\n',
  ],
  ...['^', '$', '\\b', '\\B', '\\1', '\\2', '\\k<n>', '[]', '[^]', '\\p{L}', ''],
);

/** Patterns with the flag `u`; those that have no group for their references are left out. */
const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
  pattern: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'pattern' },
    atom,
    fc.array(tie('pattern'), { maxLength: 3 }).map((parts) => parts.join('')),
    fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => `(?:${left}|${right})`),
    fc
      .tuple(
        tie('pattern'),
        fc.constantFrom('*', '+', '?', '*?', '+?', '??', '{2}', '{1,2}', '{0,3}?', '{2,}', '{0}'),
      )
      .map(([part, count]) => `(?:${part})${count}`),
    fc
      .tuple(tie('pattern'), fc.constantFrom('', '*', '+?', '{2,3}'))
      .map(([part, count]) => `(${part})${count}`),
    fc
      .tuple(fc.constantFrom('?=', '?!', '?<=', '?<!'), tie('pattern'))
      .map(([kind, part]) => `(${kind}${part})`),
  ),
}));
const whole = fc.oneof(
  pattern,
  fc.tuple(pattern, pattern, pattern).map(([a, b, c]) => `${a}(${b})(?<n>${c})\\1${a}`),
);
const texts = fc.array(fc.string({ unit: fc.constantFrom(...letters), maxLength: 6 }), {
  minLength: 4,
  maxLength: 8,
});

function programOf(source: string, flags: 'u' | '' = 'u') {
  const parser = new RegExpParser({ ecmaVersion: 2025 });
  return compilePattern(
    parser.parsePattern(source, 0, source.length, { unicode: flags === 'u' }),
    flags === 'u',
  );
}

function expressionOf(source: string, flags: 'u' | ''): RegExp | null {
  try {
    return new RegExp(source, flags);
  } catch {
    return null;
  }
}

it.each(['u', ''] as const)('matches as JavaScript does, with the flags "%s"', (flags) => {
  let judged = 0;
  const law = fc.property(whole, texts, (source, each) => {
    const expression = expressionOf(source, flags);
    fc.pre(expression !== null);
    const program = programOf(source, flags);
    // V8 looks for assertions within a surrogate pair, too, where the standard has no position: `(?!\b)` in 'a😀a'.
    const judges = /\?<?[=!]|\\b/isu.test(source) ? each.filter((text) => !text.includes('😀')) : each;
    const found = judges.map((text) => matchesSomewhere(program, text));
    judged += 1;
    expect(found).toEqual(judges.map((text) => expression?.test(text)));
  });
  fc.assert(law, { numRuns: process.env.LAWS === 'long' ? 30_000 : 500 });
  expect(judged).toBeGreaterThan(100);
});

it.each([
  ['(?i:(a)\\1)', 'xaA', true],
  ['(?i:k)', '\u212a', true],
  ['(?i:(é)(?-i:\\1))', 'éÉ', false],
  ['(?s:^.$)', '\n', true],
  ['^.$', '\n', false],
  ['(?m:^b$)', 'a\nb\nc', true],
  ['(?<=(\\d+)-\\1)x', '12-12x', false],
  ['(?<=\\1-(\\d+))x', '12-12x', true],
])('%s in %j: %s', (source, text, expected) => {
  expect(matchesSomewhere(programOf(source), text)).toBe(expected);
});

it.each(['^(a+)+\\1!$', '^((?:a|a)+)\\1b$', '(?=(a+)+$)(a)\\2!', '^(a?){40}\\1{40}b$', '((a*)*)*\\2c'])(
  '%s is decided, or given up, within the budget',
  (source) => {
    for (const length of [10, 40, 3_000]) {
      try {
        expect(matchesSomewhere(programOf(source), 'a'.repeat(length))).toBe(false);
      } catch (error) {
        expect(error).toBeInstanceOf(BudgetExceeded);
      }
    }
  },
);

it.each([{ pattern: '^((a+)+)\\1!$' }, { not: { pattern: '^((a+)+)\\1!$' } }])(
  'a value that takes too many steps is not called valid: %j',
  (schema) => {
    expect(compileValidator(schema)('a'.repeat(5_000))).toEqual([
      { pointer: '', keyword: 'pattern', message: expect.stringContaining('too many steps') },
    ]);
  },
);

it('a name that takes too many steps is not called valid', () => {
  const schema = { patternProperties: { '^((a+)+)\\1!$': { type: 'integer' } } } as const;
  expect(compileValidator(schema)({ ['a'.repeat(5_000)]: 1 })).not.toEqual([]);
  expect(compileValidator(schema)({ 'aa!': 'text' })).not.toEqual([]);
  expect(compileValidator(schema)({ 'aa!': 1, other: 'text' })).toEqual([]);
});

it('a search takes its last step, and none beyond it', () => {
  // One step for each place where `^` fails, two where it holds and no x follows.
  const program = programOf('^x');
  const search = (steps: number) => matchesSomewhere(program, 'a'.repeat(steps - 2));
  expect([maxSearchSteps - 1, maxSearchSteps].map(search)).toEqual([false, false]);
  expect(() => search(maxSearchSteps + 1)).toThrow(BudgetExceeded);
});

it('a pattern has its last instruction, and none beyond it', () => {
  // The last one says that the text fits.
  const compiled = (count: number) => programOf('a'.repeat(count - 1)).code.length;
  const most = [maxInstructions - 1, maxInstructions];
  expect(most.map(compiled)).toEqual(most);
  expect(() => compiled(maxInstructions + 1)).toThrow(BudgetExceeded);
});

it('many groups leave fewer steps, as each step copies them', () => {
  const steps = (groups: number) => {
    const program = programOf(
      `${'(a)'.repeat(groups)}${Array.from({ length: groups }, (_, index) => `\\${index + 1}`).join('')}`,
    );
    let most = 0;
    for (let length = 1; length < 2 ** 19; length *= 2) {
      try {
        matchesSomewhere(program, 'b'.repeat(length));
        most = length;
      } catch (error) {
        expect(error).toBeInstanceOf(BudgetExceeded);
      }
    }
    return most;
  };
  expect(steps(400)).toBeLessThan(steps(2) / 50);
});

it('a pattern whose loops hold loops of groups is refused, not written out', () => {
  const nested = `${'('.repeat(300)}a${')*'.repeat(300)}${Array.from({ length: 300 }, (_, index) => `\\${index + 1}`).join('')}`;
  expect(() => compileValidator({ pattern: nested })).toThrow(/instructions of a pattern/);
});
