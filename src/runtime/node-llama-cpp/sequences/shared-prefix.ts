/** The common prefix of a sequence and a prompt. */

/** Fewer shared tokens are evaluated faster than they are saved. */
export const leastShared = 64;

/** Number of tokens with which both begin. */
export function sharedLength(held: readonly number[], prompt: readonly number[]): number {
  const end = held.findIndex((token, index) => token !== prompt[index]);
  return end < 0 ? held.length : end;
}
