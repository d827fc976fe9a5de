/** Schemas and values at random, and grammars of schemas in llama.cpp's engine. */
import fc from 'fast-check';
import { SchemaError, type SchemaIssue } from '../../src/format/errors.ts';
import type { JsonSchema, JsonValue } from '../../src/format/messages.ts';
import { compileSchema, jsonSyntax } from '../../src/json-schema/compile-schema.ts';
import { spellValue } from '../../src/json-schema/spell-value.ts';
import type { Grammar } from '../../src/language/expression/expression.ts';
import { RuleSet } from '../../src/language/expression/rule-set.ts';
import { printGbnf } from '../../src/language/gbnf/print-gbnf.ts';

/** JSON on one line, as `jsonSyntax` has it. */
export const oneLine = {
  itemSeparator: ', ',
  keySeparator: ': ',
  indent: null,
  ascii: false,
  sortKeys: false,
};

/** What came of compiling a schema under `strict`. */
export type Compiled =
  | { readonly grammar: Grammar; readonly gbnf: string; readonly issues: readonly SchemaIssue[] }
  | { readonly refused: SchemaError };

/** Compiles under `strict`; a typed refusal is an answer, any other error is not. */
export function compileStrict(schema: JsonSchema): Compiled {
  const rules = new RuleSet();
  try {
    const { expression, issues } = compileSchema(schema, {
      rules,
      syntax: jsonSyntax,
      tool: '',
      policy: 'strict',
    });
    const grammar = rules.grammar('root', expression);
    return { grammar, gbnf: printGbnf(grammar), issues };
  } catch (error) {
    if (error instanceof SchemaError) return { refused: error };
    throw error;
  }
}

/** `value` as the grammar of `schema` spells it. */
export function spell(schema: JsonSchema, value: JsonValue): string {
  return spellValue(schema, value, oneLine);
}

const names = fc.constantFrom('a', 'b', 'c', 'ab', 'é"');
const texts = fc.constantFrom('', 'a', 'ab', 'abc', 'b1', 'é', '😀x', '"', '\\n', 'x\ny', '12', '2024-02-29');
const numbers = fc.oneof(
  fc.integer({ min: -12, max: 30 }),
  fc.constantFrom(0.5, -0.25, 2.5, 1e21, 1e-7, 100),
);
const bounds = fc.oneof(fc.integer({ min: -12, max: 30 }), fc.constantFrom(0.5, -0.25, 2.5, 100));
const patterns = fc.constantFrom(
  '^a',
  'b',
  '^[ab]*$',
  '^\\d+$',
  '^(?!ab)',
  '\\ba',
  '^.{2}$',
  'a|^$',
  '^(a|b1)+$',
);

/** Values out of the same few words as the schemas, so that they often are valid. */
export const anyValue: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constant(null),
    fc.boolean(),
    numbers,
    texts,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(names, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;

const scalarSchemas = [
  fc.constantFrom<JsonSchema>(true, {}, { type: 'null' }, { type: 'boolean' }, { type: 'string' }),
  fc.record<Record<string, JsonValue>>(
    {
      type: fc.constantFrom('string', ['string', 'null']),
      minLength: fc.integer({ min: 0, max: 3 }),
      maxLength: fc.integer({ min: 0, max: 4 }),
      pattern: patterns,
      nullable: fc.constant(true),
    },
    { requiredKeys: ['type'] },
  ),
  fc.record<Record<string, JsonValue>>(
    {
      type: fc.constantFrom('string', ['string', 'integer']),
      format: fc.constantFrom('date', 'ipv4', 'uuid'),
    },
    { requiredKeys: ['format'] },
  ),
  fc.record<Record<string, JsonValue>>(
    {
      type: fc.constantFrom('integer', 'number', ['number', 'string']),
      minimum: bounds,
      maximum: bounds,
      exclusiveMinimum: bounds,
      exclusiveMaximum: bounds,
      multipleOf: fc.constantFrom(2, 3, 0.5),
    },
    { requiredKeys: ['type'] },
  ),
  fc.record<Record<string, JsonValue>>({ enum: fc.array(anyValue, { minLength: 1, maxLength: 4 }) }),
  fc.record<Record<string, JsonValue>>({ const: anyValue }),
  fc.constantFrom<JsonSchema>(
    { $ref: '#/$defs/text' },
    { $ref: '#/$defs/tree' },
    { $ref: '#/$defs/pair' },
    { $ref: '#leaf' },
  ),
];

/** What references name: two of them are recursive. */
const definitions = {
  text: { type: ['string', 'null'], maxLength: 2 },
  leaf: { $anchor: 'leaf', enum: ['a', 'b1', 1, null] },
  tree: { type: ['array', 'integer'], items: { $ref: '#/$defs/tree' }, maxItems: 2 },
  pair: { properties: { a: { $ref: '#/$defs/pair' }, b: { type: 'integer' } }, required: ['b'] },
};

const nested: fc.Arbitrary<JsonSchema> = fc.letrec<{ schema: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    ...scalarSchemas.map((arbitrary) => ({ arbitrary: arbitrary as fc.Arbitrary<JsonSchema>, weight: 2 })),
    { arbitrary: objectSchema(tie('schema')), weight: 5 },
    { arbitrary: arraySchema(tie('schema')), weight: 3 },
    { arbitrary: combination(tie('schema')), weight: 3 },
    { arbitrary: siblings(tie('schema')), weight: 3 },
  ),
})).schema;

/** Schemas of every keyword that the grammar enforces. */
export const anySchema: fc.Arbitrary<JsonSchema> = nested.map((schema) => {
  if (typeof schema === 'boolean' || !JSON.stringify(schema).includes('"$ref"')) return schema;
  return { ...schema, $defs: definitions };
});

function objectSchema(inner: fc.Arbitrary<JsonSchema>): fc.Arbitrary<JsonSchema> {
  return fc
    .record<Record<string, JsonValue>>(
      {
        type: fc.constantFrom('object', ['object', 'null']),
        properties: fc.dictionary(names, inner, { maxKeys: 3, noNullPrototype: true }),
        required: fc.uniqueArray(names, { maxLength: 2 }),
        additionalProperties: fc.oneof(fc.constant(false), inner),
        patternProperties: fc.dictionary(fc.constantFrom('^a', 'b$', '.'), inner, {
          maxKeys: 2,
          noNullPrototype: true,
        }),
        propertyNames: fc.constantFrom<JsonValue>(
          { maxLength: 1 },
          { enum: ['a', 'b'] },
          { pattern: '^[^c]' },
        ),
        maxProperties: fc.integer({ min: 0, max: 3 }),
        minProperties: fc.integer({ min: 0, max: 3 }),
        dependentRequired: fc.constantFrom<JsonValue>({ a: ['b'] }, { c: ['a', 'ab'] }),
        dependentSchemas: fc.dictionary(names, inner, { maxKeys: 1, noNullPrototype: true }),
        unevaluatedProperties: fc.oneof(fc.constant(false), inner),
      },
      { requiredKeys: ['type'] },
    )
    .map(withoutOddPair) as fc.Arbitrary<JsonSchema>;
}

/** Ajv takes properties for unevaluated next to `dependentSchemas` that do not apply. */
function withoutOddPair({ dependentSchemas, ...rest }: Record<string, JsonValue>): Record<string, JsonValue> {
  return dependentSchemas === undefined || 'unevaluatedProperties' in rest
    ? rest
    : { ...rest, dependentSchemas };
}

function arraySchema(inner: fc.Arbitrary<JsonSchema>): fc.Arbitrary<JsonSchema> {
  return fc.record<Record<string, JsonValue>>(
    {
      type: fc.constantFrom('array', ['array', 'boolean']),
      items: inner,
      prefixItems: fc.array(inner, { minLength: 1, maxLength: 2 }),
      minItems: fc.integer({ min: 0, max: 2 }),
      maxItems: fc.integer({ min: 0, max: 3 }),
      contains: inner,
      minContains: fc.integer({ min: 0, max: 2 }),
      maxContains: fc.integer({ min: 1, max: 2 }),
      uniqueItems: fc.boolean(),
      unevaluatedItems: fc.oneof(fc.constant(false), inner),
    },
    { requiredKeys: ['type'] },
  ) as fc.Arbitrary<JsonSchema>;
}

function combination(inner: fc.Arbitrary<JsonSchema>): fc.Arbitrary<JsonSchema> {
  const branches = fc.array(inner, { minLength: 1, maxLength: 3 });
  return fc.oneof(
    fc.record({ anyOf: branches }),
    fc.record({ oneOf: branches }),
    fc.record({ allOf: branches }),
    fc.record({ not: inner }),
    fc.tuple(inner, inner, inner).map((three) => named(['if', 'then', 'else'], three)),
    fc.tuple(inner, inner).map((two) => named(['if', 'then'], two)),
  ) as fc.Arbitrary<JsonSchema>;
}

/** Keywords of several kinds next to each other, which hold together. */
function siblings(inner: fc.Arbitrary<JsonSchema>): fc.Arbitrary<JsonSchema> {
  const plain = fc.oneof(objectSchema(inner), arraySchema(inner), ...scalarSchemas);
  return fc
    .tuple(plain, combination(inner), fc.oneof(combination(inner), fc.constant({})))
    .map((parts) => withoutOddPair(Object.assign({}, ...parts.filter((each) => typeof each === 'object'))));
}

/** A schema of `values` under `keys`. */
export function named(keys: readonly string[], values: readonly JsonSchema[]): JsonSchema {
  return Object.fromEntries(keys.map((key, index) => [key, values[index] ?? true]));
}
