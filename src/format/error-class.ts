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
 * its fields. `contents` names those that hold what a user or a model wrote: they can be read, but nothing that prints or
 * logs an error shows them, and no message may be made from them.
 */
export function errorClass<const Code extends string, Facts extends object>(
  code: Code,
  messageOf: (facts: Facts) => string,
  contents: readonly (keyof NoInfer<Facts> & string)[] = [],
): new (
  facts: Thrown<Facts>,
) => ErrorWith<Code, Facts> {
  class ErrorWithFacts extends IdiolectError {
    readonly code = code;
    constructor(thrown: Thrown<Facts>) {
      const { cause, ...facts } = thrown;
      super(messageOf(thrown), cause === undefined ? undefined : { cause });
      Object.assign(this, facts);
      for (const name of contents) Object.defineProperty(this, name, { enumerable: false });
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

/** `toy.gguf is empty`, `toy.gguf: no such file`: a reason that is the rest of a sentence goes on with it. */
export function aboutFile(file: string, reason: string): string {
  return /^(?:is|was|has|holds|ends|cannot|does|declares|names|lies)\b/.test(reason)
    ? `${file} ${reason}`
    : `${file}: ${reason}`;
}

/** By how much a prompt is too long, without what to do, which depends on who is told. */
export function overflow({
  needed,
  available,
  atLeast,
}: {
  readonly needed: number;
  readonly available: number;
  readonly atLeast: boolean;
}): string {
  return atLeast
    ? `the prompt needs at least ${needed} tokens, probably many more, and the context holds ${available}`
    : `the prompt needs ${needed} tokens, ${needed - available} more than the context holds`;
}
