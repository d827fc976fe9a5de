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
    reason:
      'a required call in tags is closed where the model begins an optional argument with a `<` of its own',
    row: 'qwen3.5-4b, AI SDK, required, many, any JSON, off, thoughts, line breaks, roomy, bias, speculated, degrade, lenient, tokens, conforms',
    seed: 1,
    isIt: ({ row }, problem) =>
      row.format === 'qwen3.5-4b' && row.behaviour === 'conforms' && problem.startsWith('calls '),
  },
];

/** Whether a problem is one of the known faults. */
export function isKnown(outcome: RowOutcome, problem: string): boolean {
  return openFaults.some(({ isIt }) => isIt(outcome, problem));
}
