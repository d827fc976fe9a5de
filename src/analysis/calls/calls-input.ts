/** What the parts of a call are read from. */

import type { Repetition } from '../literals/repetition.ts';
import type { Boundaries } from '../literals/token-boundaries.ts';
import type { Probing } from '../probes/probing.ts';
import type { CallTurn } from '../turn/rendered-turns.ts';
import type { WithTurnStart } from '../turn/turn-start.ts';

/** What calls are read from. */
export interface CallsInput extends Probing, Boundaries, WithTurnStart {
  /** The probe with two calls, or with one where two are refused. */
  readonly calls: CallTurn;
  /** Opens the section and its first call. */
  readonly callsOpen: string;
  /** After the last call's arguments, up to the end of the turn. */
  readonly callsClose: string;
  /** What ends a turn after calls. */
  readonly callsEnd: string;
}

/** How calls repeat. `itemClose`, which ends a call, may hold placeholders (`placeholders.ts`). */
export interface CallSection extends Repetition {
  /** What the placeholder for numbers in `itemClose` stands for in the first call; 0 where there is none. */
  readonly number: number;
}
