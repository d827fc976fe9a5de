/** Automata of numbers: they accept what decimal arithmetic says, and what is written by hand is what they would give. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/format/messages.ts';
import { compileSchema, jsonSyntax } from '../../src/json-schema/compile-schema.ts';
import {
  compareDecimals,
  decimalOf,
  normalDecimal,
  printDecimal,
} from '../../src/json-schema/document/decimal.ts';
import { anyInteger, anyNumber } from '../../src/json-schema/numbers/free-numbers.ts';
import { fits, hasSmallInteger, numberAutomaton } from '../../src/json-schema/numbers/number-language.ts';
import {
  dead,
  freeReader,
  largeReader,
  numberSymbols,
  smallReader,
} from '../../src/json-schema/numbers/number-readers.ts';
import { numbersNearZero } from '../../src/json-schema/numbers/number-values.ts';
import type { NumberShape } from '../../src/json-schema/shapes/shapes.ts';
import { compileValidator } from '../../src/json-schema/validate/validate.ts';
import { StepBudget } from '../../src/language/expression/budget.ts';
import { choice, empty } from '../../src/language/expression/expression.ts';
import { RuleSet } from '../../src/language/expression/rule-set.ts';
import { createMatcher } from '../../src/language/matcher/matcher.ts';
import { isEmptyAutomaton } from '../../src/language/regular/automaton.ts';
import { allCharacters } from '../../src/language/regular/character-set.ts';
import { jsonSpelling } from '../../src/language/regular/spelling.ts';
import { jsonCharacter, spelledChoice } from '../../src/language/regular/write-characters.ts';
import { automatonAccepts, sampleWord } from '../support/automata.ts';
import { mutate, sampleGrammar, seededRandom } from '../support/sample-grammar.ts';
import { compileStrict } from './schema-tools.ts';

const numRuns = process.env.LAWS === 'long' ? 20_000 : 80;
const budget = () => new StepBudget(10_000_000);
const unbounded: NumberShape = {
  type: 'number',
  integer: null,
  min: null,
  max: null,
  multiples: [],
  only: null,
  excluded: [],
};

test.each([
  { name: 'number', shape: unbounded, byHand: anyNumber },
  { name: 'integer', shape: { ...unbounded, integer: true }, byHand: anyInteger },
])('any $name by hand is what its automaton gives', ({ shape, byHand }) => {
  const automaton = numberAutomaton([shape], budget());
  const rules = new RuleSet();
  const grammar = rules.grammar('root', byHand(rules));
  for (let seed = 0; seed < 10 * numRuns; seed += 1) {
    const random = seededRandom(seed);
    const word = seed % 2 === 0 ? sampleGrammar(grammar, random) : (sampleWord(automaton, random) ?? '');
    for (const text of [word, mutate(word, random, ['e', 'E', '.', '-', '+', '0', '00', '9'.repeat(30)])]) {
      const matcher = createMatcher(grammar);
      const matched = matcher.accept(text) && matcher.complete;
      expect({ text, accepted: automatonAccepts(automaton, text) }).toEqual({ text, accepted: matched });
    }
  }
});

test('a character of a JSON string by hand is what its spelling gives', () => {
  expect(choice(...spelledChoice([allCharacters], [empty], jsonSpelling(false)))).toEqual(jsonCharacter);
});

// Few digits, so that values meet bounds; with a point, so that places are compared.
const decimal = fc
  .tuple(fc.integer({ min: -1200, max: 1200 }), fc.integer({ min: 0, max: 3 }))
  .map(([digits, places]) => decimalOf(digits / 10 ** places));
const bound = fc.option(fc.record({ value: decimal, exclusive: fc.boolean() }));
const step = fc.constantFrom(1, 2, 3, 0.5, 0.25, 1.5, 0.1, 7).map(decimalOf);
const shapes: fc.Arbitrary<NumberShape> = fc.record({
  type: fc.constant('number'),
  integer: fc.constantFrom(true, false, null),
  min: bound,
  max: bound,
  multiples: fc.array(fc.record({ of: step, holds: fc.boolean() }), { maxLength: 2 }),
  only: fc.constant(null),
  excluded: fc.array(decimal, { maxLength: 2 }),
});

test('a number is accepted where it fits one of the shapes', () => {
  fc.assert(
    fc.property(fc.array(shapes, { minLength: 1, maxLength: 2 }), fc.array(decimal), (among, values) => {
      const automaton = numberAutomaton(among, budget());
      const near = among.flatMap(({ min, max, excluded }) =>
        [min, max].flatMap((each) => each?.value ?? []).concat(excluded),
      );
      for (const value of [...values, ...near]) {
        const text = printDecimal(value);
        expect(automatonAccepts(automaton, text), text).toBe(among.some((shape) => fits(value, shape)));
        // A fraction of zeros changes no value, but an integer is written without.
        const longer = `${text}${text.includes('.') ? '' : '.'}0`;
        const integers = among.some((shape) => shape.integer !== true && fits(value, shape));
        expect(automatonAccepts(automaton, longer), longer).toBe(integers);
      }
    }),
    { numRuns },
  );
});

test.each([null, false, true])(
  'very small numbers are written as templates write them, where integers are %s',
  (integer) => {
    const automaton = numberAutomaton([{ ...unbounded, integer, excluded: [decimalOf(1)] }], budget());
    const small = ['3e-05', '-1.5e-07', '1e-10'];
    expect(small.map((text) => automatonAccepts(automaton, text))).toEqual(small.map(() => integer !== true));
  },
);

test('no integer is found in a shape without numbers', () => {
  fc.assert(
    fc.property(shapes, (shape) => {
      fc.pre(hasSmallInteger(shape));
      expect(isEmptyAutomaton(numberAutomaton([shape], budget()))).toBe(false);
    }),
    { numRuns },
  );
});

/** Digits of exponents: from 16 on for large numbers, from 5 on for small ones, and up to 99 for any. */
const exponents = [
  { name: 'large', reader: largeReader(), sign: '+', padded: 0, from: 16, to: 307 },
  { name: 'small', reader: smallReader(), sign: '-', padded: 1, from: 5, to: 307 },
  { name: 'any', reader: freeReader(), sign: '', padded: 1, from: 0, to: 99 },
];

test.each(exponents)(
  'exponents of $name numbers are those that they may have',
  ({ reader, sign, padded, from, to }) => {
    const accepts = (text: string): boolean => {
      let state = 0;
      for (const character of text) {
        state = reader.step(state, numberSymbols.indexOf(character));
        if (state === dead) return false;
      }
      return reader.accepts(state);
    };
    const lengths = [1, 2, 3, 4];
    for (const length of lengths) {
      for (let value = 0; value < 10 ** length; value += 1) {
        const digits = String(value).padStart(length, '0');
        const zeros = digits.length - String(value).length;
        const isRight = value >= from && value <= to && zeros <= padded && (zeros === 0 || length === 2);
        expect([digits, accepts(`1e${sign}${digits}`)]).toEqual([digits, isRight]);
      }
    }
  },
);

const divisors = fc.oneof(
  fc.constantFrom(1 / 3, 1 / 7, Math.PI, 0.123456789, 7, 17, 0.17, 365, 8192, 0.05, 0.25, 60, 0.01, 1000),
  fc.integer({ min: 1, max: 40 }),
  fc.double({ min: 1e-6, max: 1000, noNaN: true }),
);
const ends = fc.integer({ min: -1000, max: 1000 });

/** Those of `texts` that may be written for `schema`. */
function acceptedBy(schema: JsonObject, texts: readonly string[]): readonly string[] {
  const compiled = compileStrict(schema);
  if ('refused' in compiled) throw compiled.refused;
  return texts.filter((text) => {
    const matcher = createMatcher(compiled.grammar);
    return matcher.accept(text) && matcher.complete;
  });
}

/** Compiles `schema`, and draws some texts, whose values its validator has to accept as JSON readers see them. */
function expectValidDraws(schema: JsonObject, seed: number): void {
  const rules = new RuleSet();
  const options = { rules, syntax: jsonSyntax, tool: '', policy: 'strict' } as const;
  const { expression, issues } = compileSchema(schema, options);
  expect(issues.filter(({ effect }) => effect !== 'narrowed')).toEqual([]);
  const validate = compileValidator(schema);
  const random = seededRandom(seed);
  const grammar = rules.grammar('root', expression);
  for (let draw = 0; draw < 10; draw += 1) {
    const text = sampleGrammar(grammar, random);
    expect([schema, text, validate(JSON.parse(text))]).toEqual([schema, text, []]);
  }
}

test('what is written for a divisor is a multiple where JSON is read', () => {
  fc.assert(
    fc.property(divisors, fc.nat(), (multipleOf, seed) => {
      expectValidDraws({ type: 'number', multipleOf }, seed);
    }),
    { numRuns: numRuns / 4 },
  );
});

test('what must be no multiple is none where JSON is read', () => {
  // A number as close to a multiple as this one is rounded to it.
  const near = { type: 'number', not: { multipleOf: 0.75 } } as const;
  expect(acceptedBy(near, ['819883.5000000000000000000000001', '819883.6'])).toEqual(['819883.6']);
  const simple = divisors.filter((divisor) => String(divisor).length < 8);
  fc.assert(
    fc.property(simple, ends, fc.boolean(), fc.nat(), (multipleOf, minimum, isBounded, seed) => {
      const not = isBounded ? { minimum, multipleOf } : { multipleOf };
      expectValidDraws({ type: 'number', not }, seed);
    }),
    { numRuns: numRuns / 4 },
  );
});

test('a number that is no multiple is written, or a line says that it is not', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 400 }),
      fc.integer({ min: 1, max: 999_999 }),
      (multipleOf, value) => {
        const schema = { type: 'number', not: { multipleOf } } as const;
        const compiled = compileStrict(schema);
        if ('refused' in compiled) throw compiled.refused;
        const isWritten = acceptedBy(schema, [String(value)]).length === 1;
        const isAllowed = value % multipleOf !== 0;
        if (compiled.issues.length === 0)
          expect([multipleOf, value, isWritten]).toEqual([multipleOf, value, isAllowed]);
        else expect(isWritten && !isAllowed).toBe(false);
      },
    ),
    { numRuns: numRuns / 4 },
  );
});

test('the listed multiples are those that a plain walk finds', () => {
  const long = fc.constantFrom(1 / 3, 1 / 7, Math.PI, Math.E, 2 / 3, 3e-20, 1.25e-17, 0.123456789);
  fc.assert(
    fc.property(long, ends, fc.integer({ min: 1, max: 400 }), (of, start, width) => {
      const multiple = decimalOf(of);
      const at = (count: number) => normalDecimal(BigInt(count) * multiple.digits, multiple.scale);
      const walked = Array.from({ length: width + 1 }, (_, index) => at(start + index));
      const shape: NumberShape = {
        ...unbounded,
        min: { value: at(start), exclusive: false },
        max: { value: at(start + width), exclusive: false },
        multiples: [{ of: multiple, holds: true }],
      };
      const kept = walked.filter(
        (value) => compareDecimals(decimalOf(Number(printDecimal(value))), value) === 0,
      );
      const { values, complete } = numbersNearZero(shape, budget());
      const sorted = [...values].sort(compareDecimals);
      expect([of, start, width, sorted]).toEqual([of, start, width, kept]);
      expect(complete).toBe(kept.length === walked.length);
    }),
    { numRuns: numRuns / 4 },
  );
});
