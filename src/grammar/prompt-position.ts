/** Where in the assistant's turn a prompt ends, and so where the grammar must continue. */

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

/** Where in the assistant's turn a prompt ends. */
export interface PromptPosition {
  readonly place: TurnPlace;
  /**
   * Suffix of the prompt that the parser cannot classify yet: the start of a marker (`>>>`) or header, or, inside a
   * call, the whole call so far.
   */
  readonly pending: string;
  /** Suffix of the prompt from the opener of the latest call; tried if the grammar cannot begin with `pending`. */
  readonly laterCall: string;
  /** True if the prompt contains text of the open region. */
  readonly begun: boolean;
  /** The answer as far as the prompt contains it, with what is still pending of it; '' if there is none. */
  readonly answer: string;
  /** True if the prompt ends with the start of the turn, so that the model may still write `turn.lead`. */
  readonly untouched: boolean;
  /** Everything in the prompt after the start of the turn. */
  readonly written: string;
}

/** The position if the prompt contains only the start of the turn. */
export const turnStart: PromptPosition = {
  place: 'start',
  pending: '',
  laterCall: '',
  begun: false,
  answer: '',
  untouched: true,
  written: '',
};
