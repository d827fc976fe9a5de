/**
 * The budget of thoughts. When it is spent, thoughts are closed, and none may be opened again until an answer or a call
 * has begun: a model that wants to go on thinking would open them again and again.
 */
import type { AnswerStart } from '../../../grammar/answer-start.ts';
import type { Matcher } from '../../../language/matcher/matcher.ts';
import type { Malformed, ResponseEvent } from '../../../parser/events.ts';
import type { ParserPosition, ResponseParser } from '../../../parser/response-parser.ts';

/** What an answer or a call begins with, and a matcher before it, to be cloned. */
export interface MatchedStart extends Pick<AnswerStart, 'closer' | 'hasBegun'> {
  readonly matcher: Matcher;
}

/** How thoughts are limited. */
export interface ThinkingOptions {
  readonly parser: ResponseParser;
  /** After this many reasoning tokens, not counting markers, `reasoningEnd` is written. */
  readonly thinkingBudget: number;
  /** The text that ends reasoning; empty if there is none. */
  readonly reasoningEnd: string;
  /**
   * What may follow thoughts when the budget is spent; `null` if thoughts cannot be opened, or another grammar already
   * says it. Default: anything.
   */
  readonly answerStart?: () => MatchedStart | null;
}

/** A piece that was written. */
interface Written {
  readonly spelling: string | Uint8Array;
  readonly tokens: number;
  /** The region before it. */
  readonly before: ParserPosition['region'];
  readonly events: readonly ResponseEvent[];
  /** The response up to its end. */
  readonly text: string;
}

/** The beginning of an answer, at an offset in the response. */
interface OpenStart extends MatchedStart {
  readonly from: number;
}

/** Follows the thoughts of one response. */
export class ThinkingBudget {
  readonly #options: ThinkingOptions;
  /** Reasoning tokens, not counting markers. */
  #tokens = 0;
  #wasThinking: boolean;
  /** After the last thoughts, until something else begins: what may begin, and where. */
  #start: OpenStart | null = null;
  /** Where the latest thoughts began. */
  #thoughtsAt = 0;
  /** Whether thoughts were closed with the budget spent, and nothing has followed them. */
  #isUnanswered = false;
  readonly #faults: Malformed[] = [];

  constructor(options: ThinkingOptions) {
    this.#options = options;
    this.#wasThinking = options.parser.position.thinking;
  }

  /** Whether no more thoughts are allowed. */
  get isSpent(): boolean {
    return this.#tokens >= this.#options.thinkingBudget;
  }

  /** Whether thoughts are open that must be closed. */
  get isExceeded(): boolean {
    return this.isSpent && this.#options.reasoningEnd !== '' && this.#options.parser.position.thinking;
  }

  /** What may follow thoughts that were the last ones; `null` elsewhere. */
  get matcher(): Matcher | null {
    return this.#start?.matcher ?? null;
  }

  /** All faults so far. */
  get faults(): readonly Malformed[] {
    return this.#faults;
  }

  /** Follows a piece; returns a fault to be told, if thoughts were opened again after all. */
  follow(written: Written): readonly Malformed[] {
    const { before, events, tokens } = written;
    const hasThought = before === 'reasoning' || events.some(({ type }) => type === 'reasoning-delta');
    if (hasThought) this.#tokens += tokens;
    if (events.some(isAnswer)) this.#isUnanswered = false;
    const { thinking } = this.#options.parser.position;
    const hasEnded = this.#wasThinking && !thinking;
    const hasBegun = !this.#wasThinking && thinking;
    this.#wasThinking = thinking;
    if (hasBegun) this.#thoughtsAt = written.text.length;
    if (this.#start !== null) this.#advance(this.#start, written);
    else if (hasEnded && this.isSpent) this.#end(written);
    if (!hasBegun || !this.isSpent || !this.#isUnanswered) return [];
    const fault = thoughtAgain(written.text.length);
    this.#faults.push(fault);
    return [fault];
  }

  #advance({ matcher, from, hasBegun }: OpenStart, written: Written): void {
    const isAllowed = matcher.accept(written.spelling);
    if (!isAllowed || hasBegun(written.text.slice(from))) this.#start = null;
  }

  /** The last thoughts have ended, perhaps not at the end of the piece. */
  #end({ text }: Written): void {
    this.#isUnanswered = true;
    const start = this.#options.answerStart?.() ?? null;
    if (start === null) return;
    const { closer } = start;
    const at = text.indexOf(closer, this.#thoughtsAt);
    const from = at < 0 ? text.length : at + closer.length;
    const rest = text.slice(from);
    const matcher = start.matcher.clone();
    if (matcher.accept(rest) && !start.hasBegun(rest)) this.#start = { ...start, matcher, from };
  }
}

function isAnswer(event: ResponseEvent): boolean {
  return event.type === 'text-delta' ? event.delta.trim() !== '' : event.type === 'tool-input-start';
}

function thoughtAgain(place: number): Malformed {
  return {
    type: 'malformed',
    raw: '',
    expected: ['an answer', 'a call'],
    reason: 'thoughts were opened again although their budget is spent',
    start: place,
    end: place,
  };
}
