/** Schemas that have much of one kind in one place: what is cheap for ten may be dear for thousands. */
import type { JsonObject, JsonValue } from '../../src/format/messages.ts';

type WideSchema = (size: number) => JsonObject;

const names = (size: number): readonly string[] => Array.from({ length: size }, (_, at) => `k${at}`);
const byName = (size: number, valueAt: (name: string, at: number) => JsonValue): JsonObject =>
  Object.fromEntries(names(size).map((name, at) => [name, valueAt(name, at)]));
const list = (size: number, valueAt: (name: string, at: number) => JsonValue): JsonValue[] =>
  names(size).map(valueAt);
/** No two of them are neighbours, so that a class of them has as many ranges. */
const characters = (size: number, from = 0): readonly string[] =>
  Array.from({ length: Math.max(1, size - from) }, (_, at) =>
    String.fromCodePoint(0x20000 + 2 * (from + at)),
  );
const integer = { type: 'integer' } as const;
const next = (size: number, at: number): string => `k${(at + 1) % size}`;
const half = (size: number): number => Math.ceil(size / 2);

/** By what there is much of. */
export const wideSchemas: Readonly<Record<string, WideSchema>> = {
  'required names': (size) => ({ type: 'object', required: names(size) }),
  'optional properties': (size) => ({ type: 'object', properties: byName(size, () => integer) }),
  'closed optional properties': (size) => ({
    type: 'object',
    properties: byName(size, () => integer),
    additionalProperties: false,
  }),
  'required properties': (size) => ({
    type: 'object',
    properties: byName(size, () => integer),
    required: names(size),
    additionalProperties: false,
  }),
  'every second one required': (size) => ({
    type: 'object',
    properties: byName(size, () => integer),
    required: names(size).filter((_, at) => at % 2 === 0),
  }),
  'excluded properties': (size) => ({ type: 'object', properties: byName(size, () => false) }),
  'counted properties': (size) => ({
    type: 'object',
    properties: byName(size, () => integer),
    minProperties: half(size),
    maxProperties: half(size) + 3,
  }),
  'different properties': (size) => ({
    type: 'object',
    properties: byName(size, (_, at) => ({ type: 'integer', minimum: at, maximum: at + 7 })),
  }),
  'properties and patterns': (size) => ({
    type: 'object',
    properties: byName(half(size), () => integer),
    patternProperties: Object.fromEntries(list(half(size), (name) => [`^${name}$`, true]) as never),
  }),
  'properties that patterns match': (size) => ({
    type: 'object',
    properties: byName(size, () => integer),
    patternProperties: Object.fromEntries(list(Math.min(size, 50), (_, at) => [`${at}$`, true]) as never),
  }),
  'patterns of keys': (size) => ({
    type: 'object',
    patternProperties: Object.fromEntries(list(size, (name) => [`^${name}`, integer]) as never),
  }),
  'characters of a class': (size) => ({ type: 'string', pattern: `^[${characters(size).join('')}]+$` }),
  'characters that a class lacks': (size) => ({
    type: 'string',
    pattern: `^[^${characters(size).join('')}]+$`,
  }),
  'characters as alternatives': (size) => ({ type: 'string', pattern: `^(${characters(size).join('|')})$` }),
  'classes with much in common': (size) => ({
    type: 'string',
    pattern: `^(?:${squareOf(size, (_, at) => `[^${characters(1000 + at, at).join('')}]*`).join('')})$`,
  }),
  'names of keys': (size) => ({ type: 'object', propertyNames: { enum: names(size) as string[] } }),
  'dependent keys': (size) => ({ type: 'object', dependentRequired: byName(size, () => ['a']) }),
  'dependent keys in a ring': (size) => ({
    type: 'object',
    properties: byName(size, () => integer),
    dependentRequired: byName(size, (_, at) => [next(size, at)]),
  }),
  'dependent schemas': (size) => ({
    type: 'object',
    dependentSchemas: byName(size, (_, at) => ({ required: [next(size, at)] })),
  }),
  'one key on which many depend': (size) => ({ type: 'object', dependentRequired: { a: names(size) } }),
  values: (size) => ({ enum: names(size) }),
  numbers: (size) => ({ enum: list(size, (_, at) => at * 7) }),
  'objects as values': (size) => ({ enum: list(size, (name, at) => ({ [name]: at })) }),
  'lists as values': (size) => ({ enum: list(size, (name, at) => [name, at]) }),
  'one long value': (size) => ({ const: names(size) as string[] }),
  'one wide value': (size) => ({ const: byName(size, (_, at) => at) }),
  'excluded values': (size) => ({ type: 'string', not: { enum: names(size) as string[] } }),
  'excluded numbers': (size) => ({ type: 'integer', not: { enum: list(size, (_, at) => at * 3) } }),
  'excluded objects': (size) => ({ type: 'object', not: { enum: list(size, (name) => ({ a: name })) } }),
  'alternative values': (size) => ({ anyOf: list(size, (name) => ({ const: name })) }),
  'alternative keys': (size) => ({ type: 'object', anyOf: list(size, (name) => ({ required: [name] })) }),
  'one of the keys': (size) => ({ type: 'object', oneOf: list(size, (name) => ({ required: [name] })) }),
  'tagged objects': (size) => ({
    oneOf: list(size, (name) => ({
      type: 'object',
      properties: { tag: { const: name }, [name]: integer },
      required: ['tag'],
    })),
  }),
  'alternative patterns': (size) => ({
    anyOf: list(size, (name) => ({ type: 'string', pattern: `^${name}` })),
  }),
  'alternative ranges': (size) => ({
    oneOf: list(size, (_, at) => ({ type: 'integer', minimum: at * 10, maximum: at * 10 + 12 })),
  }),
  'joint ranges': (size) => ({ allOf: list(size, (_, at) => ({ minimum: at })) }),
  'joint lists of numbers': (size) => ({
    allOf: [{ enum: list(size, (_, at) => at * 2) }, { enum: list(size, (_, at) => at * 3) }],
  }),
  'numbers without others': (size) => ({
    enum: list(size, (_, at) => at * 2),
    not: { enum: list(size, (_, at) => at * 3) },
  }),
  'texts without others': (size) => ({
    enum: [...names(size)],
    not: { enum: list(size, (_, at) => `k${3 * at}`) },
  }),
  'objects without others': (size) => ({
    enum: list(size, (name) => ({ a: name })),
    not: { enum: list(size, (_, at) => ({ a: `k${3 * at}` })) },
  }),
  'joint lists of objects': (size) => ({
    allOf: [
      { enum: list(size, (name) => ({ a: name })) },
      { enum: list(size, (_, at) => ({ a: `k${3 * at}` })) },
    ],
  }),
  'joint lists of texts': (size) => ({
    allOf: [{ enum: [...names(size)] }, { enum: list(size, (_, at) => `k${3 * at}`) }],
  }),
  'joint exclusions of numbers': (size) => ({
    type: 'integer',
    allOf: list(size, (_, at) => ({ not: { const: at * 3 } })),
  }),
  'joint places': (size) => ({
    type: 'array',
    allOf: squareOf(size, (properties) => ({ prefixItems: Object.values(properties) as JsonValue[] })),
  }),
  'joint patterns': (size) => ({ type: 'string', allOf: list(size, (_, at) => ({ pattern: `${at}` })) }),
  'joint multiples': (size) => ({ type: 'integer', allOf: list(size, (_, at) => ({ multipleOf: at + 1 })) }),
  'joint keys': (size) => ({ type: 'object', allOf: list(size, (name) => ({ required: [name] })) }),
  'joint properties': (size) => ({
    type: 'object',
    allOf: list(size, (name) => ({ properties: { [name]: integer } })),
  }),
  'joint exclusions': (size) => ({
    type: 'object',
    allOf: list(size, (name) => ({ not: { required: [name] } })),
  }),
  conditions: (size) => ({
    type: 'object',
    allOf: list(size, (name) => ({
      if: { properties: { a: { const: name } }, required: ['a'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
      then: { required: [name] },
    })),
  }),
  'conditions in a chain': (size) => ({
    type: 'object',
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
    allOf: list(size, (name, at) => ({ if: { required: [name] }, then: { required: [next(size, at)] } })),
  }),
  places: (size) => ({ type: 'array', prefixItems: list(size, () => integer) }),
  'closed places': (size) => ({
    type: 'array',
    prefixItems: list(size, (_, at) => ({ const: at })),
    items: false,
    minItems: size,
  }),
  'items that must be there': (size) => ({
    type: 'array',
    allOf: list(size, (name) => ({ contains: { const: name } })),
  }),
  'counted items': (size) => ({ type: 'array', items: integer, minItems: size, maxItems: size + 10 }),
  'different items': (size) => ({
    type: 'array',
    uniqueItems: true,
    items: { enum: names(size) as string[] },
  }),
  types: (size) => ({ type: names(size) as string[] }),
  references: (size) => ({ allOf: list(size, () => ({ $ref: '#/$defs/a' })), $defs: { a: true } }),
  'references in a chain': (size) => ({
    $ref: '#/$defs/k0',
    $defs: byName(size, (_, at) => (at === size - 1 ? integer : { $ref: `#/$defs/k${at + 1}` })),
  }),
  'objects in a chain': (size) => ({
    $ref: '#/$defs/k0',
    $defs: byName(size, (_, at) => ({
      type: 'object',
      properties: { a: at === size - 1 ? integer : { $ref: `#/$defs/k${at + 1}` } },
      required: ['a'],
    })),
  }),
  'objects in a ring': (size) => ({
    $ref: '#/$defs/k0',
    $defs: byName(size, (_, at) => ({
      type: 'object',
      properties: { a: { $ref: `#/$defs/${next(size, at)}` } },
    })),
  }),
  definitions: (size) => ({ $defs: byName(size, () => integer), $ref: '#/$defs/k1' }),
  ids: (size) => ({ $defs: byName(size, (name) => ({ $id: `https://a.example/${name}` })), type: 'object' }),
  anchors: (size) => ({ $defs: byName(size, (name) => ({ $anchor: name })), $ref: '#k0' }),
  'keys that no rule has read': (size) => ({
    type: 'object',
    allOf: list(size, (name) => ({ properties: { [name]: integer } })),
    unevaluatedProperties: false,
  }),
  'unknown keywords': (size) => ({ type: 'object', ...byName(size, (_, at) => at) }),
  'characters of a pattern': (size) => ({ type: 'string', pattern: `^[${'ab-'.repeat(size)}]$` }),
  'alternatives of a pattern': (size) => ({ type: 'string', pattern: `^(?:${names(size).join('|')})$` }),
  'repetitions of a pattern': (size) => ({ type: 'string', pattern: `^(?:ab){${size},${2 * size}}$` }),
  'characters of a text': (size) => ({ type: 'string', minLength: size, maxLength: 2 * size }),
  'digits of a number': (size) => ({
    type: 'number',
    minimum: Number(`0.${'1'.repeat(Math.min(size, 300))}`),
    multipleOf: 1e-9,
  }),
  'objects that double': (size) =>
    doubling(size, (next) => ({
      type: 'object',
      properties: { a: next, b: next },
      required: ['a', 'b'],
    })),
  'lists that double': (size) => doubling(size, (next) => ({ type: 'array', prefixItems: [next, next] })),
  'alternatives that double': (size) =>
    doubling(size, (next) => ({ anyOf: [next, { ...next, title: 'b' }] })),
  'joint schemas that double': (size) =>
    doubling(size, (next) => ({ allOf: [next, { ...next, title: 'b' }] })),
  'exclusions that double': (size) => doubling(size, (next) => ({ not: next, anyOf: [true, { not: next }] })),
  'alternatives of many keys': (size) => ({
    type: 'object',
    anyOf: squareOf(size, (properties) => ({ properties })),
  }),
  'tagged objects of many keys': (size) => ({
    oneOf: squareOf(size, (properties, at) => ({
      type: 'object',
      properties: { tag: { const: at }, ...properties },
      required: ['tag'],
    })),
  }),
  'joint objects of many keys': (size) => ({
    type: 'object',
    allOf: squareOf(size, (properties) => ({ properties, required: Object.keys(properties) })),
  }),
  'joint alternatives': (size) => ({
    type: 'object',
    allOf: squareOf(size, (properties) => ({
      anyOf: Object.keys(properties).map((name) => ({ required: [name] })),
    })),
  }),
  'wide objects as values': (size) => ({ enum: squareOf(size, (properties) => ({ ...properties, a: 1 })) }),
  'closed objects of many keys': (size) => ({
    oneOf: squareOf(size, (properties) => ({ type: 'object', properties, additionalProperties: false })),
  }),
  'patterns among many keys': (size) => ({
    type: 'object',
    allOf: squareOf(size, (properties, at) => ({ properties, patternProperties: { [`${at}$`]: integer } })),
  }),
};

/** As many levels as `size`; each refers twice to the next one. */
function doubling(size: number, schemaOf: (next: JsonObject) => JsonObject): JsonObject {
  const $defs = byName(size, (_, at) =>
    at === size - 1 ? integer : schemaOf({ $ref: `#/$defs/k${at + 1}` }),
  );
  return { $defs, $ref: '#/$defs/k0' };
}

/** So many objects of so many properties that there are `size` in all. */
function squareOf(size: number, schemaOf: (properties: JsonObject, at: number) => JsonValue): JsonValue[] {
  const side = Math.ceil(Math.sqrt(size));
  return Array.from({ length: side }, (_, at) =>
    schemaOf(Object.fromEntries(names(side).map((name) => [`${name}_${at}`, integer])), at),
  );
}
