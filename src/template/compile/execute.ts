/** The types of compiled statements. */
import type { Steps } from '../../language/expression/steps.ts';
import type { Scope } from '../values/scope.ts';
import type { Text } from '../values/traced-text.ts';
import type { Node } from './tree.ts';

/** How a statement ends: the next one follows, or the loop's body is left. */
export type Outcome = 'next' | 'break' | 'continue';

/** Runs a statement. */
export type Execute = (scope: Scope) => Outcome;

/** A compiled statement. */
export interface Statement {
  readonly run: Execute;
  /** The same, in steps. Default: it is one step. */
  readonly steps?: (scope: Scope) => Steps<Outcome>;
}

/** Consecutive statements. */
export type Block = Required<Statement>;

/** Runs a body with its own scope and captures its output as text. */
export interface Capture {
  run(scope: Scope): Text;
  /** The same, in steps. */
  steps(scope: Scope): Steps<Text>;
}

/** Compiles such a body. */
export type CompileCapture = (nodes: readonly Node[]) => Capture;
