/** What a compiled expression is, and what its compilation goes by. */
import type { Scope } from '../values/runtime.ts';
import type { Value } from '../values/values.ts';

/** Computes an expression. */
export type Evaluate = (scope: Scope) => Value;

/** Where an expression stands. */
export interface CompileContext {
  /** In a branch that may not be taken: an unknown filter fails only when it is reached. */
  readonly conditional: boolean;
}

/** A template that Jinja would refuse to compile. */
export class CompileError extends Error {}
