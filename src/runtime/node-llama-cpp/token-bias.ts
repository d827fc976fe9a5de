/** Biases as node-llama-cpp takes them. */
import { type LlamaModel, TokenBias } from 'node-llama-cpp';
import { EngineError } from '../../format/errors.ts';
import { memoize } from '../../format/memoize.ts';
import type { TokenBiases } from '../engine/engine.ts';

const none: TokenBiases = new Map();
const biasesOf = memoize((model: LlamaModel) => memoize((biases: TokenBiases) => convert(biases, model)));

/** The bias for the sampler of `model`; the same object for the same map. Throws `EngineError`. */
export function tokenBias(biases: TokenBiases | null, model: LlamaModel): TokenBias {
  return biasesOf(model)(biases ?? none);
}

/**
 * `TokenBias.set` ignores ends of generation, which the sampler supports, and asks the tokenizer about each token; so
 * the biases are put where it would put them.
 */
function convert(biases: TokenBiases, model: LlamaModel): TokenBias {
  const bias = new TokenBias(model.tokenizer);
  const stored: unknown = Reflect.get(bias, '_biases');
  if (!(stored instanceof Map)) {
    throw new EngineError({ reason: 'this version stores biases otherwise than 3.22', gpu: null });
  }
  for (const [token, logit] of biases) stored.set(token, logit);
  return bias;
}
