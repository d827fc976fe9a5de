/** Laws of compiled patterns: how large they may be, how far they look back, and whether they read groups. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { PatternError } from '../../src/format/errors.ts';
import { parseRegex } from '../../src/response-template/pattern/parse-regex.ts';
import {
  compileProgram,
  type Instruction,
  type PatternProgram,
} from '../../src/response-template/pattern/program.ts';

const compile = (pattern: string): PatternProgram => compileProgram(parseRegex(pattern));

type Inner = Extract<Instruction, { op: 'inner' }>;
const innersOf = ({ instructions }: PatternProgram): Inner[] =>
  instructions.filter(({ op }) => op === 'inner') as Inner[];

/** Instructions of a program and of those within it. */
function sizeOf(program: PatternProgram): number {
  return innersOf(program).reduce(
    (sum, { program: inner }) => sum + sizeOf(inner),
    program.instructions.length,
  );
}

/** A pattern, and the lengths of the shortest and the longest text that it matches. */
interface Sized {
  readonly pattern: string;
  readonly min: number;
  readonly max: number;
}

const { sized } = fc.letrec<{ sized: Sized }>((tie) => ({
  sized: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom('a', '[a-z]', '.', '\\d').map((pattern) => ({ pattern, min: 1, max: 1 })),
    fc.constantFrom('', '\\b', '(?=abc)', '(?!ab)').map((pattern) => ({ pattern, min: 0, max: 0 })),
    fc.array(tie('sized'), { minLength: 2, maxLength: 3 }).map((items) => ({
      pattern: items.map(({ pattern }) => pattern).join(''),
      min: items.reduce((sum, { min }) => sum + min, 0),
      max: items.reduce((sum, { max }) => sum + max, 0),
    })),
    fc.array(tie('sized'), { minLength: 2, maxLength: 3 }).map((items) => ({
      pattern: `(?:${items.map(({ pattern }) => pattern).join('|')})`,
      min: Math.min(...items.map(({ min }) => min)),
      max: Math.max(...items.map(({ max }) => max)),
    })),
    fc.tuple(tie('sized'), tie('sized')).map(([yes, no]) => ({
      pattern: `(x)(?(1)${yes.pattern}|${no.pattern})`,
      min: 1 + Math.min(yes.min, no.min),
      max: 1 + Math.max(yes.max, no.max),
    })),
    fc.tuple(tie('sized'), fc.nat(2), fc.nat(2)).map(([{ pattern, min, max }, least, more]) => ({
      pattern: `(?:${pattern}){${least},${least + more}}`,
      min: min * least,
      max: max * (least + more),
    })),
    tie('sized').map(({ pattern, min, max }) => ({ pattern: `(?>${pattern})`, min, max })),
  ),
}));

/** Groups are numbered through: a condition names the one before it. */
function numbered(pattern: string): string {
  let groups = 0;
  return pattern.replaceAll(/\(x\)|\(\?\(1\)/g, (each) => {
    if (each === '(x)') groups += 1;
    return each === '(x)' ? each : `(?(${groups})`;
  });
}

test('what looks back does so over the lengths that its pattern can have', () => {
  fc.assert(
    fc.property(sized, fc.boolean(), ({ pattern, min, max }, isNegative) => {
      const program = compile(numbered(`(?<${isNegative ? '!' : '='}${pattern})b`));
      expect(innersOf(program)[0]?.width).toEqual({ min, max });
    }),
    { numRuns: 200 },
  );
});

describe('bounds', () => {
  it.each([
    ['a character', 'a'],
    ['a group', '(a)'],
    ['what looks ahead', '(?=a)'],
    ['what looks back', '(?<!a)'],
    ['an atomic group', '(?>a)'],
    ['a loop', 'a*'],
    ['a lazy loop', 'a*?'],
    ['a group that is repeated', '(?:(a))*'],
  ])('a program has at most 5,000 instructions: %s', (_, part) => {
    // The last instruction is the match, which none of the parts has.
    const count = Math.floor(5000 / (sizeOf(compile(part)) - 1));
    expect(sizeOf(compile(part.repeat(count)))).toBeLessThanOrEqual(5001);
    expect(() => compile(part.repeat(count + 1))).toThrow(PatternError);
  });

  it('a program has at most 5,000 instructions: a condition', () => {
    const size = sizeOf(compile('(a)(?(1)b|c)')) - sizeOf(compile('(a)'));
    const count = Math.floor((5000 - 3) / size);
    expect(sizeOf(compile(`(a)${'(?(1)b|c)'.repeat(count)}`))).toBeLessThanOrEqual(5001);
    expect(() => compile(`(a)${'(?(1)b|c)'.repeat(count + 1)}`)).toThrow(PatternError);
  });

  it('no pattern becomes more instructions than that, however it repeats', () => {
    fc.assert(
      fc.property(
        sized,
        fc.integer({ min: 0, max: 2500 }),
        fc.constantFrom('', '?', '+'),
        ({ pattern }, count, mode) => {
          try {
            expect(sizeOf(compile(numbered(`(?:${pattern}){${count}}${mode}`)))).toBeLessThanOrEqual(5001);
          } catch (error) {
            if (!(error instanceof PatternError)) throw error;
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it.each(['a{999}', 'a{1000}', '(?:ab){500}', 'a?'.repeat(1000)])(
    'a pattern looks back over 1,000 characters',
    (part) => {
      expect(compile(`(?<=${part})b`).lookbehind).toBeGreaterThanOrEqual(
        innersOf(compile(`(?<=${part})b`))[0]?.width.max ?? 0,
      );
    },
  );

  it.each(['a{1001}', '(?:ab){500}c', `${'a?'.repeat(1000)}b`, 'a*', 'a{2,}', '(x)\\1'])(
    'a pattern looks back no further: %#',
    (part) => {
      expect(() => compile(`(?<=${part})b`)).toThrow(PatternError);
    },
  );
});

test.each([
  ['(a)\\1', true],
  ['(a)?(?(1)b|c)', true],
  ['(a)(?=\\1)', true],
  ['(a)(?>(?:b|\\1))', true],
  ['(a)(b|c)*', false],
  ['(?=(a))(?<!b)(?>c*)', false],
])('whether a pattern reads its groups: %s', (pattern, reads) => {
  expect(compile(pattern).readsGroups).toBe(reads);
});
