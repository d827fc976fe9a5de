/** Basic operations on JSON values and JSON pointers. */
import type { JsonObject, JsonSchema, JsonValue } from './messages.ts';

/** Whether a JSON value is an object, not an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a JSON value can be a schema. */
export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isObject(value);
}

/** The value of a JSON text; `undefined` if it is not JSON. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The object of a JSON text; `null` if it is not the JSON of an object. */
export function parseObject(text: string): JsonObject | null {
  const value = parseJson(text);
  return isObject(value) ? value : null;
}

/** The properties in snake case: `supportsToolCalls` as `supports_tool_calls`. */
export function snakeCase(flags: object): Readonly<Record<string, unknown>> {
  const entries = Object.entries(flags).map(([flag, holds]) => [
    flag.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    holds,
  ]);
  return Object.fromEntries(entries);
}

/** A key as a segment of a JSON pointer (RFC 6901): `a/b` becomes `a~1b`. */
export function pointerPart(key: string): string {
  if (!key.includes('~') && !key.includes('/')) return key;
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The key of a segment of a JSON pointer: the inverse of `pointerPart`. */
export function pointerKey(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** The key of a segment of a JSON pointer in a URI fragment, which is percent-decoded first. */
export function fragmentKey(part: string): string {
  let decoded = part;
  try {
    decoded = decodeURIComponent(part);
  } catch {
    // A stray percent sign means itself.
  }
  return pointerKey(decoded);
}
