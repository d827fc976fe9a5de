/** Biases as node-llama-cpp takes them. */
import { type LlamaModel, type Token, TokenBias } from 'node-llama-cpp';
import { EngineError } from '../../format/errors.ts';
import { memoize } from '../../format/memoize.ts';
import type { TokenBiases } from '../engine/engine.ts';

const none: TokenBiases = new Map();
const biasesOf = memoize((model: LlamaModel) => memoize((biases: TokenBiases) => convert(biases, model)));

/** The bias for the sampler of `model`; the same object for the same map. Throws `EngineError`. */
export function tokenBias(biases: TokenBiases | null, model: LlamaModel): TokenBias {
  return biasesOf(model)(biases ?? none);
}

function convert(biases: TokenBiases, model: LlamaModel): TokenBias {
  const bias = new TokenBias(model.tokenizer);
  for (const [id, logit] of biases) {
    const token = id as Token;
    if (model.isEogToken(token)) setEnd(bias, token, logit);
    else bias.set(token, { logit });
  }
  return bias;
}

/** The sampler supports a bias for ends of generation, but `TokenBias.set` ignores them. */
function setEnd(bias: TokenBias, token: Token, logit: number): void {
  const biases: unknown = Reflect.get(bias, '_biases');
  if (!(biases instanceof Map)) {
    const reason = 'this version stores biases otherwise than 3.22';
    throw new EngineError({ reason, gpu: null });
  }
  biases.set(token, logit);
}
