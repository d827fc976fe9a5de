/** How likely tokens were, as node-llama-cpp says it: after everything that changes how a token is drawn. */
import type { Token } from 'node-llama-cpp';
import type { LikelyToken, TokenLogprob } from '../../../parser/events.ts';
import { newDecoder } from '../../chat/utf8.ts';
import type { Vocabulary } from '../vocabulary.ts';

/** A token that was sampled. */
export interface DrawnToken {
  readonly token: Token;
  /** Its probability; only where it was asked for. */
  readonly confidence?: number;
  /** Those of all tokens of its place, the likeliest first; only where they were asked for. */
  readonly probabilities?: ReadonlyMap<Token, number>;
}

/** Stands for what is next to impossible, as in OpenAI's API: JSON has no infinity. */
const leastLogprob = -9999;

/** The probabilities of one response, each with the `top` likeliest tokens of its place. */
export class TokenLogprobs {
  readonly #vocabulary: Vocabulary;
  readonly #top: number;

  constructor(vocabulary: Vocabulary, top: number) {
    this.#vocabulary = vocabulary;
    this.#top = top;
  }

  /** Of a token that was sampled. */
  drawn({ token, confidence = 1, probabilities }: DrawnToken): TokenLogprob {
    const likeliest = [...(probabilities ?? [])].slice(0, this.#top);
    const top = likeliest.filter(([, each]) => each > 0).map((each) => this.#likely(...each));
    return { ...this.#likely(token, confidence), top };
  }

  /** Of one that was injected: it had no choice. */
  injected(token: Token): TokenLogprob {
    const certain = this.#likely(token, 1);
    return { ...certain, top: this.#top === 0 ? [] : [certain] };
  }

  #likely(token: Token, probability: number): LikelyToken {
    const bytes = this.#vocabulary.bytesOf(token);
    return {
      token: newDecoder().decode(bytes),
      bytes: [...bytes],
      logprob: Math.max(leastLogprob, Math.log(probability)),
    };
  }
}
