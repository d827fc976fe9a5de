/**
 * The grammar of one response, twice: llama.cpp's, which masks what the model samples and is the
 * guarantee, and our own matcher, which says what must come next. Both stand at the same place.
 *
 * Where the grammar leaves one continuation, it is injected as tokens rather than sampled, and
 * llama.cpp gets a fresh grammar of what follows.
 */
import type { LlamaGrammarEvaluationState, LlamaModel, Token, TokenBias } from 'node-llama-cpp';
import type { Matcher } from '../../grammar/matcher/matcher.ts';
import { isFinished } from '../chat/finished-grammar.ts';
import { engineState } from './engine-states.ts';
import { forcedTokens } from './forced-tokens.ts';
import type { MarkerTokens } from './marker-tokens.ts';
import type { Vocabulary } from './vocabulary.ts';

/** What the guide works with. */
export interface GuideOptions {
  readonly model: LlamaModel;
  readonly vocabulary: Vocabulary;
  readonly markers: MarkerTokens;
  /** A matcher before the first character of the grammar; a copy of it is moved. */
  readonly matcher: Matcher;
  /** Inject forced text. */
  readonly inject: boolean;
}

/** Guides the sampling of one response from where its grammar begins. */
export class GrammarGuide {
  readonly #options: GuideOptions;
  /** `null` once the engine accepted what the matcher does not understand (text that is no UTF-8). */
  #matcher: Matcher | null;
  #state: LlamaGrammarEvaluationState | undefined;

  constructor(options: GuideOptions) {
    this.#options = options;
    this.#matcher = options.matcher.clone();
  }

  /** llama.cpp's grammar for the next token. */
  get state(): LlamaGrammarEvaluationState | undefined {
    return this.#state;
  }

  /** The response is over. */
  get finished(): boolean {
    return this.#matcher !== null && isFinished(this.#matcher);
  }

  /** The response may end here. */
  get complete(): boolean {
    return this.#matcher?.complete === true;
  }

  /**
   * Starts after `bytes`, which were written already, and returns the tokens that are forced there;
   * `null` when the grammar does not allow those bytes.
   */
  startAfter(bytes: Uint8Array): readonly Token[] | null {
    if (this.#matcher?.accept(bytes) !== true) return null;
    const forced = this.#takeForced();
    this.#renew();
    return forced;
  }

  /** Follows a token that was sampled under `state`; returns the tokens that are forced after it. */
  accept(token: Token): readonly Token[] {
    if (this.#matcher?.accept(this.#options.vocabulary.bytesOf(token)) !== true) {
      this.#matcher = null;
      return [];
    }
    const forced = this.#takeForced();
    if (forced.length > 0 && !this.finished) this.#renew();
    return forced;
  }

  /**
   * Moves over tokens that were written without being sampled; returns the tokens that are forced after
   * them, or `null` when the grammar forbids them.
   */
  write(tokens: readonly Token[]): readonly Token[] | null {
    const { vocabulary } = this.#options;
    const bytes = Uint8Array.from(tokens.flatMap((token) => [...vocabulary.bytesOf(token)]));
    return this.startAfter(bytes);
  }

  /** Pulls the sampler towards the allowed tokens, where they are few. */
  bias(): TokenBias | null {
    const { vocabulary, inject } = this.#options;
    return inject && this.#matcher !== null ? vocabulary.allowed.bias(this.#matcher) : null;
  }

  /** A new state of llama.cpp's at the matcher's place. */
  #renew(): void {
    if (this.#matcher !== null) this.#state = engineState(this.#matcher, this.#options.model);
  }

  /** The tokens of the text that is forced here; the matcher moves after them. */
  #takeForced(): readonly Token[] {
    const { inject, markers, vocabulary } = this.#options;
    if (this.#matcher === null || !inject) return [];
    const { tokens, after } = forcedTokens(this.#matcher, markers, vocabulary);
    if (tokens.length > 0) this.#matcher = after.clone();
    return tokens;
  }
}
