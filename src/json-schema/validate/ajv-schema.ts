/** Rewrites schemas for the draft that Ajv implements, so that its verdicts agree with the grammar. */
import type { JsonObject, JsonSchema, JsonValue } from '../../format/messages.ts';
import { isArray, isObject, isSchema } from '../document/schema-document.ts';
import { isMeant } from '../shapes/keyword-kinds.ts';
import { typeNames } from '../shapes/type-names.ts';
import { listKeywords, mapKeywords, singleKeywords } from './local-references.ts';

/** How to read the schema. */
export interface AjvReading {
  /** Ajv supports `items` as a list: it implements draft 7. */
  readonly listedItems: boolean;
  /** `id` names resources (drafts up to 4). */
  readonly plainId: boolean;
  /** Some sub-schema depends on what its neighbours evaluated. */
  readonly asksForEvaluated: boolean;
  /** Siblings of `$ref` are ignored (drafts up to 7). */
  readonly refAlone: boolean;
}

/**
 * `schema` without what Ajv refuses to compile: keywords of the wrong kind (which are ignored, and reported),
 * `$async`, `nullable`, `id`, bounds as booleans, `items` as a list, siblings of `$ref` that have no effect.
 */
export function forAjv(schema: JsonSchema, reading: AjvReading): JsonSchema {
  if (!isObject(schema)) return schema;
  if (reading.refAlone && typeof schema.$ref === 'string') return onlyReference(schema, reading);
  // `$async` would make every verdict a promise.
  const meant = Object.entries(schema).filter(
    ([keyword, value]) => keyword !== '$async' && isMeant(keyword, value),
  );
  // Ajv rejects an empty `enum`, which no value satisfies.
  if (isArray(schema.enum) && schema.enum.length === 0) return { ...definitionsOf(schema, reading), not: {} };
  const inner = meant.map(([keyword, value]) => [keyword, innerForAjv(keyword, value, reading)] as const);
  return withoutNullable(
    withoutListedItems(
      withoutTruths(renamed(withNeighbours(withPrototype(Object.fromEntries(inner)), reading), reading)),
      reading,
    ),
  );
}

/** Corrects what Ajv reports as evaluated to neighbours. */
function withNeighbours(schema: JsonObject, { asksForEvaluated }: AjvReading): JsonObject {
  return asksForEvaluated ? withCondition(withContained(schema)) : schema;
}

/** Ajv evaluates `if` only next to `then` or `else`, and counts its evaluations even if it fails. */
function withCondition(schema: JsonObject): JsonObject {
  const { if: condition, then: consequence = true, else: otherwise = true, allOf = [], ...rest } = schema;
  if (condition === undefined || !isArray(allOf)) return schema;
  const cases = [{ allOf: [condition, consequence] }, { allOf: [{ not: condition }, otherwise] }];
  return { ...rest, allOf: [...allOf, { anyOf: cases }] };
}

/** `$ref` with the definitions next to it, to which others may refer. */
function onlyReference(schema: JsonObject, reading: AjvReading): JsonObject {
  return { $ref: schema.$ref ?? '', ...definitionsOf(schema, reading) };
}

function definitionsOf({ $defs, definitions }: JsonObject, reading: AjvReading): JsonObject {
  const found = Object.entries({ $defs, definitions }).filter((entry): entry is [string, JsonObject] =>
    isObject(entry[1]),
  );
  const written = found.map(([keyword, value]) => [keyword, innerForAjv(keyword, value, reading)] as const);
  return Object.fromEntries(written);
}

/**
 * With `contains`, Ajv counts all items as evaluated; only the matching ones are. Under `not`, Ajv ignores its
 * evaluations.
 */
function withContained(schema: JsonObject): JsonObject {
  const { contains, minContains, maxContains, unevaluatedItems, allOf = [], ...rest } = schema;
  if (contains === undefined || unevaluatedItems === undefined || !isArray(allOf)) return schema;
  const counted = Object.entries({ contains, minContains, maxContains }).filter(
    (entry): entry is [string, JsonValue] => entry[1] !== undefined,
  );
  return {
    ...rest,
    allOf: [...allOf, { not: { not: Object.fromEntries(counted) } }],
    unevaluatedItems: { anyOf: [contains, unevaluatedItems] },
  };
}

/** Ajv skips a property `__proto__`, but not a pattern that matches only this key. */
function withPrototype(schema: JsonObject): JsonObject {
  const { properties, patternProperties = {} } = schema;
  if (!isObject(properties) || !isObject(patternProperties)) return schema;
  const own = Object.entries(properties).find(([name]) => name === '__proto__');
  if (own === undefined) return schema;
  const others = Object.entries(properties).filter((entry) => entry[0] !== '__proto__');
  const pattern = `^${'(?:)'.repeat(Object.keys(patternProperties).length)}__proto__$`;
  return {
    ...schema,
    properties: Object.fromEntries(others),
    patternProperties: { ...patternProperties, [pattern]: own[1] },
  };
}

function innerForAjv(keyword: string, value: JsonValue, reading: AjvReading): JsonValue {
  const convert = (each: JsonValue) => (isSchema(each) ? forAjv(each, reading) : each);
  // Ajv rejects unknown type names. No value has such a type, so they can be dropped.
  if (keyword === 'type' && isArray(value)) return typeNames(value);
  if (singleKeywords.includes(keyword) && isSchema(value)) return convert(value);
  if (listKeywords.includes(keyword) && isArray(value)) return value.filter(isSchema).map(convert);
  if (!mapKeywords.includes(keyword) || !isObject(value)) return value;
  const entries = Object.entries(value).filter(([, each]) => isSchema(each) || isArray(each));
  return Object.fromEntries(entries.map(([name, each]) => [name, convert(each)]));
}

/** Ajv rejects `id` in any role. */
function renamed({ id, ...schema }: JsonObject, { plainId }: AjvReading): JsonObject {
  if (id === undefined) return schema;
  return plainId && typeof id === 'string' && schema.$id === undefined ? { ...schema, $id: id } : schema;
}

function withoutTruths(schema: JsonObject): JsonObject {
  const found: Record<string, JsonValue> = { ...schema };
  for (const [inclusive, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    const { [inclusive]: limit, [exclusive]: isExclusive } = found;
    if (typeof isExclusive !== 'boolean') continue;
    delete found[exclusive];
    if (!isExclusive || limit === undefined) continue;
    delete found[inclusive];
    found[exclusive] = limit;
  }
  return found;
}

function withoutListedItems(schema: JsonObject, { listedItems }: AjvReading): JsonObject {
  const { items, additionalItems, ...rest } = schema;
  if (listedItems || !isArray(items) || rest.prefixItems !== undefined) return schema;
  const tuple = items.length === 0 ? rest : { ...rest, prefixItems: items };
  return additionalItems === undefined ? tuple : { ...tuple, items: additionalItems };
}

function withoutNullable({ nullable, ...schema }: JsonObject): JsonObject {
  const { type } = schema;
  if (nullable !== true || type === undefined) return schema;
  const types = isArray(type) ? type : [type];
  return types.includes('null') ? schema : { ...schema, type: [...types, 'null'] };
}
