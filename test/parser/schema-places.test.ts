/** What a tool's schema says of the types of its arguments, judged by Ajv: a type is allowed where a value of it is valid. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonSchema, JsonValue } from '../../src/format/messages.ts';
import { allowedTypes, itemPlace, propertyPlace, typeOf } from '../../src/parser/steps/schema-place.ts';

const samples: readonly JsonValue[] = ['a', 1, 1.5, true, null, [], [1], {}, { a: 1 }];
const names = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object'];
const definitions = ['plain', 'with/slash', 'with%percent', 'Größe'];

/** A reference to a definition, as a pointer in a URI is written. */
function referenceTo(name: string): JsonSchema {
  return { $ref: `#/$defs/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}` };
}

const { schema } = fc.letrec<{ schema: JsonSchema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constantFrom(...names).map((type) => ({ type })),
    fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 3 }).map((type) => ({ type })),
    fc.subarray([...samples], { minLength: 1, maxLength: 3 }).map((values) => ({ enum: values })),
    fc.constantFrom(...samples).map((value) => ({ const: value })),
    fc.constantFrom(...definitions).map(referenceTo),
    fc.constant({ $ref: '#/allOf/0' }),
    fc
      .tuple(
        fc.constantFrom('anyOf', 'oneOf', 'allOf'),
        fc.array(tie('schema'), { minLength: 1, maxLength: 3 }),
      )
      .map(([keyword, parts]) => ({ [keyword]: parts })),
  ),
}));

const scalar = fc.constantFrom('string', 'integer', 'boolean').map((type) => ({ type }));

test('every type of which a value is valid is allowed, at properties and items', () => {
  let narrowed = 0;
  fc.assert(
    fc.property(
      schema,
      fc.tuple(scalar, scalar, scalar, scalar),
      scalar,
      fc.constantFrom('property', 'item'),
      (inner, defined, first, kind) => {
        const inside = kind === 'property' ? { properties: { value: inner } } : { items: inner };
        const whole = {
          ...inside,
          allOf: [{ type: ['object', 'array', first.type] }],
          $defs: Object.fromEntries(definitions.map((name, index) => [name, defined[index] ?? true])),
        };
        const valid = new Ajv2020({ strict: false, logger: false }).compile(whole);
        const root = { schema: whole, root: whole };
        const place = kind === 'property' ? propertyPlace(root, 'value') : itemPlace(root);
        const allowed = allowedTypes(place);
        const wrap = (value: JsonValue) => (kind === 'property' ? { value } : [value]);
        for (const value of samples.filter((each) => valid(wrap(each)))) {
          expect({ value, allowed: [...allowed] }).toEqual({
            value,
            allowed: expect.arrayContaining([typeOf(value)]),
          });
        }
        if (allowed.size < 6) narrowed += 1;
      },
    ),
  );
  expect(narrowed).toBeGreaterThan(30);
});

test.each(definitions)('a reference to %s says what its definition says', (name) => {
  const root = { properties: { n: referenceTo(name) }, $defs: { [name]: { type: 'integer' } } };
  expect([...allowedTypes(propertyPlace({ schema: root, root }, 'n'))]).toEqual(['number']);
});

test('a reference leads into lists, and to itself without end', () => {
  const root = {
    properties: { n: { $ref: '#/anyOf/0' }, self: { $ref: '#/properties/self' } },
    anyOf: [{ type: 'boolean' }],
  };
  const place = { schema: root, root };
  expect([...allowedTypes(propertyPlace(place, 'n'))]).toEqual(['boolean']);
  expect(allowedTypes(propertyPlace(place, 'self')).size).toBe(6);
});
