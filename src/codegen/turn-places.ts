/** What the states of a parser say of the assistant's turn: what is open in each. */
import type { StateName } from './states.ts';

/**
 * What of the assistant's turn is open in a state. `start`: reasoning may begin. `reasoning`: thoughts are
 * open. `answer`: thoughts are over, or text has begun. `content` and `content-with-calls`: an answer in
 * markers of its own is open. `between-turns`: another turn of the same message has to begin. `ended`: none may.
 * `call`: a call, or its section.
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
  // It is an answer unless the end of thoughts comes.
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

/** Where in the turn a state reads; all other states are those of calls. */
export function placeOfState(name: StateName): TurnPlace {
  return placesOfStates.get(name) ?? 'call';
}
