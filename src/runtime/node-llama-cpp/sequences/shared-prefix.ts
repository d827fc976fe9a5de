/** The common prefix of a sequence and a prompt. */
import type { Token } from 'node-llama-cpp';

/** Fewer shared tokens are evaluated faster than they are saved. */
export const leastShared = 64;

/** Number of tokens with which both begin. */
export function sharedLength(held: readonly Token[], prompt: readonly Token[]): number {
  const end = held.findIndex((token, index) => token !== prompt[index]);
  return end < 0 ? held.length : end;
}
