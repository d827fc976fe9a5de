/**
 * Places in a schema, as the parser needs them: the types allowed there, and the places of properties and items. A
 * loose reading, used to tell text from other values; it validates nothing.
 */

import type { JsonType } from '../../format/chat-format.ts';
import { fragmentKey, isObject, isSchema } from '../../format/json-values.ts';
import type { JsonObject, JsonSchema, JsonValue } from '../../format/messages.ts';

/** Every JSON type. */
const allTypes: ReadonlySet<JsonType> = new Set(['string', 'number', 'boolean', 'null', 'array', 'object']);

/** Maximum depth to which `$ref`, `anyOf` and the like are followed. */
const maxDepth = 24;

/** A place in a schema: the schema there, and the root that its `$ref`s refer to. */
export interface SchemaPlace {
  readonly schema: JsonSchema | undefined;
  readonly root: JsonSchema | undefined;
}

/** A place without a schema. */
export const anywhere: SchemaPlace = { schema: undefined, root: undefined };

/** Cached facts about a place, because the same arguments come with every call. */
interface KnownPlace {
  readonly types: ReadonlySet<JsonType>;
  /** Bounded, because the model chooses the keys. */
  readonly properties: Map<string, SchemaPlace>;
}

const maxProperties = 256;
const knownPlaces = new WeakMap<SchemaPlace, KnownPlace>();

function known(place: SchemaPlace): KnownPlace {
  const before = knownPlaces.get(place);
  if (before !== undefined) return before;
  const now = { types: typesAt(place.schema, place.root, 0), properties: new Map<string, SchemaPlace>() };
  knownPlaces.set(place, now);
  return now;
}

/** The schema of one property of an object. */
export function propertyPlace(place: SchemaPlace, key: string): SchemaPlace {
  const { properties } = known(place);
  const before = properties.get(key);
  if (before !== undefined) return before;
  const property = newPropertyPlace(place, key);
  if (properties.size < maxProperties) properties.set(key, property);
  return property;
}

function newPropertyPlace(place: SchemaPlace, key: string): SchemaPlace {
  const found = variants(place, 0).flatMap((schema): readonly JsonSchema[] => {
    const property = ownProperty(schema.properties, key) ?? patternProperty(schema, key);
    const schemaOf = property ?? otherProperties(schema);
    return schemaOf === undefined ? [] : [schemaOf];
  });
  return joined(found, place.root);
}

/** The schema of properties without names; `undefined` if it only allows or forbids them. */
function otherProperties({ additionalProperties: others }: JsonObject): JsonSchema | undefined {
  return isObject(others) && Object.keys(others).length > 0 ? others : undefined;
}

/** The names of the properties that a schema declares. */
export function propertyNames(place: SchemaPlace): readonly string[] {
  const names = variants(place, 0).flatMap(({ properties }) =>
    isObject(properties) ? Object.keys(properties) : [],
  );
  return [...new Set(names)];
}

/**
 * Whether `null` as the value of this property can only mean that it is absent: it is declared, not required, and not
 * nullable.
 */
export function meansAbsent(place: SchemaPlace, key: string): boolean {
  if (!propertyNames(place).includes(key) || allowedTypes(propertyPlace(place, key)).has('null'))
    return false;
  return variants(place, 0).every(({ required }) => !Array.isArray(required) || !required.includes(key));
}

/** The schema of an array's items. */
export function itemPlace(place: SchemaPlace): SchemaPlace {
  const found = variants(place, 0).flatMap(({ items }) => (isSchema(items) ? [items] : []));
  return joined(found, place.root);
}

function joined(schemas: readonly JsonSchema[], root: JsonSchema | undefined): SchemaPlace {
  const [only, second] = schemas;
  if (only === undefined) return { schema: undefined, root };
  return { schema: second === undefined ? only : { anyOf: schemas }, root };
}

/** The types that a schema allows; all types if it does not restrict them. */
export function allowedTypes(place: SchemaPlace): ReadonlySet<JsonType> {
  return known(place).types;
}

function typesAt(schema: unknown, root: JsonSchema | undefined, depth: number): ReadonlySet<JsonType> {
  if (!isObject(schema) || depth > maxDepth) return allTypes;
  const limits: ReadonlySet<JsonType>[] = [namedTypes(schema)];
  if (typeof schema.$ref === 'string') {
    limits.push(typesAt(resolveReference(schema.$ref, root), root, depth + 1));
  }
  for (const union of [schema.anyOf, schema.oneOf]) {
    if (Array.isArray(union)) {
      const parts: readonly JsonValue[] = union;
      limits.push(new Set(parts.flatMap((each) => [...typesAt(each, root, depth + 1)])));
    }
  }
  if (Array.isArray(schema.allOf)) {
    for (const each of schema.allOf) limits.push(typesAt(each, root, depth + 1));
  }
  return new Set([...allTypes].filter((type) => limits.every((limit) => limit.has(type))));
}

/** The types allowed by `type`, `enum`, `const` and `nullable`. */
function namedTypes(schema: JsonObject): ReadonlySet<JsonType> {
  const types = declaredTypes(schema);
  return schema.nullable === true ? new Set([...types, 'null']) : types;
}

function declaredTypes(schema: JsonObject): ReadonlySet<JsonType> {
  if (Array.isArray(schema.enum)) return new Set(schema.enum.map(typeOf));
  if (schema.const !== undefined) return new Set([typeOf(schema.const)]);
  const named = Array.isArray(schema.type) ? schema.type : [schema.type];
  const types = named.flatMap((name: unknown) =>
    typeof name === 'string' ? (typeNames.get(name) ?? []) : [],
  );
  if (types.length > 0) return new Set(types);
  if (isObject(schema.properties)) return new Set(['object']);
  return allTypes;
}

const typeNames: ReadonlyMap<string, JsonType> = new Map([
  ['string', 'string'],
  ['number', 'number'],
  ['integer', 'number'],
  ['boolean', 'boolean'],
  ['null', 'null'],
  ['array', 'array'],
  ['object', 'object'],
]);

/** The JSON type of a value. */
export function typeOf(value: unknown): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'object';
}

/** A schema, and the schemas that it combines. */
function variants(place: SchemaPlace, depth: number): readonly JsonObject[] {
  const { schema, root } = place;
  if (!isObject(schema) || depth > maxDepth) return [];
  const parts: unknown[] = [schema.anyOf, schema.oneOf, schema.allOf].flatMap((list) =>
    Array.isArray(list) ? list : [],
  );
  if (typeof schema.$ref === 'string') parts.push(resolveReference(schema.$ref, root));
  const inner = parts.flatMap((part) => (isSchema(part) ? variants({ schema: part, root }, depth + 1) : []));
  return [schema, ...inner].slice(0, 64);
}

/** A reference within the same schema: `#/$defs/point`, or `/$defs/point`, as some libraries write it. */
function resolveReference(reference: string, root: JsonSchema | undefined): unknown {
  if (!/^[#/]/.test(reference)) return undefined;
  const keys = reference.replace('#', '').split('/').slice(1);
  let value: unknown = root;
  for (const key of keys) value = ownValue(value, fragmentKey(key));
  return value;
}

function patternProperty(schema: JsonObject, key: string): JsonSchema | undefined {
  // Patterns are untrusted and may be slow, so they are not run; it only matters whether there is exactly one.
  const patterns = isObject(schema.patternProperties) ? Object.values(schema.patternProperties) : [];
  const [only, second] = patterns;
  return key !== '' && second === undefined && isSchema(only) ? only : undefined;
}

function ownProperty(value: unknown, key: string): JsonSchema | undefined {
  const found = ownValue(value, key);
  return isSchema(found) ? found : undefined;
}

function ownValue(value: unknown, key: string): unknown {
  if (!isObject(value) && !Array.isArray(value)) return undefined;
  return Object.getOwnPropertyDescriptor(value, key)?.value;
}
