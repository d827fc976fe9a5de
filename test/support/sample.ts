/** The part of a long table of cases that one run tries: another part for each seed, all of it in the long run. */

const long = process.env.LAWS === 'long';
const seed = Number(process.env.SEED);

/**
 * Every `parts`-th of `cases`, from a place that the run's seed chooses; all of them with `LAWS=long`. Each case
 * is tried by one seed in `parts`. Tables that are alike take a `shift` each, so that one run tries other
 * rows of each of them.
 */
export function sampled<T>(cases: readonly T[], parts: number, shift = 0): readonly T[] {
  return long ? cases : cases.filter((_, index) => (index + shift + seed) % parts === 0);
}
