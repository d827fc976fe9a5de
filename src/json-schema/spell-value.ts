/** Spells a value as the grammar of its schema does: keys in the grammar's order, JSON in a given style. */
import type { JsonStyle } from '../format/argument-notation.ts';
import { SchemaError } from '../format/errors.ts';
import type { JsonObject, JsonSchema, JsonValue } from '../format/messages.ts';
import { jsonSchema, jsonStyle, requireOption } from '../format/option-rules.ts';
import { writeJson, writeJsonString } from '../format/write-values.ts';
import { StepBudget } from '../language/expression/budget.ts';
import { plainSchema } from '../tools/plain-schema.ts';
import { isArray, isObject, SchemaDocument } from './document/schema-document.ts';
import { type InstanceLocation, InstanceLocations } from './plan/instance-locations.ts';
import { scalarText } from './plan/tags.ts';

/**
 * Prints `value` as JSON on one line. Keys that `schema` mentions come first, in order of first mention, as in its
 * grammar. Throws `UnsupportedOptionError` for an invalid schema or style, `SchemaError` for a schema that is not
 * JSON, too large or nested too deeply.
 */
export function spellValue(
  schema: JsonSchema,
  value: JsonValue,
  style: JsonStyle,
  documents?: ReadonlyMap<string, JsonSchema>,
): string {
  requireOption('schema', schema, jsonSchema);
  requireOption('style', style, jsonStyle);
  try {
    return spellPlain(plainSchema(schema, ''), value, style, documents);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const reason = 'it or the value is nested too deeply';
    throw new SchemaError([{ tool: '', pointer: '', keyword: 'schema', effect: 'narrowed', reason }]);
  }
}

function spellPlain(
  schema: JsonSchema,
  value: JsonValue,
  style: JsonStyle,
  documents: ReadonlyMap<string, JsonSchema> | undefined,
): string {
  const document = new SchemaDocument(schema, documents);
  const locations = new InstanceLocations(document, new StepBudget(Number.POSITIVE_INFINITY), style.sortKeys);
  const spell = (each: JsonValue, whole: InstanceLocation): string => {
    if (isArray(each)) {
      const items = each.map((item, index) => spell(item, locations.item(whole, index)));
      return `[${items.join(style.itemSeparator)}]`;
    }
    if (!isObject(each)) return writeJson(each, style);
    const location = locationOf(each, whole, locations);
    const declared = location.keys.filter((key) => Object.hasOwn(each, key));
    const named = new Set(declared);
    const others = Object.keys(each).filter((key) => !named.has(key));
    const members = [...declared, ...others].map((key) => {
      const inner = named.has(key) ? locations.property(location, key) : locations.open(location);
      return writeJsonString(key, style.ascii) + style.keySeparator + spell(each[key] ?? null, inner);
    });
    return `{${members.join(style.itemSeparator)}}`;
  };
  return spell(value, locations.of([document.root]));
}

/** The location of the object `value` within `whole`. */
function locationOf(
  value: JsonObject,
  whole: InstanceLocation,
  locations: InstanceLocations,
): InstanceLocation {
  const tag = locations.tag(whole);
  if (tag === null) return whole;
  const scalar = Object.hasOwn(value, tag.key) ? value[tag.key] : undefined;
  return locations.tagged(whole, tag, scalar === undefined ? null : scalarText(scalar));
}
