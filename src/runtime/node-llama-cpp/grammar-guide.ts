/**
 * llama.cpp's grammar alongside our matcher. The former masks what the model samples, and guarantees the result. Where
 * the grammar allows only one continuation, it is injected as tokens instead of sampled, and llama.cpp gets a new
 * grammar for what follows.
 *
 * llama.cpp allows an end-of-generation token only at the end of the grammar. Model files declare some tokens as such
 * that are markers of the format (gpt-oss' `<|end|>` also closes its reasoning): where one of these may come, the
 * matcher and a bias replace llama.cpp's grammar.
 */
import type { LlamaGrammarEvaluationState, LlamaModel, Token, TokenBias } from 'node-llama-cpp';
import type { Matcher } from '../../language/matcher/matcher.ts';
import { engineState } from './engine-states.ts';
import { forcedTokens } from './forced-tokens.ts';
import { markerEndsAt } from './marker-ends.ts';
import type { MarkerTokens } from './marker-tokens.ts';
import type { Vocabulary } from './vocabulary.ts';

/** The options of the guide. */
export interface GuideOptions {
  readonly model: LlamaModel;
  readonly vocabulary: Vocabulary;
  readonly markers: MarkerTokens;
  /** Whether forced text is injected. */
  readonly inject: boolean;
}

/** Guides the sampling of one response. */
export class GrammarGuide {
  readonly #options: GuideOptions;
  #state: LlamaGrammarEvaluationState | undefined;
  /** Whether the state is at the position of the matcher. */
  #inStep = false;
  #bias: TokenBias | null = null;

  constructor(options: GuideOptions) {
    this.#options = options;
  }

  /** llama.cpp's grammar for the next token; `undefined` if the matcher replaces it, or nothing is constrained. */
  get state(): LlamaGrammarEvaluationState | undefined {
    return this.#inStep ? this.#state : undefined;
  }

  /** Favours the allowed tokens if they are few. */
  get bias(): TokenBias | null {
    return this.#bias;
  }

  /** Whether the next token is sampled without llama.cpp's grammar, so that it must be checked. */
  get unmasked(): boolean {
    return !this.#inStep;
  }

  /** The tokens forced at the position of `matcher`. */
  forced(matcher: Matcher): readonly Token[] {
    const { inject, markers, vocabulary } = this.#options;
    return inject ? forcedTokens(matcher, markers, vocabulary).tokens : [];
  }

  /**
   * Prepares for sampling at the position of `matcher`. `sampled`: since the last call it has accepted exactly one
   * token, sampled under `state`. Throws `GrammarError` if the engine rejects the grammar.
   */
  settle(matcher: Matcher, sampled: boolean): void {
    const { markers, model, vocabulary } = this.#options;
    const ends = markerEndsAt(matcher, markers, vocabulary);
    if (ends !== null) {
      this.#inStep = false;
      this.#bias = ends.bias;
      return;
    }
    if (!sampled || !this.#inStep) this.#state = engineState(matcher, model);
    this.#inStep = true;
    this.#bias = vocabulary.allowed.bias(matcher);
  }

  /** The matcher could not follow what was sampled; llama.cpp's grammar continues alone. */
  lose(): void {
    this.#bias = null;
  }
}
