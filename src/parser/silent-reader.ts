/** Reads text that may turn out to be something else, so that nobody hears of it. */
import { Reader, type State } from './reader.ts';
import type { ReaderOptions } from './reader-options.ts';
import type { Notation } from './state-tables.ts';

/** The white space that the marker before the text claims, and notations of calls other than the format's. */
interface OpenCallContext {
  readonly space: string;
  readonly notations: readonly Notation<State>[];
}

/** A reader in an open call, whose next text is at `offset` and in `state`. `given`: options that differ. */
export function silentReader(
  { options }: Reader,
  state: State,
  offset: number,
  given: Partial<ReaderOptions> & Partial<OpenCallContext> = {},
): Reader {
  const { space = '', notations, ...others } = given;
  const silent = { markers: false, keeps: false, seeksCalls: false, provenance: null };
  const reader = new Reader(state, space, { ...options, ...silent, ...others }, offset, notations);
  reader.openCall();
  return reader;
}
