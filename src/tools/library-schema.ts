/** Schemas of validation libraries, told from the JSON Schema that such a library has written. */

/**
 * Whether `value` is a schema of a library (Standard Schema), and not JSON. What zod's `toJSONSchema` returns is JSON,
 * although it carries the schema that it was made from, where `JSON.stringify` does not see it.
 */
export function isLibrarySchema(value: unknown): boolean {
  // Libraries make schemas that are functions, too.
  const holdsProperties = (typeof value === 'object' && value !== null) || typeof value === 'function';
  if (!holdsProperties || !('~standard' in value)) return false;
  const isPlain = Object.getPrototypeOf(value) === Object.prototype;
  return !isPlain || Object.getOwnPropertyDescriptor(value, '~standard')?.enumerable !== false;
}
