/** Many conditions in one schema: each is written where its keys stand, and they do not multiply. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonSchema } from '../../src/format/messages.ts';
import { compileSchema, jsonSyntax } from '../../src/json-schema/compile-schema.ts';
import { compileValidator } from '../../src/json-schema/validate/validate.ts';
import { RuleSet } from '../../src/language/expression/rule-set.ts';
import { printGbnf } from '../../src/language/gbnf/print-gbnf.ts';
import { loadEngineMatchers } from '../support/grammar-engine.ts';
import { sampleGrammar, seededRandom } from '../support/sample-grammar.ts';
import { compileStrict, named, spell } from './schema-tools.ts';

const numRuns = process.env.LAWS === 'long' ? 3000 : 12;
const engine = await loadEngineMatchers();

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'other');
const value = fc.constantFrom(true, false, 1, 'x');
const atom: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.record({ required: fc.uniqueArray(key, { minLength: 1, maxLength: 2 }) }),
  fc
    .tuple(key, value)
    .map(([name, constant]): JsonObject => ({ properties: { [name]: { const: constant } } })),
  fc
    .tuple(key, value)
    .map(([name, constant]) => ({ required: [name], properties: { [name]: { const: constant } } })),
  fc.tuple(key).map(([name]): JsonObject => ({ properties: { [name]: false } })),
);
const condition: fc.Arbitrary<JsonSchema> = fc.oneof(
  fc.tuple(atom, atom).map((two) => named(['if', 'then'], two)),
  fc.tuple(atom, atom, atom).map((three) => named(['if', 'then', 'else'], three)),
  fc.array(atom, { minLength: 2, maxLength: 3 }).map((anyOf) => ({ anyOf })),
  atom.map((not) => ({ not })),
  fc.tuple(key, key).map(([trigger, needed]): JsonObject => ({ dependentRequired: { [trigger]: [needed] } })),
  fc.tuple(key, atom).map(([trigger, needed]): JsonObject => ({ dependentSchemas: { [trigger]: needed } })),
);
const schemas: fc.Arbitrary<JsonSchema> = fc
  .record({
    conditions: fc.array(condition, { minLength: 3, maxLength: 6 }),
    required: fc.uniqueArray(key, { maxLength: 2 }),
    closed: fc.boolean(),
    few: fc.boolean(),
  })
  .map(({ conditions, required, closed, few }) => ({
    type: 'object',
    properties: Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => [name, {}])),
    required,
    ...(closed ? { additionalProperties: false } : {}),
    ...(few ? { maxProperties: 4 } : {}),
    allOf: conditions,
  }));
const objects = fc.dictionary(key, value, { maxKeys: 9, noNullPrototype: true });

describe('many conditions about a few keys', () => {
  test('hold together, as Ajv says', () => {
    const random = seededRandom(3);
    const tally = { accepted: 0, rejected: 0, written: 0 };
    fc.assert(
      fc.property(schemas, fc.array(objects, { minLength: 25, maxLength: 25 }), (schema, values) => {
        const compiled = compileStrict(schema);
        const valid = compileValidator(schema);
        if ('refused' in compiled) {
          expect(compiled.refused.message).toContain('no value is valid');
          for (const each of values)
            expect({ each, valid: valid(each).length === 0 }).toEqual({ each, valid: false });
          return;
        }
        const matcher = engine(compiled.gbnf);
        for (const each of values) {
          const accepted = matcher.accepts(spell(schema, each));
          expect({ each, accepted }).toEqual({ each, accepted: valid(each).length === 0 });
          tally[accepted ? 'accepted' : 'rejected'] += 1;
        }
        for (let count = 0; count < 5; count += 1) {
          const text = sampleGrammar(compiled.grammar, random, 6);
          expect({ text, failures: valid(JSON.parse(text)) }).toEqual({ text, failures: [] });
          tally.written += 1;
        }
      }),
      { numRuns },
    );
    expect(tally.accepted).toBeGreaterThan(0);
    expect(tally.rejected).toBeGreaterThan(0);
    expect(tally.written).toBeGreaterThan(0);
  });
});

describe('conditions about keys of their own', () => {
  const count = 20;
  const each = <T>(make: (index: number) => T): readonly T[] =>
    Array.from({ length: count }, (_, index) => make(index));
  const properties = Object.fromEntries([
    ...each((index) => [`flag${index}`, { type: 'boolean' }] as const),
    ...each((index) => [`detail${index}`, { type: 'string' }] as const),
  ]);
  const flags: JsonSchema = {
    type: 'object',
    properties,
    allOf: each((index) =>
      named(
        ['if', 'then'],
        [
          { properties: { [`flag${index}`]: { const: true } }, required: [`flag${index}`] },
          { required: [`detail${index}`] },
        ],
      ),
    ),
  };
  const dependent: JsonSchema = {
    type: 'object',
    properties,
    dependentRequired: Object.fromEntries(each((index) => [`flag${index}`, [`detail${index}`]])),
  };

  test.each([
    ['if and then', flags, { flag3: false }],
    ['dependentRequired', dependent, { detail3: 'x' }],
  ])('%s cost a sum and no product', (_, schema, alone) => {
    const rules = new RuleSet();
    const options = { rules, syntax: jsonSyntax, tool: '', policy: 'strict', budget: 60_000 } as const;
    const { expression, issues } = compileSchema(schema, options);
    const gbnf = printGbnf(rules.grammar('root', expression));
    expect(issues).toEqual([]);
    expect(gbnf.length).toBeLessThan(150_000);
    const matcher = engine(gbnf);
    const accepts = (object: JsonObject) => matcher.accepts(spell(schema, object));
    expect(accepts({})).toBe(true);
    expect(accepts(alone)).toBe(true);
    expect(accepts({ flag3: true })).toBe(false);
    expect(accepts({ flag3: true, detail3: 'x', flag7: true, detail7: 'y', more: 1 })).toBe(true);
    expect(accepts({ flag3: true, detail3: 'x', flag7: true, detail8: 'y' })).toBe(false);
    const all = Object.fromEntries(
      each((index) => [
        [`flag${index}`, true],
        [`detail${index}`, ''],
      ]).flat(),
    );
    expect(accepts(all)).toBe(true);
  });
});
