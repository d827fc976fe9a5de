/** The input for reading the parts of a call. */

import type { Repetition } from '../literals/repetition.ts';
import type { Boundaries } from '../literals/token-boundaries.ts';
import type { Probing } from '../probes/probing.ts';
import type { CallTurn } from '../turn/rendered-turns.ts';
import type { WithTurnStart } from '../turn/turn-start.ts';

/** The input for reading calls. */
export interface CallsInput extends Probing, Boundaries, WithTurnStart {
  /** The probe with two calls, or with one if the template refuses two. */
  readonly calls: CallTurn;
  /** Text that opens the section and its first call. */
  readonly callsOpen: string;
  /** Text after the last call's arguments, up to the end of the turn. */
  readonly callsClose: string;
  /** Text that ends a turn after calls. */
  readonly callsEnd: string;
}

/** How calls repeat. `itemClose`, the end of a call, may contain placeholders (`placeholders.ts`). */
export interface CallSection extends Repetition {
  /** The number in the first call for which `itemClose` has a placeholder; 0 if there is none. */
  readonly number: number;
}
