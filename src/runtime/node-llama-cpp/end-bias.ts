/**
 * A bias for tokens that end generation. node-llama-cpp's sampler supports it, but `TokenBias.set` ignores such tokens.
 */
import type { Token, TokenBias } from 'node-llama-cpp';

/** Biases `token` as `set` does other tokens; `false` if this version of node-llama-cpp stores biases otherwise. */
export function setEndBias(bias: TokenBias, token: Token, logit: number): boolean {
  const { _biases: biases } = bias as unknown as { readonly _biases?: unknown };
  if (!(biases instanceof Map)) return false;
  biases.set(token, logit);
  return true;
}
