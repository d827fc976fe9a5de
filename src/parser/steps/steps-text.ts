/** Steps outside calls: regions of text, and the gaps between them. */
import { repair } from '../leniency/law-table.ts';
import { passRepeatedOpener } from '../leniency/repeated-opener.ts';
import { certainEnd } from '../markers/leading-space.ts';
import { MarkerTable, type Match, undecided } from '../markers/markers.ts';
import { leadingSpaceLength, maxPause, skipSpace } from '../markers/white-space.ts';
import { beginBareCalls } from '../notations/foreign-calls.ts';
import { foreignStops, foreignStopsInThoughts } from '../notations/foreign-stops.ts';
import type { Reader, State } from '../reader.ts';
import type { BeginTable, RegionTable } from '../state-tables.ts';
import type { Compiled } from './compiled.ts';
import { enterMarkerAfter } from './enter-marker.ts';
import { isQuoted, noteCallInQuotation, standsInJsonString, standsInQuotation } from './quoted-markers.ts';
import type { StepProgress } from './step-progress.ts';
import { mayBeBareCalls, readJsonCalls } from './streamed-calls.ts';

/** Compiles the table of `begin`. */
export function beginTable(table: BeginTable<State>): Compiled<BeginTable<State>> {
  return { table, markers: new MarkerTable(table.choices) };
}

/** Compiles the table of `readRegion`. */
export function regionTable(table: RegionTable<State>): Compiled<RegionTable<State>> {
  const mayHoldCalls = table.region === 'text' && table.mustClose !== true;
  const others = mayHoldCalls ? foreignStops(table.stops) : foreignStopsInThoughts(table.stops);
  return { table, markers: new MarkerTable([...table.stops, ...others]) };
}

/** Between regions: reads a marker after white space, or begins other text, which includes the white space. */
export function begin(reader: Reader, { table, markers }: Compiled<BeginTable<State>>): State | null {
  const { text, at } = reader.cursor;
  reader.leaveCall();
  if (table.separates) {
    reader.writer.separate();
    reader.quotations.interrupt();
  }
  const next = skipSpace(text, at);
  if (next - at > maxPause) return table.otherwise;
  if (next === text.length) {
    if (reader.ended) reader.skip(next);
    return null;
  }
  const match = markers.matchAt(reader, text, next);
  if (match === undecided) return null;
  if (match === null) return table.otherwise;
  if (match.choice.passes) {
    passMarker(reader, match, next);
    return begin(reader, { table, markers });
  }
  const state = enterMarkerAfter(reader, match, next);
  if (match.choice.role === 'thought') reader.noteThoughts(match.choice);
  return state;
}

/** Skips white space and a marker that means nothing. */
function passMarker(reader: Reader, { choice, end }: Match<State>, start: number): void {
  reader.skip(start);
  reader.consumeMarker(choice, end);
  reader.claimSpace('');
}

/** In a region: emits text up to the first stop. */
export function readRegion(reader: Reader, compiled: Compiled<RegionTable<State>>): State | null {
  for (;;) {
    const next = readSpan(reader, compiled);
    if (next !== 'more') return next;
  }
}

/** Reads up to the next stop, or to possible calls in another notation. */
function readSpan(reader: Reader, { table, markers }: Compiled<RegionTable<State>>): State | null | 'more' {
  if (table.region === 'reasoning') {
    reader.enterRegion('reasoning', table.mustClose === true);
    const repeated = passRepeatedOpener(reader, markers);
    if (repeated === 'wait' || (repeated === 'passed' && !reader.passClaimedSpace())) return null;
  }
  const isAnswer = table.region === 'text';
  if (isAnswer && (isInCalls(reader.progress) || mayBeBareCalls(reader))) {
    const status = readJsonCalls(reader, markers);
    if (status !== 'text') return status === 'wait' ? null : 'more';
  }
  reader.enterRegion(table.region, table.mustClose === true);
  reader.writer.noteClosers(markers.closers);
  const found = nextStop(reader, markers);
  if (found === null) {
    if (reader.writer.region !== null) reader.fastPath.open(markers.plainRun, 'text');
    return null;
  }
  const { match, at } = found;
  const { choice } = match;
  const keepsSpace = choice.role === 'thought' && reader.options.thoughtsInText;
  const { cursor } = reader;
  reader.emitText(keepsSpace ? at : at - leadingSpaceLength(cursor.text, cursor.at, at, choice.leadingSpace));
  if (choice.ambiguous) return choice.next;
  if (choice.repairs === 'bare-calls' || choice.repairs === 'notation') {
    beginBareCalls(reader, choice, at);
    return 'more';
  }
  if (choice.speculative) return choice.next;
  noteCallInQuotation(reader, match, at);
  reader.leaveRegion();
  const next = enterMarkerAfter(reader, match, at);
  if (choice.role === 'thought' && table.region === 'text') reader.noteThoughts(choice);
  return next;
}

/** Whether calls written as JSON, or what may be such calls, have begun. */
function isInCalls(progress: StepProgress | null): boolean {
  return progress?.kind === 'bare-calls' || progress?.kind === 'streamed-calls';
}

/** Finds the next stop, and emits text that is certain; `null` if more text is needed. */
function nextStop(
  reader: Reader,
  markers: MarkerTable<State>,
): { readonly match: Match<State>; readonly at: number } | null {
  const { text } = reader.cursor;
  const { maxLeadingSpace, spaces } = markers;
  for (;;) {
    const from = reader.cursor.at;
    const token = reader.nextSpecialToken();
    const found = nextMatch(reader, markers, token?.at ?? text.length);
    if (found !== null && found.match !== undecided) {
      if (!found.match.choice.passes) return { match: found.match, at: found.at };
      reader.emitText(found.at);
      passMarker(reader, found.match, found.at);
      continue;
    }
    if (found !== null) {
      reader.emitText(certainEnd(text, from, found.at, maxLeadingSpace, spaces));
      return null;
    }
    if (token === null) break;
    passSpecialToken(reader, markers, token);
  }
  const { length } = text;
  const from = reader.cursor.at;
  reader.emitText(reader.ended ? length : certainEnd(text, from, length, maxLeadingSpace, spaces));
  return null;
}

/** The next marker that begins, or may begin, at `last` at the latest. */
function nextMatch(
  reader: Reader,
  markers: MarkerTable<State>,
  last: number,
): { readonly match: Match<State> | typeof undecided; readonly at: number } | null {
  const { text, at: from } = reader.cursor;
  const to = Math.min(text.length, last + 1);
  for (
    let at = markers.nextCandidate(text, from, to);
    at !== -1;
    at = markers.nextCandidate(text, at + 1, to)
  ) {
    if (standsInJsonString(reader, at)) continue;
    const match = markers.matchAt(reader, text, at);
    if (match === null) {
      const opener = markers.unusedOpener(reader, text, at);
      if (opener !== null) reader.writer.noteOpener(opener);
      continue;
    }
    const quoted = match === undecided ? false : isQuoted(reader, markers, match, at);
    if (quoted !== true) return { match: quoted === undecided ? undecided : match, at };
  }
  return null;
}

/**
 * Skips a special token that begins no marker, such as a stray closer: it is not content. Where markers are text,
 * because they are quoted or no calls are possible, it is.
 */
function passSpecialToken(
  reader: Reader,
  markers: MarkerTable<State>,
  { at, end }: { readonly at: number; readonly end: number },
): void {
  if (standsInJsonString(reader, at)) {
    reader.emitText(end);
    return;
  }
  const token = reader.cursor.text.slice(at, end);
  const begins = markers.beginsWith(token);
  const isText = begins || !reader.callsAllowed || standsInQuotation(reader, at);
  reader.emitText(at);
  if (begins && reader.callsAllowed && reader.quotations.isNew())
    reader.noteRepair(repair('quoted', 'token', token));
  if (!isText) reader.noteRepair(repair('special-token', 'marker', JSON.stringify(token)));
  if (isText) reader.emitText(end);
  else reader.skip(end);
}
