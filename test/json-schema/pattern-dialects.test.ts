/** Patterns of other engines: what means the same is read so, the rest is refused by name. */
import { describe, expect, it } from 'vitest';
import { patternTest } from '../../src/json-schema/validate/pattern-test.ts';
import { compileValidator } from '../../src/json-schema/validate/validate.ts';
import { toEcmaScript, UnsupportedPattern } from '../../src/language/regular/pattern-dialects.ts';

const same: readonly (readonly [pattern: string, fits: readonly string[], others: readonly string[]])[] = [
  ['\\A\\d{3}\\Z', ['123'], ['A123Z', '1234']],
  ['^\\d+\\z', ['7'], ['7z']],
  ['(?i)^ab[c-e]$', ['ABC', 'abD'], ['abf']],
  ['(?i)^[^a]$', ['b'], ['a', 'A']],
  ['^(?i:x)y$', ['Xy', 'xy'], ['xY']],
  ['(?s)^a.b$', ['a\nb'], ['ab']],
  ['^(?P<year>\\d{4})$', ['2026'], ['26']],
  ['^[[:alpha:]]+$', ['abC'], ['a1', 'a]']],
  ['^[^[:space:]]$', ['x'], [' ']],
  ['^\\h+$', [' \t'], ['h', '\n']],
  ['^[\\h,]+$', [' ,'], ['h']],
  ['^\\p{IsGreek}$', ['α'], ['a']],
  ['^\\p{XDigit}+$', ['aB9'], ['g']],
  ['^\\pL$', ['é'], ['1', 'pL']],
  ['^\\d{3}\\-\\d{4}$', ['123-4567'], ['1234567']],
  ['^\\\\A$', ['\\A'], ['A']],
  ['^a{,2}$', ['', 'aa'], ['aaa', 'a{,2}']],
  ['^[a{,2}]+$', ['{a,2}'], ['b']],
  ['^[a&&b]$', ['&'], ['&&']],
];

describe('toEcmaScript', () => {
  it.each(same)('reads %s', (pattern, fits, others) => {
    const test = patternTest(pattern);
    expect(fits.map(test)).toEqual(fits.map(() => true));
    expect(others.map(test)).toEqual(others.map(() => false));
  });

  it.each([
    '\\Gx',
    '\\Qx\\E',
    'a(?>b)',
    '(?x)a b',
    '(?P=n)',
    '[[:nothing:]]',
    '\\p{InGreek}',
    '[\\A]',
    '(?#c)',
    '[a-z&&[^b]]',
    '[a-z--[b]]',
    '[[.a.]]',
    '[[=a=]]',
  ])('refuses %s by name', (pattern) => {
    expect(() => toEcmaScript(pattern)).toThrow(UnsupportedPattern);
    expect(() => toEcmaScript(pattern)).toThrow(/it has/);
  });

  it('leaves patterns of ECMAScript as they are', () => {
    for (const pattern of [
      '^[\\w.-]+$',
      '\\bx\\B',
      '(?<n>a)\\k<n>',
      '[\\]\\[(]',
      '\\u{1F600}|\\x41|\\cA',
      '(?:a|(?!b))',
    ])
      expect(toEcmaScript(pattern)).toBe(pattern);
  });
});

describe('compileValidator, which judges as the grammar does,', () => {
  const problems = (schema: object, value: unknown): number =>
    compileValidator(schema as never)(value as never).length;

  it('judges multiples of decimals exactly', () => {
    const schema = { multipleOf: 0.01 };
    const validate = compileValidator(schema);
    const wrong = Array.from({ length: 10_000 }, (_, cents) => cents / 100).filter(
      (value) => validate(value).length > 0,
    );
    expect(wrong).toEqual([]);
    expect(problems(schema, 0.005)).toBe(1);
  });

  it('finds no properties but the own ones of a value', () => {
    const schema = { properties: { constructor: { type: 'string' } }, required: ['toString'] };
    expect(problems(schema, {})).toBe(1);
    expect(problems({ properties: { constructor: { type: 'string' } } }, {})).toBe(0);
  });

  it('judges at once, whatever the schema says', () => {
    expect(
      problems(
        { $async: true, type: 'object', properties: { a: { $async: true, type: 'string' } } },
        { a: 1 },
      ),
    ).toBe(1);
  });

  it('reads patterns as both dialects do', () => {
    const schema = { patternProperties: { '^x\\-': { pattern: '\\A[0-9]+\\Z' } } };
    expect(problems(schema, { 'x-1': '12' })).toBe(0);
    expect(problems(schema, { 'x-1': 'A12Z' })).toBe(1);
  });
});
