/**
 * What the library of a schema says about a value. Exporters to JSON Schema leave out what it cannot express (zod's
 * `refine` and `jwt`, valibot's `email`), so that no grammar enforces it.
 */
import { isValidating, validationProblems } from '../../../tools/validating-schema.ts';

/** Lists what is wrong with a value; empty if nothing is, or if the library needs time to say. */
export type LibraryCheck = (value: unknown) => readonly string[];

/** Asks the library of `schema`; `null` if it is no library's. */
export function libraryCheck(schema: unknown): LibraryCheck | null {
  if (!isValidating(schema)) return null;
  let needsTime = false;
  return (value) => {
    if (needsTime) return [];
    try {
      // Libraries may change what they are given.
      const verdict = schema['~standard'].validate(structuredClone(value));
      if (!(verdict instanceof Promise)) return validationProblems(verdict.issues ?? []);
      // Whoever executes the call waits for the verdict, and asks again.
      needsTime = true;
      verdict.catch(() => undefined);
      return [];
    } catch (error) {
      return [`its library cannot validate it: ${error instanceof Error ? error.message : String(error)}`];
    }
  };
}
