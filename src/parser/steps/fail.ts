/** How steps reject text. */
import type { Reader, State } from '../reader.ts';

/** Records what is wrong here; `recover` skips the text and reports it. */
export function fail(reader: Reader, recover: State, expected: readonly string[], reason: string): State {
  reader.complain(expected, reason);
  return recover;
}

/** Rejects a further call where only one is allowed; `recover` skips its text and reports it. */
export function failExtraCall(reader: Reader, recover: State): State {
  return fail(reader, recover, expectedAfterOne, oneMore);
}

const expectedAfterOne = ['the end of the turn'];
const oneMore = 'one more call, where only one may be made';

/** Reports the buffered text as a further call where only one is allowed. */
export function reportExtraCall(reader: Reader): void {
  reader.complain(expectedAfterOne, oneMore);
  reader.reportMalformed();
}
