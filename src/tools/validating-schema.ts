/** Schemas of libraries that validate values themselves (Standard Schema). */

/** The part of such schemas that validates. */
export interface ValidatingSchema {
  readonly '~standard': { readonly validate: (value: unknown) => LibraryVerdict | Promise<LibraryVerdict> };
}

interface LibraryVerdict {
  readonly value?: unknown;
  readonly issues?: readonly ValidationIssue[] | undefined;
}

/** A problem that a library reports for a value. */
interface ValidationIssue {
  readonly message: string;
  readonly path?: readonly unknown[] | undefined;
}

/** Whether a schema can validate values. In some libraries, schemas are functions. What cannot be read is none. */
export function isValidating(schema: unknown): schema is ValidatingSchema {
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null) return false;
  try {
    const standard: unknown = Reflect.get(schema, '~standard');
    return typeof standard === 'object' && standard !== null && 'validate' in standard;
  } catch {
    return false;
  }
}

/** A problem, and where in the value. */
export interface LibraryProblem {
  readonly path: readonly string[];
  /** With the path: `days.0: must be positive`. */
  readonly text: string;
}

/** The problems of `issues`. */
export function problemsOf(issues: readonly ValidationIssue[]): readonly LibraryProblem[] {
  return issues.map(({ message, path: parts = [] }) => {
    const path = parts.map((part) =>
      String(typeof part === 'object' && part !== null && 'key' in part ? part.key : part),
    );
    return { path, text: path.length === 0 ? message : `${path.join('.')}: ${message}` };
  });
}

/** Their texts. */
export function validationProblems(issues: readonly ValidationIssue[]): readonly string[] {
  return problemsOf(issues).map(({ text }) => text);
}
