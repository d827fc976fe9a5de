/** Steps between calls: regions of text, the places between them, and text whose meaning is in doubt. */
import { heldBackFrom } from '../markers/hold-back.ts';
import { MarkerTable, type Match, undecided } from '../markers/markers.ts';
import { leadLength, skipSpace } from '../markers/white-space.ts';
import type { AmbiguousTable, BeginTable, RegionTable, State } from '../module-contract.ts';
import type { Reader } from '../reader.ts';

/** White space between regions is waited through up to this many units; more of it is text. */
const longestPause = 256;

/** A table of choices ready to be searched. */
export interface Compiled<Table> {
  readonly table: Table;
  readonly markers: MarkerTable<State>;
}

/** Compiles the table of `begin`. */
export function beginTable(table: BeginTable<State>): Compiled<BeginTable<State>> {
  return { table, markers: new MarkerTable(table.choices) };
}

/** Compiles the table of `readRegion`. */
export function regionTable(table: RegionTable<State>): Compiled<RegionTable<State>> {
  return { table, markers: new MarkerTable(table.stops) };
}

/** Compiles the table of `readAmbiguous`. */
export function ambiguousTable(table: AmbiguousTable<State>): Compiled<AmbiguousTable<State>> {
  return { table, markers: new MarkerTable<State>([...table.stops, ...table.ends]) };
}

/** Between regions: a marker after white space, or the beginning of other text, white space included. */
export function begin(reader: Reader, { table, markers }: Compiled<BeginTable<State>>): State | null {
  const { text, at } = reader;
  reader.inCall = false;
  const next = skipSpace(text, at);
  if (next - at > longestPause) return table.otherwise;
  if (next === text.length) {
    if (reader.ended) reader.skip(next);
    return null;
  }
  const match = markers.matchAt(reader, text, next);
  if (match === undecided) return null;
  if (match === null) return table.otherwise;
  return enter(reader, match, next);
}

/** Consumes white space and a marker; a call that it opens begins here. */
function enter(reader: Reader, { choice, end }: Match<State>, start: number): State {
  if (!(choice.role === 'thought' && reader.options.thoughtsInText)) reader.skip(start);
  if (choice.role === 'call') reader.openCall();
  return reader.take(choice, end);
}

/** In a region: says its text up to the first stop. */
export function readRegion(reader: Reader, compiled: Compiled<RegionTable<State>>): State | null {
  const { table, markers } = compiled;
  reader.region = table.region;
  reader.regionMustClose = table.mustClose === true;
  const found = nextStop(reader, markers);
  if (found === null) {
    reader.waitForText(markers.quiet);
    return null;
  }
  const { match, at } = found;
  const { choice } = match;
  const keepsLead = choice.role === 'thought' && reader.options.thoughtsInText;
  reader.say(keepsLead ? at : at - leadLength(reader.text, reader.at, at, choice.lead));
  if (choice.ambiguous && table.doubt !== undefined) return table.doubt;
  if (choice.speculating && table.trial !== undefined) return table.trial;
  reader.leaveRegion();
  return enter(reader, match, at);
}

/** Finds the next stop. Text that is certain is said; `null` when more text is needed. */
function nextStop(reader: Reader, markers: MarkerTable<State>): { match: Match<State>; at: number } | null {
  const { text } = reader;
  let at = markers.firstCandidate(text, reader.at);
  while (at !== -1) {
    const match = markers.matchAt(reader, text, at);
    if (match === undecided) {
      reader.say(heldBackFrom(text, reader.at, at, markers.longestLead, markers.spaces));
      return null;
    }
    if (match !== null) return { match, at };
    at = markers.nextCandidate(text, at + 1);
  }
  reader.say(
    reader.ended
      ? text.length
      : heldBackFrom(text, reader.at, text.length, markers.longestLead, markers.spaces),
  );
  return null;
}

/** Holds text until a stop (it was reasoning) or an end (it is read again from `resume`). */
export function readAmbiguous(
  reader: Reader,
  { table, markers }: Compiled<AmbiguousTable<State>>,
): State | null {
  if (table.opened !== undefined && reader.options.thoughtOpened) return table.opened;
  const found = nextHeldStop(reader, markers);
  if (found === null && !reader.ended) return null;
  const shift = reader.held.length - reader.at;
  reader.unhold();
  if (found === null || table.ends.some(({ marker }) => marker === found.match.choice.marker)) {
    reader.leaveRegion();
    return table.resume;
  }
  const { choice, end } = found.match;
  const start = found.at + shift;
  const keepsLead = choice.role === 'thought' && reader.options.thoughtsInText;
  reader.region = 'reasoning';
  reader.say(keepsLead ? start : start - leadLength(reader.text, 0, start, choice.lead));
  reader.leaveRegion();
  return enter(reader, { choice, end: end + shift }, start);
}

/** The next marker that settles the doubt; text before it is held. */
function nextHeldStop(
  reader: Reader,
  markers: MarkerTable<State>,
): { match: Match<State>; at: number } | null {
  const { text } = reader;
  let at = markers.firstCandidate(text, reader.at);
  while (at !== -1) {
    const match = markers.matchAt(reader, text, at);
    if (match === undecided) break;
    if (match !== null) return { match, at };
    at = markers.nextCandidate(text, at + 1);
  }
  reader.hold(at === -1 ? text.length : at);
  return null;
}
