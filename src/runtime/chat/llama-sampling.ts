/** Numbers as llama.cpp reads them: with 32 bits. */

/** LLAMA_DEFAULT_SEED, which llama.cpp replaces by a random seed. */
const randomSeed = 0xff_ff_ff_ff;
/** More tokens than any vocabulary has. */
const maxTopK = 2 ** 31 - 1;

/** A seed that makes a run reproducible. */
export function llamaSeed(seed: number): number {
  return seed % randomSeed;
}

/** `topK` within llama.cpp's range, with the same effect. */
export function llamaTopK(topK: number): number {
  return Math.min(topK, maxTopK);
}
