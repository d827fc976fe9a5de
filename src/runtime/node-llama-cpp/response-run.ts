/**
 * One response, token by token: what is evaluated in place of a sampled token, and after it. Knows nothing of how
 * tokens are sampled; `decode.ts` does that.
 */
import type { LlamaGrammarEvaluationState, Token, TokenBias } from 'node-llama-cpp';
import { DecodingError } from '../../format/errors.ts';
import type { ResponseEvent, Usage } from '../../parser/events.ts';
import {
  SteeredResponse,
  type SteeringOptions,
  type WrittenPiece,
  type WrittenResponse,
} from '../chat/steered-response.ts';
import type { PromptUsage } from '../chat/token-usage.ts';
import { newDecoder } from '../chat/utf8.ts';
import { GrammarGuide, type GuideOptions } from './grammar-guide.ts';
import { type Guess, guessTokens } from './guessed-tokens.ts';
import { markerEndsAt } from './marker-ends.ts';
import type { MarkerTokens } from './marker-tokens.ts';

/** What a run works with. */
export interface RunOptions extends GuideOptions, SteeringOptions {
  readonly markers: MarkerTokens;
  /** A marker of the format with this text may come in free text where the parser stands, after the response's `text`. */
  readonly continues: (marker: string, text: string) => boolean;
}

/** What came of one token. */
export interface Step {
  readonly events: readonly ResponseEvent[];
  /** Tokens to evaluate in place of the sampled one: it and what is forced after it, or a correction. */
  readonly tokens: readonly Token[];
  /** The response is over; nothing more is to be sampled. */
  readonly over: boolean;
}

/** Follows one response from its first token to its message. */
export class ResponseRun {
  readonly #options: RunOptions;
  readonly #response: SteeredResponse;
  readonly #guide: GrammarGuide;

  constructor(options: RunOptions) {
    this.#options = options;
    this.#response = new SteeredResponse(options);
    this.#guide = new GrammarGuide(options);
  }

  /** llama.cpp's grammar for the next token; none outside of what the grammar covers. */
  get grammarState(): LlamaGrammarEvaluationState | undefined {
    return this.#response.constrained ? this.#guide.state : undefined;
  }

  /** Pulls the next sample towards the allowed tokens, where they are few; `null` where nothing has to be pulled. */
  get bias(): TokenBias | null {
    return this.#response.constrained ? this.#guide.bias : null;
  }

  /** The next token is one of free text. */
  get free(): boolean {
    return this.#response.free;
  }

  /** The text so far. */
  get text(): string {
    return this.#response.text;
  }

  /** Before the first sample: tokens that are forced, to be evaluated with the prompt. */
  start(): Step {
    const { matcher } = this.#response;
    if (matcher !== null && !matcher.open && !matcher.complete) {
      throw new DecodingError({ reason: 'the grammar allows no response', text: '' });
    }
    return this.#step([], [], false);
  }

  /** What may come next, guessed; empty where it cannot be. `written`: the conversation's tokens up to here. */
  guess(written: readonly Token[]): readonly Guess[] {
    const { constrained, matcher, over } = this.#response;
    const { inject, markers, vocabulary } = this.#options;
    // What is forced and not injected is sampled token by token.
    if (!inject || !constrained || matcher === null || over || this.#guide.unmasked) return [];
    return guessTokens(matcher, written, markers, vocabulary);
  }

  /** A token was sampled; `masked`: under `grammarState`, which then stands after it. */
  accept(token: Token, masked = true): Step {
    if (this.#ends(token)) return this.#end(token);
    const response = this.#response;
    const wasConstrained = response.constrained;
    const sampled = wasConstrained && masked;
    if (wasConstrained && response.matcher !== null && this.#guide.unmasked) {
      const allowed = this.#allowedPart(token);
      if (allowed !== null) return this.#step(this.#write(allowed), allowed, false);
    }
    const { events, kept } = response.take(this.#pieceOf(token));
    if (kept === null) return this.#step(events, [token], sampled);
    const tokens = this.#options.markers.encode(kept);
    response.recount(1, tokens.length);
    return this.#step(events, tokens, false);
  }

  /** The prompt as the engine took it. */
  follow(prompt: PromptUsage): void {
    this.#response.follow(prompt);
  }

  /** So many of the conversation's messages were left out to make room for the response. */
  drop(messages: number): void {
    this.#response.drop(messages);
  }

  /** The context holds no more tokens. */
  cutOff(): void {
    this.#response.cutOff();
  }

  /** What the response has cost so far. */
  get usage(): Usage {
    return this.#response.usage;
  }

  /** No more tokens; `left`: nobody waits for more. */
  finish(left = false): WrittenResponse {
    return this.#response.finish(left);
  }

  /** The token is an end of generation, and no marker of the format where it stands. */
  #ends(token: Token): boolean {
    const { continues, markers, vocabulary } = this.#options;
    if (!vocabulary.endsGeneration(token)) return false;
    if (!markers.has(token)) return true;
    const { constrained, matcher } = this.#response;
    if (!constrained) return !continues(newDecoder().decode(vocabulary.bytesOf(token)), this.text);
    return matcher === null || markerEndsAt(matcher, markers, vocabulary)?.tokens.includes(token) !== true;
  }

  #end(token: Token): Step {
    const text = newDecoder().decode(this.#options.vocabulary.bytesOf(token));
    return { events: this.#response.end(text), tokens: [], over: true };
  }

  /**
   * Of a token that was sampled without llama.cpp's grammar: `null` where all of it is allowed, otherwise the
   * tokens of what is.
   */
  #allowedPart(token: Token): readonly Token[] | null {
    const { markers, vocabulary } = this.#options;
    const bytes = vocabulary.bytesOf(token);
    const length = this.#response.matcher?.allowedLength(bytes) ?? bytes.length;
    if (length === bytes.length) return null;
    const text = newDecoder().decode(bytes.subarray(0, length), { stream: true });
    if (text === '') throw this.#response.broken('the model wrote what the grammar does not allow');
    return markers.encode(text);
  }

  /** After a token, or before the first: what is forced now, the end of thoughts, and the next sample's grammar. */
  #step(events: readonly ResponseEvent[], tokens: readonly Token[], sampled: boolean): Step {
    const response = this.#response;
    const added = this.#force();
    const forced = this.#write(added);
    const { closing } = response;
    const ending = closing === null ? [] : response.fit(this.#options.markers.encode(closing));
    const closed = this.#write(ending);
    const after = closing === null ? [] : this.#force();
    const last = this.#write(after);
    if (response.tokensLeft === 0 && !response.over) response.cutOff();
    const written = [...added, ...ending, ...after];
    if (!response.over) this.#settle(sampled && written.length === 0);
    return {
      events: [...events, ...forced, ...closed, ...last],
      tokens: [...tokens, ...written],
      over: response.over,
    };
  }

  #settle(sampled: boolean): void {
    const { constrained, matcher } = this.#response;
    if (matcher !== null) this.#guide.settle(matcher, sampled);
    else if (constrained) this.#guide.lose();
  }

  /** The tokens that are forced where the response stands, as many as may still be written. */
  #force(): readonly Token[] {
    const { matcher, over } = this.#response;
    return matcher === null || over ? [] : this.#response.fit(this.#guide.forced(matcher));
  }

  #write(tokens: readonly Token[]): readonly ResponseEvent[] {
    return tokens.flatMap((token) => this.#response.write(this.#pieceOf(token)));
  }

  #pieceOf(token: Token): WrittenPiece {
    const { markers, vocabulary } = this.#options;
    const spelling = vocabulary.bytesOf(token);
    // Under a grammar the text of every token counts, whatever it is to the format.
    const isSilent = vocabulary.isControl(token) && !markers.has(token) && !this.#response.constrained;
    const role = isSilent ? 'control' : vocabulary.isSpecial(token) ? 'marker' : 'text';
    return { spelling, role, tokens: 1 };
  }
}
