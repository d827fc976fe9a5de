/** The base of all errors, and how a class of them is made of a code and a message. */

/** Base of every error thrown on purpose; `code` is stable and names the class for programs. */
export abstract class IdiolectError extends Error {
  abstract readonly code: string;
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}

/** What an error is thrown with: its facts and, where there is one, the error that led to it. */
export type Thrown<Facts> = Facts & { readonly cause?: unknown };

/** An error with its facts as fields. */
export type ErrorWith<Code extends string, Facts> = IdiolectError & { readonly code: Code } & Readonly<Facts>;

/** The base of an error class: its code, and its message made of its facts, which become its fields. */
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
