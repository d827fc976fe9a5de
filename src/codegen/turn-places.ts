/** For each state of a parser, what part of the assistant's turn is open. */
import type { StateName } from './states.ts';

/**
 * The open part of the assistant's turn. `start`: reasoning may begin. `reasoning`: thoughts are open. `answer`:
 * thoughts are over, or text has begun. `content` and `content-with-calls`: an answer with markers of its own is open.
 * `between-turns`: another turn of the same message must begin. `ended`: no other turn may begin. `call`: a call or
 * its section is open.
 */
export type TurnPlace =
  | 'start'
  | 'reasoning'
  | 'answer'
  | 'content'
  | 'content-with-calls'
  | 'between-turns'
  | 'ended'
  | 'call';

const placesOfStates: ReadonlyMap<StateName, TurnPlace> = new Map([
  ['atTurnStart', 'start'],
  ['inHeader', 'start'],
  ['inReasoning', 'reasoning'],
  ['maybeCall', 'reasoning'],
  // It counts as the answer until the end of thoughts comes.
  ['maybeReasoning', 'answer'],
  ['afterReasoning', 'answer'],
  ['inAnswer', 'answer'],
  ['maybeCalls', 'answer'],
  ['afterContent', 'answer'],
  ['afterCalls', 'answer'],
  ['inContent', 'content'],
  ['inContentWithCalls', 'content-with-calls'],
  ['betweenTurns', 'between-turns'],
  ['turnEnded', 'ended'],
  ['afterTurn', 'ended'],
]);

/** The part of the turn in a state; states not listed belong to calls. */
export function placeOfState(name: StateName): TurnPlace {
  return placesOfStates.get(name) ?? 'call';
}
