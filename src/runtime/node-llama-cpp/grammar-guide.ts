/**
 * llama.cpp's grammar next to our matcher: it masks what the model samples, and is the guarantee. Where the grammar
 * leaves one continuation, that is injected as tokens rather than sampled, and llama.cpp gets a fresh grammar of
 * what follows.
 *
 * llama.cpp lets no token through that it takes for an end of generation, but for the end of the grammar. Files mark
 * tokens as ends that a format has for markers (gpt-oss' `<|end|>` closes its thoughts, too): where such a marker
 * may come, the matcher and a bias stand in for llama.cpp's grammar.
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

  /** llama.cpp's grammar for the next token; none where the matcher stands in for it, or nothing is constrained. */
  get state(): LlamaGrammarEvaluationState | undefined {
    return this.#inStep ? this.#state : undefined;
  }

  /** Pulls the next sample towards the allowed tokens, where they are few. */
  get bias(): TokenBias | null {
    return this.#bias;
  }

  /** Whether the next token is sampled under the matcher alone, so that it has to be checked. */
  get unmasked(): boolean {
    return !this.#inStep;
  }

  /** The tokens that are forced where `matcher` stands. */
  forced(matcher: Matcher): readonly Token[] {
    const { inject, markers, vocabulary } = this.#options;
    return inject ? forcedTokens(matcher, markers, vocabulary).tokens : [];
  }

  /**
   * Gets ready to sample where `matcher` stands. `sampled`: it has got there by a token that was sampled under
   * `state`, and by nothing else. Throws `GrammarError` when the engine refuses the grammar.
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

  /** What was sampled is beyond the matcher: llama.cpp's grammar goes on by itself. */
  lose(): void {
    this.#bias = null;
  }
}
