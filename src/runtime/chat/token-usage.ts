/** Counting tokens: what a response is made of, and what several come to. */
import type { ResponseEvent, Usage } from '../../parser/events.ts';
import type { ParserPosition } from '../../parser/response-parser.ts';

/** What a prompt cost. */
export type PromptUsage = Pick<Usage, 'promptTokens' | 'cachedTokens' | 'droppedMessages'>;

/** What a token of a response belongs to. */
export type TokenKind = 'reasoningTokens' | 'textTokens' | 'callTokens';

/** What the tokens belong to that took the parser from one region to another and made it say `events`. */
export function kindOf(
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

  /** `count` tokens more, or fewer. */
  add(kind: TokenKind, count: number): void {
    if (kind === 'reasoningTokens') this.#reasoningTokens += count;
    else if (kind === 'callTokens') this.#callTokens += count;
    else this.#textTokens += count;
  }

  /** So many of them were written for the model. */
  inject(count: number): void {
    this.#injectedTokens += count;
  }

  /** All of them. */
  get total(): number {
    return this.#reasoningTokens + this.#textTokens + this.#callTokens;
  }

  /** What the response cost after this prompt. */
  usage({ promptTokens, cachedTokens, droppedMessages = 0 }: PromptUsage): Usage {
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

/** What nothing costs. */
export const noUsage: Usage = new TokenCount().usage({ promptTokens: 0, cachedTokens: 0 });

/** What both cost together. */
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

/** The field is there only where there is something to say. */
function dropped(droppedMessages: number): Pick<Usage, 'droppedMessages'> {
  return droppedMessages > 0 ? { droppedMessages } : {};
}
