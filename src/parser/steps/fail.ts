/** How steps refuse what they read. */
import type { Reader, State } from '../reader.ts';

/** Notes what is wrong here; the text is passed over and reported from `recover`. */
export function fail(reader: Reader, recover: State, expected: readonly string[], reason: string): State {
  reader.complain(expected, reason);
  return recover;
}

/** Refuses a call where only one may be made; its text is passed over and reported from `recover`. */
export function failExtraCall(reader: Reader, recover: State): State {
  return fail(reader, recover, ['the end of the turn'], 'one more call, where only one may be made');
}
