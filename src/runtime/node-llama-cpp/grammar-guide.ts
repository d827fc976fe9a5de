/**
 * llama.cpp's grammar next to our matcher. It masks what the model samples, and is what guarantees the result. Where
 * the grammar leaves one continuation, that is injected as tokens instead of sampled, and llama.cpp gets a fresh
 * grammar for what follows.
 *
 * llama.cpp allows an end-of-generation token only at the end of the grammar. Model files mark tokens as such that are
 * markers of the format (gpt-oss' `<|end|>` also closes its reasoning): where one of these may come, the matcher and a
 * bias stand in for llama.cpp's grammar.
 */
import type { LlamaGrammarEvaluationState, LlamaModel, Token, TokenBias } from 'node-llama-cpp';
import type { Matcher } from '../../grammar/matcher/matcher.ts';
import { engineState } from './engine-states.ts';
import { forcedTokens } from './forced-tokens.ts';
import { markerEndsAt } from './marker-ends.ts';
import type { MarkerTokens } from './marker-tokens.ts';
import type { Vocabulary } from './vocabulary.ts';

/** What the guide works with. */
export interface GuideOptions {
  readonly model: LlamaModel;
  readonly vocabulary: Vocabulary;
  readonly markers: MarkerTokens;
  /** Inject forced text. */
  readonly inject: boolean;
}

/** Guides the sampling of one response. */
export class GrammarGuide {
  readonly #options: GuideOptions;
  #state: LlamaGrammarEvaluationState | undefined;
  /** The state stands where the matcher does. */
  #inStep = false;
  #bias: TokenBias | null = null;

  constructor(options: GuideOptions) {
    this.#options = options;
  }

  /** llama.cpp's grammar for the next token; `undefined` where the matcher stands in for it, or nothing is constrained. */
  get state(): LlamaGrammarEvaluationState | undefined {
    return this.#inStep ? this.#state : undefined;
  }

  /** Favours the allowed tokens where they are few. */
  get bias(): TokenBias | null {
    return this.#bias;
  }

  /** Whether the next token is sampled without llama.cpp's grammar, so that it has to be checked. */
  get unmasked(): boolean {
    return !this.#inStep;
  }

  /** The tokens that are forced where `matcher` stands. */
  forced(matcher: Matcher): readonly Token[] {
    const { inject, markers, vocabulary } = this.#options;
    return inject ? forcedTokens(matcher, markers, vocabulary).tokens : [];
  }

  /**
   * Prepares to sample where `matcher` stands. `sampled`: all it has accepted since is one token sampled under `state`.
   * Throws `GrammarError` when the engine refuses the grammar.
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

  /** The matcher could not follow what was sampled: llama.cpp's grammar goes on by itself. */
  lose(): void {
    this.#bias = null;
  }
}
