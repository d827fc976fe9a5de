/** Probabilities of tokens, given out with the piece of the answer in which each token begins. */
import type { ResponseEvent, TextDelta, TokenLogprob } from '../../parser/events.ts';
import type { TextPiece } from './steering/stop-watch.ts';

/** A piece of the response; one that is a token, or several, may have their probabilities. */
export interface LikelyPiece extends Pick<TextPiece, 'role'> {
  readonly logprobs?: readonly TokenLogprob[];
}

interface PlacedToken {
  readonly logprob: TokenLogprob;
  /** Where it begins in the text of the response. */
  readonly start: number;
}

/** Follows one response. */
export class AnswerLogprobs {
  /** Tokens whose text the parser may not have given out yet. */
  #waiting: PlacedToken[] = [];

  /** A piece is written at `start`. Control tokens have no place in the text. */
  note({ logprobs = [], role }: LikelyPiece, start: number): void {
    if (role === 'control') return;
    let at = start;
    for (const logprob of logprobs) {
      this.#waiting.push({ logprob, start: at });
      at += logprob.token.length;
    }
  }

  /** The events, those of the answer with their tokens. */
  attach(events: readonly ResponseEvent[]): readonly ResponseEvent[] {
    if (this.#waiting.length === 0) return events;
    return events.map((event) => (event.type === 'text-delta' ? this.#withTokens(event) : event));
  }

  #withTokens(event: TextDelta): TextDelta {
    const later = this.#waiting.findIndex(({ start }) => start >= event.end);
    const begun = this.#waiting.splice(0, later < 0 ? this.#waiting.length : later);
    const logprobs = begun
      .filter((token, index) => endOf(token, begun[index + 1]) > event.start)
      .map(({ logprob }) => logprob);
    return logprobs.length === 0 ? event : { ...event, logprobs };
  }
}

/** A token that ends within a character belongs to that character. */
function endOf({ start }: PlacedToken, next: PlacedToken | undefined): number {
  return Math.max(start + 1, next?.start ?? Number.POSITIVE_INFINITY);
}
