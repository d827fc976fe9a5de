/** What a sequence holds of a prompt already. */
import type { Token } from 'node-llama-cpp';

/** Fewer tokens than these are evaluated sooner than anything is done to save them. */
export const leastShared = 64;

/** How many tokens both begin with. */
export function sharedLength(held: readonly Token[], prompt: readonly Token[]): number {
  const end = held.findIndex((token, index) => token !== prompt[index]);
  return end < 0 ? held.length : end;
}
