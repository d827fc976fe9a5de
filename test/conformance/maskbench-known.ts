/** The schemas of MaskBench that do not pass, and why: `docs/deviations.md` has more on each. */
import type { MaskBenchOutcome } from './maskbench.ts';

const known: Readonly<Record<string, MaskBenchOutcome>> = {};

/** The ids of those among `others` of which that was not known. */
export function newOutcomes(others: Readonly<Record<string, MaskBenchOutcome>>): readonly string[] {
  return Object.keys(others).filter((id) => known[id] !== others[id]);
}
