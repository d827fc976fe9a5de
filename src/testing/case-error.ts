/** The error of a failed case. */
import { errorClass } from '../format/error-class.ts';

/** One thing that differs. */
export interface CaseDifference {
  /** `content`, `reasoning`, `calls`, `calls[1].arguments`, `malformed`, `finish`, `any cut`, `nothing lost`. */
  readonly field: string;
  /** What was expected, as text. */
  readonly expected: string;
  /** What was read. */
  readonly actual: string;
}

interface CaseFacts {
  readonly response: string;
  readonly differences: readonly CaseDifference[];
  /** The events of the response in one piece, as lines. */
  readonly log: readonly string[];
}

/** A response was not read as its case expects. All differences are reported together. */
export class ResponseCaseError extends errorClass('response-case', messageOf) {}

function messageOf({ response, differences, log }: CaseFacts): string {
  const found = differences.map(
    ({ field, expected, actual }) => `${field}\n  expected  ${expected}\n  came      ${actual}`,
  );
  return [
    `${JSON.stringify(response)} is not read as expected`,
    ...found,
    `events\n${log.map((line) => `  ${line}`).join('\n')}`,
  ].join('\n');
}
