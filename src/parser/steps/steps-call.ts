/** Steps inside a call of any layout: expected markers, and malformed text. */
import { withLostParts } from '../leniency/other-spellings.ts';
import { absent, MarkerTable, type Match, undecided } from '../markers/markers.ts';
import { skipSpace } from '../markers/white-space.ts';
import type { Reader, State } from '../reader.ts';
import type { ExpectTable, RecoverTable, Transition } from '../state-tables.ts';
import type { Compiled } from './compiled.ts';
import { enterMarker } from './enter-marker.ts';
import { fail } from './fail.ts';
import { closerPartsEnd, valueCloser } from './values/value-closer.ts';

/** Compiles the table of `expect`. */
export function expectTable(table: ExpectTable<State>): Compiled<ExpectTable<State>> {
  return {
    table,
    markers: new MarkerTable([...withLostParts(table.choices), ...moreCalls(table), ...fences(table)]),
  };
}

/** The beginnings of further calls in the same markers, and the end of an array of them. */
function moreCalls({ moreCalls: more }: ExpectTable<State>): readonly Transition<State>[] {
  if (more === undefined) return [];
  const { paths: envelopeFollows, next } = more;
  const flags = { role: 'call', envelopeFollows, repairs: 'separator' } as const;
  return [
    { marker: '{', next, peek: true, ...flags },
    ...[',', ';'].map((marker) => ({ marker, next, ...flags })),
    { marker: ']', next, passes: true, repairs: 'separator' },
  ];
}

/** The beginning and end of a code fence around the JSON of calls, if the format has none. */
function fences({ choices }: ExpectTable<State>): readonly Transition<State>[] {
  const [first] = choices;
  if (first === undefined || choices.some(({ marker }) => marker.includes('`'))) return [];
  const { next } = first;
  return ['```json', '```'].map((marker) => ({ marker, next, passes: true, repairs: 'fence' }));
}

/** Compiles the table of `recover`. */
export function recoverTable(table: RecoverTable<State>): Compiled<RecoverTable<State>> {
  return { table, markers: new MarkerTable(table.choices) };
}

/** Expects one of several markers, after optional white space. */
export function expect(reader: Reader, { table, markers }: Compiled<ExpectTable<State>>): State | null {
  const { cursor } = reader;
  for (;;) {
    if (table.completes) reader.writer.calls.endCall(cursor.offset);
    reader.skip(skipSpace(cursor.text, cursor.at));
    if (cursor.isAtEnd) return endsHere(reader, table) ? (table.atEnd ?? null) : null;
    const match = markers.matchAt(reader, cursor.text, cursor.at);
    const enclosed = table.enclosing === undefined ? absent : enclosingEnd(reader);
    if (enclosed === undecided) return match === null ? sameEither(table) : null;
    if (enclosed !== absent && table.enclosing !== undefined) return table.enclosing;
    if (match === undecided) return null;
    if (match?.choice.passes) {
      reader.consumeMarker(match.choice, match.end);
      continue;
    }
    if (match !== null && !isCutOpening(reader, match)) return enterMarker(reader, match);
    const reason = table.reason ?? 'unexpected text in a call';
    return table.otherwise ?? fail(reader, table.recover, markers.expected(), reason);
  }
}

/** Whether the response ends inside the opening of a call, so that a part of a marker is its beginning. */
function isCutOpening({ cursor, writer }: Reader, { choice, end }: Match<State>): boolean {
  if (choice.repairs !== 'marker-part' || writer.calls.open !== null || !cursor.ended) return false;
  return skipSpace(cursor.text, end) === cursor.text.length;
}

/** Whether the response is over and the state accepts its end. */
export function endsHere({ cursor }: Reader, { atEnd }: { readonly atEnd?: State | undefined }): boolean {
  return cursor.ended && !cursor.cutShort && atEnd !== undefined;
}

/** The state that follows without a marker, if it is the same whether the enclosing value ends here or not. */
function sameEither({ enclosing, otherwise }: ExpectTable<State>): State | null {
  return otherwise === enclosing ? (otherwise ?? null) : null;
}

/** End of the closer of the enclosing nested value, if it is here. */
function enclosingEnd(reader: Reader): number {
  const { values } = reader.call;
  if (values === null || values.nested === null) return absent;
  const closer = valueCloser(values, values.nested.frameClose);
  return closer.parts.length === 0 ? absent : closerPartsEnd(reader, closer);
}

/** Skips malformed text up to the next marker from which reading can continue. */
export function recover(reader: Reader, { markers }: Compiled<RecoverTable<State>>): State | null {
  const { cursor } = reader;
  const { text } = cursor;
  let at = markers.nextCandidate(text, cursor.at);
  while (at !== -1) {
    const match = markers.matchAt(reader, text, at);
    if (match === undecided) break;
    if (match !== null) {
      reader.bufferTo(at);
      reader.reportMalformed();
      return enterMarker(reader, match);
    }
    at = markers.nextCandidate(text, at + 1);
  }
  reader.bufferTo(at === -1 ? text.length : at);
  if (reader.ended) reader.reportMalformed();
  return null;
}
