/**
 * One response of a server, piece by piece. It decides when the current request must be replaced: at the first piece
 * that the grammar of a call does not allow, or after text that was injected.
 */
import type { Grammar } from '../language/expression/expression.ts';
import type { Steps } from '../language/expression/steps.ts';
import type { Matcher } from '../language/matcher/matcher.ts';
import type { ResponseEvent, Usage } from '../parser/events.ts';
import type { ResponseChecks } from '../runtime/chat/checks/response-checks.ts';
import { RevocableResponse } from '../runtime/chat/checks/revocable-response.ts';
import { isFinished } from '../runtime/chat/steering/finished-grammar.ts';
import type { SteeredResponse } from '../runtime/chat/steering/steered-response.ts';
import type { SteeringOptions } from '../runtime/chat/steering/steering-options.ts';
import type { WrittenResponse } from '../runtime/chat/steering/written-piece.ts';
import type { CompletionPiece } from './server-dialect.ts';

/** The options of a run. */
interface ServerRunOptions extends Omit<SteeringOptions, 'markers' | 'unconstrainedAfterCalls'> {
  /** What is checked when it has been written. Default `null`: the grammar enforces everything. */
  readonly checks?: ResponseChecks | null;
}

/** How often a response is retried because of invalid values. */
const maxTries = 8;

/** The result of a piece. */
interface Advance {
  readonly events: readonly ResponseEvent[];
  /** `go-on`: read on. `ask-again`: leave this request, and make another one for what follows. */
  readonly next: 'go-on' | 'ask-again' | 'over';
}

/** Servers do not distinguish special tokens from the same text, so a marker counts in any spelling. */
const anySpelling = {
  leading: () => undefined,
  splitAtBeginnings: (text: string) => [{ text, special: false }],
};

/** Follows one response from its first piece to its message. */
export class ServerRun {
  readonly #revocable: RevocableResponse;
  #tries = 0;
  #breaks = 0;
  /** Whether the current request goes on where a call begins, whose grammar it may not have. */
  #readsOn = false;
  /** Whether it has a tag, which allows more than the grammar. */
  #isTagged = false;
  #strayed = false;

  constructor(options: ServerRunOptions) {
    // A request with a grammar runs until its end; another one for free text would not be worth its cost.
    const steering = { ...options, markers: anySpelling, unconstrainedAfterCalls: false };
    this.#revocable = new RevocableResponse(steering, options.checks ?? null);
  }

  get #response(): SteeredResponse {
    return this.#revocable.now;
  }

  /** How often something was revoked; a repeated request should have another result. */
  get tries(): number {
    return this.#tries;
  }

  /** Whether a tag has allowed what the grammar does not: no other will be sent. */
  get strayed(): boolean {
    return this.#strayed;
  }

  /** The response so far, after which the next request continues. */
  get text(): string {
    return this.#response.text;
  }

  /** GBNF of everything that may follow; `null` if there is no constraint. */
  get grammar(): string | null {
    return this.#response.matcher?.gbnf() ?? null;
  }

  /** The same as a tree. */
  get rest(): Grammar | null {
    return this.#response.matcher?.rest() ?? null;
  }

  /** Number of tokens that may still be written. */
  get tokensLeft(): number {
    return this.#response.tokensLeft;
  }

  /** Before the first request: if there is no budget for thoughts, closes those that the prompt opened. */
  start(): Advance {
    this.#closeThoughts();
    if (this.#response.tokensLeft === 0) this.#response.cutOff();
    return { events: this.#revocable.release(), next: this.#response.over ? 'over' : 'ask-again' };
  }

  /** The current request broke off. Whether another one may continue, which happens at most `most` times. */
  mayContinue(most: number): boolean {
    this.#breaks += 1;
    return this.#breaks <= most;
  }

  /**
   * A request is made. `readsOn`: without the grammar of the calls that may follow, or with a structural tag, which has
   * those of most notations. A call is read as long as its grammar allows it, and the request replaced where it does
   * not: a model that writes it as it must costs no second request. `isTagged`: with the tag of a whole response, under
   * which a model may end its turn within thoughts (`relaxGrammar`). Then the grammar of the rest replaces it.
   */
  ask(readsOn: boolean, isTagged = false): void {
    this.#readsOn = readsOn;
    this.#isTagged = isTagged;
  }

  /** The server has written a piece. */
  take(piece: CompletionPiece): Advance {
    const response = this.#response;
    // The server was given the limit; anything beyond it is discarded.
    if (piece.finish === null && piece.tokens > response.tokensLeft)
      return { events: [], next: this.cutOff() };
    const allowed = response.matcher === null ? piece.text : this.#allowedPart(piece.text, response.matcher);
    if (allowed === piece.text) return this.#take(piece);
    this.#strayed ||= this.#isTagged;
    if (allowed === null) return { events: [], next: 'ask-again' };
    // The call ends within the piece.
    const { events, next } = this.#take({ ...piece, text: allowed, finish: null });
    if (next !== 'go-on') return { events, next };
    const rest = this.take({ text: piece.text.slice(allowed.length), tokens: 0, finish: piece.finish });
    return { events: [...events, ...rest.events], next: rest.next };
  }

  /** `null` if it must be written again. */
  #allowedPart(text: string, matcher: Matcher): string | null {
    if (this.#readsOn) return allowedPart(matcher, text);
    return this.#isTagged && !matcher.allows(text) ? null : text;
  }

  #take({ text, tokens, finish, logprobs }: CompletionPiece): Advance {
    const response = this.#response;
    const { changes } = response;
    const { kept } = this.#revocable.take({
      spelling: text,
      role: 'text',
      tokens,
      ...(logprobs === undefined ? {} : { logprobs }),
    });
    if (response.constrained && response.matcher === null) {
      throw response.broken('the server wrote what the grammar does not allow: does it support grammars?');
    }
    const { length } = response.text;
    if (finish === null) this.#closeThoughts();
    const isClosed = response.text.length > length;
    const isFollowed = this.#readsOn ? !response.afterThoughts : response.changes === changes;
    const isAsWritten = kept === null && !isClosed && isFollowed;
    const next = this.#next(finish, isAsWritten, kept === null);
    if (this.#revocable.failure !== null) return this.#retry();
    return { events: this.#revocable.release(), next };
  }

  /** After an invalid value: `rewind` goes back. */
  #retry(): Advance {
    const failed = this.#revocable.failed(this.#tries);
    this.#tries += 1;
    if (this.#tries > maxTries) throw failed;
    return { events: [], next: 'ask-again' };
  }

  /** Before asking again: goes back to the beginning of an invalid value, or to the end of the released text. */
  *rewind(): Steps<void> {
    if (this.#revocable.failure !== null) yield* this.#revocable.goBack(this.#revocable.released);
  }

  /** The context is full. */
  cutOff(): 'over' {
    this.#response.cutOff();
    return 'over';
  }

  /** Records the prompt's tokens; `cachedTokens` is `null` if unknown. */
  follow(promptTokens: number, cachedTokens: number | null): void {
    this.#revocable.follow({ promptTokens, cachedTokens });
  }

  /** The tokens used so far. */
  get usage(): Usage {
    return this.#response.count.usage;
  }

  /** Finishes the response; `left`: the caller has stopped reading. */
  finish(left = false): WrittenResponse {
    return this.#revocable.finish(left);
  }

  /**
   * `isAsWritten`: the current request continues from the end of the response, under the grammar that it needs.
   * `isWhole`: nothing of the piece was revoked.
   */
  #next(finish: CompletionPiece['finish'], isAsWritten: boolean, isWhole: boolean): Advance['next'] {
    const response = this.#response;
    // Regardless of the server: its last token may reach a limit without being cut off.
    if (response.over) return 'over';
    if (finish === null && isAsWritten) return 'go-on';
    const complete = response.matcher?.complete === true;
    // Such a request ends at a `stop` even inside a call, where it is ordinary text.
    const isCut = this.#readsOn && response.constrained && !complete;
    const ends = finish === 'stop' && !isCut && (isAsWritten || (isWhole && complete));
    const isFull = response.tokensLeft === 0;
    // A response may also be complete with the last token that was allowed.
    if (ends && (!isFull || complete || response.free)) {
      this.#revocable.end(null);
      return 'over';
    }
    if (finish === 'length' || isFull) return this.cutOff();
    // A call that ended early without the grammar continues under it.
    return 'ask-again';
  }

  /** If the budget is used up, closes reasoning, unless the grammar forbids it here. */
  #closeThoughts(): void {
    const { closing } = this.#response;
    if (closing !== null) this.#revocable.write({ spelling: closing, role: 'text', tokens: 0 });
  }
}

/**
 * The part of `text` that a call's grammar allows: all of it, or up to the end of the call; `null` if it must be written
 * again. Whoever writes the rest has the whole piece to write, as tokens of its own.
 */
function allowedPart(matcher: Matcher, text: string): string | null {
  const part = text.slice(0, matcher.allowedLength(text));
  if (part === text) return text;
  const end = matcher.clone();
  return part !== '' && end.accept(part) && isFinished(end) ? part : null;
}
