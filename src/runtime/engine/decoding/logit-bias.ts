/** The bias that callers ask for. */
import { UnsupportedOptionError } from '../../../format/errors.ts';
import type { SamplingOptions } from '../../chat/chat-options.ts';
import type { TokenBiases } from '../engine.ts';
import type { Vocabulary } from '../tokens/vocabulary.ts';

/** The caller's bias; `null` for none. Throws `UnsupportedOptionError` for tokens that do not exist or end the text. */
export function logitBiasOf({ logitBias = [] }: SamplingOptions, vocabulary: Vocabulary): TokenBiases | null {
  const bias = new Map<number, number>();
  for (const [token, value] of logitBias) {
    for (const each of tokensOf(token, vocabulary)) {
      if (vocabulary.endsGeneration(each)) {
        const reason = `token ${each} ends the generation, which the format decides; use maxTokens or stop to end a response`;
        throw new UnsupportedOptionError({ option: 'logitBias', reason });
      }
      bias.set(each, value === false ? -Infinity : value);
    }
  }
  return bias.size === 0 ? null : bias;
}

function tokensOf(token: number | string, vocabulary: Vocabulary): readonly number[] {
  if (typeof token === 'string') {
    const special = vocabulary.specials.get(token);
    return special === undefined ? vocabulary.encodePlain(token) : [special.token];
  }
  if (token < vocabulary.size) return [token];
  const reason = `token ${token} is not in the vocabulary of ${vocabulary.size}`;
  throw new UnsupportedOptionError({ option: 'logitBias', reason });
}
