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

test.each(cases)('what is inside of a value stays unevaluated: %j', (schema, values) => {
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
});
