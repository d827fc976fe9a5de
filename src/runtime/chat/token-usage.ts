/** Counts the tokens of responses. */
import type { ResponseEvent, Usage } from '../../parser/events.ts';
import type { ParserPosition } from '../../parser/response-parser.ts';

/** The tokens of a prompt. */
export type PromptUsage = Pick<Usage, 'promptTokens' | 'cachedTokens' | 'droppedMessages'>;

/** The region to which a token counts. */
type TokenKind = 'reasoningTokens' | 'textTokens' | 'callTokens';

/** The region to which tokens count that moved the parser from one region to another and emitted `events`. */
function kindOf(
  before: ParserPosition['region'],
  after: ParserPosition['region'],
  events: readonly ResponseEvent[],
): TokenKind {
  if (before === 'reasoning' || events.some(({ type }) => type === 'reasoning-delta'))
    return 'reasoningTokens';
  if (before === 'call' || after === 'call' || events.some(({ type }) => type.startsWith('tool-')))
    return 'callTokens';
  return after === 'reasoning' ? 'reasoningTokens' : 'textTokens';
}

/** Tokens of a response while it is written. */
export class TokenCount {
  #reasoningTokens = 0;
  #textTokens = 0;
  #callTokens = 0;
  #injectedTokens = 0;
  /** Text tokens since anything was emitted: what is held back may turn out to be the beginning of a call. */
  #heldTokens = 0;
  /** What the latest piece that was not held back counted to. */
  #emitted: TokenKind = 'textTokens';
  #last = { kind: 'textTokens' as TokenKind, isHeld: false };
  #prompt: PromptUsage = { promptTokens: 0, cachedTokens: null };

  /** Adds the tokens of a piece that moved the parser from one region to another and emitted `events`. */
  take(
    before: ParserPosition['region'],
    after: ParserPosition['region'],
    events: readonly ResponseEvent[],
    count: number,
  ): void {
    const kind = kindOf(before, after, events);
    const isHeld = kind === 'textTokens' && events.length === 0;
    if (!isHeld) {
      this.#give(kind);
      this.#emitted = kind;
    }
    this.#last = { kind, isHeld };
    this.add(count);
  }

  /** Takes what the end of a response, or of its text, emitted: if it is nothing, a marker was held back until then. */
  settle(events: readonly ResponseEvent[]): void {
    if (events.some(({ type }) => type === 'text-delta')) this.#give('textTokens');
    else if (events.some(({ type }) => type.startsWith('tool-'))) this.#give('callTokens');
    else this.#give(this.#emitted);
  }

  /** The tokens that were held back turn out to be of this kind. */
  #give(kind: TokenKind): void {
    this.#add('textTokens', -this.#heldTokens);
    this.#add(kind, this.#heldTokens);
    this.#heldTokens = 0;
  }

  /** Adds `count` tokens, which may be negative, to the latest piece; text before the first. */
  add(count: number): void {
    const { kind, isHeld } = this.#last;
    this.#add(kind, count);
    if (isHeld) this.#heldTokens += count;
  }

  #add(kind: TokenKind, count: number): void {
    if (kind === 'reasoningTokens') this.#reasoningTokens += count;
    else if (kind === 'callTokens') this.#callTokens += count;
    else this.#textTokens += count;
  }

  /** Recounts the latest piece as `tokens` tokens instead of `instead`. */
  recount(instead: number, tokens: number): void {
    this.add(tokens - instead);
  }

  /** Records the engine's figures for the prompt: its length, and how much of it was cached. */
  follow(prompt: PromptUsage): void {
    this.#prompt = prompt;
  }

  /** Records how many messages were dropped to make room while it was written. */
  drop(droppedMessages: number): void {
    this.#prompt = { ...this.#prompt, droppedMessages };
  }

  /** Counts `count` of them as injected. */
  inject(count: number): void {
    this.#injectedTokens += count;
  }

  /** All tokens. */
  get total(): number {
    return this.#reasoningTokens + this.#textTokens + this.#callTokens;
  }

  /** Everything together. */
  get usage(): Usage {
    const { promptTokens, cachedTokens, droppedMessages = 0 } = this.#prompt;
    return {
      promptTokens,
      cachedTokens,
      completionTokens: this.total,
      reasoningTokens: this.#reasoningTokens,
      textTokens: this.#textTokens,
      callTokens: this.#callTokens,
      injectedTokens: this.#injectedTokens,
      ...dropped(droppedMessages),
    };
  }
}

/** No tokens. */
export const noUsage: Usage = { ...new TokenCount().usage, cachedTokens: 0 };

/** The sum of both. */
export function addUsage(one: Usage, other: Usage): Usage {
  const isKnown = one.cachedTokens !== null && other.cachedTokens !== null;
  return {
    promptTokens: one.promptTokens + other.promptTokens,
    cachedTokens: isKnown ? (one.cachedTokens ?? 0) + (other.cachedTokens ?? 0) : null,
    completionTokens: one.completionTokens + other.completionTokens,
    reasoningTokens: one.reasoningTokens + other.reasoningTokens,
    textTokens: one.textTokens + other.textTokens,
    callTokens: one.callTokens + other.callTokens,
    injectedTokens: one.injectedTokens + other.injectedTokens,
    ...dropped(Math.max(one.droppedMessages ?? 0, other.droppedMessages ?? 0)),
  };
}

/** The field is omitted if no messages were dropped. */
function dropped(droppedMessages: number): Pick<Usage, 'droppedMessages'> {
  return droppedMessages > 0 ? { droppedMessages } : {};
}
