/** What goes into a response that is being written, and what comes out. */
import type { ResponseEvent, ResponseMessage } from '../../../parser/events.ts';
import type { LikelyPiece } from '../answer-logprobs.ts';

/** A piece of the response: one token, or injected text. */
export interface WrittenPiece extends LikelyPiece {
  /** Its text or its bytes, which may begin or end inside a character. */
  readonly spelling: string | Uint8Array;
  /** Its number of tokens. */
  readonly tokens: number;
}

/** The result of taking a sampled piece. */
export interface TakenPiece {
  readonly events: readonly ResponseEvent[];
  /** Set if the grammar begins inside the piece and does not allow the rest: the part that is kept. */
  readonly kept: string | null;
}

/** The end of a response. */
export interface WrittenResponse {
  /** The last events. */
  readonly events: readonly ResponseEvent[];
  readonly message: ResponseMessage;
}
