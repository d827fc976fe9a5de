/** Schemas in the styles in which tools come: what each is meant to say, in llama.cpp's engine. */
import { describe, expect, test } from 'vitest';
import { SchemaError } from '../../src/format/errors.ts';
import type { JsonSchema, JsonValue } from '../../src/format/messages.ts';
import { compileValidator } from '../../src/json-schema/validate/validate.ts';
import { loadEngineMatchers } from '../support/grammar-engine.ts';
import { compileStrict, spell } from './schema-tools.ts';

const engine = await loadEngineMatchers();

/** As callers without a type checker give it. */
function anything(schema: JsonValue): JsonSchema {
  return schema as JsonSchema;
}

interface Style {
  readonly schema: JsonSchema;
  readonly valid: readonly JsonValue[];
  readonly invalid: readonly JsonValue[];
  /** Keywords of the report; none where everything is exact. */
  readonly reported?: readonly string[];
}

/** With this mode comes a property of the same name. */
function needs(mode: string): JsonSchema {
  const condition = { properties: { mode: { const: mode } } };
  return Object.fromEntries([
    ['if', condition],
    ['then', { required: [mode] }],
  ]);
}

const styles: Readonly<Record<string, Style>> = {
  'pydantic: optional fields, defaults, a model in $defs': {
    schema: {
      $defs: {
        Unit: { enum: ['C', 'F'], title: 'Unit', type: 'string' },
        Place: {
          properties: {
            name: { title: 'Name', type: 'string', minLength: 1 },
            zip: {
              anyOf: [{ type: 'string', pattern: '^\\d{5}$' }, { type: 'null' }],
              default: null,
              title: 'Zip',
            },
          },
          required: ['name'],
          title: 'Place',
          type: 'object',
          additionalProperties: false,
        },
      },
      properties: {
        place: { $ref: '#/$defs/Place' },
        unit: { allOf: [{ $ref: '#/$defs/Unit' }], default: 'C', description: 'of the answer' },
        days: { default: 1, exclusiveMinimum: 0, maximum: 14, title: 'Days', type: 'integer' },
        labels: { additionalProperties: { type: 'integer' }, title: 'Labels', type: 'object' },
      },
      required: ['place'],
      title: 'Forecast',
      type: 'object',
      additionalProperties: false,
    },
    valid: [
      { place: { name: 'Oslo' } },
      { place: { name: 'Oslo', zip: null }, unit: 'F', days: 14, labels: { a: 1, b: 2 } },
      { place: { name: 'Oslo', zip: '01234' }, days: 1 },
    ],
    invalid: [
      {},
      { place: { name: '' } },
      { place: { name: 'Oslo', zip: '1' } },
      { place: { name: 'O' }, days: 0 },
    ],
  },
  'pydantic: a union that a field tells apart': {
    schema: {
      $defs: {
        Cat: {
          properties: { kind: { const: 'cat', title: 'Kind', type: 'string' }, lives: { type: 'integer' } },
          required: ['kind', 'lives'],
          type: 'object',
        },
        Dog: {
          properties: { kind: { const: 'dog', title: 'Kind', type: 'string' }, barks: { type: 'boolean' } },
          required: ['kind', 'barks'],
          type: 'object',
        },
      },
      properties: {
        pet: {
          discriminator: { mapping: { cat: '#/$defs/Cat', dog: '#/$defs/Dog' }, propertyName: 'kind' },
          oneOf: [{ $ref: '#/$defs/Cat' }, { $ref: '#/$defs/Dog' }],
        },
      },
      required: ['pet'],
      type: 'object',
    },
    valid: [{ pet: { kind: 'cat', lives: 9 } }, { pet: { kind: 'dog', barks: true } }],
    invalid: [{ pet: { kind: 'cat', barks: true } }, { pet: { kind: 'cow' } }, { pet: {} }],
  },
  'OpenAPI 3.0: nullable, exclusive bounds as booleans': {
    schema: {
      type: 'object',
      required: ['price'],
      properties: {
        price: { type: 'number', format: 'double', minimum: 0, exclusiveMinimum: true, maximum: 10 },
        note: { type: 'string', nullable: true, maxLength: 3, example: 'abc' },
        owner: { nullable: true, allOf: [{ $ref: '#/components/schemas/Owner' }] },
      },
      components: {
        schemas: { Owner: { type: 'object', required: ['id'], properties: { id: { type: 'integer' } } } },
      },
    },
    valid: [{ price: 0.5 }, { price: 10, note: null }, { price: 1, note: 'abc', owner: { id: 1 } }],
    invalid: [{ price: 0 }, { price: 11 }, { price: 1, note: 'abcd' }, { price: 1, owner: {} }],
  },
  'draft 4: id, definitions, dependencies, bounds as booleans': {
    schema: {
      $schema: 'http://json-schema.org/draft-04/schema#',
      id: 'http://example.com/order',
      type: 'object',
      definitions: { amount: { type: 'number', maximum: 5, exclusiveMaximum: true } },
      properties: {
        amount: { $ref: '#/definitions/amount' },
        code: { type: 'string' },
        by: { type: 'string' },
      },
      dependencies: { code: ['by'] },
      additionalProperties: false,
    },
    valid: [{}, { amount: 4.5 }, { code: 'x', by: 'me' }],
    invalid: [{ amount: 5 }, { code: 'x' }, { other: 1 }],
  },
  'recursion through anyOf, items and a map': {
    schema: {
      $ref: '#/$defs/Expression',
      $defs: {
        Expression: {
          anyOf: [
            { type: 'number' },
            { $ref: '#/$defs/Call' },
            { type: 'array', items: { $ref: '#/$defs/Expression' }, maxItems: 2 },
          ],
        },
        Call: {
          type: 'object',
          properties: {
            op: { enum: ['add', 'neg'] },
            args: { type: 'object', additionalProperties: { $ref: '#/$defs/Expression' } },
          },
          required: ['op', 'args'],
          additionalProperties: false,
        },
      },
    },
    valid: [1, [], [1, [2]], { op: 'add', args: { a: 1, b: { op: 'neg', args: { x: [3] } } } }],
    invalid: ['1', [1, 2, 3], { op: 'mul', args: {} }, { op: 'add', args: { a: 'b' } }],
  },
  'a function calling API in its strict form: everything required, nothing more': {
    schema: {
      type: 'object',
      properties: {
        q: { type: 'string' },
        limit: { type: ['integer', 'null'] },
        sort: { enum: ['asc', 'desc', null] },
      },
      required: ['q', 'limit', 'sort'],
      additionalProperties: false,
    },
    valid: [
      { q: '', limit: null, sort: null },
      { q: 'x', limit: 3, sort: 'asc' },
    ],
    invalid: [
      { q: 'x', limit: 3 },
      { q: 'x', limit: 1.5, sort: null },
    ],
  },
  'conditions on another property, as form builders write them': {
    schema: {
      type: 'object',
      properties: {
        mode: { enum: ['mail', 'phone'] },
        mail: { type: 'string', format: 'email', maxLength: 60 },
        phone: { type: 'string' },
      },
      required: ['mode'],
      allOf: [needs('mail'), needs('phone')],
      additionalProperties: false,
    },
    valid: [
      { mode: 'mail', mail: 'a@b.org' },
      { mode: 'phone', phone: '1' },
    ],
    invalid: [{ mode: 'mail' }, { mode: 'phone', mail: 'a@b.org' }, { mode: 'mail', mail: 'a' }],
  },
  'a printer that writes null for what is not there': {
    schema: {
      type: 'object',
      title: null,
      properties: {
        a: { type: 'string', enum: null, pattern: null, maxLength: 2, items: null, format: null },
      },
      required: null,
      additionalProperties: false,
    },
    valid: [{}, { a: 'xy' }],
    invalid: [{ a: 'xyz' }, { a: 1 }, { b: 1 }],
    reported: ['enum', 'format', 'items', 'pattern', 'required'],
  },
};

describe.each(Object.entries(styles))('%s', (_, { schema, valid, invalid, reported = [] }) => {
  test('is enforced', () => {
    const compiled = compileStrict(schema);
    if ('refused' in compiled) throw compiled.refused;
    expect(compiled.issues.map(({ keyword }) => keyword).sort()).toEqual(reported);
    const matcher = engine(compiled.gbnf);
    const answers = (values: readonly JsonValue[]) =>
      values.map((value) => matcher.accepts(spell(schema, value)));
    expect(answers(valid)).toEqual(valid.map(() => true));
    expect(answers(invalid)).toEqual(invalid.map(() => false));
  });

  test('is judged alike by what validates after a call', () => {
    const validate = compileValidator(schema);
    const answers = (values: readonly JsonValue[]) => values.map((value) => validate(value).length === 0);
    expect(answers(valid)).toEqual(valid.map(() => true));
    expect(answers(invalid)).toEqual(invalid.map(() => false));
  });
});

test('what validates after a call ignores what is reported as ignored', () => {
  const schema = { properties: { a: { required: true, maxLength: -5, minLength: 2 }, b: null }, id: 'x' };
  const validate = compileValidator(anything(schema));
  expect([{ a: 'xyz', b: 1 }, { a: 'x' }].map((value) => validate(value).length)).toEqual([0, 1]);
});

test('draft 3 and its required: true are refused by name', () => {
  const schema = { type: 'object', properties: { city: { type: 'string', required: true } } };
  const compiled = compileStrict(schema);
  expect('refused' in compiled && compiled.refused).toBeInstanceOf(SchemaError);
  expect('refused' in compiled && compiled.refused.message).toContain('/properties/city, required: true');
});
