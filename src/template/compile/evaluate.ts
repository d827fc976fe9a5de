/** The type of compiled expressions, and the context of their compilation. */
import type { Scope } from '../values/scope.ts';
import type { Value } from '../values/values.ts';

/** Computes an expression. */
export type Evaluate = (scope: Scope) => Value;

/** The context of an expression. */
export interface CompileContext {
  /** Whether it is in a branch that may not be taken: an unknown filter then fails only when it is reached. */
  readonly conditional: boolean;
}

/** A template that Jinja would not compile. */
export class CompileError extends Error {
  /** The line of the statement at fault; 0 while it is not known. */
  line = 0;
}
