/** One schema or more for each row of the tables in `docs/json-schema.md`. */
import type { JsonObject, JsonSchema, JsonValue } from '../../src/format/messages.ts';

/** A schema, and values that its row is about. */
export interface DocumentedExample {
  readonly schema: JsonSchema;
  readonly valid: readonly JsonValue[];
  readonly invalid: readonly JsonValue[];
  /** Valid values that a narrowed grammar does not write. */
  readonly unwritten?: readonly JsonValue[];
  /** Texts of invalid values that a grammar accepts with no more than a note. */
  readonly missed?: readonly string[];
}

/** Of draft 7. */
const draft7 = { $schema: 'http://json-schema.org/draft-07/schema#' };
const number = { type: 'number' };
const string = { type: 'string' };

function format(name: string, valid: readonly string[], invalid: readonly string[]): DocumentedExample {
  return { schema: { type: 'string', format: name }, valid, invalid };
}

/** By the first cell of the row. */
export const examples: Readonly<Record<string, DocumentedExample>> = {
  // Any value
  '`true`, `{}`': { schema: {}, valid: [null, true, 0, 'a', [1, ['a']], { a: { b: 1 } }], invalid: [] },
  '`type`': { schema: { type: ['integer', 'null'] }, valid: [1, -3, null], invalid: [1.5, 'a', true, []] },
  '`nullable` next to `type`': {
    schema: { type: 'string', nullable: true },
    valid: ['a', null],
    invalid: [1],
  },
  'a keyword that is newer than the draft that `$schema` names': {
    schema: {
      $schema: 'http://json-schema.org/draft-04/schema#',
      if: { type: 'string' },
      else: { enum: [1] },
    },
    valid: ['a', 1],
    invalid: [],
    unwritten: [2],
  },
  'a keyword whose value is of the wrong kind': {
    schema: { type: 'object', properties: { a: { enum: 'x' } } },
    valid: [{ a: 'y' }],
    invalid: [],
  },
  'the same where that says nothing (null, `minLength: -1`, `required: false`)': {
    schema: { type: 'string', maxLength: null },
    valid: ['a'],
    invalid: [1],
    missed: [],
  },
  '`enum`': {
    schema: { enum: ['a', 1, [2], { x: null }] },
    valid: ['a', 1, [2], { x: null }],
    invalid: ['b', 2, {}],
  },
  '`const`': { schema: { const: { a: [1] } }, valid: [{ a: [1] }], invalid: [{ a: [2] }, { a: [1], b: 1 }] },
  '`allOf`': {
    schema: { allOf: [{ type: 'integer' }, { minimum: 2 }], maximum: 4 },
    valid: [2, 4],
    invalid: [1, 5, 2.5],
  },
  '`anyOf`': { schema: { anyOf: [string, { const: 1 }] }, valid: ['a', 1], invalid: [2, null] },
  '`oneOf`': {
    schema: {
      oneOf: [
        { type: 'integer', minimum: 2 },
        { type: 'integer', maximum: 4 },
      ],
    },
    valid: [1, 5],
    invalid: [2, 4],
  },
  '`not`': { schema: { type: 'string', not: { const: 'a' } }, valid: ['b', 'aa'], invalid: ['a', 1] },
  '`if`, `then`, `else`': {
    schema: {
      type: 'object',
      properties: { kind: { enum: ['a', 'b'] }, size: number },
      required: ['kind'],
      if: { properties: { kind: { const: 'a' } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { required: ['size'] },
      else: { properties: { size: false } },
    },
    valid: [{ kind: 'a', size: 1 }, { kind: 'b' }],
    invalid: [{ kind: 'a' }, { kind: 'b', size: 1 }],
  },
  '`$ref`, `$defs`, `definitions`, `$id`, `$anchor`': {
    schema: {
      $defs: {
        tree: { type: 'array', items: { $ref: '#/$defs/tree' } },
        named: { $anchor: 'n', type: 'integer' },
      },
      definitions: { flag: { $id: 'https://example.org/flag', type: 'boolean' } },
      anyOf: [{ $ref: '#/$defs/tree' }, { $ref: '#n' }, { $ref: 'https://example.org/flag' }],
    },
    valid: [[], [[], [[]]], 1, true],
    invalid: [[1], 1.5, 'a', null],
  },
  '`$ref` to what is not there': { schema: { $ref: '#/$defs/gone' }, valid: [1], invalid: [] },
  '`$ref` that leads only to itself': {
    schema: { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } },
    valid: [1],
    invalid: [],
  },
  '`$ref` with siblings, drafts 4 to 7': {
    schema: { ...draft7, allOf: [{ $ref: '#/definitions/n', maximum: 1 }], definitions: { n: number } },
    valid: [1, 2],
    invalid: ['a'],
    missed: ['2'],
  },
  '`$dynamicRef`, `$recursiveRef`, one resource with the anchor': {
    schema: {
      $dynamicAnchor: 'node',
      $recursiveAnchor: true,
      type: 'array',
      prefixItems: [{ $recursiveRef: '#' }],
      items: { $dynamicRef: '#node' },
    },
    valid: [[], [[], []]],
    invalid: [[1], [[], 1]],
  },
  '`$dynamicRef`, several resources with the anchor': {
    schema: {
      $id: 'https://example.org/a',
      type: 'object',
      properties: { texts: { $ref: 'texts' }, counts: { $ref: 'counts' }, all: { $ref: 'list' } },
      $defs: {
        list: {
          $id: 'list',
          type: 'array',
          items: { $dynamicRef: '#item' },
          $defs: { any: { $dynamicAnchor: 'item' } },
        },
        texts: { $id: 'texts', $ref: 'list', $defs: { text: { $dynamicAnchor: 'item', type: 'string' } } },
        counts: {
          $id: 'counts',
          $ref: 'list',
          $defs: { count: { $dynamicAnchor: 'item', type: 'integer' } },
        },
      },
    },
    valid: [{ texts: ['a'] }, { counts: [1] }, { all: ['a', 1, null] }],
    invalid: [{ texts: [1] }, { counts: ['a'] }, { texts: ['a'], counts: [null] }],
  },
  '`$dynamicRef`, more than 200 possible scopes in which it is resolved': {
    schema: { $ref: 'https://example.org/a0', $defs: doublingResources(9) },
    valid: [{}, { a: {} }],
    invalid: [],
  },
  '`title`, `description`, `default`, `examples`, `deprecated`, `readOnly`, `writeOnly`, `$comment`': {
    schema: {
      title: 't',
      description: 'd',
      default: 1,
      examples: [2],
      deprecated: true,
      readOnly: true,
      writeOnly: true,
      $comment: 'c',
    },
    valid: [1, 'a'],
    invalid: [],
  },
  // Strings
  '`minLength`, `maxLength`': {
    schema: { type: 'string', minLength: 1, maxLength: 2 },
    valid: ['a', '😀😀'],
    invalid: ['', 'abc', '😀😀😀'],
  },
  '`pattern`': {
    schema: { type: 'string', pattern: '^(?=.*\\d)\\w+$', maxLength: 4 },
    valid: ['1', 'ab1'],
    invalid: ['ab', 'abcd1', '1 '],
  },
  '`pattern` with a back-reference to a group of more than 64 values, to one that has an assertion, a reference or such a group in it, within a lookbehind, or under flags of its own; a lookaround in a lookbehind, or other flags':
    {
      schema: { type: 'string', pattern: '^(.)\\1$' },
      valid: ['aa'],
      invalid: ['ab'],
    },
  '`contentEncoding`, `contentMediaType`, `contentSchema`': {
    schema: {
      type: 'string',
      contentEncoding: 'base64',
      contentMediaType: 'application/json',
      contentSchema: number,
    },
    valid: ['MQ==', '?'],
    invalid: [],
  },
  // Numbers
  '`minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`': {
    schema: { type: 'number', minimum: -1.5, exclusiveMaximum: 10 },
    valid: [-1.5, 0, 0.25, 9.999],
    invalid: [-1.51, 10, 100],
  },
  '`multipleOf`': {
    schema: { type: 'number', multipleOf: 0.1 },
    valid: [0, 0.3, -1.1, 2],
    invalid: [0.25, 1.01],
  },
  '`minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum` beyond 2^53': {
    schema: { type: 'integer', maximum: 2 ** 63 },
    valid: [0, 2 ** 62],
    invalid: [2 ** 63 + 2048],
    unwritten: [2 ** 63],
  },
  '`multipleOf` with more than 11 remainders, not counting factors of 2 and 5': {
    schema: { type: 'integer', multipleOf: 365 },
    valid: [0, 730, -365],
    invalid: [1],
    unwritten: [36_500_000],
  },
  '`multipleOf` with more than 20,000 remainders': {
    schema: { type: 'number', multipleOf: 30_011 },
    valid: [30_011, 0, -60_022],
    invalid: [1],
    unwritten: [30_011 * 10_000],
  },
  // Arrays
  '`items`, `prefixItems`, `additionalItems`': {
    schema: { type: 'array', prefixItems: [string], items: number },
    valid: [[], ['a'], ['a', 1, 2]],
    invalid: [[1], ['a', 'b']],
  },
  '`items` as a list, draft 7': {
    schema: { ...draft7, type: 'array', items: [string], additionalItems: number },
    valid: [[], ['a'], ['a', 1]],
    invalid: [[1], ['a', 'b']],
  },
  '`minItems`, `maxItems`': {
    schema: { type: 'array', minItems: 1, maxItems: 2 },
    valid: [[1], [1, 'a']],
    invalid: [[], [1, 2, 3]],
  },
  '`contains`, `minContains`, `maxContains`': {
    schema: { type: 'array', contains: number, minContains: 1, maxContains: 2 },
    valid: [[1], ['a', 1, 2]],
    invalid: [[], ['a'], [1, 2, 3]],
  },
  '`uniqueItems`, items out of a few scalars': {
    schema: {
      type: 'array',
      prefixItems: [{ type: 'boolean' }, { type: 'boolean' }],
      items: { anyOf: [{ enum: ['a', 'b', true] }, { type: 'integer', minimum: 1, maximum: 2 }] },
      uniqueItems: true,
      minItems: 1,
    },
    valid: [[true], [false, true, 1, 'b', 'a'], [true, false, 'a'], [false, true, 2, 1]],
    invalid: [
      ...[[], [true, true], [true, false, true], [true, false, 'a', 'a'], [false, true, true]],
      ...[
        [true, false, 3],
        [true, false, 2, 1, 2],
      ],
    ],
  },
  '`uniqueItems`, items out of up to 200 scalars': {
    schema: {
      type: 'array',
      items: { enum: Array.from('abcdefghijklmnopqrstuv') },
      uniqueItems: true,
      minItems: 4,
    },
    valid: ['icfk', 'cifklv', 'uabv'].map((text) => Array.from(text)),
    invalid: ['icf', 'icik', 'icfi', 'icfkk', 'icfz'].map((text) => Array.from(text)),
    unwritten: [Array.from('icfe')],
  },
  '`uniqueItems`, items that cannot be equal': {
    schema: {
      type: 'array',
      prefixItems: [string, number, { type: 'array' }],
      items: false,
      uniqueItems: true,
    },
    valid: [[], ['1', 1, ['1', '1']]],
    invalid: [[1], ['1', '1']],
  },
  '`uniqueItems`, other items': {
    schema: { type: 'array', items: string, uniqueItems: true },
    valid: [['a', 'b']],
    invalid: [['a', 'a']],
  },
  '`unevaluatedItems`': {
    schema: { type: 'array', allOf: [{ prefixItems: [string] }], unevaluatedItems: number },
    valid: [[], ['a', 1]],
    invalid: [[1], ['a', 'b']],
  },
  '`unevaluatedItems` next to `contains`': {
    schema: { type: 'array', contains: string, unevaluatedItems: number },
    valid: [['a', 1]],
    invalid: [['a', true]],
  },
  '`uniqueItems` under `not`': {
    schema: { type: 'array', not: { uniqueItems: true } },
    valid: [['a', 'a']],
    invalid: [[], ['a', 'b']],
  },
  '`unevaluatedItems` under `not` after a prefix': {
    schema: { type: 'array', not: { prefixItems: [string], unevaluatedItems: number } },
    valid: [['a', 'b']],
    invalid: [['a', 1]],
  },
  // Objects
  '`properties`, `required`': {
    schema: { type: 'object', properties: { a: number, b: string }, required: ['a'] },
    valid: [{ a: 1 }, { a: 1, b: 'x', c: [] }],
    invalid: [{}, { a: 'x' }, { a: 1, b: 2 }],
  },
  '`additionalProperties`, `patternProperties`': {
    schema: {
      type: 'object',
      properties: { a: number },
      patternProperties: { '^x': string },
      additionalProperties: false,
    },
    valid: [{}, { a: 1, xy: 's' }],
    invalid: [{ b: 1 }, { x: 1 }],
  },
  '`propertyNames`': {
    schema: { type: 'object', propertyNames: { maxLength: 2 } },
    valid: [{}, { ab: 1 }],
    invalid: [{ abc: 1 }],
  },
  '`minProperties`, `maxProperties`': {
    schema: { type: 'object', minProperties: 1, maxProperties: 2 },
    valid: [{ a: 1 }, { a: 1, b: 2 }],
    invalid: [{}, { a: 1, b: 2, c: 3 }],
  },
  '`minProperties` above the number of required keys and one': {
    schema: { type: 'object', properties: { a: number }, minProperties: 2 },
    valid: [
      { a: 1, b: 1 },
      { b: 1, c: 1 },
    ],
    invalid: [{}, { a: 1 }, { b: 1 }],
    missed: ['{"b": 1, "b": 2}'],
  },
  'the same, where patterns leave at most 64 other keys': {
    schema: { type: 'object', propertyNames: { pattern: '^[abc]$' }, minProperties: 2 },
    valid: [
      { a: 1, b: 1 },
      { a: 1, c: 1 },
    ],
    invalid: [{}, { a: 1 }, { a: 1, x: 1 }],
    unwritten: [{ c: 1, a: 1 }],
  },
  '`not`, `if`, `anyOf` and `oneOf` about values of keys that are not declared': {
    schema: { type: 'object', not: { additionalProperties: number } },
    valid: [{ a: 'x' }, { a: 1, b: 'x' }],
    invalid: [{}, { a: 1 }],
    missed: ['{"a": "x", "a": 1}'],
  },
  '`maxProperties` of more than 1,000': {
    schema: { type: 'object', maxProperties: 5000 },
    valid: [{}, { a: 1 }],
    invalid: [],
    unwritten: [Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`k${index}`, null]))],
  },
  '`dependentRequired`, `dependentSchemas`, `dependencies`': {
    schema: { type: 'object', dependentRequired: { a: ['b'] }, dependencies: { c: { required: ['d'] } } },
    valid: [{}, { b: 1 }, { a: 1, b: 1 }, { c: 1, d: 1 }],
    invalid: [{ a: 1 }, { c: 1 }],
  },
  '`unevaluatedProperties`': {
    schema: { type: 'object', allOf: [{ properties: { a: number } }], unevaluatedProperties: false },
    valid: [{}, { a: 1 }],
    invalid: [{ b: 1 }, { a: 'x' }],
  },
  // Formats
  '`date`': format('date', ['2024-02-29', '1999-12-31'], ['2023-02-29', '2024-04-31', '2024-1-1']),
  '`time`': format(
    'time',
    ['23:59:60Z', '08:30:00.5+01:00', '08:30:00z'],
    ['24:00:00Z', '08:30:00', '08:59:60Z'],
  ),
  '`date-time`': format(
    'date-time',
    ['2024-02-29T08:30:00Z', '2024-02-29t08:30:00-01:30'],
    ['2024-02-29 08:30:00Z', '2024-02-30T08:30:00Z'],
  ),
  '`duration`': format(
    'duration',
    ['P1Y2M3DT4H5M6S', 'P2W', 'PT1M'],
    ['P', 'P1YT', 'PT1H5S', 'P1W2D', 'PT1.5S'],
  ),
  '`email`': {
    ...format(
      'email',
      ["o'neil+x@example.org"],
      ['a@b', '"a b"@example.org', 'a@[127.0.0.1]', '.a@example.org'],
    ),
    missed: [`"${'a'.repeat(65)}@example.org"`],
  },
  '`hostname`': {
    ...format(
      'hostname',
      ['a', 'a-b.example.org', `${'a'.repeat(63)}.b`],
      ['', '-a', 'a_b', 'a.', 'a'.repeat(64)],
    ),
    missed: [`"${'a.'.repeat(127)}"`.replace('."', '.b"'), '"xn--X"'],
  },
  '`ipv4`': format('ipv4', ['127.0.0.1', '255.255.255.255'], ['127.0.0.01', '256.0.0.1', '1.2.3']),
  '`ipv6`': format(
    'ipv6',
    ['::1', '2001:db8::ff', '::ffff:127.0.0.1'],
    ['1::2::3', 'fe80::1%eth0', '12345::'],
  ),
  '`uuid`': format(
    'uuid',
    ['12345678-1234-1234-1234-1234567890aB'],
    ['{12345678-1234-1234-1234-1234567890ab}', '1234'],
  ),
  '`uri`': format(
    'uri',
    ['https://example.org/a?b=%20#c', 'urn:a:b'],
    ['/a', 'https://example.org/ä', 'a b:c'],
  ),
  '`uri-reference`': format('uri-reference', ['', '/a', '../a?b', 'urn:a:b'], ['a b', '\\a', '%zz']),
  '`iri`, `iri-reference`': {
    ...format(
      'iri',
      ['https://example.org/ä', 'a:\u{20000}?\ue000'],
      ['/ä', 'a b:c', 'a:\ue000', 'a://[v1.ä]'],
    ),
    missed: ['"https://\u{fe01}/"'],
  },
  '`uri-template`': format('uri-template', ['/a/{b}{?c,d*}', '/a', 'é{b}'], ['/a/{', '/{a b}']),
  '`int8`, `int16`, `int32`, `int64`, `uint8`, `uint16`, `uint32`, `uint64`': {
    schema: {
      anyOf: [
        {
          type: 'object',
          properties: { a: { type: 'number', format: 'int32' } },
          additionalProperties: false,
        },
        { type: 'object', properties: { b: { format: 'uint8' } }, additionalProperties: false },
      ],
    },
    valid: [{ a: -(2 ** 31) }, { a: 2 ** 31 - 1 }, { b: 255 }, { b: 'text' }],
    invalid: [{ a: 2 ** 31 }, { a: -(2 ** 31) - 1 }, { a: 0.5 }, { b: 256 }, { b: -1 }],
  },
  '`byte`': format('byte', ['', 'AAAA', 'aQ==', 'abc='], ['a', 'abc', '====']),
  '`float`, `decimal`, `password`, `binary`, `char` and their kin': {
    schema: { type: 'number', format: 'float' },
    valid: [0.5],
    invalid: ['a'],
    missed: ['1e99'],
  },
  '`json-pointer`': format('json-pointer', ['', '/a/~0~1'], ['a', '/~2']),
  '`relative-json-pointer`': format('relative-json-pointer', ['0', '1/a', '2#'], ['01', '/a', '-1']),
  '`regex`': { ...format('regex', ['^a+$', '(a|b){1,2}'], ['(', '[a', 'a**']), unwritten: ['((((a))))'] },
  '`idn-email`, `idn-hostname`': format('idn-email', ['a@example.org'], ['a']),
  'any other name': {
    schema: { type: 'string', format: 'colour' },
    valid: ['red', ''],
    invalid: [],
    missed: [],
  },
};

/** Resources of which each leads to two others, so that the ways double with every step; the last refer to the first. */
function doublingResources(steps: number): JsonObject {
  const resource = (name: string, step: number): JsonObject => ({
    $id: `https://example.org/${name}${step}`,
    $defs: {
      own: { $dynamicAnchor: `x${step}`, const: name },
      ...(step === steps ? { first: { $dynamicAnchor: 'x0' } } : {}),
    },
    properties:
      step < steps
        ? { a: { $ref: `a${step + 1}` }, b: { $ref: `b${step + 1}` } }
        : { c: { $dynamicRef: '#x0' } },
  });
  const all = Array.from({ length: steps + 1 }, (_, step) => [resource('a', step), resource('b', step)]);
  return Object.fromEntries(all.flat().map((each) => [String(each.$id), each]));
}
