/** Unions whose branches a required constant tells apart. */
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/format/messages.ts';
import { loadEngineMatchers } from '../support/grammar-engine.ts';
import { compileStrict, spell } from './schema-tools.ts';

const engine = await loadEngineMatchers();

const keys = ['a', 'b', 'c', 'kind', 'inner'];
const tags = ['x', 'y', 1, 2.5, true, null];
const listed: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.constantFrom(...tags).map((tag) => ({ const: tag })),
  fc.subarray(tags, { minLength: 1, maxLength: 4 }).map((some) => ({ enum: some })),
  fc.constant({ type: 'boolean' }),
  fc.constant({ $ref: '#/$defs/tag' }),
  fc.constant({ type: 'string' }),
);

// Keys come in orders of their own, so that those of one branch are not those of the other.
const branch: fc.Arbitrary<JsonObject> = fc
  .record({
    tag: listed,
    names: fc.shuffledSubarray(keys, { minLength: 1 }),
    untagged: fc.integer({ max: 5, min: 0 }).map((number) => number === 0),
    required: fc.subarray(['a', 'b']),
    rest: fc.constantFrom<JsonObject>({}, {}, { additionalProperties: false }, { maxProperties: 3 }),
  })
  .map(({ tag, names, untagged, required, rest }) => ({
    type: 'object',
    properties: Object.fromEntries(
      names.map((name, index) => {
        if (name === 'kind') return [name, tag];
        return [name, name === 'inner' ? { $ref: '#' } : { type: index % 2 ? 'string' : 'integer' }];
      }),
    ),
    required: [...(untagged ? [] : ['kind']), ...required],
    ...rest,
  }));

const union: fc.Arbitrary<JsonObject> = fc
  .record({
    keyword: fc.constantFrom('anyOf', 'oneOf'),
    branches: fc.array(branch, { minLength: 2, maxLength: 5 }),
    base: fc.option(branch, { nil: undefined, freq: 3 }),
    form: fc.constantFrom('plain', 'references', 'nested', 'nullable'),
  })
  .map(({ keyword, branches, base, form }) => {
    const $defs: JsonObject = {
      tag: { enum: ['x'] },
      ...Object.fromEntries(branches.map((each, index) => [`b${index}`, each])),
    };
    const all: readonly JsonValue[] =
      form === 'references' ? branches.map((_, index) => ({ $ref: `#/$defs/b${index}` })) : branches;
    const written =
      form === 'nested'
        ? { [keyword]: [{ anyOf: all.slice(0, 2) }, ...all.slice(2)] }
        : { [keyword]: form === 'nullable' ? [{ type: 'null' }, ...all] : all };
    return { $defs, ...(base === undefined ? written : { allOf: [base, written] }) };
  });

const object = (inner: fc.Arbitrary<JsonValue>) =>
  fc
    .record(
      {
        kind: fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...tags) }, fc.constantFrom('w', 2, false)),
        a: fc.constantFrom(1, 's'),
        b: fc.constantFrom(1, 's'),
        c: fc.constantFrom(1, 's'),
        d: fc.constantFrom(1, 's'),
        inner,
      },
      { requiredKeys: [], noNullPrototype: true },
    )
    .map((value): JsonValue => value);

/** Branches that a condition on the tag chooses, instead of a union. */
const conditions: fc.Arbitrary<JsonObject> = fc
  .array(
    fc.record({
      listed,
      mustBe: fc.boolean(),
      more: fc.constantFrom<JsonObject>({}, {}, {}, { required: ['a'] }, { type: 'object' }),
      chosen: branch,
      other: fc.option(branch, { nil: undefined, freq: 3 }),
    }),
    { minLength: 2, maxLength: 5 },
  )
  .map((all) => ({
    $defs: { tag: { enum: ['x'] } },
    type: 'object',
    properties: { kind: { enum: tags } },
    required: ['kind'],
    allOf: all.map(({ listed, mustBe, more, chosen, other }) => ({
      if: { properties: { kind: listed }, ...(mustBe ? { required: ['kind'] } : {}), ...more },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: chosen,
      ...(other === undefined ? {} : { else: other }),
    })),
  }));

const value = object(object(fc.constantFrom(1, null)));

test('take what is valid, in whatever order branches have their keys, and nothing else', () => {
  const ajv = new Ajv({ strict: false });
  let valid = 0;
  fc.assert(
    fc.property(
      fc.oneof(union, conditions),
      fc.array(value, { minLength: 25, maxLength: 25 }),
      (schema, values) => {
        const compiled = compileStrict(schema);
        // That no value is valid is a refusal as well; found only while it is written, it is left to the check.
        if ('refused' in compiled || compiled.issues.some(({ effect }) => effect === 'checked')) return;
        const matcher = engine(compiled.gbnf);
        const validate = ajv.compile(schema);
        for (const each of values) {
          const wanted = validate(each);
          valid += Number(wanted);
          expect([each, matcher.accepts(spell(schema, each))]).toEqual([each, wanted]);
        }
      },
    ),
    { numRuns: process.env.LAWS === 'long' ? 3000 : 30 },
  );
  expect(valid).toBeGreaterThan(0);
});

const events = (count: number, more: (index: number) => JsonObject = () => ({})): readonly JsonObject[] =>
  Array.from({ length: count }, (_, index) => ({
    type: 'object',
    properties: {
      type: { const: `event-${index}` },
      id: { type: 'string' },
      [`payload${index}`]: { type: 'string' },
      ...more(index),
    },
    required: ['type', `payload${index}`],
  }));

function charactersOf(schema: JsonObject): number {
  const compiled = compileStrict(schema);
  if ('refused' in compiled) throw compiled.refused;
  expect(compiled.issues).toEqual([]);
  return compiled.gbnf.length;
}

test.each(['anyOf', 'oneOf'])('a union (%s) grows with its branches, not with pairs of them', (keyword) => {
  const few = charactersOf({ [keyword]: events(40) });
  expect(charactersOf({ [keyword]: events(200) })).toBeLessThan(7 * few);
});

test('so do unions that numbers tell apart', () => {
  const operations = (count: number) =>
    events(count).map((event, index) => ({
      ...event,
      properties: { ...(event.properties as JsonObject), type: { const: index / 2 } },
    }));
  const few = charactersOf({ anyOf: operations(40) });
  expect(charactersOf({ anyOf: operations(200) })).toBeLessThan(7 * few);
});

test('so do conditions on one property', () => {
  const conditional = (count: number): JsonObject => ({
    type: 'object',
    properties: { type: { enum: Array.from({ length: count }, (_, index) => `event-${index}`) } },
    required: ['type'],
    allOf: events(count).map((event, index) => ({
      if: { properties: { type: { const: `event-${index}` } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: event,
    })),
  });
  expect(charactersOf(conditional(100))).toBeLessThan(6 * charactersOf(conditional(20)));
});

test('so does one whose branches hold values of the union', () => {
  const syntax = (count: number): JsonObject => ({
    $ref: '#/$defs/node',
    $defs: {
      node: { anyOf: events(count, (index) => ({ [`left${index % 5}`]: { $ref: '#/$defs/node' } })) },
    },
  });
  expect(charactersOf(syntax(100))).toBeLessThan(6 * charactersOf(syntax(20)));
});
