/**
 * One response, token by token: token → bytes → text → parser → events, and the grammar next to it.
 * Knows nothing of how tokens are sampled; `decode.ts` does that.
 */
import { type LlamaGrammarEvaluationState, type Token, TokenBias } from 'node-llama-cpp';
import { DecodingError } from '../../format/errors.ts';
import type { BuiltGrammar } from '../../grammar/build-grammar.ts';
import type { Matcher } from '../../grammar/matcher/matcher.ts';
import type { ResponseEvent, ResponseMessage } from '../../parser/events.ts';
import type { ResponseParser } from '../../parser/response-parser.ts';
import { inOpenThoughts, type ThoughtsOpening } from '../chat/open-thoughts.ts';
import { type FoundTrigger, TriggerWatch } from '../chat/trigger-watch.ts';
import { GrammarGuide, type GuideOptions } from './grammar-guide.ts';
import { StopWatch } from './stop-watch.ts';

/** What a run works with. */
export interface RunOptions extends Omit<GuideOptions, 'matcher'>, ThoughtsOpening {
  readonly grammar: BuiltGrammar;
  /** A matcher at the beginning of the grammar; `null` without one. */
  readonly matcher: Matcher | null;
  readonly parser: ResponseParser;
  /** Texts at which the response ends, whatever their tokens. */
  readonly stops: readonly string[];
  /** The most tokens to write, injected ones included: what is injected is cut there, too. */
  readonly maxTokens: number;
  /** After so many tokens of reasoning, those of its markers not counted, `reasoningEnd` is written. */
  readonly thinkingBudget: number;
  /** What ends it. */
  readonly reasoningEnd: string;
  /**
   * After a section of calls the response is free again until the next trigger. `false`: what the grammar
   * says is all that may follow.
   */
  readonly unconstrainedAfterCalls: boolean;
  /** The grammar covers nothing but text, in which stops count as in text without a grammar. */
  readonly plainText: boolean;
}

/** What came of one token. */
export interface Step {
  readonly events: readonly ResponseEvent[];
  /** Tokens to evaluate in place of the sampled one: it and what is forced after it, or a correction. */
  readonly tokens: readonly Token[];
  /** The response is over; nothing more is to be sampled. */
  readonly over: boolean;
}

const encoder = new TextEncoder();

/** Follows one response from its first token to its message. */
export class ResponseRun {
  readonly #options: RunOptions;
  readonly #stops: StopWatch;
  readonly #triggers: TriggerWatch;
  readonly #noBias: TokenBias;
  #decoder = newDecoder();
  /** The last bytes that were decoded: as many as can be of a character that is not whole. */
  #lastBytes: readonly number[] = [];
  #guide: GrammarGuide | null = null;
  /** The text so far; offsets of events and triggers count in it. */
  #written = '';
  #tokens = 0;
  #thoughtTokens = 0;
  #stopped = false;
  #cut = false;

  constructor(options: RunOptions) {
    this.#options = options;
    this.#noBias = new TokenBias(options.model.tokenizer);
    this.#stops = new StopWatch(options.stops);
    this.#triggers = new TriggerWatch(options.grammar.triggers, options.markers);
  }

  /** llama.cpp's grammar for the next token; none outside of what the grammar covers. */
  get grammarState(): LlamaGrammarEvaluationState | undefined {
    return this.#guide?.state;
  }

  /** Pulls the next sample towards the allowed tokens, where they are few. */
  get bias(): TokenBias {
    return this.#guide?.bias() ?? this.#noBias;
  }

  /** The text so far. */
  get text(): string {
    return this.#written;
  }

  /** Before the first sample: tokens that are forced, to be evaluated with the prompt. */
  start(): Step {
    const { grammar, matcher } = this.#options;
    if (matcher === null || grammar.lazy) return this.#limitThoughts(this.#step([], []));
    const forced = this.#constrainAfter('', matcher);
    if (forced === null) throw new DecodingError({ reason: 'the grammar allows no response', text: '' });
    const tokens = this.#fit(forced);
    return this.#limitThoughts(this.#step(this.#feedTokens(tokens), tokens));
  }

  /** A token was sampled. */
  accept(token: Token): Step {
    const ended = this.#endAt(token);
    if (ended !== null) return ended;
    const inThoughts = this.#options.parser.position.region === 'reasoning';
    const step = this.#guide === null ? this.#acceptFree(token) : this.#acceptConstrained(token, this.#guide);
    if (inThoughts) this.#thoughtTokens += step.tokens.length;
    else if (step.events.some(({ type }) => type === 'reasoning-delta')) this.#thoughtTokens += 1;
    return this.#limitThoughts(step);
  }

  /**
   * No more tokens: an end of generation was sampled, or the run is over, or was left. Of a character whose
   * last bytes were not waited for, nothing is told; one that the model itself left so is a U+FFFD.
   */
  finish(left = false): { readonly events: readonly ResponseEvent[]; readonly message: ResponseMessage } {
    const rest = [
      ...this.#feed(this.#cut || left ? '' : this.#decoder.decode(), false),
      ...this.#feedParser(this.#stops.release(), false),
    ];
    const { parser } = this.#options;
    // Thoughts that a stop, or the model itself, has ended are not cut.
    const ending = parser.position.region === 'reasoning' ? 'stop' : undefined;
    const { events, message } = parser.finish(this.#cut ? 'length' : ending);
    return { events: [...rest, ...events], message };
  }

  /** A special token with which a stop ends is not shown, and the response is over. */
  #endAt(token: Token): Step | null {
    const { vocabulary } = this.#options;
    if (!this.#stopsCount || !vocabulary.isSpecial(token)) return null;
    const rest = this.#stops.endAt(newDecoder().decode(vocabulary.bytesOf(token)), this.#written);
    if (rest === null) return null;
    this.#stopped = true;
    return this.#step(this.#feedParser(rest, false), [token]);
  }

  /** Where the grammar says what may come, it says when to end, too. */
  get #stopsCount(): boolean {
    return this.#guide === null || this.#options.plainText;
  }

  #acceptConstrained(token: Token, guide: GrammarGuide): Step {
    const tokens = this.#fit([token, ...guide.accept(token)]);
    const events = this.#feedTokens(tokens);
    if (this.#options.unconstrainedAfterCalls && !this.#cut && guide.complete && !guide.finished) {
      this.#guide = null;
      this.#triggers.resumeAt(this.#written.length);
    }
    return this.#step(events, tokens);
  }

  /** Where the budget is used up, reasoning is closed for the model, and it goes on with the answer. */
  #limitThoughts(step: Step): Step {
    const { markers, parser, reasoningEnd, thinkingBudget } = this.#options;
    if (step.over || this.#thoughtTokens < thinkingBudget) return step;
    if (!inOpenThoughts(parser.position, this.#written, this.#options)) return step;
    if (endsInsideCharacter(this.#lastBytes)) return step;
    const closing = markers.encode(reasoningEnd);
    // Where the grammar forbids it the next token tries again.
    const forced = this.#guide === null ? [] : this.#guide.write(closing);
    if (forced === null) return step;
    const tokens = this.#fit([...closing, ...forced]);
    const rest = this.#step(this.#feedTokens(tokens), tokens);
    // What was written for the model was not looked through for triggers; those that count come after it.
    if (this.#guide === null) this.#triggers.resumeAt(this.#written.length);
    return { ...rest, events: [...step.events, ...rest.events], tokens: [...step.tokens, ...rest.tokens] };
  }

  #acceptFree(token: Token): Step {
    const { vocabulary, markers } = this.#options;
    // A control token that is no marker of the format means nothing here, and is no text.
    if (vocabulary.isControl(token) && !markers.has(token)) return this.#step([], [token]);
    const text = this.#decode(token);
    const special = vocabulary.isSpecial(token);
    const start = this.#written.length;
    const found = this.#triggers.find(text, special);
    if (found === null) return this.#step(this.#feed(text, special), [token]);

    const head = text.slice(0, found.end - start);
    const events = this.#feed(head, special);
    const after = text.slice(head.length);
    if (this.#triggers.fires(found)) return this.#pullTrigger(found, token, head, after, events);
    return this.#step([...events, ...this.#feed(after, special)], [token]);
  }

  /**
   * The grammar begins: after what the token wrote beyond the trigger, if the grammar allows that;
   * otherwise after the trigger, and the rest of the token is taken back.
   */
  #pullTrigger(
    { start }: FoundTrigger,
    token: Token,
    head: string,
    after: string,
    events: readonly ResponseEvent[],
  ): Step {
    const { markers, vocabulary } = this.#options;
    const matcher = requireMatcher(this.#options.matcher, this.#written);
    const whole = !endsInsideCharacter(vocabulary.bytesOf(token));
    const trigger = this.#written.slice(start);
    const forced = whole ? this.#constrainAfter(trigger + after, matcher) : null;
    if (forced !== null) {
      const fitting = this.#fit(forced, 1);
      return this.#step(
        [...events, ...this.#feed(after, false), ...this.#feedTokens(fitting)],
        [token, ...fitting],
      );
    }
    this.#decoder = newDecoder();
    this.#lastBytes = [];
    const shorter = this.#constrainAfter(trigger, matcher);
    if (shorter === null) {
      throw new DecodingError({
        reason: 'the grammar does not begin with its own trigger',
        text: this.#written,
      });
    }
    const opening = markers.encode(head);
    const fitting = this.#fit(shorter, opening.length);
    return this.#step([...events, ...this.#feedTokens(fitting)], [...opening, ...fitting]);
  }

  /** Starts the grammar after `text`, which it has to cover; `null` when it does not allow that. */
  #constrainAfter(text: string, matcher: Matcher): readonly Token[] | null {
    const guide = new GrammarGuide({ ...this.#options, matcher });
    const forced = guide.startAfter(encoder.encode(text));
    if (forced !== null) this.#guide = guide;
    return forced;
  }

  /** As many of `tokens` as may still be written after `before` others; the response is cut where some are not. */
  #fit(tokens: readonly Token[], before = 0): readonly Token[] {
    const room = Math.max(0, this.#options.maxTokens - this.#tokens - before);
    if (tokens.length <= room) return tokens;
    this.#cut = true;
    return tokens.slice(0, room);
  }

  #step(events: readonly ResponseEvent[], tokens: readonly Token[]): Step {
    this.#tokens += tokens.length;
    const over = this.#stopped || this.#cut || this.#guide?.finished === true;
    if (!over && this.#tokens >= this.#options.maxTokens) this.#cut = true;
    return { events, tokens, over: over || this.#cut };
  }

  #decode(token: Token): string {
    const bytes = this.#options.vocabulary.bytesOf(token);
    this.#lastBytes = [...this.#lastBytes, ...bytes.slice(-3)].slice(-3);
    return this.#decoder.decode(bytes, { stream: true });
  }

  #feedTokens(tokens: readonly Token[]): ResponseEvent[] {
    return tokens.flatMap((token) =>
      this.#feed(this.#decode(token), this.#options.vocabulary.isSpecial(token)),
    );
  }

  /** Text on its way to the parser. */
  #feed(text: string, special: boolean): readonly ResponseEvent[] {
    if (this.#stopped) return [];
    this.#written += text;
    if (special || !this.#stopsCount) {
      const held = this.#feedParser(this.#stops.release(), false);
      return [...held, ...(special ? this.#feedParser(text, true) : this.#feedConstrained(text))];
    }
    const passed = this.#stops.pass(text);
    this.#stopped = passed.stopped;
    return this.#guide === null ? this.#feedParser(passed.text, false) : this.#feedConstrained(passed.text);
  }

  /** Under a grammar a marker is a marker also where the model spelled it out. */
  #feedConstrained(text: string): readonly ResponseEvent[] {
    return this.#options.markers
      .splitAtBeginnings(text)
      .flatMap(({ text: piece, special }) => this.#feedParser(piece, special));
  }

  #feedParser(text: string, special: boolean): readonly ResponseEvent[] {
    if (text === '') return [];
    const { parser } = this.#options;
    const events = parser.feed([{ text, special }]);
    this.#triggers.follow(parser.position, events);
    return events;
  }
}

function newDecoder(): InstanceType<typeof TextDecoder> {
  return new TextDecoder('utf-8', { ignoreBOM: true });
}

function requireMatcher(matcher: Matcher | null, text: string): Matcher {
  if (matcher === null) throw new DecodingError({ reason: 'a trigger without a grammar', text });
  return matcher;
}

/** The bytes end in the middle of a UTF-8 character. */
function endsInsideCharacter(bytes: ArrayLike<number>): boolean {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2);
    if (byte < 0x80) return false;
  }
  return false;
}
