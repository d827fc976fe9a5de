/** Numbers as llama.cpp reads them: with 32 bits. */

/** LLAMA_DEFAULT_SEED: instead of this one it takes another each time. */
const randomSeed = 0xff_ff_ff_ff;
/** No vocabulary has as many tokens. */
const largestTopK = 2 ** 31 - 1;

/** A seed that makes a run repeatable. */
export function llamaSeed(seed: number): number {
  return seed % randomSeed;
}

/** The same choice of tokens. */
export function llamaTopK(topK: number): number {
  return Math.min(topK, largestTopK);
}
