/** `oneOf` of many open objects that no constant tells apart: never accepts what two branches accept. */
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/format/messages.ts';
import { createMatcher } from '../../src/language/matcher/matcher.ts';
import { loadEngineMatchers } from '../support/grammar-engine.ts';
import { compileStrict, spell } from './schema-tools.ts';

// The engine takes 20 ms for one value: its grammar has a stack for each branch that is still open.
const numRuns = process.env.LAWS === 'long' ? 300 : 40;
const engine = await loadEngineMatchers();

const optional = ['width', 'height', 'label', 'shown', 'note', 'level'];

/** A branch with two required keys and some more of its own, and one key that all have. */
const branch = (index: number, inner: JsonObject): JsonObject => ({
  type: 'object',
  properties: {
    id: { type: 'integer' },
    [`main${index}`]: inner,
    ...Object.fromEntries(optional.map((name) => [`${name}${index}`, { type: 'string' }])),
  },
  required: ['id', `main${index}`],
});
const shapes = (count: number, inner: JsonObject = { type: 'integer' }) =>
  Array.from({ length: count }, (_, index) => branch(index, inner));

function compiled(schema: JsonObject) {
  const result = compileStrict(schema);
  if ('refused' in result) throw result.refused;
  return { issues: result.issues, matcher: engine(result.gbnf) };
}

test('each branch can be written, with all of its own keys', () => {
  const schema = { oneOf: shapes(12) };
  const { issues, matcher } = compiled(schema);
  expect(issues).toMatchObject([{ keyword: 'oneOf', effect: 'narrowed' }]);
  for (let index = 0; index < 12; index += 1) {
    const more = Object.fromEntries(optional.map((name) => [`${name}${index}`, 'x']));
    for (const value of [
      { id: 1, [`main${index}`]: 2 },
      { id: 1, [`main${index}`]: 2, ...more },
    ]) {
      expect([value, matcher.accepts(spell(schema, value))]).toEqual([value, true]);
    }
  }
});

const keys = ['id', 'main0', 'main1', 'main7', 'width0', 'width7', 'other'];
const value: fc.Arbitrary<JsonObject> = fc
  .dictionary(fc.constantFrom(...keys), fc.constantFrom<JsonValue>(1, 1, 'x'), { noNullPrototype: true })
  .map((each): JsonObject => ({ id: 1, ...each }));

test.each<[string, (union: JsonObject) => JsonObject]>([
  ['alone', (union) => union],
  ['next to keywords of its own', (union) => ({ ...union, required: ['other'] })],
  ['among others', (union) => ({ anyOf: [union, { required: ['other', 'main0', 'main1'] }] })],
])('what is accepted is valid: %s', (_, around) => {
  const schema = around({ oneOf: shapes(9) });
  const { matcher } = compiled(schema);
  const validate = new Ajv({ strict: false }).compile(schema);
  let accepted = 0;
  fc.assert(
    fc.property(value, (each) => {
      if (!matcher.accepts(spell(schema, each))) return;
      accepted += 1;
      expect([each, validate(each)]).toEqual([each, true]);
    }),
    {
      numRuns,
      // What is drawn may be invalid every time.
      examples: [[{ id: 1, main0: 1, other: 1 }], [{ id: 1, main0: 1, main1: 1, other: 1 }]],
    },
  );
  expect(accepted).toBeGreaterThan(0);
});

test('ways to fail that speak of one key each are one way through an object', () => {
  const keys = Array.from({ length: 30 }, (_, index) => `k${index}`);
  const properties = Object.fromEntries(keys.map((key) => [key, { type: 'integer' }]));
  const result = compileStrict({ type: 'object', not: { properties, required: keys } });
  if ('refused' in result) throw result.refused;
  const accepts = (text: string): boolean => {
    // Next to each other the sixty ways would be as many stacks, and each mask would pay for all of them.
    const matcher = createMatcher(result.grammar, { maxStacks: 8 });
    return matcher.accept(text) && matcher.complete;
  };
  const object = (changed: Readonly<Record<string, JsonValue>>): string =>
    spell({ properties }, { ...Object.fromEntries(keys.map((key) => [key, 1])), ...changed });
  expect(accepts(object({}))).toBe(false);
  for (const key of keys) expect(accepts(object({ [key]: 'x' }))).toBe(true);
  expect(accepts(object({ k0: 'x', k29: [1] }))).toBe(true);
  expect(accepts('{"k0": 1}')).toBe(true);
});

test.each([2, 17, 31, 32, 33, 60])(
  'of %i closed objects with optional keys, just one is written',
  (count) => {
    const properties = (index: number): JsonObject => ({ [`a${index}`]: { type: 'integer' }, shared: true });
    const schema = {
      oneOf: Array.from({ length: count }, (_, index) => ({
        type: 'object',
        properties: properties(index),
        additionalProperties: false,
      })),
    };
    const result = compileStrict(schema);
    if ('refused' in result) throw result.refused;
    expect(result.issues).toEqual([]);
    const ajv = new Ajv().compile(schema);
    const last = `a${count - 1}`;
    for (const value of [
      {},
      { shared: 1 },
      { a0: 1 },
      { [last]: 1 },
      { a0: 1, [last]: 1 },
      { [last]: 'x' },
    ]) {
      const matcher = createMatcher(result.grammar);
      expect([value, matcher.accept(spell(schema, value)) && matcher.complete]).toEqual([value, ajv(value)]);
    }
  },
);
