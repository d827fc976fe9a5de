/** The base class of all errors, and a function that creates a class from a code and a message. */

/** Base of every error thrown on purpose; `code` is stable and identifies the class. */
export abstract class IdiolectError extends Error {
  abstract readonly code: string;
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** The argument of an error: its facts and, if there is one, its cause. */
export type Thrown<Facts> = Facts & { readonly cause?: unknown };

/** An error with its facts as fields. */
export type ErrorWith<Code extends string, Facts> = IdiolectError & { readonly code: Code } & Readonly<Facts>;

/**
 * Creates the base of an error class from its code and a function that makes its message from its facts, which become
 * its fields.
 */
export function errorClass<const Code extends string, Facts extends object>(
  code: Code,
  messageOf: (facts: Facts) => string,
): new (
  facts: Thrown<Facts>,
) => ErrorWith<Code, Facts> {
  class ErrorWithFacts extends IdiolectError {
    readonly code = code;
    constructor(thrown: Thrown<Facts>) {
      const { cause, ...facts } = thrown;
      super(messageOf(thrown), cause === undefined ? undefined : { cause });
      Object.assign(this, facts);
    }
  }
  return ErrorWithFacts as unknown as new (
    facts: Thrown<Facts>,
  ) => ErrorWith<Code, Facts>;
}

/** The result of `make`; `null` if it throws an error of one of these classes. */
export function unless<Result>(kinds: ErrorKind | readonly ErrorKind[], make: () => Result): Result | null {
  try {
    return make();
  } catch (error) {
    if ([kinds].flat().some((kind) => error instanceof kind)) return null;
    throw error;
  }
}

type ErrorKind = abstract new (...values: never) => Error;

/** The code of an error, such as Node's `ENOENT`; `null` if it has none. */
export function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null;
}
