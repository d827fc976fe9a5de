/** `const` and `enum` look at a value as a whole: what is inside of it stays unevaluated. */
import { expect, test } from 'vitest';
import type { JsonSchema, JsonValue } from '../../src/format/messages.ts';
import { compileValidator } from '../../src/json-schema/validate/validate.ts';
import { loadEngineMatchers } from '../support/grammar-engine.ts';
import { compileStrict, spell } from './schema-tools.ts';

const engine = await loadEngineMatchers();
const array = { type: 'array', unevaluatedItems: { type: 'integer' } };
const object = { type: 'object', unevaluatedProperties: { type: 'integer' } };
const lists = [['a'], [1], [1, 2]];
const records = [{ a: 'x' }, { a: 1 }, { b: 2 }];

const cases: readonly (readonly [JsonSchema, readonly JsonValue[]])[] = [
  [{ ...array, enum: lists }, lists],
  [{ ...array, allOf: [{ enum: lists }] }, lists],
  [{ ...array, anyOf: [{ const: ['a'] }, { const: [1] }] }, lists],
  [{ ...array, if: { maxItems: 1 }, else: { const: [1, 2] } }, lists],
  [{ ...array, if: { type: 'object' }, else: { enum: lists } }, lists],
  [{ ...object, enum: records }, records],
  [{ ...object, anyOf: [{ const: { a: 'x' } }, { const: { b: 2 } }] }, records],
  [{ ...object, properties: { a: true }, enum: records }, records],
];

/** The branch that fails looks at what the other one leaves. */
const exclusive: readonly (readonly [JsonSchema, readonly JsonValue[]])[] = [
  [
    {
      type: 'object',
      unevaluatedProperties: false,
      oneOf: [
        { required: ['a'], properties: { a: true } },
        { not: { properties: { b: { type: 'number' } } } },
      ],
    },
    [{ a: 1 }, { a: 1, b: 1 }, { a: 1, b: 'x' }, { b: 'x' }],
  ],
  [
    {
      type: 'array',
      unevaluatedItems: false,
      oneOf: [{ prefixItems: [true], minItems: 1 }, { not: { prefixItems: [true, { type: 'number' }] } }],
    },
    [[1], [1, 1], [1, 'x'], []],
  ],
];

test.each([...cases, ...exclusive])(
  'what is not looked at by what holds stays unevaluated: %j',
  (schema, values) => {
    const compiled = compileStrict(schema);
    if ('refused' in compiled) throw compiled.refused;
    const validate = compileValidator(schema);
    const matcher = engine(compiled.gbnf);
    for (const value of values) {
      expect({ value, accepted: matcher.accepts(spell(schema, value)) }).toEqual({
        value,
        accepted: validate(value).length === 0,
      });
    }
  },
);
