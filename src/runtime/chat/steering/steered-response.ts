/**
 * One response while it is written, whichever engine writes it: bytes → text → stops → parser → events, with the
 * grammar alongside. An engine's own run (`ResponseRun`, `ServerRun`) hands over what was sampled, asks what has to
 * be written in its place or after it, and says when the response ends.
 */
import { DecodingError } from '../../../format/errors.ts';
import type { BuiltGrammar } from '../../../grammar/build-grammar.ts';
import type { Matcher } from '../../../grammar/matcher/matcher.ts';
import type { ResponseEvent, ResponseMessage, Usage } from '../../../parser/events.ts';
import type { ParserPosition, ResponseParser } from '../../../parser/response-parser.ts';
import { AnswerLogprobs, type LikelyPiece } from '../answer-logprobs.ts';
import { kindOf, type PromptUsage, TokenCount, type TokenKind } from '../token-usage.ts';
import { endsInsideCharacter, newDecoder } from '../utf8.ts';
import { isFinished } from './finished-grammar.ts';
import { type OpenEnd, StopWatch, type TextPiece } from './stop-watch.ts';
import { type FoundTrigger, type MarkerLookup, TriggerWatch } from './trigger-watch.ts';

/** The format's markers among the engine's special tokens. */
export interface Markers extends MarkerLookup {
  /** Cuts out every character with which a special token may begin, and calls it special. */
  splitAtBeginnings(text: string): readonly { readonly text: string; readonly special: boolean }[];
}

/** What a response is steered by. */
export interface SteeringOptions {
  readonly grammar: BuiltGrammar;
  /** At the beginning of the grammar; `null` without one. Copies of it are moved. */
  readonly matcher: Matcher | null;
  readonly parser: ResponseParser;
  readonly markers: Markers;
  /** Texts at which the response ends, whatever their tokens. */
  readonly stops: readonly string[];
  /** Texts that also end it, unless certain others follow. Default: none. */
  readonly openEnds?: readonly OpenEnd[];
  /** Texts that also end it within an answer; `text` is the response so far, its last `length` characters new. Default: none. */
  readonly answerEnds?: (text: string, length: number) => readonly string[];
  /** The most tokens to write, those of injected text included. */
  readonly maxTokens: number;
  /** After so many tokens of reasoning, not counting those of its markers, `reasoningEnd` is written. */
  readonly thinkingBudget: number;
  /** What ends reasoning; empty where nothing does. */
  readonly reasoningEnd: string;
  /**
   * After a section of calls the response is free again until the next trigger. `false`: only what the grammar
   * allows may follow.
   */
  readonly unconstrainedAfterCalls: boolean;
  /** The grammar covers nothing but text, in which stops count as they do without a grammar. */
  readonly plainText: boolean;
}

/** A piece of the response: one token, or some injected text. */
export interface WrittenPiece extends LikelyPiece {
  /** Its text, or its bytes, which may begin or end within a character. */
  readonly spelling: string | Uint8Array;
  /** How many tokens it counts as. */
  readonly tokens: number;
}

/** What came of a sampled piece. */
export interface TakenPiece {
  readonly events: readonly ResponseEvent[];
  /** Set where the grammar begins within the piece and does not allow the rest of it: the part that stays. */
  readonly kept: string | null;
}

/** The end of a response. */
export interface WrittenResponse {
  /** The last events. */
  readonly events: readonly ResponseEvent[];
  readonly message: ResponseMessage;
}

const encoder = new TextEncoder();

/** Follows one response from its first piece to its message. */
export class SteeredResponse {
  readonly #options: SteeringOptions;
  readonly #stops: StopWatch;
  readonly #triggers: TriggerWatch;
  #decoder = newDecoder();
  /** The last bytes that were decoded, as many as an incomplete character can have. */
  #lastBytes: readonly number[] = [];
  /** Where the response stands in its grammar; `null` while it is free, or once it is lost. */
  #matcher: Matcher | null = null;
  #constrained = false;
  /** The text so far; offsets of events and triggers count in it. */
  #written = '';
  readonly #count = new TokenCount();
  readonly #logprobs = new AnswerLogprobs();
  /** Tokens of reasoning, without those of its markers. */
  #reasoningTokens = 0;
  #lastKind: TokenKind = 'textTokens';
  #prompt: PromptUsage = { promptTokens: 0, cachedTokens: null };
  #stopped = false;
  /** The engine ended it in free text, while a trigger could still have begun the grammar. */
  #endedFree = false;
  #cut = false;

  constructor(options: SteeringOptions) {
    this.#options = options;
    this.#stops = new StopWatch(options.stops, options.openEnds);
    this.#triggers = new TriggerWatch(options.grammar.triggers, options.markers);
    if (!options.grammar.lazy) this.#begin(options.matcher?.clone() ?? null);
  }

  /** The text so far. */
  get text(): string {
    return this.#written;
  }

  /** A grammar determines what may follow. */
  get constrained(): boolean {
    return this.#constrained;
  }

  /**
   * Where the response stands in that grammar. `null` where it is free, and once something was written that the
   * grammar does not allow: an engine with a grammar of its own then relies on that one.
   */
  get matcher(): Matcher | null {
    return this.#matcher;
  }

  /** What is written here is free text, which no grammar restricts. */
  get free(): boolean {
    return !this.#constrained || this.#options.plainText;
  }

  /** Tokens that may still be written. */
  get tokensLeft(): number {
    return Math.max(0, this.#options.maxTokens - this.#count.total);
  }

  /** A limit of tokens ended the response. */
  get cut(): boolean {
    return this.#cut;
  }

  /** The response is over: a stop has come, the grammar allows nothing more, or a limit is reached. */
  get over(): boolean {
    return this.#stopped || this.#cut || this.finished;
  }

  /** The grammar allows nothing more, or only white space. */
  get finished(): boolean {
    return this.#matcher !== null && isFinished(this.#matcher);
  }

  /** The engine sampled something. */
  take(piece: WrittenPiece): TakenPiece {
    const before = this.#options.parser.position.region;
    this.#logprobs.note(piece, this.#written.length);
    const taken = this.#constrained
      ? { events: this.#takeConstrained(piece), kept: null }
      : this.#takeFree(piece);
    this.#add(piece.tokens, before, taken.events);
    return taken;
  }

  /** Something was injected. Under a grammar, that must be something it allows. */
  write(piece: WrittenPiece): readonly ResponseEvent[] {
    const before = this.#options.parser.position.region;
    this.#logprobs.note(piece, this.#written.length);
    const events = this.#constrained ? this.#takeConstrained(piece) : this.#writeFree(piece);
    this.#add(piece.tokens, before, events);
    this.#count.inject(piece.tokens);
    return events;
  }

  #writeFree({ spelling, role }: WrittenPiece): readonly ResponseEvent[] {
    const events = this.#feed(this.#decode(spelling), role);
    // Injected text is not searched for triggers; only what comes after it counts.
    this.#triggers.resumeAt(this.#written.length);
    return events;
  }

  #add(tokens: number, before: ParserPosition['region'], events: readonly ResponseEvent[]): void {
    this.#lastKind = kindOf(before, this.#options.parser.position.region, events);
    this.#count.add(this.#lastKind, tokens);
    const isReasoning = before === 'reasoning' || events.some(({ type }) => type === 'reasoning-delta');
    if (isReasoning) this.#reasoningTokens += tokens;
  }

  /** Counts the last piece as `tokens` tokens instead of as many as it came with. */
  recount(instead: number, tokens: number): void {
    this.#count.add(this.#lastKind, tokens - instead);
  }

  /** What the engine says of the prompt: its length, and how much of it was cached. */
  follow(prompt: PromptUsage): void {
    this.#prompt = prompt;
  }

  /** So many of the conversation's messages were left out to make room while it was written. */
  drop(droppedMessages: number): void {
    this.#prompt = { ...this.#prompt, droppedMessages };
  }

  /** What the response has cost so far. */
  get usage(): Usage {
    return this.#count.usage(this.#prompt);
  }

  /** As many of `tokens` as may still be written; the response is cut where some are not. */
  fit<Token>(tokens: readonly Token[]): readonly Token[] {
    if (tokens.length <= this.tokensLeft) return tokens;
    this.#cut = true;
    return tokens.slice(0, this.tokensLeft);
  }

  /** Ends the response with `length`: no more tokens may be written, or the context is full. */
  cutOff(): void {
    this.#cut = true;
  }

  /**
   * The end of reasoning, to be injected, where its budget is used up and the grammar allows it here; otherwise
   * `null`, to be asked again after the next token.
   */
  get closing(): string | null {
    const { parser, reasoningEnd, thinkingBudget } = this.#options;
    if (this.over || this.#reasoningTokens < thinkingBudget || reasoningEnd === '') return null;
    if (!parser.position.thinking) return null;
    if (endsInsideCharacter(this.#lastBytes)) return null;
    return !this.#constrained || this.#matcher?.allows(reasoningEnd) === true ? reasoningEnd : null;
  }

  /**
   * The engine ended the response; `last` is the text of the token that ended it, `null` where the engine does not
   * say. Throws `DecodingError` where the grammar requires more.
   */
  end(last: string | null): readonly ResponseEvent[] {
    const complete = this.#options.plainText || (this.#matcher?.complete ?? true);
    if (!complete) throw this.broken('the response was ended where the grammar does not allow it');
    this.#stopped = true;
    this.#endedFree = !this.#constrained && this.#options.grammar.lazy;
    return this.#feedPieces(this.#stops.end(this.free ? last : ''));
  }

  /**
   * No more pieces. `left`: the caller has stopped reading. A character that is still incomplete is dropped if the
   * response was cut or left, and becomes U+FFFD if the model ended it so. Throws `DecodingError` where the engine
   * ended the response within the opener of a call, after which the grammar would have begun.
   */
  finish(left = false): WrittenResponse {
    const rest = [
      ...this.#feed(this.#cut || left ? '' : this.#decoder.decode(), 'text'),
      ...this.#feedPieces(this.#stops.cutOff()),
    ];
    const { parser } = this.#options;
    // Reasoning that ends at a stop, or at the model's own end, is complete.
    const ending = parser.position.region === 'reasoning' ? 'stop' : undefined;
    const { events, message } = parser.finish(this.#cut ? 'length' : ending);
    if (this.#endedFree && !left && events.some(({ type }) => type === 'malformed')) {
      throw this.broken('the response was ended within the opener of a call');
    }
    const { usage } = this;
    const last = events.map((event) => (event.type === 'finish' ? { ...event, usage } : event));
    return { events: [...rest, ...this.#logprobs.attach(last)], message };
  }

  /** The error for `reason`, with the text so far. */
  broken(reason: string): DecodingError {
    return new DecodingError({ reason, text: this.#written });
  }

  #begin(matcher: Matcher | null): void {
    this.#matcher = matcher;
    this.#constrained = matcher !== null;
  }

  #takeConstrained({ spelling, role }: WrittenPiece): readonly ResponseEvent[] {
    const accepted = this.#matcher?.accept(spelling) === true;
    const text = this.#decode(spelling);
    // A model may leave a character incomplete, which llama.cpp's grammar lets pass in free text and strings.
    if (!accepted && this.#matcher?.acceptReplaced(text) !== true) this.#matcher = null;
    const events = this.#feed(text, role);
    if (this.#options.unconstrainedAfterCalls && this.#matcher?.complete === true && !this.finished) {
      this.#begin(null);
      this.#triggers.resumeAt(this.#written.length);
    }
    return events;
  }

  #takeFree({ spelling, role }: WrittenPiece): TakenPiece {
    if (role === 'control') return { events: this.#feed(textOf(spelling), role), kept: null };
    const text = this.#decode(spelling);
    const start = this.#written.length;
    this.#triggers.append(text, role === 'marker');
    const events: ResponseEvent[] = [];
    let done = 0;
    for (let found = this.#triggers.find(start); found !== null; found = this.#triggers.find(found.end)) {
      const head = text.slice(done, found.end - start);
      done = found.end - start;
      for (const event of this.#feed(head, role)) events.push(event);
      if (this.#stopped) return { events, kept: null };
      if (!this.#triggers.fires(found)) continue;
      return this.#pullTrigger(found, isTorn(spelling), text, done, role, events);
    }
    return { events: [...events, ...this.#feed(text.slice(done), role)], kept: null };
  }

  /**
   * The grammar begins: after what the piece wrote beyond the trigger, if the grammar allows that; otherwise after
   * the trigger, and the rest of the piece, from `done` on, is taken back.
   */
  #pullTrigger(
    { start }: FoundTrigger,
    torn: boolean,
    text: string,
    done: number,
    role: TextPiece['role'],
    events: readonly ResponseEvent[],
  ): TakenPiece {
    const trigger = this.#written.slice(start);
    const after = text.slice(done);
    if (!torn && this.#beginAfter(trigger + after)) {
      return { events: [...events, ...this.#feed(after, role)], kept: null };
    }
    if (!this.#beginAfter(trigger)) throw this.broken('the grammar does not begin with its own trigger');
    this.#decoder = newDecoder();
    this.#lastBytes = [];
    return { events, kept: torn || after !== '' ? text.slice(0, done) : null };
  }

  #beginAfter(text: string): boolean {
    const matcher = this.#options.matcher?.clone();
    if (matcher === undefined) throw this.broken('a trigger without a grammar');
    if (!matcher.accept(encoder.encode(text))) return false;
    this.#begin(matcher);
    return true;
  }

  #decode(spelling: string | Uint8Array): string {
    if (typeof spelling === 'string') return spelling;
    this.#lastBytes = [...this.#lastBytes, ...spelling.slice(-3)].slice(-3);
    return this.#decoder.decode(spelling, { stream: true });
  }

  /** Text on its way to the parser. */
  #feed(text: string, role: TextPiece['role']): readonly ResponseEvent[] {
    if (this.#stopped || text === '') return [];
    if (role !== 'control') this.#written += text;
    // Where the grammar says what may come, it says when to end, too.
    if (!this.free) return this.#feedPieces([...this.#stops.release(), { text, role }]);
    const { answerEnds, parser } = this.#options;
    const more = parser.position.region === 'text' ? answerEnds?.(this.#written, text.length) : [];
    const { pieces, stopped } = this.#stops.pass({ text, role }, more);
    this.#stopped = stopped;
    return this.#feedPieces(pieces);
  }

  #feedPieces(pieces: readonly TextPiece[]): readonly ResponseEvent[] {
    return pieces.flatMap(({ text, role }) => {
      if (role === 'control') return [];
      // Under a grammar a marker is a marker also where the model spelled it out.
      return role === 'text' && this.#constrained
        ? this.#options.markers
            .splitAtBeginnings(text)
            .flatMap((part) => this.#parse(part.text, part.special))
        : this.#parse(text, role === 'marker');
    });
  }

  #parse(text: string, special: boolean): readonly ResponseEvent[] {
    if (text === '') return [];
    const { parser } = this.#options;
    const events = parser.feed([{ text, special }]);
    this.#triggers.follow(parser.position, events, this.#written.length);
    return this.#logprobs.attach(events);
  }
}

function textOf(spelling: string | Uint8Array): string {
  return typeof spelling === 'string' ? spelling : newDecoder().decode(spelling);
}

/** It ends within a character. */
function isTorn(spelling: string | Uint8Array): boolean {
  return typeof spelling !== 'string' && endsInsideCharacter(spelling);
}
