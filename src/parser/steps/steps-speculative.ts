/**
 * The step for calls without a marker after text. `{` in an answer may begin a call or be just a brace: the text is a
 * call if only whole calls of offered tools follow, up to the end of the turn. Until then, it is buffered. It is
 * scanned once, whatever the chunking.
 */
import { JsonScanner } from '../json/json-scanner.ts';
import { knowsCalls } from '../markers/lookahead.ts';
import { MarkerTable, undecided } from '../markers/markers.ts';
import { TextBlocks } from '../markers/text-blocks.ts';
import { skipSpace } from '../markers/white-space.ts';
import { isJsonCallEnforced } from '../open-call.ts';
import type { Reader, State } from '../reader.ts';
import type { SpeculativeTable } from '../state-tables.ts';
import type { Compiled } from './compiled.ts';
import type { SpeculationProgress } from './step-progress.ts';

/** Longer calls (all together, in units) are text. */
const maxSpeculation = 1 << 20;

/** Compiles the table of `readSpeculative`. */
export function speculativeTable(table: SpeculativeTable<State>): Compiled<SpeculativeTable<State>> {
  return { table, markers: new MarkerTable(table.ends) };
}

/** Buffers what may be calls until that is certain. */
export function readSpeculative(reader: Reader, compiled: Compiled<SpeculativeTable<State>>): State | null {
  const known = reader.progress;
  const speculation = known?.kind === 'speculation' ? known : newSpeculation();
  reader.progress = speculation;
  const verdict = readOn(reader, compiled, speculation);
  if (verdict === 'open') return null;
  const reached = reader.cursor.offset;
  reader.rewind();
  if (verdict === 'text') {
    reader.attempts.textUpTo = reached;
    return compiled.table.otherwise;
  }
  reader.leaveRegion();
  reader.skip(skipSpace(reader.cursor.text, reader.cursor.at));
  reader.openCall();
  return compiled.table.next;
}

function newSpeculation(): SpeculationProgress {
  return {
    kind: 'speculation',
    scanner: new JsonScanner(),
    json: new TextBlocks(),
    count: 0,
    isBetween: true,
  };
}

type SpeculationVerdict = 'open' | 'calls' | 'text';

function readOn(
  reader: Reader,
  compiled: Compiled<SpeculativeTable<State>>,
  speculation: SpeculationProgress,
): SpeculationVerdict {
  const { cursor } = reader;
  const { scanner, json } = speculation;
  if (isCertain(reader)) return 'calls';
  for (;;) {
    const verdict = speculation.isBetween ? readBetween(reader, compiled, speculation) : null;
    if (verdict !== null) return verdict;
    const limit = limitOf(reader);
    const within = limit < cursor.text.length ? cursor.text.slice(0, limit) : cursor.text;
    const end = scanner.scan(within, cursor.at);
    json.append(scanner.output);
    reader.bufferTo(end);
    if (isCertain(reader)) return 'calls';
    if (scanner.status === 'open' && limitOf(reader) > end && !reader.ended) return 'open';
    if (scanner.status !== 'done' || !isCall(reader, compiled, json.toString())) return 'text';
    json.clear();
    scanner.reset();
    speculation.count++;
    speculation.isBetween = true;
  }
}

/** Whether it is a call whatever follows: a grammar writes it, and no text precedes it. */
function isCertain(reader: Reader): boolean {
  return !reader.writer.hasText && isJsonCallEnforced(reader);
}

/** The position at which the buffered text is too long. */
function limitOf({ cursor, buffer }: Reader): number {
  return cursor.at + maxSpeculation - buffer.length;
}

/** Reads on before or after a value; `null` if a value begins here. */
function readBetween(
  reader: Reader,
  { table, markers }: Compiled<SpeculativeTable<State>>,
  speculation: SpeculationProgress,
): SpeculationVerdict | null {
  const { cursor } = reader;
  reader.bufferTo(Math.min(skipSpace(cursor.text, cursor.at), limitOf(reader)));
  if (cursor.isAtEnd) {
    if (!reader.ended) return 'open';
    return speculation.count > 0 ? 'calls' : 'text';
  }
  if (speculation.count > 0) {
    const match = markers.matchAt(reader, cursor.text, cursor.at);
    if (match === undecided) return 'open';
    if (match !== null) return 'calls';
    if (table.list || cursor.text[cursor.at] !== '{') return 'text';
  }
  speculation.isBetween = false;
  return null;
}

function isCall(reader: Reader, { table }: Compiled<SpeculativeTable<State>>, json: string): boolean {
  return knowsCalls(reader.options.tools, table.paths, table.list, json);
}
