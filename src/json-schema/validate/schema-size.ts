/** Limits the size of schemas to validate against. */
import type { JsonSchema, JsonValue } from '../../format/messages.ts';

/** Maximum number of parts. */
const maxParts = 8000;

/** Error message for a schema that is too large. */
export const tooLarge = `more than ${maxParts} parts are too many to check`;

/** Whether `schema` has too many parts to validate against. */
export function isTooLarge(schema: JsonSchema): boolean {
  let count = 0;
  for (const _ of partsOf(schema)) {
    count += 1;
    if (count > maxParts) return true;
  }
  return false;
}

/** All objects, arrays and booleans in `value`, including itself. */
function* partsOf(value: JsonValue): Generator<JsonValue> {
  const open: JsonValue[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === 'boolean') yield next;
    if (typeof next !== 'object' || next === null) continue;
    yield next;
    for (const part of Object.values(next)) open.push(part);
  }
}
