/** What the check of values says of a value, but for where it and the grammar are known to read numbers otherwise. */
import { SchemaError } from '../../src/format/errors.ts';
import type { JsonSchema, JsonValue } from '../../src/format/messages.ts';
import { writeJson } from '../../src/format/write-values.ts';
import { compileValidator } from '../../src/json-schema/validate/validate.ts';
import { oneLine } from './schema-tools.ts';

/** Whether `JSON.parse` rounds a number of `text`: the grammar judges by digits, Ajv what is left of them. */
export function hasManyDigits(text: string): boolean {
  return /\d[\d.]{15}/.test(text);
}

/** Integers and multiples are written without exponent, so not as templates write very large and very small ones. */
export function hasExponent(value: JsonValue): boolean {
  return /\de[+-]/.test(writeJson(value, oneLine));
}

const validators = new Map<JsonSchema, ReturnType<typeof compileValidator>>();

/** `null` where Ajv cannot say. */
export function isValid(schema: JsonSchema, value: JsonValue): boolean | null {
  try {
    const validate = validators.get(schema) ?? compileValidator(withoutPairs(schema));
    validators.clear();
    validators.set(schema, validate);
    return validate(value).length === 0;
  } catch (error) {
    if (error instanceof SchemaError) return null;
    throw error;
  }
}

/** Under `not`, Ajv passes over `contains` next to `prefixItems` where the array is empty; here they stand apart. */
function withoutPairs<Value extends JsonValue>(value: Value): Value {
  return JSON.parse(JSON.stringify(value), (_, inner: JsonValue) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    if (!('prefixItems' in inner) || !('contains' in inner) || 'unevaluatedItems' in inner) return inner;
    const { contains, minContains = 1, maxContains = Number.MAX_SAFE_INTEGER, allOf = [], ...rest } = inner;
    // What contains has seen counts for unevaluatedItems, which sees it through allOf as well.
    return {
      ...rest,
      allOf: [...(Array.isArray(allOf) ? allOf : []), { contains, minContains, maxContains }],
    };
  });
}
