/** Objects that list the names of their undeclared keys: as if they were declared, or in any order. */
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/format/messages.ts';
import { loadEngineMatchers } from '../support/grammar-engine.ts';
import { compileStrict, spell } from './schema-tools.ts';

const engine = await loadEngineMatchers();

const names = fc.uniqueArray(fc.string({ unit: fc.constantFrom('a', 'b', 'é', '"'), maxLength: 3 }), {
  minLength: 1,
  maxLength: 8,
});

const listed = names.chain((all) =>
  fc.record({
    all: fc.constant(all),
    declared: fc.subarray(all, { maxLength: Math.min(2, all.length) }),
    limits: fc.record(
      { minProperties: fc.nat({ max: all.length }), maxProperties: fc.nat({ max: all.length }) },
      { requiredKeys: [] },
    ),
    pattern: fc.boolean(),
    values: fc.array(fc.dictionary(fc.constantFrom(...all, 'x'), fc.constantFrom(1, 'x'), { maxKeys: 8 }), {
      minLength: 10,
      maxLength: 10,
    }),
  }),
);

function schemaOf(all: readonly string[], declared: readonly string[], pattern: boolean): JsonObject {
  const properties = Object.fromEntries(declared.map((name) => [name, { type: 'string' }]));
  const names = pattern ? { pattern: `^(${all.join('|')})$` } : { enum: all };
  return { type: 'object', properties, propertyNames: names, additionalProperties: { type: 'integer' } };
}

test('take what is valid, in any order of keys that only a pattern names, and none twice that count', () => {
  const ajv = new Ajv({ strict: false });
  fc.assert(
    fc.property(listed, ({ all, declared, limits, pattern, values }) => {
      const schema = { ...schemaOf(all, declared, pattern), ...limits };
      const compiled = compileStrict(schema);
      if ('refused' in compiled) {
        expect(limits.minProperties).toBeGreaterThan(limits.maxProperties ?? 0);
        return;
      }
      const matcher = engine(compiled.gbnf);
      const hasOthers = all.some((name) => !declared.includes(name));
      const isFree = pattern && (limits.minProperties ?? 0) < 2;
      const told = { keyword: 'propertyNames', effect: 'narrowed' };
      expect(compiled.issues).toMatchObject(pattern && !isFree && hasOthers ? [told] : []);
      const undeclared = isFree ? [] : pattern ? all.toSorted() : all;
      const validate = ajv.compile(schema);
      for (const drawn of values) {
        const value = inOrder(drawn, [...declared, ...undeclared]);
        expect([value, matcher.accepts(spell(schema, value))]).toEqual([value, validate(value)]);
        const [entry] = Object.entries(value);
        if (entry === undefined || isFree) continue;
        const member = `${JSON.stringify(entry[0])}: ${JSON.stringify(entry[1])}`;
        expect(matcher.accepts(`{${member}, ${member}}`)).toBe(false);
      }
    }),
    { numRuns: process.env.LAWS === 'long' ? 2000 : 25 },
  );
});

/** `value` with its keys in the order of `order`. */
function inOrder(value: JsonObject, order: readonly string[]): JsonObject {
  const place = (key: string) => (order.includes(key) ? order.indexOf(key) : order.length);
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => place(a) - place(b)));
}
