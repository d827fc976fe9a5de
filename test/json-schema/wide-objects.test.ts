/** Objects with so many keys that the grammar puts their beginnings into groups. */
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/format/messages.ts';
import { loadEngineMatchers } from '../support/grammar-engine.ts';
import { compileStrict, spell } from './schema-tools.ts';

const engine = await loadEngineMatchers();

// Many first characters, few of the others, so that keys begin alike and begin each other.
const keys = fc
  .tuple(
    fc.constantFrom(...' abcdefghijklmnopqrstuvwxyzABCDEFGHIJ_$é😀"'),
    fc.string({ unit: fc.constantFrom('a', 'b', ' ', '"'), maxLength: 3 }),
  )
  .map(([first, rest]) => first + rest);

const wideObjects = fc.uniqueArray(keys, { minLength: 5, maxLength: 60 }).chain((names) =>
  fc.record({
    names: fc.constant(names),
    required: fc.subarray(names, { maxLength: 3 }),
    additionalProperties: fc.constantFrom<JsonObject | boolean>(true, false, { type: 'integer' }),
    limits: fc.constantFrom<JsonObject>({}, {}, { maxProperties: 3 }, { minProperties: 2 }),
    values: fc.array(
      fc.dictionary(fc.oneof(fc.constantFrom(...names), keys), fc.constantFrom(1, 'x'), {
        maxKeys: 5,
        noNullPrototype: true,
      }),
      { minLength: 10, maxLength: 10 },
    ),
  }),
);

test('take what is valid, whatever keys begin alike, and nothing else', () => {
  const ajv = new Ajv({ strict: false });
  fc.assert(
    fc.property(wideObjects, ({ names, required, additionalProperties, limits, values }) => {
      const properties = Object.fromEntries(
        names.map((name, index) => [name, { type: index % 2 ? 'string' : 'integer' }]),
      );
      const schema = { type: 'object', properties, required, additionalProperties, ...limits };
      const compiled = compileStrict(schema);
      if ('refused' in compiled) throw compiled.refused;
      const matcher = engine(compiled.gbnf);
      const validate = ajv.compile(schema);
      for (const drawn of values) {
        const value = {
          ...Object.fromEntries(required.map((name) => [name, names.indexOf(name) % 2 ? 'x' : 1])),
          ...drawn,
        };
        expect([value, matcher.accepts(spell(schema, value))]).toEqual([value, validate(value)]);
      }
    }),
    { numRuns: process.env.LAWS === 'long' ? 2000 : 15 },
  );
});
