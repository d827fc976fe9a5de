/**
 * Locations: every sub-schema that applies to a value is in its location, once; equal places are one location; keys come
 * in the order of their first mention, and those of one condition side by side where many wait.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonSchema } from '../../src/format/messages.ts';
import { SchemaDocument } from '../../src/json-schema/document/schema-document.ts';
import {
  type InstanceLocation,
  InstanceLocations,
  type SortedKeys,
} from '../../src/json-schema/plan/instance-locations.ts';
import { BudgetExceeded, StepBudget } from '../../src/language/expression/budget.ts';

interface Opened {
  readonly locations: InstanceLocations;
  readonly root: InstanceLocation;
  readonly budget: StepBudget;
  readonly document: SchemaDocument;
}

function open(schema: JsonSchema, sorted: SortedKeys = false): Opened {
  const document = new SchemaDocument(schema);
  const budget = new StepBudget(1_000_000);
  const locations = new InstanceLocations(document, budget, sorted);
  return { locations, budget, document, root: locations.of([document.root]) };
}

const keysOf = (schema: JsonSchema, sorted: SortedKeys = false) => open(schema, sorted).root.keys;
const pointers = ({ nodes }: InstanceLocation) => nodes.map(({ pointer }) => pointer);
const schemas = ({ nodes }: InstanceLocation) => nodes.map(({ schema }) => schema);
const withKey = (key: string): JsonSchema => ({ required: [key] });

describe('the nodes of a location', () => {
  it.each<readonly [string, JsonSchema, readonly string[]]>([
    ['all branches', { anyOf: [withKey('a'), withKey('b')], oneOf: [withKey('c')] }, ['a', 'b', 'c']],
    ['what all must fulfil', { allOf: [withKey('a'), withKey('b')] }, ['a', 'b']],
    [
      'conditions',
      // biome-ignore lint/suspicious/noThenProperty: a keyword of schemas
      { if: withKey('a'), then: withKey('b'), else: withKey('c'), not: withKey('d') },
      ['a', 'b', 'c', 'd'],
    ],
    ['dependent schemas', { dependentSchemas: { a: withKey('b') } }, ['a', 'b']],
    ['dependencies', { dependencies: { a: withKey('b'), c: ['d', 1] } }, ['a', 'c', 'd', 'b']],
    ['references', { $ref: '#/$defs/x', $defs: { x: withKey('a') }, required: ['b'] }, ['b', 'a']],
    ['an object that is listed', { const: { a: 1, b: 2 } }, ['a', 'b']],
    ['objects that are listed', { enum: [{ a: 1 }, 1, 'x', null, { b: 2 }] }, ['a', 'b']],
    ['dependent keys', { dependentRequired: { a: ['b', 2, 'c'], d: [] } }, ['a', 'b', 'c', 'd']],
    ['properties', { properties: { a: true, b: 5 as never }, required: ['c', 3 as never] }, ['a', 'b', 'c']],
  ])('include %s, and their keys', (_, schema, keys) => {
    expect(keysOf(schema)).toEqual(keys);
  });

  it.each<readonly [JsonSchema]>([
    [{ enum: { a: 1 } as never }],
    [{ anyOf: { a: withKey('b') } as never }],
    [{ not: [withKey('b')] as never }],
    [{ if: 'b' as never, dependentSchemas: [withKey('b')] as never, $ref: 5 as never }],
    [{ anyOf: ['b', 1] as never, dependentSchemas: {} }],
    [{ $ref: '#/nowhere', properties: 5 as never, required: 'a' as never }],
    [{ examples: [{ a: 1 }], default: { a: 1 }, items: withKey('a'), additionalProperties: withKey('a') }],
    [true],
    [false],
  ])('are none where the keyword means nothing for the value itself: %j', (schema) => {
    expect(keysOf(schema)).toEqual([]);
  });

  it('are there once, however often they are referred to, and also if they refer to themselves', () => {
    const { root } = open({
      $ref: '#/$defs/x',
      minProperties: 1,
      anyOf: [{ $ref: '#/$defs/x' }, { $ref: '#' }, withKey('b')],
      $defs: { x: { anyOf: [{ $ref: '#/$defs/x' }, { $ref: '#' }], required: ['a'] } },
    });
    expect(new Set(pointers(root)).size).toBe(root.nodes.length);
    expect(new Set(pointers(root))).toEqual(new Set(['', '/$defs/x', '/anyOf/2']));
    expect(root.keys).toEqual(['a', 'b']);
  });

  it('are none for scalars and truth values, which look alike everywhere', () => {
    const { locations, root } = open({
      properties: { a: { type: 'string' }, b: { type: 'integer', description: 'x' }, c: true, d: 5 as never },
    });
    const found = ['a', 'b', 'c', 'd', 'e'].map((key) => locations.property(root, key));
    expect(found.map(({ nodes }) => nodes)).toEqual(found.map(() => []));
    expect(new Set(found).size).toBe(1);
    expect(open({ type: 'string', minLength: 1 }).root.nodes).toHaveLength(1);
  });

  it('are at most 5,000', () => {
    const all = Array.from({ length: 5_001 }, (_, at) => ({ minProperties: at }));
    expect(
      [4_998, 4_999, 5_001].map((count) => open({ allOf: all.slice(0, count) }).root.nodes.length),
    ).toEqual([4_999, 5_000, 5_000]);
  });

  it('come from the roots, which are those of them that were asked for', () => {
    const { document, locations } = open({ anyOf: [withKey('a')], properties: { b: { type: 'string' } } });
    const branch = document.child(document.root, 'anyOf', '0');
    const scalar = document.child(document.root, 'properties', 'b');
    expect(locations.of([document.root]).roots).toEqual([document.root]);
    expect(locations.of([branch, scalar, branch]).roots).toEqual([branch]);
    expect(locations.of([branch]).nodes).toEqual([branch]);
  });
});

describe('equal places', () => {
  it('are one location, and others have other ids', () => {
    const { locations, document, root } = open({
      properties: { a: { $ref: '#/$defs/x' }, b: { $ref: '#/$defs/x' }, c: { required: ['k'] } },
      $defs: { x: { required: ['k'] } },
    });
    const [a, b, c] = ['a', 'b', 'c'].map((key) => locations.property(root, key));
    expect(a).toBe(b);
    expect(locations.of([document.root])).toBe(root);
    expect(new Set([root.id, a?.id, c?.id]).size).toBe(3);
  });

  it('cost work once', () => {
    const { locations, budget, root } = open({
      anyOf: Array.from({ length: 40 }, (_, at) => ({ properties: { a: { minLength: at } } })),
    });
    const before = budget.spent;
    const found = locations.property(root, 'a');
    const first = budget.spent - before;
    // What every fourth of the nodes costs, here and there.
    expect(first).toBeGreaterThanOrEqual(root.nodes.length / 4 + found.nodes.length / 4);
    expect(locations.property(root, 'a')).toBe(found);
    expect(budget.spent - before).toBe(first);
    expect(found.nodes).toHaveLength(40);
  });

  it('are not looked for beyond the budget', () => {
    const document = new SchemaDocument({ properties: { a: { minLength: 1 } } });
    const budget = new StepBudget(1);
    const locations = new InstanceLocations(document, budget, false);
    const root = locations.of([document.root]);
    locations.property(root, 'a');
    expect(() => locations.property(root, 'b')).toThrow(BudgetExceeded);
  });
});

describe('the places below a location', () => {
  const made = () =>
    open({
      properties: { a: { minLength: 1 } },
      anyOf: [{ properties: { a: { minLength: 2 }, b: { minLength: 3 } } }, { properties: 'x' as never }],
      patternProperties: { '^a': { minLength: 4 }, '^c': 'x' as never },
      additionalProperties: { minLength: 5 },
      unevaluatedProperties: { minLength: 6 },
      items: { minLength: 7 },
    });
  const lengths = (location: InstanceLocation) =>
    schemas(location)
      .map((schema) => (typeof schema === 'object' ? schema.minLength : schema))
      .sort();

  it('are under a key what any branch says of it, and what is said of any key', () => {
    const { locations, root } = made();
    expect(lengths(locations.property(root, 'a'))).toEqual([1, 2, 4, 5, 6]);
    expect(lengths(locations.property(root, 'b'))).toEqual([3, 4, 5, 6]);
    expect(lengths(locations.property(root, 'z'))).toEqual([4, 5, 6]);
  });

  it('are under an undeclared key what is said of any key', () => {
    const { locations, root } = made();
    expect(lengths(locations.open(root))).toEqual([4, 5, 6]);
    expect(locations.open(root)).toBe(locations.property(root, 'z'));
  });

  it('are in a list what is said of that item, of the rest, and of any', () => {
    const list = open({
      prefixItems: [{ minLength: 1 }, { minLength: 2 }],
      items: { minLength: 3 },
      contains: { minLength: 4 },
      anyOf: [{ prefixItems: [{ minLength: 5 }] }, { unevaluatedItems: { minLength: 6 } }],
    });
    const at = (index: number) => lengths(list.locations.item(list.root, index));
    expect([at(0), at(1), at(2), at(9)]).toEqual([
      [1, 4, 5, 6],
      [2, 4, 6],
      [3, 4, 6],
      [3, 4, 6],
    ]);
    const length = list.locations.tupleLength(list.root);
    expect(length).toBe(2);
    expect(list.locations.item(list.root, length)).toBe(list.locations.item(list.root, length + 7));
    expect(made().locations.tupleLength(made().root)).toBe(0);
    expect(open(true).locations.tupleLength(open(true).root)).toBe(0);
  });
});

describe('the keys of a location', () => {
  const schema: JsonSchema = {
    required: ['b', '\u{1f600}', '\uffee', 'aa', 'a'],
    properties: { x: { required: ['d', 'c'] } },
  };
  const outside = ['b', '\u{1f600}', '\uffee', 'aa', 'a', 'x'];

  it.each<readonly [SortedKeys, boolean, boolean]>([
    [true, true, true],
    [false, false, false],
    ['outermost', true, false],
    ['inner', false, true],
  ])('are sorted by code point where that is wanted: %s', (sorted, outer, inner) => {
    const { locations, root } = open(schema, sorted);
    const nested = locations.property(root, 'x');
    expect(root.keys).toEqual(outer ? ['a', 'aa', 'b', 'x', '\uffee', '\u{1f600}'] : outside);
    expect(nested.keys).toEqual(inner ? ['c', 'd'] : ['d', 'c']);
    expect([root.sorted, nested.sorted]).toEqual([outer, inner]);
  });

  /** A condition that joins two keys. */
  const joins = (one: string, other: string): readonly JsonSchema[] => [
    // biome-ignore lint/suspicious/noThenProperty: a keyword of schemas
    { if: withKey(one), then: withKey(other) },
    { if: withKey(one), else: withKey(other) },
    { anyOf: [withKey(one), withKey(other)] },
    { oneOf: [withKey(one), withKey(other)] },
    { not: { required: [one, other] } },
    { dependentRequired: { [one]: [other] } },
    { dependentSchemas: { [one]: withKey(other) } },
    { dependencies: { [one]: [other] } },
    { dependencies: { [one]: withKey(other) } },
  ];
  const apart = (letters: string) => [1, 2].flatMap((turn) => [...letters].map((letter) => letter + turn));
  const together = (letters: string) => [...letters].flatMap((letter) => [`${letter}1`, `${letter}2`]);
  const joined = (letters: string, kind: number, [one, other] = [1, 2]): JsonSchema => ({
    properties: Object.fromEntries(apart(letters).map((key) => [key, true])),
    allOf: [...letters].map((letter) => joins(letter + one, letter + other)[kind] ?? true),
  });

  it.each(joins('a', 'b').map((each, kind) => [Object.keys(each).join(), kind] as const))(
    'stand next to each other where four conditions or more wait: %s',
    (_, kind) => {
      expect(keysOf(joined('abcd', kind))).toEqual(together('abcd'));
      expect(keysOf(joined('abcd', kind, [2, 1]))).toEqual(together('abcd'));
      expect(keysOf(joined('abcde', kind))).toEqual(together('abcde'));
      expect(keysOf(joined('abc', kind))).toEqual(apart('abc'));
    },
  );

  it('stay where conditions join fewer than four groups of keys', () => {
    const single = { not: { required: ['d1'] } };
    const three = joined('abc', 0) as { readonly properties: object; readonly allOf: readonly JsonSchema[] };
    const properties = { ...three.properties, d1: true, e1: true };
    expect(keysOf({ properties, allOf: [...three.allOf, single] } as JsonSchema)).toEqual([
      ...apart('abc'),
      'd1',
      'e1',
    ]);
    const chained = { ...(joined('abcd', 0) as object), not: { required: ['a2', 'b1'] } };
    expect(keysOf(chained)).toEqual(apart('abcd'));
  });

  it('are all there once, in the order of their mention but for those that are joined to one before', () => {
    const pair = fc.tuple(fc.nat(11), fc.nat(11));
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 8 }), fc.nat(8), (pairs, kind) => {
        const names = Array.from({ length: 12 }, (_, at) => `k${at}`);
        const keys = keysOf({
          properties: Object.fromEntries(names.map((name) => [name, true])),
          allOf: [...pairs.map(([a, b]) => joins(`k${a}`, `k${b}`)[kind] ?? true), true],
        });
        expect([...keys].sort()).toEqual([...names].sort());
        const isJoined = (key: string) => pairs.some((each) => each.some((at) => `k${at}` === key));
        const free = names.filter((name) => !isJoined(name));
        expect(keys.filter((key) => free.includes(key))).toEqual(free);
      }),
    );
  });
});

describe('a tag', () => {
  const event = (type: string, key: string): JsonSchema => ({
    properties: { type: { const: type }, [key]: { minLength: 1 } },
    required: ['type', key],
  });
  const schema: JsonSchema = {
    type: 'object',
    properties: { type: { enum: ['a', 'b', 'c'] } },
    required: ['type'],
    anyOf: [event('a', 'x'), event('b', 'y'), event('c', 'z')],
  };

  it('leaves the branches for its value, and none for a value that no branch has', () => {
    const { locations, root } = open(schema);
    const tag = locations.tag(root) ?? expect.fail('there is a tag');
    expect(tag.key).toBe('type');
    expect(locations.tag(root)).toBe(tag);
    const keys = (value: string | null) => locations.tagged(root, tag, value).keys;
    expect(['a', 'b', 'c'].map((value) => keys(JSON.stringify(value)))).toEqual([
      ['type', 'x'],
      ['type', 'y'],
      ['type', 'z'],
    ]);
    expect(keys(null)).toEqual(['type']);
    expect(keys('"other"')).toEqual(['type']);
    expect(locations.tagged(root, tag, '"a"')).toBe(locations.tagged(root, tag, '"a"'));
  });

  it('keeps the order of the keys of its location', () => {
    const { locations, root } = open(schema, 'outermost');
    const tag = locations.tag(root) ?? expect.fail('there is a tag');
    expect([root.sorted, locations.tagged(root, tag, '"a"').sorted]).toEqual([true, true]);
  });

  it('is none where nothing distinguishes branches', () => {
    const { locations, root } = open({ anyOf: [withKey('a'), withKey('b')] });
    expect(locations.tag(root)).toBeNull();
    expect(locations.tag(root)).toBeNull();
  });
});
