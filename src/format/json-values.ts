/** Basic operations on JSON values and JSON pointers. */
import type { JsonObject } from './messages.ts';

/** Whether a JSON value is an object, not an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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
