/** Keys in any order, at every level. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonSchema, JsonValue } from '../../src/format/messages.ts';
import { compileSchema, jsonSyntax } from '../../src/json-schema/compile-schema.ts';
import { compileValidator } from '../../src/json-schema/validate/validate.ts';
import { RuleSet } from '../../src/language/expression/rule-set.ts';
import { printGbnf } from '../../src/language/gbnf/print-gbnf.ts';
import { loadEngineMatchers } from '../support/grammar-engine.ts';
import { sampleGrammar, seededRandom } from '../support/sample-grammar.ts';

const numRuns = process.env.LAWS === 'long' ? 3000 : 30;
const engine = await loadEngineMatchers();

function build(schema: JsonSchema) {
  const rules = new RuleSet();
  const options = { rules, syntax: jsonSyntax, tool: '', policy: 'strict', keyOrder: 'any' } as const;
  const { expression, issues } = compileSchema(schema, options);
  const grammar = rules.grammar('root', expression);
  const gbnf = printGbnf(grammar);
  return { grammar, gbnf, issues, matcher: engine(gbnf) };
}

/** `object` as it stands, on one line. */
function spelled(value: JsonValue): string {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, each]) => `${JSON.stringify(key)}: ${spelled(each)}`)
    .join(', ')}}`;
}

const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
const schemas = fc
  .record({
    keys: fc.subarray(names, { minLength: 1 }),
    required: fc.subarray(names, { maxLength: 5 }),
    closed: fc.boolean(),
  })
  .map(({ keys, required, closed }) => ({
    type: 'object',
    properties: Object.fromEntries(keys.map((key) => [key, { type: 'integer' }])),
    required: required.filter((key) => keys.includes(key)),
    additionalProperties: closed ? false : { type: 'boolean' },
  }));
const objects = fc
  .tuple(fc.shuffledSubarray([...names, 'more']), fc.boolean())
  .map(([keys, flag]): JsonObject => Object.fromEntries(keys.map((key) => [key, key === 'more' ? flag : 1])));

describe('keys in any order', () => {
  test('are accepted where the object is valid, and only there', () => {
    const random = seededRandom(5);
    let accepted = 0;
    fc.assert(
      fc.property(schemas, fc.array(objects, { minLength: 20, maxLength: 20 }), (schema, values) => {
        const { grammar, matcher } = build(schema);
        const validate = compileValidator(schema);
        for (const each of values) {
          const valid = validate(each).length === 0;
          accepted += Number(valid);
          expect({ each, accepted: matcher.accepts(spelled(each)) }).toEqual({ each, accepted: valid });
        }
        for (let count = 0; count < 5; count += 1) {
          const text = sampleGrammar(grammar, random, 6);
          expect({ text, failures: validate(JSON.parse(text)) }).toEqual({ text, failures: [] });
        }
      }),
      { numRuns },
    );
    expect(accepted).toBeGreaterThan(5);
  });

  test('are so in values of keys and items, too', () => {
    const inner = { type: 'object', properties: { a: { type: 'integer' }, b: {} }, required: ['b'] };
    const { matcher } = build({
      type: 'object',
      properties: { x: inner, y: { type: 'array', items: inner } },
    });
    const accepts = (text: string) => matcher.accepts(text);
    expect(accepts('{"y": [{"b": 1, "a": 2}], "x": {"b": 1, "a": 2}}')).toBe(true);
    expect(accepts('{"x": {"a": 2}}')).toBe(false);
    expect(accepts('{"x": {"b": 1, "a": 2, "b": 1}}')).toBe(false);
  });

  test('may begin with undeclared ones, even where one alone is declared', () => {
    const { matcher } = build({ type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] });
    expect(matcher.accepts('{"more": 1, "a": 2}')).toBe(true);
    expect(matcher.accepts('{"a": 2, "more": 1}')).toBe(true);
    expect(matcher.accepts('{"more": 1}')).toBe(false);
  });

  const many = (count: number, required: number): JsonSchema => {
    const keys = Array.from({ length: count }, (_, index) => `key${index}`);
    const properties = Object.fromEntries(keys.map((key) => [key, { type: 'integer' }]));
    return { type: 'object', properties, required: keys.slice(0, required) };
  };

  test.each([
    [20, 0, 10_000],
    [20, 3, 10_000],
    [20, 20, 150_000],
    [40, 40, 300_000],
  ])('%i of them, %i required, are %i characters at most', (count, required, characters) => {
    expect(build(many(count, required)).gbnf.length).toBeLessThan(characters);
  });

  test('beyond five may repeat where they are optional, and required ones come a little early', () => {
    const { issues, matcher } = build(many(8, 7));
    expect(issues.map(({ keyword, effect }) => `${keyword} ${effect}`)).toEqual([
      'properties narrowed',
      'properties noted',
    ]);
    const text = (...order: readonly number[]) => `{${order.map((key) => `"key${key}": 1`).join(', ')}}`;
    expect(matcher.accepts(text(4, 3, 2, 1, 0, 6, 5))).toBe(true);
    expect(matcher.accepts(text(7, 0, 1, 7, 2, 3, 4, 5, 6))).toBe(true);
    expect(matcher.accepts(text(0, 0, 1, 2, 3, 4, 5, 6))).toBe(false);
    expect(matcher.accepts(text(0, 1, 2, 3, 4, 5))).toBe(false);
  });

  test('keep the order of the schema next to counts and conditions', () => {
    const { issues, matcher } = build({ ...(many(8, 0) as JsonObject), maxProperties: 2 });
    expect(issues).toMatchObject([{ keyword: 'properties', effect: 'narrowed' }]);
    expect(matcher.accepts('{"key1": 1, "key3": 1}')).toBe(true);
    expect(matcher.accepts('{"key1": 1, "key3": 1, "key5": 1}')).toBe(false);
  });
});
