/** Attaches the probabilities of tokens to the piece of the answer in which each token begins. */
import type { ResponseEvent, TextDelta, TokenLogprob } from '../../parser/events.ts';
import type { TextPiece } from './steering/stop-watch.ts';

/** The value for probabilities near zero, as in OpenAI's API, because JSON has no infinity. */
export const leastLogprob = -9999;

/** A piece of the response; its tokens may have probabilities. */
export interface LikelyPiece extends Pick<TextPiece, 'role'> {
  readonly logprobs?: readonly TokenLogprob[];
}

interface PlacedToken {
  readonly logprob: TokenLogprob;
  /** Its offset in the response. */
  readonly start: number;
}

/** Follows one response. */
export class AnswerLogprobs {
  /** Tokens whose text the parser may not have emitted yet. */
  #waiting: PlacedToken[] = [];

  /** Records the tokens of a piece at offset `start`. Control tokens have no text. */
  note({ logprobs = [], role }: LikelyPiece, start: number): void {
    if (role === 'control') return;
    let at = start;
    for (const logprob of logprobs) {
      this.#waiting.push({ logprob, start: at });
      at += logprob.token.length;
    }
  }

  /** Returns the events, with the tokens attached to those of the answer. */
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
