/** Schemas of validation libraries that check values themselves (Standard Schema). */

/** What such schemas have next to their types. */
export interface ValidatingSchema {
  readonly '~standard': { readonly validate: (value: unknown) => Verdict | Promise<Verdict> };
}

interface Verdict {
  readonly value?: unknown;
  readonly issues?: readonly ValidationIssue[] | undefined;
}

/** What a library finds wrong with a value. */
export interface ValidationIssue {
  readonly message: string;
  readonly path?: readonly unknown[] | undefined;
}

/** Whether a schema can check values. Libraries make schemas that are functions, too. */
export function isValidating(schema: unknown): schema is ValidatingSchema {
  if ((typeof schema !== 'object' && typeof schema !== 'function') || schema === null) return false;
  const standard: unknown = Reflect.get(schema, '~standard');
  return typeof standard === 'object' && standard !== null && 'validate' in standard;
}

/** Each with the place in the value: `days.0: must be positive`. */
export function validationProblems(issues: readonly ValidationIssue[]): readonly string[] {
  return issues.map(({ message, path = [] }) => {
    const keys = path.map((part) =>
      String(typeof part === 'object' && part !== null && 'key' in part ? part.key : part),
    );
    return keys.length === 0 ? message : `${keys.join('.')}: ${message}`;
  });
}
