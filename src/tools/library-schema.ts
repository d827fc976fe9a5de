/** Distinguishes schemas of validation libraries from the JSON Schema that they generate, and both from other values. */
import type { JsonSchema } from '../format/messages.ts';
import { isRecord } from '../format/option-rules.ts';

/** Whether a value of a caller can be JSON Schema: a boolean or an object, not an array. */
export function canBeSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isRecord(value);
}

/**
 * Whether `value` is a schema of a library (Standard Schema), and not JSON. The result of zod's `toJSONSchema` is
 * JSON, although it has a reference to its original schema that `JSON.stringify` does not see.
 */
export function isLibrarySchema(value: unknown): boolean {
  try {
    return holdsStandard(value);
  } catch {
    // A proxy may throw, whatever is asked of it; `plainSchema` says so.
    return false;
  }
}

function holdsStandard(value: unknown): boolean {
  // In some libraries, schemas are functions.
  const holdsProperties = (typeof value === 'object' && value !== null) || typeof value === 'function';
  if (!holdsProperties || !('~standard' in value)) return false;
  const isPlain = Object.getPrototypeOf(value) === Object.prototype;
  return !isPlain || Object.getOwnPropertyDescriptor(value, '~standard')?.enumerable !== false;
}

/** Whether `value` is a schema of effect: a class, which has neither Standard Schema nor JSON of its own. */
export function isEffectSchema(value: unknown): boolean {
  if (typeof value !== 'function') return false;
  try {
    return [...keysOf(value)].some((key) => /effect\/schema/i.test(key));
  } catch {
    // See above.
    return false;
  }
}

/** The names of all properties and symbols, inherited ones too. */
function* keysOf(value: object): Generator<string> {
  for (let at: object | null = value; at !== null; at = Object.getPrototypeOf(at)) {
    for (const key of Reflect.ownKeys(at)) yield typeof key === 'symbol' ? (key.description ?? '') : key;
  }
}
