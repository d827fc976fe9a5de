/** What is asked of JSON in many places: which values are objects, and how JSON pointers spell keys. */
import type { JsonObject } from './messages.ts';

/** Whether a value that came from JSON is an object, and no list. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A key as a part of a JSON pointer (RFC 6901): `a/b` is written `a~1b`. */
export function pointerPart(key: string): string {
  if (!key.includes('~') && !key.includes('/')) return key;
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** The key that a part of a JSON pointer stands for: the inverse of `pointerPart`. */
export function pointerKey(part: string): string {
  return part.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** A part of a JSON pointer in a URI's fragment as the key that it means: percent signs are decoded first. */
export function fragmentKey(part: string): string {
  let decoded = part;
  try {
    decoded = decodeURIComponent(part);
  } catch {
    // A stray percent sign stands for itself.
  }
  return pointerKey(decoded);
}
