/**
 * One response of a server, piece by piece: text → parser → events, and the matcher next to it. It says when the
 * request that runs has to give way to another one: under a grammar from here on, or after text that was written
 * for the model.
 */
import { DecodingError } from '../../format/errors.ts';
import type { BuiltGrammar } from '../../grammar/build-grammar.ts';
import type { Matcher } from '../../grammar/matcher/matcher.ts';
import type { ResponseEvent, ResponseMessage } from '../../parser/events.ts';
import type { ResponseParser } from '../../parser/response-parser.ts';
import { isFinished } from '../chat/finished-grammar.ts';
import { inOpenThoughts, type ThoughtsOpening } from '../chat/open-thoughts.ts';
import { type FoundTrigger, TriggerWatch } from '../chat/trigger-watch.ts';
import type { CompletionPiece } from './server-dialect.ts';

/** What a run works with. */
export interface ServerRunOptions extends ThoughtsOpening {
  readonly grammar: BuiltGrammar;
  /** At the beginning of the grammar; `null` without one. */
  readonly matcher: Matcher | null;
  readonly parser: ResponseParser;
  readonly maxTokens: number;
  /** After so many tokens of reasoning, those of its markers not counted, `reasoningEnd` is written. */
  readonly thinkingBudget: number;
  readonly reasoningEnd: string;
  /** The grammar covers nothing but text, which ends wherever the server ends it. */
  readonly plainText: boolean;
}

/** What came of a piece. */
export interface Advance {
  readonly events: readonly ResponseEvent[];
  /** `go-on`: read on. `ask-again`: leave this request, and make one for what follows. */
  readonly next: 'go-on' | 'ask-again' | 'over';
}

/** Servers tell special tokens and their spelling apart by nothing, so a marker counts in any spelling. */
const anySpelling = { leading: () => undefined };

/** Follows one response from its first piece to its message. */
export class ServerRun {
  readonly #options: ServerRunOptions;
  readonly #triggers: TriggerWatch;
  /** Where the response stands in its grammar; `null` while it is free. */
  #matcher: Matcher | null;
  #written = '';
  #tokensLeft: number;
  #thoughtTokens = 0;
  #cut = false;

  constructor(options: ServerRunOptions) {
    this.#options = options;
    this.#triggers = new TriggerWatch(options.grammar.triggers, anySpelling);
    this.#tokensLeft = options.maxTokens;
    this.#matcher = options.grammar.lazy ? null : (options.matcher?.clone() ?? null);
  }

  /** The response so far: the next request goes on after it. */
  get text(): string {
    return this.#written;
  }

  /** GBNF of all that may follow; `null` where anything may. */
  get grammar(): string | null {
    return this.#matcher?.gbnf() ?? null;
  }

  /** Tokens that may still be written. */
  get tokensLeft(): number {
    return this.#tokensLeft;
  }

  /** Before the first request: with no budget for thoughts, those that the prompt opened are closed at once. */
  start(): Advance {
    const events = this.#closeThoughts([]);
    return { events, next: this.#tokensLeft > 0 ? 'ask-again' : this.#end('length') };
  }

  /** The server wrote something. */
  take({ text, tokens, finish }: CompletionPiece): Advance {
    this.#tokensLeft -= tokens;
    const expected = this.#written.length + text.length;
    const free = this.#matcher === null;
    const wasThinking = this.#options.parser.position.region === 'reasoning';
    let events = free ? this.#takeFree(text) : this.#takeConstrained(text);
    if (wasThinking || events.some(({ type }) => type === 'reasoning-delta')) this.#thoughtTokens += tokens;
    if (finish === null) events = this.#closeThoughts(events);
    const asWritten = this.#written.length === expected;
    const constrained = free && this.#matcher !== null;
    return { events, next: this.#next(finish, asWritten, constrained) };
  }

  /** `asWritten`: nothing was taken back or added; `constrained`: the grammar has begun with this piece. */
  #next(finish: CompletionPiece['finish'], asWritten: boolean, constrained: boolean): Advance['next'] {
    // Whatever the server says: with its last token, a limit may be reached that cuts nothing.
    if (this.#matcher !== null && isFinished(this.#matcher)) return this.#end('stop');
    if (asWritten && !constrained) return finish === null ? 'go-on' : this.#end(finish);
    if (finish === 'length' || this.#tokensLeft <= 0) return this.#end('length');
    // What ended without the grammar in the middle of a call goes on under it.
    const complete = finish === 'stop' && asWritten && this.#matcher?.complete === true;
    return complete ? this.#end('stop') : 'ask-again';
  }

  /** The context holds no more. */
  cutOff(): 'over' {
    return this.#end('length');
  }

  /** No more pieces. Returns the last events and the message. */
  finish(): { readonly events: readonly ResponseEvent[]; readonly message: ResponseMessage } {
    const { parser } = this.#options;
    const ending = parser.position.region === 'reasoning' ? 'stop' : undefined;
    return parser.finish(this.#cut ? 'length' : ending);
  }

  #end(reason: 'stop' | 'length'): 'over' {
    this.#cut = reason === 'length';
    const complete = this.#options.plainText || (this.#matcher?.complete ?? true);
    if (!this.#cut && !complete) {
      throw this.#broken('the server ended the response where the grammar does not allow it');
    }
    return 'over';
  }

  /** Looks for triggers character by character: a piece may hold several, the first of them within thoughts. */
  #takeFree(text: string): readonly ResponseEvent[] {
    const events: ResponseEvent[] = [];
    let unfed = '';
    let at = 0;
    for (const character of text) {
      at += character.length;
      unfed += character;
      const found = this.#triggers.find(character, false);
      if (found === null) continue;
      const before = unfed.slice(0, Math.max(0, found.start - this.#written.length));
      events.push(...this.#feed(before));
      unfed = unfed.slice(before.length);
      if (this.#triggers.fires(found)) {
        return [...events, ...this.#feed(this.#pullTrigger(found, unfed + text.slice(at)))];
      }
    }
    return [...events, ...this.#feed(unfed)];
  }

  /** The grammar begins; returns what of `rest` it allows, at least all that belongs to the trigger. */
  #pullTrigger({ start, end }: FoundTrigger, rest: string): string {
    const { matcher } = this.#options;
    if (matcher === null) throw this.#broken('a trigger without a grammar');
    const opened = this.#written.slice(start);
    const trigger = rest.slice(0, end - start - opened.length);
    for (const text of [rest, trigger]) {
      const at = matcher.clone();
      if (!at.accept(opened + text)) continue;
      this.#matcher = at;
      return text;
    }
    throw this.#broken('the grammar does not begin with its own trigger');
  }

  #takeConstrained(text: string): readonly ResponseEvent[] {
    if (this.#matcher?.accept(text) === true) return this.#feed(text);
    throw this.#broken('the server wrote what the grammar does not allow: does it support grammars?');
  }

  /** Where the budget is used up, reasoning is closed for the model, unless the grammar forbids it here. */
  #closeThoughts(events: readonly ResponseEvent[]): readonly ResponseEvent[] {
    const { parser, thinkingBudget, reasoningEnd } = this.#options;
    if (this.#thoughtTokens < thinkingBudget || reasoningEnd === '') return events;
    if (!inOpenThoughts(parser.position, this.#written, this.#options)) return events;
    if (this.#matcher?.accept(reasoningEnd) === false) return events;
    const closing = this.#feed(reasoningEnd);
    if (this.#matcher === null) this.#triggers.resumeAt(this.#written.length);
    return [...events, ...closing];
  }

  #feed(text: string): readonly ResponseEvent[] {
    if (text === '') return [];
    this.#written += text;
    const { parser } = this.#options;
    const events = parser.feed(text);
    this.#triggers.follow(parser.position, events);
    return events;
  }

  #broken(reason: string): DecodingError {
    return new DecodingError({ reason, text: this.#written });
  }
}
