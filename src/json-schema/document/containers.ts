/** Converts arrays and objects in `enum` and `const` to schemas. */
import type { JsonObject, JsonValue } from '../../format/messages.ts';
import { isArray, isObject } from './schema-document.ts';

/** A schema for which `value` is the only valid array or object. */
export function schemaOfContainer(value: JsonValue): JsonObject {
  if (isArray(value)) {
    const prefixItems = value.map((item) => ({ const: item }));
    return { prefixItems, items: false, minItems: value.length, maxItems: value.length };
  }
  const entries = Object.entries(isObject(value) ? value : {});
  const properties = Object.fromEntries(entries.map(([key, item]) => [key, { const: item }]));
  return { properties, required: entries.map(([key]) => key), additionalProperties: false };
}
