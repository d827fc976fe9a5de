/** The types of compiled statements. */
import type { Scope } from '../values/scope.ts';
import type { Text } from '../values/traced-text.ts';
import type { Node } from './tree.ts';

/** How a statement ends: the next one follows, or the loop's body is left. */
export type Outcome = 'next' | 'break' | 'continue';

/** Runs a statement. */
export type Execute = (scope: Scope) => Outcome;

/** Runs a body with its own scope and captures its output as text. */
export type Capture = (scope: Scope) => Text;

/** Compiles such a body. */
export type CompileCapture = (nodes: readonly Node[]) => Capture;
