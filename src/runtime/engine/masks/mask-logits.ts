/** A mask, applied to all logits: for samplers that take logits and ask nothing. */
import type { Mask } from '../engine.ts';

const everything = 0xffffffff;

/**
 * Changes `logits`, one for each token, so that whatever is sampled from them may be drawn: adds the bias, and leaves
 * minus infinity for what the mask forbids.
 */
export function maskLogits(logits: Float32Array, mask: Mask | null): void {
  for (const [token, bias] of mask?.bias ?? []) logits[token] = (logits[token] ?? 0) + bias;
  const allowed = mask?.bitmap() ?? null;
  if (allowed === null) return;
  for (let first = 0; first < logits.length; first += 32) {
    const word = allowed[first >> 5] ?? 0;
    if (word >>> 0 === everything) continue;
    const end = Math.min(first + 32, logits.length);
    if (word === 0) logits.fill(Number.NEGATIVE_INFINITY, first, end);
    else
      for (let token = first; token < end; token += 1)
        if (((word >>> (token & 31)) & 1) === 0) logits[token] = Number.NEGATIVE_INFINITY;
  }
}
