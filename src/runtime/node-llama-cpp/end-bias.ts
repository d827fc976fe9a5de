/** A bias for tokens that end generation. node-llama-cpp's sampler takes one, and its `TokenBias.set` leaves it out. */
import type { Token, TokenBias } from 'node-llama-cpp';

/** Biases `token` as `set` does any other. Says `false` where this version of node-llama-cpp keeps them otherwise. */
export function setEndBias(bias: TokenBias, token: Token, logit: number): boolean {
  const { _biases: biases } = bias as unknown as { readonly _biases?: unknown };
  if (!(biases instanceof Map)) return false;
  biases.set(token, logit);
  return true;
}
