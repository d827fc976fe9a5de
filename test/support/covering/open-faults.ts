/** Faults that are known and not mended yet. A fault that is mended is taken off: the law checks that each still occurs. */
import type { RowOutcome } from './run-row.ts';

/** A known fault. */
export interface OpenFault {
  /** What is wrong, in one line. */
  readonly reason: string;
  /** A row that shows it with this seed. */
  readonly row: string;
  readonly seed: number;
  /** Whether a problem of a row is this fault. */
  readonly isIt: (outcome: RowOutcome, problem: string) => boolean;
}

/** The known faults. */
export const openFaults: readonly OpenFault[] = [
  {
    reason: 'between two calls of a structural tag, a value of the second holds the beginning of the first',
    row: 'google-gemma-4-31b-it, vllm, auto, many, schema, budget 3, thoughts, line breaks, roomy, penalties, sampled, strict, lenient, letters, conforms',
    seed: 87255664,
    isIt: ({ row }, problem) =>
      row.format === 'google-gemma-4-31b-it' && row.behaviour === 'conforms' && problem.startsWith('calls '),
  },
];

/** Whether a problem is one of the known faults. */
export function isKnown(outcome: RowOutcome, problem: string): boolean {
  return openFaults.some(({ isIt }) => isIt(outcome, problem));
}
