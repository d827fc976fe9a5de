/** What statements compile to. */
import type { Scope } from '../values/runtime.ts';
import type { Text } from '../values/traced-text.ts';
import type { Node } from './tree.ts';

/** How a statement ends: on to the next one, or out of the loop's body. */
export type Outcome = 'next' | 'break' | 'continue';

/** Runs a statement. */
export type Execute = (scope: Scope) => Outcome;

/** Runs a body in a scope of its own and takes its output as text. */
export type Capture = (scope: Scope) => Text;

/** Compiles such a body. */
export type CompileCapture = (nodes: readonly Node[]) => Capture;
