/** Schemas of zod, valibot and arktype: each says as JSON Schema what it says to its own users. */
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { SchemaError } from '../../src/format/errors.ts';
import type { JsonSchema, JsonValue } from '../../src/format/messages.ts';
import { compileValidator } from '../../src/json-schema/validate/validate.ts';
import { type SchemaInput, toJsonSchema } from '../../src/tools/standard-schema.ts';
import { loadEngineMatchers } from '../support/grammar-engine.ts';
import { compileStrict, spell } from './schema-tools.ts';

/** What one library has for the same weather tool, and its own judgement of a value. */
interface Library {
  readonly schema: SchemaInput;
  readonly isValid: (value: JsonValue) => boolean;
}

const zodTool = z.object({
  city: z.string().min(2).max(8),
  unit: z.enum(['celsius', 'fahrenheit']).optional(),
  days: z.int().min(1).max(14),
  places: z.array(z.union([z.number(), z.null()])).optional(),
});
const valibotTool = v.object({
  city: v.pipe(v.string(), v.minLength(2), v.maxLength(8)),
  unit: v.optional(v.picklist(['celsius', 'fahrenheit'])),
  days: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(14)),
  places: v.optional(v.array(v.nullable(v.number()))),
});
const arkTool = type({
  city: '2 <= string <= 8',
  'unit?': "'celsius' | 'fahrenheit'",
  days: '1 <= number.integer <= 14',
  'places?': '(number | null)[]',
});

const libraries: Readonly<Record<string, Library>> = {
  zod: { schema: zodTool, isValid: (value) => zodTool.safeParse(value).success },
  valibot: {
    schema: toStandardJsonSchema(valibotTool),
    isValid: (value) => v.is(valibotTool, value),
  },
  arktype: { schema: arkTool, isValid: (value) => arkTool.allows(value) },
};

const values: readonly JsonValue[] = [
  { city: 'Lima', days: 3 },
  { city: 'Lima', unit: 'celsius', days: 14 },
  { city: 'Lima', unit: 'kelvin', days: 3 },
  { city: 'L', days: 3 },
  { city: 'Rio de Janeiro', days: 3 },
  { city: 'Lima', days: 0 },
  { city: 'Lima', days: 15 },
  { city: 'Lima', days: 1.5 },
  { city: 'Lima', days: '3' },
  { city: 'Lima' },
  { days: 3 },
  { city: 'Lima', days: 1, places: [1, null, -2.5] },
  { city: 'Lima', days: 1, places: ['1'] },
  { city: 'Lima', days: 1, places: 1 },
  'Lima',
  null,
  [],
];

const engine = await loadEngineMatchers();

describe.each(Object.entries(libraries))('%s', (_, { schema, isValid }) => {
  test('gives a schema whose grammar accepts what the library accepts, and no more', () => {
    const plain = toJsonSchema(schema);
    const compiled = compileStrict(plain);
    if ('refused' in compiled) throw compiled.refused;
    const matcher = engine(compiled.gbnf);
    const verdicts = values.map((value) => ({ value, accepted: matcher.accepts(spell(plain, value)) }));
    expect(verdicts).toEqual(values.map((value) => ({ value, accepted: isValid(value) })));
    expect(verdicts.filter(({ accepted }) => accepted)).not.toHaveLength(0);
  });

  test('gives a validator that judges as the library does', () => {
    const validate = compileValidator(schema);
    const verdicts = values.map((value) => ({ value, accepted: validate(value).length === 0 }));
    expect(verdicts).toEqual(values.map((value) => ({ value, accepted: isValid(value) })));
  });

  test('gives plain JSON of draft 2020-12', () => {
    const plain = toJsonSchema(schema);
    expect(JSON.parse(JSON.stringify(plain))).toEqual(plain);
    expect(plain).toMatchObject({ $schema: 'https://json-schema.org/draft/2020-12/schema' });
  });
});

describe('toJsonSchema', () => {
  test('leaves plain schemas as they are', () => {
    const plain = { type: 'object', properties: { '~standard': { type: 'string' } } } as const;
    expect(toJsonSchema(plain)).toBe(plain);
    expect(toJsonSchema(true)).toBe(true);
  });

  test('leaves JSON that zod has written as it is, on top and inside', () => {
    const schema = z.object({ city: z.string() });
    const written = z.toJSONSchema(schema, { target: 'draft-7' });
    expect(toJsonSchema(written as JsonSchema)).toBe(written);
    const compiled = compileStrict({ anyOf: [z.toJSONSchema(schema, { io: 'output' }) as JsonSchema] });
    if ('refused' in compiled) throw compiled.refused;
    const accepts = engine(compiled.gbnf).accepts;
    // What comes out of zod has no other properties; its input may have, and so may what the schema itself gives.
    expect(accepts('{"city": "Lima"}')).toBe(true);
    expect(accepts('{"city": "Lima", "more": 1}')).toBe(false);
  });

  test.each([
    ['zod', z.object({ at: z.date() })],
    ['valibot', toStandardJsonSchema(v.object({ at: v.date() }))],
  ])('says in a typed error that %s has no JSON Schema for it', (vendor, schema) => {
    expect(() => toJsonSchema(schema)).toThrow(SchemaError);
    expect(() => toJsonSchema(schema)).toThrow(vendor);
  });

  test('takes the side that a caller writes, not what comes out of a transformation', () => {
    const schema = z.object({ days: z.string().transform(Number) });
    expect(toJsonSchema(schema)).toMatchObject({ properties: { days: { type: 'string' } } });
  });
});

describe('a schema that cannot say what it is as JSON Schema', () => {
  test('of valibot names the wrapper', () => {
    const unwrapped = v.strictObject({ city: v.string() }) as unknown as SchemaInput;
    expect(() => toJsonSchema(unwrapped)).toThrow('toStandardJsonSchema of @valibot/to-json-schema');
    expect(() => toJsonSchema(unwrapped)).toThrow(SchemaError);
  });

  test('of another library names the library', () => {
    const other = { '~standard': { version: 1, vendor: 'checker', validate: () => ({ value: 1 }) } };
    expect(() => toJsonSchema(other as unknown as SchemaInput)).toThrow('a version of checker');
  });
});

test('a function is told the way, and one of effect its own', () => {
  const Schema = Object.assign(() => 1, { [Symbol.for('effect/Schema')]: {} });
  const Struct = Object.setPrototypeOf(() => 2, Schema);
  expect(() => toJsonSchema(Struct as never)).toThrow(
    /schema of effect .* Schema\.toStandardJSONSchemaV1 .* JSONSchema\.make/,
  );
  expect(() => toJsonSchema((() => 1) as never)).toThrow(/the JSON Schema that the library makes of it/);
});
