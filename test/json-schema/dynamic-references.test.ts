/**
 * `$dynamicRef` by the way that leads to it. The judge is a validator of a page, which carries the resources that it has
 * entered along; grammar and check have to say what it says.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonSchema, JsonValue } from '../../src/format/messages.ts';
import { compileValidator } from '../../src/json-schema/validate/validate.ts';
import { createMatcher } from '../../src/language/matcher/matcher.ts';
import { isValid } from './judge-values.ts';
import { compileStrict, spell } from './schema-tools.ts';

const resourceCount = 4;
/** Of these, the first have both anchors, so that each reference leads somewhere. */
const anchoredCount = 2;
const uri = (index: number): string => `https://example.org/r${index}`;

const references: fc.Arbitrary<JsonSchema> = fc.oneof(
  fc.nat(resourceCount - 1).map((index): JsonSchema => ({ $ref: uri(index) })),
  fc
    .tuple(fc.nat(anchoredCount - 1), fc.constantFrom('m', 'n'))
    .map(([index, anchor]): JsonSchema => ({ $dynamicRef: `${uri(index)}#${anchor}` })),
);
const leaf = fc.constantFrom<JsonSchema>(
  { type: 'string' },
  { type: 'integer' },
  { const: 1 },
  { const: 'a' },
);
const target = fc.oneof({ arbitrary: references, weight: 3 }, { arbitrary: leaf, weight: 1 });
const body: fc.Arbitrary<JsonObject> = fc.oneof(
  target.map((items): JsonObject => ({ type: 'array', items })),
  fc.tuple(target, target).map(([a, b]): JsonObject => ({ type: 'object', properties: { a, b } })),
  fc.tuple(target, target).map((anyOf): JsonObject => ({ anyOf })),
  fc
    .tuple(leaf, target, target)
    .map(
      (parts): JsonObject =>
        Object.fromEntries(['if', 'then', 'else'].map((key, at) => [key, parts[at] ?? true])),
    ),
  target.map((not): JsonObject => ({ not })),
);

/** A resource: what it asks, whether it has the anchor `n`, and what its anchor `m`, if any, asks. */
const resource = fc.tuple(body, fc.boolean(), fc.option(leaf));

const anySchema: fc.Arbitrary<JsonObject> = fc
  .tuple(body, fc.array(resource, { minLength: resourceCount, maxLength: resourceCount }))
  .map(([top, resources]) => ({
    $id: 'https://example.org/top',
    ...top,
    $defs: Object.fromEntries(
      resources.map(([own, hasAnchor, inner], index) => [
        `r${index}`,
        {
          $id: uri(index),
          ...(hasAnchor || index < anchoredCount ? { $dynamicAnchor: 'n' } : {}),
          ...own,
          ...(inner === null && index >= anchoredCount
            ? {}
            : { $defs: { inner: { $dynamicAnchor: 'm', ...((inner ?? {}) as JsonObject) } } }),
        },
      ]),
    ),
  }));

const anyValue = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    fc.constantFrom<JsonValue>('a', 'b', 1, 2, true),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.record({ a: tie('value'), b: tie('value') }, { requiredKeys: [], noNullPrototype: true }),
  ),
})).value;

/** References lead on without end and without a step into the value. */
class Endless extends Error {}

/** Whether `value` is valid; `way` holds the resources that were entered, from the first one on. */
function judge(
  schema: JsonSchema,
  value: JsonValue,
  way: readonly string[],
  top: JsonObject,
  depth = 0,
): boolean {
  if (typeof schema === 'boolean') return schema;
  if (depth > 100) throw new Endless();
  const own = typeof schema.$id === 'string' && way.at(-1) !== schema.$id ? [...way, schema.$id] : way;
  const holds = (inner: JsonValue | undefined, of: JsonValue = value) =>
    inner === undefined || judge(inner as JsonSchema, of, own, top, depth + 1);
  const { $ref, $dynamicRef, type, anyOf, items, properties } = schema;
  if (typeof $ref === 'string' && !holds(named($ref, '', top))) return false;
  if (typeof $dynamicRef === 'string') {
    const { found, by } = dynamic($dynamicRef, own, top);
    if (found === undefined) throw new Endless();
    if (!judge(found, value, [...own, by], top, depth + 1)) return false;
  }
  if (type !== undefined && type !== typeOf(value)) return false;
  if ('const' in schema && schema.const !== value) return false;
  if (Array.isArray(anyOf) && !anyOf.some((each) => holds(each))) return false;
  if ('not' in schema && holds(schema.not)) return false;
  if ('if' in schema && !holds(holds(schema.if) ? schema.then : schema.else)) return false;
  if (Array.isArray(value)) return value.every((item) => holds(items, item));
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([key, inner]) =>
    holds((properties as JsonObject | undefined)?.[key], inner),
  );
}

function typeOf(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' ? 'integer' : typeof value;
}

/** The schema with the anchor in the resource `base`. */
function named(base: string, anchor: string, top: JsonObject): JsonSchema | undefined {
  const whole = Object.values(top.$defs as JsonObject).find((each) => (each as JsonObject).$id === base) as
    | JsonObject
    | undefined;
  if (whole === undefined || anchor === '' || whole.$dynamicAnchor === anchor) return whole;
  const { inner } = (whole.$defs ?? {}) as { inner?: JsonObject };
  return inner?.$dynamicAnchor === anchor ? inner : undefined;
}

function dynamic(
  reference: string,
  way: readonly string[],
  top: JsonObject,
): { readonly found: JsonSchema | undefined; readonly by: string } {
  const [base = '', anchor = ''] = reference.split('#');
  const first = named(base, anchor, top);
  const outermost = way.find((each) => named(each, anchor, top) !== undefined);
  if (first === undefined || outermost === undefined) return { found: first, by: base };
  return { found: named(outermost, anchor, top), by: outermost };
}

describe('a dynamic reference means the first resource on the way that has its anchor', () => {
  test('for grammar and check, on every way', () => {
    let judged = 0;
    fc.assert(
      fc.property(anySchema, fc.array(anyValue, { minLength: 20, maxLength: 20 }), (schema, values) => {
        const compiled = compileStrict(schema);
        const matcher = 'refused' in compiled ? null : createMatcher(compiled.grammar);
        if (matcher === null || 'refused' in compiled || compiled.issues.length > 0) return;
        for (const value of values) {
          const valid = judge(schema, value, [], schema);
          const start = matcher.clone();
          expect({ value, accepted: start.accept(spell(schema, value)) && start.complete }).toEqual({
            value,
            accepted: valid,
          });
          const checked = isValid(schema, value);
          // A schema that means its own contrary: the check says so, whichever branch comes first.
          if (checked === null)
            expect(() => compileValidator(schema)(value)).toThrow('its references lead to themselves');
          else expect({ value, checked }).toEqual({ value, checked: valid });
          judged += 1;
        }
      }),
      { numRuns: process.env.LAWS === 'long' ? 5000 : 150 },
    );
    expect(judged).toBeGreaterThan(100);
  });
});
