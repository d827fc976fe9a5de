/**
 * One response of a server, piece by piece. It says when the request that runs has to give way to another one: under
 * a grammar from here on, or after text that was written for the model.
 */
import type { ResponseEvent, Usage } from '../../parser/events.ts';
import { SteeredResponse, type SteeringOptions, type WrittenResponse } from '../chat/steered-response.ts';
import type { CompletionPiece } from './server-dialect.ts';

/** What a run works with. */
export type ServerRunOptions = Omit<SteeringOptions, 'markers' | 'unconstrainedAfterCalls'>;

/** What came of a piece. */
export interface Advance {
  readonly events: readonly ResponseEvent[];
  /** `go-on`: read on. `ask-again`: leave this request, and make one for what follows. */
  readonly next: 'go-on' | 'ask-again' | 'over';
}

/** Servers tell special tokens and their spelling apart by nothing, so a marker counts in any spelling. */
const anySpelling = {
  leading: () => undefined,
  splitAtBeginnings: (text: string) => [{ text, special: false }],
};

/** Follows one response from its first piece to its message. */
export class ServerRun {
  readonly #response: SteeredResponse;
  /** The request that runs is under a structural tag, and so under the grammar that a call begins. */
  #tagged = false;

  constructor(options: ServerRunOptions) {
    // A request under a grammar runs until that is over; another one, for free text, would cost more than it gives.
    this.#response = new SteeredResponse({
      ...options,
      markers: anySpelling,
      unconstrainedAfterCalls: false,
    });
  }

  /** The response so far: the next request goes on after it. */
  get text(): string {
    return this.#response.text;
  }

  /** GBNF of all that may follow; `null` where anything may. */
  get grammar(): string | null {
    return this.#response.matcher?.gbnf() ?? null;
  }

  /** Tokens that may still be written. */
  get tokensLeft(): number {
    return this.#response.tokensLeft;
  }

  /** Before the first request: with no budget for thoughts, those that the prompt opened are closed at once. */
  start(): Advance {
    const events = this.#closeThoughts();
    if (this.#response.tokensLeft === 0) this.#response.cutOff();
    return { events, next: this.#response.over ? 'over' : 'ask-again' };
  }

  /** A request is made; `tagged`: a structural tag says all that may come. */
  ask(tagged: boolean): void {
    this.#tagged = tagged;
  }

  /** The server wrote something. */
  take({ text, tokens, finish }: CompletionPiece): Advance {
    const response = this.#response;
    // The server knows the limit; what it writes beyond it is not taken.
    if (finish === null && tokens > response.tokensLeft) return { events: [], next: this.cutOff() };
    const wasConstrained = response.constrained;
    const { events, kept } = response.take({ spelling: text, role: 'text', tokens });
    if (wasConstrained && response.matcher === null) {
      throw response.broken('the server wrote what the grammar does not allow: does it support grammars?');
    }
    const { length } = response.text;
    const closing = finish === null ? this.#closeThoughts() : [];
    const isClosed = response.text.length > length;
    const isAsWritten =
      kept === null && !isClosed && (this.#tagged || wasConstrained === response.constrained);
    const { events: last, next } = this.#next(finish, isAsWritten, kept === null);
    return { events: [...events, ...closing, ...last], next };
  }

  /** The context holds no more. */
  cutOff(): 'over' {
    this.#response.cutOff();
    return 'over';
  }

  /** The prompt as the server took it; `cachedTokens` is `null` where it does not say. */
  follow(promptTokens: number, cachedTokens: number | null): void {
    this.#response.follow({ promptTokens, cachedTokens });
  }

  /** What the response has cost so far. */
  get usage(): Usage {
    return this.#response.usage;
  }

  /** No more pieces; `left`: nobody waits for more. */
  finish(left = false): WrittenResponse {
    return this.#response.finish(left);
  }

  /**
   * `isAsWritten`: the request that runs goes on where the response stands, under the grammar that it needs.
   * `isWhole`: nothing of the piece was taken back.
   */
  #next(finish: CompletionPiece['finish'], isAsWritten: boolean, isWhole: boolean): Advance {
    const response = this.#response;
    // Whatever the server says: with its last token, a limit may be reached that cuts nothing.
    if (response.over) return { events: [], next: 'over' };
    if (finish === null && isAsWritten) return { events: [], next: 'go-on' };
    const complete = response.matcher?.complete === true;
    // A text of `stop` counts for the server under a tag, also in a call, where it is text like any other.
    const isCut = this.#tagged && response.constrained && !complete;
    const ends = finish === 'stop' && !isCut && (isAsWritten || (isWhole && complete));
    const isFull = response.tokensLeft === 0;
    // With the last token that was allowed, a response may also have come to its end.
    if (ends && (!isFull || complete || response.free)) return { events: response.end(null), next: 'over' };
    if (finish === 'length' || isFull) return { events: [], next: this.cutOff() };
    // What ended without the grammar in the middle of a call goes on under it.
    return { events: [], next: 'ask-again' };
  }

  /** Where the budget is used up, reasoning is closed for the model, unless the grammar forbids it here. */
  #closeThoughts(): readonly ResponseEvent[] {
    const { closing } = this.#response;
    if (closing === null) return [];
    return this.#response.write({ spelling: closing, role: 'text', tokens: 0 });
  }
}
