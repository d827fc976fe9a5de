/**
 * One response while it is written, for all engines: bytes → text → stops → parser → events, with the grammar
 * alongside. An engine's own run (`ResponseRun`, `ServerRun`) passes in what was sampled, asks what to write instead
 * or afterwards, and reports when the response ends.
 */
import { DecodingError } from '../../../format/errors.ts';
import type { Matcher } from '../../../language/matcher/matcher.ts';
import { endsInsideCharacter, newDecoder, PieceDecoder } from '../../../language/utf8-decoder.ts';
import type { Malformed, ResponseEvent, ResponseMessage } from '../../../parser/events.ts';
import type { ParserPosition } from '../../../parser/response-parser.ts';
import { AnswerLogprobs } from '../answer-logprobs.ts';
import { TokenCount } from '../token-usage.ts';
import { AnswerStops } from './answer-stops.ts';
import { isFinished } from './finished-grammar.ts';
import { guardAnswer, type WrittenAnswer } from './guarded-answer.ts';
import { OpenCallWatch } from './open-call-watch.ts';
import type { SteeringOptions } from './steering-options.ts';
import { StopWatch, type TextPiece } from './stop-watch.ts';
import { ThinkingBudget } from './thinking-budget.ts';
import { type FoundTrigger, TriggerWatch } from './trigger-watch.ts';
import type { TakenPiece, WrittenPiece, WrittenResponse } from './written-piece.ts';

const encoder = new TextEncoder();

/** Follows one response from its first piece to its message. */
export class SteeredResponse {
  readonly #options: SteeringOptions;
  readonly #stops: StopWatch;
  readonly #answerStops: AnswerStops;
  readonly #triggers: TriggerWatch;
  readonly #openCalls: OpenCallWatch;
  readonly #decoder = new PieceDecoder();
  /** The position in the grammar; `null` while the response is unconstrained, or after the matcher has lost it. */
  #matcher: Matcher | null = null;
  #constrained = false;
  /** How often the grammar has begun or ended. */
  #changes = 0;
  /** Whether the grammar is the rest of one call, after which the response is free again. */
  #inOpenCall = false;
  /** The text so far; offsets of events and triggers refer to it. */
  #written = '';
  /** Its tokens. */
  readonly count = new TokenCount();
  readonly #logprobs = new AnswerLogprobs();
  readonly #thinking: ThinkingBudget;
  #stopped = false;
  /** The caller's stop that ended it, where markers and thoughts count. */
  #stopSequence: string | null = null;
  /** Where the answer is written; `null` before it. */
  #answer: WrittenAnswer | null = null;
  #cut = false;

  constructor(options: SteeringOptions) {
    this.#options = options;
    const { texts = [], within = 'answer' } = options.stopSequences ?? {};
    const [inAnswer, inAll] = within === 'answer' ? [texts, []] : [[], texts];
    this.#stops = new StopWatch([...options.stops, ...inAll], options.openEnds);
    this.#answerStops = new AnswerStops(inAnswer);
    this.#triggers = new TriggerWatch(options.grammar.triggers, options.markers);
    this.#openCalls = new OpenCallWatch(options.parser, options.restOf);
    this.#thinking = new ThinkingBudget(options);
    options.guard.enforced.reset((start, end) => this.#written.slice(Math.max(0, start), end));
    if (!options.grammar.lazy) this.#begin(options.matcher?.clone() ?? null, 0);
  }

  /** The text so far. */
  get text(): string {
    return this.#written;
  }

  /** Whether a grammar determines what may follow. */
  get constrained(): boolean {
    return this.#constrained || this.afterThoughts;
  }

  /** Whether that grammar is only the beginning of an answer or a call, where no more thoughts may be opened. */
  get afterThoughts(): boolean {
    return this.#thinking.matcher !== null;
  }

  /** How often that grammar has begun or ended: what an engine has of it is out of date when this changes. */
  get changes(): number {
    return this.#changes;
  }

  /** Whether that grammar is the rest of one call, which the model has begun in a notation of its own. */
  get inOpenCall(): boolean {
    return this.#inOpenCall;
  }

  /**
   * The position in that grammar. `null` if the response is unconstrained, and also after text that the grammar does
   * not allow: an engine with its own grammar then relies on that.
   */
  get matcher(): Matcher | null {
    return this.#thinking.matcher ?? this.#matcher;
  }

  /** Whether the position is in free text, which no grammar restricts. */
  get free(): boolean {
    return !this.#constrained || this.#options.plainText;
  }

  /** Number of tokens that may still be written. */
  get tokensLeft(): number {
    return Math.max(0, this.#options.maxTokens - this.count.total);
  }

  /** Whether a limit of tokens ended the response. */
  get cut(): boolean {
    return this.#cut;
  }

  /** Whether the response is over: after a stop, at the end of the grammar, or at a limit. */
  get over(): boolean {
    return this.#stopped || this.#cut || this.finished;
  }

  /** Whether the grammar allows nothing more than white space. */
  get finished(): boolean {
    return !this.#inOpenCall && this.#matcher !== null && isFinished(this.#matcher);
  }

  /** Takes a sampled piece. */
  take(piece: WrittenPiece): TakenPiece {
    const before = this.#options.parser.position.region;
    this.#logprobs.note(piece, this.#written.length);
    const taken = this.#constrained
      ? { events: this.#takeConstrained(piece), kept: null }
      : this.#takeFree(piece);
    return { ...taken, events: this.#add(piece, before, taken.events) };
  }

  /** Writes an injected piece. If there is a grammar, it must allow the piece. */
  write(piece: WrittenPiece): readonly ResponseEvent[] {
    const before = this.#options.parser.position.region;
    this.#logprobs.note(piece, this.#written.length);
    const events = this.#constrained ? this.#takeConstrained(piece) : this.#writeFree(piece);
    this.count.inject(piece.tokens);
    return this.#add(piece, before, events);
  }

  #writeFree(piece: WrittenPiece): readonly ResponseEvent[] {
    // The beginning of a call may be all that may follow thoughts.
    if (this.afterThoughts) return this.#takeFree(piece).events;
    const { spelling, role } = piece;
    const events = this.#feed(this.#decoder.decode(spelling), role);
    // Injected text is not searched for triggers.
    this.#triggers.resumeAt(this.#written.length);
    return events;
  }

  /** Counts the tokens of a piece, and limits thoughts. Returns its events. */
  #add(
    { spelling, tokens }: WrittenPiece,
    before: ParserPosition['region'],
    events: readonly ResponseEvent[],
  ): readonly ResponseEvent[] {
    this.count.take(before, this.#options.parser.position.region, events, tokens);
    const { afterThoughts } = this;
    const faults = this.#thinking.follow({ spelling, tokens, before, events, text: this.#written });
    if (afterThoughts !== this.afterThoughts) this.#changes += 1;
    return faults.length === 0 ? events : [...events, ...faults];
  }

  /** As many of `tokens` as may still be written; if not all, the response is cut off. */
  fit<Token>(tokens: readonly Token[]): readonly Token[] {
    if (tokens.length <= this.tokensLeft) return tokens;
    this.#cut = true;
    return tokens.slice(0, this.tokensLeft);
  }

  /** Ends the response with `length`: no more tokens are allowed, or the context is full. */
  cutOff(): void {
    this.#cut = true;
  }

  /**
   * The end of reasoning, to be injected if its budget is used up and the grammar allows it here; otherwise `null`,
   * and must be asked for again after the next token.
   */
  get closing(): string | null {
    const { reasoningEnd } = this.#options;
    if (this.over || !this.#thinking.isExceeded) return null;
    if (this.#decoder.isInsideCharacter) return null;
    return !this.#constrained || this.#matcher?.allows(reasoningEnd) === true ? reasoningEnd : null;
  }

  /**
   * Ends the response as the engine did; `last` is the text of the final token, `null` if unknown. Throws
   * `DecodingError` if the grammar requires more.
   */
  end(last: string | null): readonly ResponseEvent[] {
    const complete = this.#options.plainText || (this.#matcher?.complete ?? true);
    if (!complete) throw this.broken('the response was ended where the grammar does not allow it');
    this.#stopped = true;
    const events = this.#feedPieces(this.#stops.end(this.free ? last : ''));
    if (events.length > 0) this.count.settle(events);
    return events;
  }

  /**
   * Finishes the response. `left`: the caller has stopped reading. An incomplete character is dropped if the response
   * was cut off or left, and becomes U+FFFD if the model ended with it.
   */
  finish(left = false): WrittenResponse {
    const rest = [
      ...this.#feed(this.#cut || left ? '' : this.#decoder.end(), 'text'),
      ...this.#feedPieces(this.#stops.cutOff()),
    ];
    const { parser } = this.#options;
    // Reasoning that a stop or the model itself ends is complete.
    const isWhole = parser.position.region === 'reasoning' || this.#answerStops.hasFound;
    const ended = parser.finish(this.#cut ? 'length' : isWhole ? 'stop' : undefined);
    // What a grammar wrote is not searched, also where it was kept back until now.
    const finished = this.#answerStops.finish(ended, this.free);
    this.#noteAnswer(finished.events);
    const { guard, reasoningEnd, stopSequences } = this.#options;
    const thoughtsEnd = stopSequences?.thoughtsAreText === true ? reasoningEnd : null;
    const { events, message } = left ? finished : guardAnswer(guard, this.#answer, finished, thoughtsEnd);
    this.count.settle([...rest, ...events]);
    const told = this.#stopSequence === null ? {} : { stopSequence: this.#stopSequence };
    const last = events.map((event) =>
      event.type === 'finish' ? { ...event, ...told, usage: this.count.usage } : event,
    );
    return {
      events: [...rest, ...this.#logprobs.attach(last)],
      message: withFaults(message, this.#thinking.faults),
    };
  }

  #noteAnswer(events: readonly ResponseEvent[]): void {
    for (const event of events) {
      if (event.type !== 'text-delta') continue;
      this.#answer = { start: this.#answer?.start ?? event.start, end: event.end };
    }
  }

  /** The error for `reason`, with the text so far. */
  broken(reason: string): DecodingError {
    return new DecodingError({ reason, text: this.#written });
  }

  /** The grammar applies to the text from `start` on; `toolName`: that of the rest of one call of this tool. */
  #begin(matcher: Matcher | null, start: number, toolName: string | null = null): void {
    this.#matcher = matcher;
    this.#constrained = matcher !== null;
    this.#changes += 1;
    if (matcher !== null) this.#options.guard.enforced.begin(start, toolName);
  }

  /** The response is free from here on. */
  #release(): void {
    this.#matcher = null;
    this.#constrained = false;
    this.#changes += 1;
    this.#inOpenCall = false;
    this.#options.guard.enforced.end(this.#written.length);
    this.#triggers.resumeAt(this.#written.length);
  }

  #takeConstrained({ spelling, role }: WrittenPiece): readonly ResponseEvent[] {
    const accepted = this.#matcher?.accept(spelling) === true;
    const text = this.#decoder.decode(spelling);
    if (!accepted) {
      this.#options.guard.enforced.end(this.#written.length);
      // A model may leave a character incomplete; llama.cpp's grammar allows this in free text and strings.
      if (this.#matcher?.acceptReplaced(text) !== true) this.#matcher = null;
    }
    const events = this.#feed(text, role);
    if (this.#isFreeAgain()) this.#release();
    return events;
  }

  /** Whether the grammar has ended with a call, and may be followed by anything. */
  #isFreeAgain(): boolean {
    const matcher = this.#matcher;
    if (matcher === null || !matcher.complete) return false;
    if (this.#inOpenCall) return isFinished(matcher);
    return this.#options.unconstrainedAfterCalls && !isFinished(matcher);
  }

  #takeFree({ spelling, role }: WrittenPiece): TakenPiece {
    if (role === 'control') return { events: this.#feed(textOf(spelling), role), kept: null };
    const text = this.#decoder.decode(spelling);
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
      return this.#pullTrigger(found, isSplit(spelling), text, done, role, events);
    }
    for (const event of this.#feed(text.slice(done), role)) events.push(event);
    if (!isSplit(spelling)) this.#followCall();
    return { events, kept: null };
  }

  /** Enforces the rest of a call that the parser has begun to read, if it can be. */
  #followCall(): void {
    const found = this.#stopped ? null : this.#openCalls.find(this.#written);
    if (found === null) return;
    this.#begin(found.matcher, found.from, found.toolName);
    this.#inOpenCall = true;
    // One token may have held all that was left of it.
    if (this.#isFreeAgain()) this.#release();
  }

  /**
   * Starts the grammar: after all of the piece, if the grammar allows what follows the trigger; otherwise directly
   * after the trigger, and the rest of the piece, from `done` on, is revoked.
   */
  #pullTrigger(
    { start }: FoundTrigger,
    split: boolean,
    text: string,
    done: number,
    role: TextPiece['role'],
    events: readonly ResponseEvent[],
  ): TakenPiece {
    const trigger = this.#written.slice(start);
    const after = text.slice(done);
    if (!split && this.#beginAfter(start, trigger + after)) {
      return { events: [...events, ...this.#feed(after, role)], kept: null };
    }
    if (!this.#beginAfter(start, trigger))
      throw this.broken('the grammar does not begin with its own trigger');
    this.#decoder.reset();
    return { events, kept: split || after !== '' ? text.slice(0, done) : null };
  }

  /** Begins the grammar with `text`, which stands at `start`; false if the grammar does not allow it. */
  #beginAfter(start: number, text: string): boolean {
    const matcher = this.#options.matcher?.clone();
    if (matcher === undefined) throw this.broken('a trigger without a grammar');
    if (!matcher.accept(encoder.encode(text))) return false;
    this.#begin(matcher, start);
    return true;
  }

  /** Passes text to the parser. */
  #feed(text: string, role: TextPiece['role']): readonly ResponseEvent[] {
    if (this.#stopped || text === '') return [];
    if (role !== 'control') this.#written += text;
    // A grammar also decides where the response ends.
    if (!this.free) return this.#feedPieces([...this.#stops.release(), { text, role }]);
    const { answerEnds, parser } = this.#options;
    const more = parser.position.region === 'text' ? answerEnds?.(this.#written, text.length) : [];
    const { pieces, stopped, stop = '' } = this.#stops.pass({ text, role }, more);
    this.#stopped = stopped;
    if (this.#options.stopSequences?.texts.includes(stop) === true) this.#stopSequence = stop;
    return this.#feedPieces(pieces);
  }

  #feedPieces(pieces: readonly TextPiece[]): readonly ResponseEvent[] {
    return pieces.flatMap(({ text, role }) => {
      if (role === 'control') return [];
      // Under a grammar, a marker counts even if the model wrote it in ordinary tokens.
      return role === 'text' && this.#constrained
        ? this.#options.markers
            .splitAtBeginnings(text)
            .flatMap((part) => this.#parse(part.text, part.special))
        : this.#parse(text, role === 'marker');
    });
  }

  #parse(text: string, special: boolean): readonly ResponseEvent[] {
    // Nothing but the answer's own text can end it.
    const parts = this.free && !special ? this.#answerStops.split(text) : [text];
    return parts.flatMap((part) => (this.#answerStops.hasFound ? [] : this.#parsePart(part, special)));
  }

  #parsePart(text: string, special: boolean): readonly ResponseEvent[] {
    const { parser } = this.#options;
    const wasThinking = parser.position.thinking;
    const read = parser.feed([{ text, special }]);
    const isThought = wasThinking && this.#options.stopSequences?.thoughtsAreText === true;
    const events = this.free && !isThought ? this.#answerStops.pass(read) : read;
    this.#stopped ||= this.#answerStops.hasFound;
    this.#triggers.follow(parser.position, events, this.#written.length);
    this.#noteAnswer(events);
    return this.#logprobs.attach(events);
  }
}

/** The message with faults that its text does not show. */
function withFaults(message: ResponseMessage, faults: readonly Malformed[]): ResponseMessage {
  return faults.length === 0 ? message : { ...message, malformed: [...faults, ...(message.malformed ?? [])] };
}

function textOf(spelling: string | Uint8Array): string {
  return typeof spelling === 'string' ? spelling : newDecoder().decode(spelling);
}

/** Whether it ends inside a character. */
function isSplit(spelling: string | Uint8Array): boolean {
  return typeof spelling !== 'string' && endsInsideCharacter(spelling);
}
