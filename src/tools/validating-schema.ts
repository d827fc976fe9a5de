/** Schemas of libraries that validate values themselves (Standard Schema). */

/** The part of such schemas that validates. */
export interface ValidatingSchema {
  readonly '~standard': { readonly validate: (value: unknown) => Verdict | Promise<Verdict> };
}

interface Verdict {
  readonly value?: unknown;
  readonly issues?: readonly ValidationIssue[] | undefined;
}

/** A problem that a library reports for a value. */
export interface ValidationIssue {
  readonly message: string;
  readonly path?: readonly unknown[] | undefined;
}

/** Whether a schema can validate values. In some libraries, schemas are functions. */
export function isValidating(schema: unknown): schema is ValidatingSchema {
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null) return false;
  const standard: unknown = Reflect.get(schema, '~standard');
  return typeof standard === 'object' && standard !== null && 'validate' in standard;
}

/** Each problem with its path in the value: `days.0: must be positive`. */
export function validationProblems(issues: readonly ValidationIssue[]): readonly string[] {
  return issues.map(({ message, path = [] }) => {
    const keys = path.map((part) =>
      String(typeof part === 'object' && part !== null && 'key' in part ? part.key : part),
    );
    return keys.length === 0 ? message : `${keys.join('.')}: ${message}`;
  });
}
