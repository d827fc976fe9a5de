/** Items that must differ: by the definition, and in time that grows with their number only. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { JsonValue } from '../../src/format/messages.ts';
import { areDistinct } from '../../src/json-schema/validate/leaf-checks.ts';
import { compileValidator } from '../../src/json-schema/validate/validate.ts';

function isEqual(one: JsonValue, other: JsonValue): boolean {
  try {
    expect(one).toEqual(other);
    return true;
  } catch {
    return false;
  }
}

const few = fc.oneof(
  fc.constantFrom<JsonValue>(0, 1, '1', '', true, null, [], [1], ['1'], {}),
  fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), fc.constantFrom<JsonValue>(0, '0', [0], { a: 0 }), {
    noNullPrototype: true,
  }),
);

it('items that must differ are distinct if no pair of them is equal, whatever the order of their keys', () => {
  fc.assert(
    fc.property(fc.array(few, { maxLength: 6 }), (items) => {
      const pairs = items.flatMap((one, at) => items.slice(at + 1).map((other) => isEqual(one, other)));
      expect(areDistinct(items)).toBe(!pairs.includes(true));
    }),
  );
});

it('items that must differ are read once each', () => {
  let reads = 0;
  const items = Array.from({ length: 2_000 }, (_, at) => ({
    get a(): number {
      reads += 1;
      return at;
    },
  }));
  const validate = compileValidator({ type: 'array', uniqueItems: true });
  expect(validate(items)).toEqual([]);
  expect(reads).toBe(items.length);
  expect(
    validate([
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ]),
  ).toMatchObject([{ keyword: 'uniqueItems' }]);
});
