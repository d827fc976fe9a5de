/**
 * One response of a server, piece by piece. It says when the request that runs has to give way to another one: under
 * a grammar from here on, or after text that was written for the model.
 */
import type { ResponseEvent, Usage } from '../../parser/events.ts';
import type { ResponseChecks } from '../chat/checks/response-checks.ts';
import { RevocableResponse } from '../chat/checks/revocable-response.ts';
import type { SteeredResponse, SteeringOptions, WrittenResponse } from '../chat/steering/steered-response.ts';
import type { CompletionPiece } from './server-dialect.ts';

/** What a run works with. */
export interface ServerRunOptions extends Omit<SteeringOptions, 'markers' | 'unconstrainedAfterCalls'> {
  /** What is checked once it is written. Default `null`: the grammar enforces all. */
  readonly checks?: ResponseChecks | null;
}

/** How often the server is asked again for values that are not valid, in one response. */
const maxTries = 8;

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
  readonly #revocable: RevocableResponse;
  #tries = 0;
  /** The request that runs is under a structural tag, and so under the grammar that a call begins. */
  #tagged = false;

  constructor(options: ServerRunOptions) {
    // A request under a grammar runs until that is over; another one, for free text, would cost more than it gives.
    const steering = { ...options, markers: anySpelling, unconstrainedAfterCalls: false };
    this.#revocable = new RevocableResponse(steering, options.checks ?? null);
  }

  get #response(): SteeredResponse {
    return this.#revocable.now;
  }

  /** How often something was taken back: what is asked for again should come out otherwise. */
  get tries(): number {
    return this.#tries;
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
    this.#closeThoughts();
    if (this.#response.tokensLeft === 0) this.#response.cutOff();
    return { events: this.#revocable.release(), next: this.#response.over ? 'over' : 'ask-again' };
  }

  /** A request is made; `tagged`: a structural tag says all that may come. */
  ask(tagged: boolean): void {
    this.#tagged = tagged;
  }

  /** The server wrote something. */
  take({ text, tokens, finish, logprobs }: CompletionPiece): Advance {
    const response = this.#response;
    // The server knows the limit; what it writes beyond it is not taken.
    if (finish === null && tokens > response.tokensLeft) return { events: [], next: this.cutOff() };
    const wasConstrained = response.constrained;
    const { kept } = this.#revocable.take({
      spelling: text,
      role: 'text',
      tokens,
      ...(logprobs === undefined ? {} : { logprobs }),
    });
    if (wasConstrained && response.matcher === null) {
      throw response.broken('the server wrote what the grammar does not allow: does it support grammars?');
    }
    const { length } = response.text;
    if (finish === null) this.#closeThoughts();
    const isClosed = response.text.length > length;
    const isAsWritten =
      kept === null && !isClosed && (this.#tagged || wasConstrained === response.constrained);
    const next = this.#next(finish, isAsWritten, kept === null);
    if (this.#revocable.failure !== null) return this.#retry();
    return { events: this.#revocable.release(), next };
  }

  /** A value is not valid: back to where it began, or to the last text before it that was given out. */
  #retry(): Advance {
    const failed = this.#revocable.failed(this.#tries);
    this.#tries += 1;
    if (this.#tries > maxTries) throw failed;
    this.#revocable.goBack(this.#revocable.settled);
    return { events: [], next: 'ask-again' };
  }

  /** The context holds no more. */
  cutOff(): 'over' {
    this.#response.cutOff();
    return 'over';
  }

  /** The prompt as the server took it; `cachedTokens` is `null` where it does not say. */
  follow(promptTokens: number, cachedTokens: number | null): void {
    this.#revocable.follow({ promptTokens, cachedTokens });
  }

  /** What the response has cost so far. */
  get usage(): Usage {
    return this.#response.usage;
  }

  /** No more pieces; `left`: nobody waits for more. */
  finish(left = false): WrittenResponse {
    return this.#revocable.finish(left);
  }

  /**
   * `isAsWritten`: the request that runs goes on where the response stands, under the grammar that it needs.
   * `isWhole`: nothing of the piece was taken back.
   */
  #next(finish: CompletionPiece['finish'], isAsWritten: boolean, isWhole: boolean): Advance['next'] {
    const response = this.#response;
    // Whatever the server says: with its last token, a limit may be reached that cuts nothing.
    if (response.over) return 'over';
    if (finish === null && isAsWritten) return 'go-on';
    const complete = response.matcher?.complete === true;
    // A text of `stop` counts for the server under a tag, also in a call, where it is text like any other.
    const isCut = this.#tagged && response.constrained && !complete;
    const ends = finish === 'stop' && !isCut && (isAsWritten || (isWhole && complete));
    const isFull = response.tokensLeft === 0;
    // With the last token that was allowed, a response may also have come to its end.
    if (ends && (!isFull || complete || response.free)) {
      this.#revocable.end(null);
      return 'over';
    }
    if (finish === 'length' || isFull) return this.cutOff();
    // What ended without the grammar in the middle of a call goes on under it.
    return 'ask-again';
  }

  /** Where the budget is used up, reasoning is closed for the model, unless the grammar forbids it here. */
  #closeThoughts(): void {
    const { closing } = this.#response;
    if (closing !== null) this.#revocable.write({ spelling: closing, role: 'text', tokens: 0 });
  }
}
