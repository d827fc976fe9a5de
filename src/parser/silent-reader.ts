/** Reads text that may turn out to be something else, so that nobody hears of it. */
import { Reader, type State } from './reader.ts';
import type { ReaderOptions } from './reader-options.ts';

/** A reader in an open call, whose next text is at `offset` and in `state`. `given`: options that differ. */
export function silentReader(
  { options }: Reader,
  state: State,
  offset: number,
  given: Partial<ReaderOptions> & { readonly space?: string } = {},
): Reader {
  const { space = '', ...others } = given;
  const silent = { markers: false, keeps: false, seeksCalls: false, provenance: null };
  const reader = new Reader(state, space, { ...options, ...silent, ...others }, offset);
  reader.openCall();
  return reader;
}
