/** How steps consume a marker. */
import type { Match } from '../markers/markers.ts';
import type { Reader, State } from '../reader.ts';

/** Consumes a marker, and opens the call if it opens one. */
export function enterMarker(reader: Reader, { choice, end }: Match<State>): State {
  if (choice.role === 'call') reader.openCall();
  return reader.consumeMarker(choice, end);
}

/** The same after white space, which ends at `start`. */
export function enterMarkerAfter(reader: Reader, match: Match<State>, start: number): State {
  if (!(match.choice.role === 'thought' && reader.options.thoughtsInText)) reader.skip(start);
  return enterMarker(reader, match);
}
