/** Emits calls in notations other than the format's, once they are there as a whole. */
import { parseJson } from '../../format/json-values.ts';
import { JsonScanner } from '../json/json-scanner.ts';
import { repair } from '../leniency/law-table.ts';
import type { Reader, State } from '../reader.ts';
import type { EnvelopePaths, Notation } from '../state-tables.ts';
import { newEnvelope, readEnvelopeOn } from '../steps/envelope-reader.ts';
import type { BareCallsProgress } from '../steps/step-progress.ts';
import type { ToolTable } from '../tool-table.ts';
import { aroundCalls } from './around-calls.ts';
import { callPaths } from './json-calls.ts';
import { pictureOf } from './notation.ts';
import { emitSoleValue } from './sole-value.ts';

/** The usual notation of calls in APIs. */
export const usualPaths: EnvelopePaths = { name: ['name'], arguments: ['arguments'], id: ['id'] };

/** Reads the calls up to the offset `reached`, and the text around them. */
export function emitCalls(reader: Reader, { calls }: BareCallsProgress, reached: number): void {
  if (reader.region !== null) reader.leaveRegion();
  const used = calls.map((call) => reader.notations.find(({ name }) => name === call.notation));
  const other = used.find((notation) => notation !== undefined);
  const sole = calls.find((call) => call.sole !== null)?.sole ?? null;
  if (other !== undefined) reader.noteRepair(repair('notation', 'other', pictureOf(other)));
  else if (sole !== null) reader.noteRepair(repair('notation', 'sole', sole.toolName, sole.key));
  else reader.noteRepair(repair('bare-calls', 'json'));
  calls.forEach((call, index) => {
    const notation = used[index];
    reader.skip(call.at - reader.cursor.base);
    if (call.sole !== null) emitSoleValue(reader, call.sole);
    else if (notation === undefined) emitJson(reader, call.end);
    else emitCall(reader, notation);
  });
  reader.skip(reached - reader.cursor.base);
}

/** Reads JSON calls up to the offset `end`: one, or a list. */
function emitJson(reader: Reader, end: number): void {
  const { cursor } = reader;
  for (;;) {
    const rest = cursor.text.slice(cursor.at, end - cursor.base);
    reader.skip(cursor.at + aroundCalls(rest).length);
    if (cursor.offset >= end) return;
    readCall(reader);
  }
}

function emitCall(reader: Reader, notation: Notation<State>): void {
  reader.openCall();
  reader.readCallBy(notation.start);
  reader.leaveCall();
}

function readCall(reader: Reader): void {
  const { cursor, options } = reader;
  const paths = pathsOfCall(options.tools, cursor.text.slice(cursor.at)) ?? usualPaths;
  reader.openCall();
  readEnvelopeOn(reader, newEnvelope(reader, paths, false));
  reader.leaveCall();
}

/** Where name and arguments stand in the call with which a text begins; `null` if it is no call of these tools. */
export function pathsOfCall(tools: ToolTable, text: string): EnvelopePaths | null {
  const scanner = new JsonScanner();
  scanner.scan(text, 0);
  return callPaths(tools, parseJson(scanner.output));
}
