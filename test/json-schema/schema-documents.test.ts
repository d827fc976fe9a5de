/** What references mean in documents of several resources, and what a schema alone says. */
import { describe, expect, it, test } from 'vitest';
import type { JsonSchema } from '../../src/format/messages.ts';
import {
  plainScalar,
  SchemaDocument,
  type SchemaNode,
  saysNothing,
} from '../../src/json-schema/document/schema-document.ts';

const draft = 'https://json-schema.org/draft/2019-09/schema';
const recursive = { $recursiveRef: '#' };

/** What `$recursiveRef` means at `child` of the resource `tree`, to which the root refers. */
function meantInTree(root: object, tree: object): SchemaNode | null | 'ambiguous' {
  const documents = new Map<string, JsonSchema>([
    ['https://example.org/tree', { $schema: draft, properties: { child: recursive }, ...tree }],
  ]);
  const document = new SchemaDocument(
    { $schema: draft, $ref: 'https://example.org/tree', ...root },
    documents,
  );
  const target = document.resolve(document.root, 'https://example.org/tree');
  if (target === null) throw new Error('there is no tree');
  return document.resolveRecursive(document.child(target, 'properties', 'child'));
}

/** The core specification of 2019-09, 8.2.4.2: the outermost resource with the anchor, if the nearest has it. */
describe('`$recursiveRef` means', () => {
  const anchor = { $recursiveAnchor: true };

  it.each([
    ['without an identifier', {}],
    ['with an identifier', { $id: 'https://example.org/root' }],
  ])('the outermost resource where both have the anchor, %s', (_, name) => {
    expect(meantInTree({ ...anchor, ...name }, anchor)).toMatchObject({ pointer: '' });
  });

  it.each([
    ['only the inner resource has the anchor', {}, anchor],
    ['only the outer resource has the anchor', anchor, {}],
    ['neither has it', {}, {}],
    ['the anchor of the inner one is false', anchor, { $recursiveAnchor: false }],
    [
      'the anchor of the outer one is false',
      { $recursiveAnchor: false, $id: 'https://example.org/root' },
      anchor,
    ],
  ])('the nearest resource where %s', (_, root, tree) => {
    expect(meantInTree(root, tree)).toMatchObject({ pointer: 'https://example.org/tree#' });
  });
});

/** The core specification of 2020-12, 8.2.3.2: the outermost resource with the dynamic anchor, if the nearest has it. */
describe('`$dynamicRef` means', () => {
  const meant = (root: object, tree: object, reference = '#node') => {
    const uri = 'https://example.org/tree';
    const node = { $id: uri, properties: { child: { $dynamicRef: reference } }, ...tree };
    const document = new SchemaDocument(
      { $id: 'https://example.org/root', $ref: uri, ...root },
      new Map([[uri, node]]),
    );
    const target = document.resolve(document.root, uri);
    if (target === null) throw new Error('there is no tree');
    const found = document.resolveDynamic(document.child(target, 'properties', 'child'), reference);
    return found === null || found === 'ambiguous' ? found : found.pointer;
  };
  const dynamic = { $dynamicAnchor: 'node' };
  const plain = { $anchor: 'node' };

  it.each([
    ['the outermost resource where both have the anchor', dynamic, dynamic, ''],
    ['the nearest one where only that has it', {}, dynamic, 'https://example.org/tree#'],
    [
      'the nearest one where the outer one has another',
      { $dynamicAnchor: 'other' },
      dynamic,
      'https://example.org/tree#',
    ],
    ['the nearest one where its anchor is an ordinary one', dynamic, plain, 'https://example.org/tree#'],
    ['nothing where the nearest has none', dynamic, {}, null],
  ])('%s', (_, root, tree, pointer) => {
    expect(meant(root, tree)).toBe(pointer);
  });

  it('what its pointer says where it names no anchor', () => {
    expect(meant(dynamic, { ...dynamic, $defs: { a: true } }, '#/$defs/a')).toBe(
      'https://example.org/tree#/$defs/a',
    );
  });
});

describe('a reference finds', () => {
  const pointerOf = (schema: JsonSchema, reference: string) => {
    const document = new SchemaDocument(schema);
    return document.resolve(document.root, reference)?.pointer ?? null;
  };

  it('what is named within lists, and within lists of lists', () => {
    const named = { allOf: [{}, { $anchor: 'one' }, { anyOf: [{ $id: 'https://example.org/two' }] }] };
    expect(pointerOf(named, '#one')).toBe('/allOf/1');
    expect(pointerOf(named, 'https://example.org/two')).toBe('/allOf/2/anyOf/0');
  });

  it('nothing where a name is only a value', () => {
    for (const keyword of ['enum', 'const', 'default', 'examples', 'example']) {
      const schema = { [keyword]: [{ $anchor: 'one', $id: 'https://example.org/two' }] };
      expect(pointerOf(schema, '#one')).toBeNull();
      expect(pointerOf(schema, 'https://example.org/two')).toBeNull();
    }
  });

  it('what is named next to what is no schema', () => {
    const schema = { properties: { a: null, b: 1, c: { $anchor: 'one' } } } as unknown as JsonSchema;
    expect(pointerOf(schema, '#one')).toBe('/properties/c');
  });

  it('nothing in a resource that is not there, and nothing behind a pointer that ends', () => {
    const schema = { $id: 'https://example.org/root', $defs: { a: { type: 'string' } } };
    expect(pointerOf(schema, '#/$defs/a')).toBe('/$defs/a');
    expect(pointerOf(schema, '#/$defs/b')).toBeNull();
    expect(pointerOf(schema, '#/$defs/a/type')).toBeNull();
    expect(pointerOf(schema, 'https://example.org/other#/$defs/a')).toBeNull();
  });

  it('a part from the root of the document, where the resource around it has none', () => {
    const document = new SchemaDocument({
      $defs: { a: { type: 'string' } },
      properties: { x: { $id: 'https://example.org/x', $ref: '#/$defs/a' } },
    });
    const inner = document.child(document.root, 'properties', 'x');
    expect(document.resolve(inner, '#/$defs/a')?.pointer).toBe('/$defs/a');
    expect(document.resolve(inner, '#/$defs/b')).toBeNull();
  });
});

describe('a schema means', () => {
  const meantBy = (schema: JsonSchema) => {
    const document = new SchemaDocument({
      $defs: { a: { type: 'string' }, b: { $ref: '#/$defs/a' } },
      properties: { x: schema },
    });
    return document.meant(document.child(document.root, 'properties', 'x')).pointer;
  };

  it.each([
    ['what it refers to', { $ref: '#/$defs/a' }, '/$defs/a'],
    ['what that refers to', { title: 'x', $ref: '#/$defs/b' }, '/$defs/a'],
    ['the only one of all', { allOf: [{ type: 'string' }], description: 'x' }, '/properties/x/allOf/0'],
    ['what the only one of all refers to', { allOf: [{ $ref: '#/$defs/b' }] }, '/$defs/a'],
    ['itself with another keyword', { $ref: '#/$defs/a', minLength: 1 }, '/properties/x'],
    ['itself where it has two of all', { allOf: [{ type: 'string' }, {}] }, '/properties/x'],
    ['itself where its reference leads nowhere', { $ref: '#/$defs/c' }, '/properties/x'],
    ['itself where it refers to itself', { $ref: '#/properties/x' }, '/properties/x'],
  ])('%s', (_, schema, pointer) => {
    expect(meantBy(schema)).toBe(pointer);
  });

  it('itself where what it refers to is no text', () => {
    expect(meantBy({ $ref: 5 } as unknown as JsonSchema)).toBe('/properties/x');
  });
});

test.each<[JsonSchema, string | null]>([
  [{ type: 'string' }, 'string'],
  [{ type: 'null', title: 'a', description: 'b' }, 'null'],
  [{ type: 'string', minLength: 1 }, null],
  [{ type: 'array' }, null],
  [{ type: ['string'] }, null],
  [{ title: 'a' }, null],
  [{}, null],
  [true, null],
  [false, null],
])('the scalar type that %j requires, and nothing else, is %j', (schema, type) => {
  expect(plainScalar(schema)).toBe(type);
});

test.each<[JsonSchema, boolean]>([
  [true, true],
  [{}, true],
  [{ title: 'a', examples: [1] }, true],
  [false, false],
  [{ title: 'a', type: 'string' }, false],
])('whether %j allows every value: %j', (schema, isAll) => {
  expect(saysNothing(schema)).toBe(isAll);
});
