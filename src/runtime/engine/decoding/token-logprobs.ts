/** The probabilities of tokens as engines report them: after everything that affects sampling. */
import { DecodingError } from '../../../format/errors.ts';
import { newDecoder } from '../../../language/utf8-decoder.ts';
import type { LikelyToken, TokenLogprob } from '../../../parser/events.ts';
import { leastLogprob } from '../../chat/answer-logprobs.ts';
import type { DrawnToken } from '../engine.ts';
import type { Vocabulary } from '../tokens/vocabulary.ts';

/** The probabilities of one response, each with the `top` likeliest tokens at its position. */
export class TokenLogprobs {
  readonly #vocabulary: Vocabulary;
  readonly #top: number;

  constructor(vocabulary: Vocabulary, top: number) {
    this.#vocabulary = vocabulary;
    this.#top = top;
  }

  /** The probability of a sampled token. Throws `DecodingError` if the engine does not report it. */
  drawn({ token, confidence, probabilities }: DrawnToken): TokenLogprob {
    if (confidence === undefined)
      throw new DecodingError({
        reason: 'the engine reports no probabilities; leave out logprobs',
        text: '',
      });
    const likeliest = [...(probabilities ?? [])].slice(0, this.#top);
    const top = likeliest.filter(([, each]) => each > 0).map((each) => this.#likely(...each));
    return { ...this.#likely(token, confidence), top };
  }

  /** The probability of an injected token, which had no alternative. */
  injected(token: number): TokenLogprob {
    const certain = this.#likely(token, 1);
    return { ...certain, top: this.#top === 0 ? [] : [certain] };
  }

  #likely(token: number, probability: number): LikelyToken {
    const bytes = this.#vocabulary.bytesOf(token);
    return {
      token: newDecoder().decode(bytes),
      bytes: [...bytes],
      logprob: Math.max(leastLogprob, Math.log(probability)),
    };
  }
}
