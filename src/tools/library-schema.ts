/** Distinguishes schemas of validation libraries from the JSON Schema that they generate. */

/**
 * Whether `value` is a schema of a library (Standard Schema), and not JSON. The result of zod's `toJSONSchema` is
 * JSON, although it has a reference to its original schema that `JSON.stringify` does not see.
 */
export function isLibrarySchema(value: unknown): boolean {
  // In some libraries, schemas are functions.
  const holdsProperties = (typeof value === 'object' && value !== null) || typeof value === 'function';
  if (!holdsProperties || !('~standard' in value)) return false;
  const isPlain = Object.getPrototypeOf(value) === Object.prototype;
  return !isPlain || Object.getOwnPropertyDescriptor(value, '~standard')?.enumerable !== false;
}
