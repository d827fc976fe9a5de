/**
 * One response while it is written, whichever engine writes it: bytes → text → stops → parser → events, and the
 * grammar next to it. An engine's own run hands over what was sampled, asks what is to be written in its place or
 * after it, and says when no more comes.
 */
import { DecodingError } from '../../format/errors.ts';
import type { BuiltGrammar } from '../../grammar/build-grammar.ts';
import type { Matcher } from '../../grammar/matcher/matcher.ts';
import type { ResponseEvent, ResponseMessage, Usage } from '../../parser/events.ts';
import type { ParserPosition, ResponseParser } from '../../parser/response-parser.ts';
import { isFinished } from './finished-grammar.ts';
import { StopWatch, type TextPiece } from './stop-watch.ts';
import { kindOf, type PromptUsage, TokenCount, type TokenKind } from './token-usage.ts';
import { type FoundTrigger, type MarkerLookup, TriggerWatch } from './trigger-watch.ts';
import { endsInsideCharacter, newDecoder } from './utf8.ts';

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
  /** Texts that also end it in an answer that ends in `text`, of which `length` characters are new. Default: none. */
  readonly answerEnds?: (text: string, length: number) => readonly string[];
  /** The most tokens to write, those of injected text included. */
  readonly maxTokens: number;
  /** After so many tokens of reasoning, those of its markers not counted, `reasoningEnd` is written. */
  readonly thinkingBudget: number;
  /** What ends reasoning; empty where nothing does. */
  readonly reasoningEnd: string;
  /**
   * After a section of calls the response is free again until the next trigger. `false`: what the grammar
   * says is all that may follow.
   */
  readonly unconstrainedAfterCalls: boolean;
  /** The grammar covers nothing but text, in which stops count as in text without a grammar. */
  readonly plainText: boolean;
}

/** Something that was written. */
export interface WrittenPiece {
  /** Its text, or its bytes, which may begin or end within a character. */
  readonly spelling: string | Uint8Array;
  readonly role: TextPiece['role'];
  /** Tokens that it stands for. */
  readonly tokens: number;
}

/** What came of a sampled piece. */
export interface TakenPiece {
  readonly events: readonly ResponseEvent[];
  /** Set where the grammar begins within the piece and does not allow its end: what stands in its place. */
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
  /** The last bytes that were decoded: as many as can be of a character that is not whole. */
  #lastBytes: readonly number[] = [];
  /** Where the response stands in its grammar; `null` while it is free, or once it is lost. */
  #matcher: Matcher | null = null;
  #constrained = false;
  /** The text so far; offsets of events and triggers count in it. */
  #written = '';
  readonly #count = new TokenCount();
  /** Of reasoning, without those of its markers. */
  #thoughtTokens = 0;
  #lastKind: TokenKind = 'textTokens';
  #prompt: PromptUsage = { promptTokens: 0, cachedTokens: null };
  #stopped = false;
  #cut = false;

  constructor(options: SteeringOptions) {
    this.#options = options;
    this.#stops = new StopWatch(options.stops);
    this.#triggers = new TriggerWatch(options.grammar.triggers, options.markers);
    if (!options.grammar.lazy) this.#begin(options.matcher?.clone() ?? null);
  }

  /** The text so far. */
  get text(): string {
    return this.#written;
  }

  /** A grammar says what may follow. */
  get constrained(): boolean {
    return this.#constrained;
  }

  /**
   * Where the response stands in that grammar. `null` where it is free, and where something was written that the
   * grammar does not allow: an engine that has a grammar of its own then goes by that.
   */
  get matcher(): Matcher | null {
    return this.#matcher;
  }

  /** What is written here is free text: a grammar that there may be says nothing of it. */
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

  /** Nothing more is to be written: a stop has come, the grammar allows nothing more, or the limit is reached. */
  get over(): boolean {
    return this.#stopped || this.#cut || this.finished;
  }

  /** The grammar allows nothing more that would say anything. */
  get finished(): boolean {
    return this.#matcher !== null && isFinished(this.#matcher);
  }

  /** The engine sampled something. */
  take(piece: WrittenPiece): TakenPiece {
    const before = this.#options.parser.position.region;
    const taken = this.#constrained
      ? { events: this.#takeConstrained(piece), kept: null }
      : this.#takeFree(piece);
    this.#add(piece.tokens, before, taken.events);
    return taken;
  }

  /** Something was written for the model; under a grammar, it allows that. */
  write(piece: WrittenPiece): readonly ResponseEvent[] {
    const before = this.#options.parser.position.region;
    const events = this.#constrained ? this.#takeConstrained(piece) : this.#writeFree(piece);
    this.#add(piece.tokens, before, events);
    this.#count.inject(piece.tokens);
    return events;
  }

  #writeFree({ spelling, role }: WrittenPiece): readonly ResponseEvent[] {
    const events = this.#feed(this.#decode(spelling), role);
    // What was written for the model was not looked through for triggers; those that count come after it.
    this.#triggers.resumeAt(this.#written.length);
    return events;
  }

  #add(tokens: number, before: ParserPosition['region'], events: readonly ResponseEvent[]): void {
    this.#lastKind = kindOf(before, this.#options.parser.position.region, events);
    this.#count.add(this.#lastKind, tokens);
    const isThought = before === 'reasoning' || events.some(({ type }) => type === 'reasoning-delta');
    if (isThought) this.#thoughtTokens += tokens;
  }

  /** `tokens` in place of as many as the last piece was counted for. */
  recount(instead: number, tokens: number): void {
    this.#count.add(this.#lastKind, tokens - instead);
  }

  /** The prompt after which the response is written, as the engine took it. */
  follow(prompt: PromptUsage): void {
    this.#prompt = prompt;
  }

  /** While it was written, so many of the conversation's messages had to be left out. */
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

  /** No more tokens may be written, or the context holds no more. */
  cutOff(): void {
    this.#cut = true;
  }

  /**
   * What is to be written so that the model goes on with its answer: the end of its thoughts, where their budget
   * is used up and the grammar allows it; otherwise `null`, and the next token asks again.
   */
  get closing(): string | null {
    const { parser, reasoningEnd, thinkingBudget } = this.#options;
    if (this.over || this.#thoughtTokens < thinkingBudget || reasoningEnd === '') return null;
    if (!parser.position.thinking) return null;
    if (endsInsideCharacter(this.#lastBytes)) return null;
    return !this.#constrained || this.#matcher?.allows(reasoningEnd) === true ? reasoningEnd : null;
  }

  /**
   * The engine ended the response; `last` is the token at which it did, `null` where it does not say. Throws
   * `DecodingError` where the grammar demands more.
   */
  end(last: string | null): readonly ResponseEvent[] {
    const complete = this.#options.plainText || (this.#matcher?.complete ?? true);
    if (!complete) throw this.broken('the response was ended where the grammar does not allow it');
    this.#stopped = true;
    return this.#feedPieces(this.#stops.end(this.free ? last : ''));
  }

  /**
   * No more pieces. `left`: nobody waits for more. Of a character whose last bytes were not waited for, nothing is
   * told; one that the model itself left so is a U+FFFD.
   */
  finish(left = false): WrittenResponse {
    const rest = [
      ...this.#feed(this.#cut || left ? '' : this.#decoder.decode(), 'text'),
      ...this.#feedPieces(this.#stops.release()),
    ];
    const { parser } = this.#options;
    // Thoughts that a stop, or the model itself, has ended are not cut.
    const ending = parser.position.region === 'reasoning' ? 'stop' : undefined;
    const { events, message } = parser.finish(this.#cut ? 'length' : ending);
    const { usage } = this;
    const last = events.map((event) => (event.type === 'finish' ? { ...event, usage } : event));
    return { events: [...rest, ...last], message };
  }

  /** What went wrong, with the text so far. */
  broken(reason: string): DecodingError {
    return new DecodingError({ reason, text: this.#written });
  }

  #begin(matcher: Matcher | null): void {
    this.#matcher = matcher;
    this.#constrained = matcher !== null;
  }

  #takeConstrained({ spelling, role }: WrittenPiece): readonly ResponseEvent[] {
    if (this.#matcher?.accept(spelling) !== true) this.#matcher = null;
    const events = this.#feed(this.#decode(spelling), role);
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
      events.push(...this.#feed(head, role));
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
    return events;
  }
}

function textOf(spelling: string | Uint8Array): string {
  return typeof spelling === 'string' ? spelling : newDecoder().decode(spelling);
}

/** It ends within a character. */
function isTorn(spelling: string | Uint8Array): boolean {
  return typeof spelling !== 'string' && endsInsideCharacter(spelling);
}
