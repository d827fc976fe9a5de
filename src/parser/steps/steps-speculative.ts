/**
 * The step for calls without any marker after text. `{` in an answer may begin a call or be just a brace,
 * and only the end of the turn tells: text is a call if it is nothing but whole calls of offered tools
 * from the brace up to there. Until that shows, text is held. It is scanned once, whatever the cut.
 */
import { JsonScanner } from '../json/json-scanner.ts';
import { knowsCalls } from '../markers/look-ahead.ts';
import { MarkerTable, undecided } from '../markers/markers.ts';
import { TextBlocks } from '../markers/text-blocks.ts';
import { skipSpace } from '../markers/white-space.ts';
import type { SpeculativeTable, State } from '../module-contract.ts';
import type { Reader } from '../reader.ts';
import type { Compiled } from './steps-text.ts';

/** Calls longer than this many units, all together, are text. */
const longestSpeculation = 1 << 20;

/** What is known of the text that is held. */
class Trial {
  readonly scanner = new JsonScanner();
  readonly json = new TextBlocks();
  /** Whole values so far. */
  count = 0;
  /** No value is being read. */
  between = true;
}

/** Compiles the table of `readTrial`. */
export function speculativeTable(table: SpeculativeTable<State>): Compiled<SpeculativeTable<State>> {
  return { table, markers: new MarkerTable(table.ends) };
}

/** Holds what may be calls until it shows whether it is. */
export function readSpeculative(reader: Reader, compiled: Compiled<SpeculativeTable<State>>): State | null {
  const trial = reader.progress instanceof Trial ? reader.progress : new Trial();
  reader.progress = trial;
  const verdict = readOn(reader, compiled, trial);
  if (verdict === 'open') return null;
  const reached = reader.offset(reader.at);
  reader.unhold();
  if (verdict === 'text') {
    reader.triedTo = reached;
    return compiled.table.otherwise;
  }
  reader.leaveRegion();
  reader.skip(skipSpace(reader.text, reader.at));
  reader.openCall();
  return compiled.table.next;
}

type Verdict = 'open' | 'calls' | 'text';

function readOn(reader: Reader, compiled: Compiled<SpeculativeTable<State>>, trial: Trial): Verdict {
  for (;;) {
    const verdict = trial.between ? between(reader, compiled, trial) : null;
    if (verdict !== null) return verdict;
    const { scanner, json } = trial;
    const limit = limitOf(reader);
    const within = limit < reader.text.length ? reader.text.slice(0, limit) : reader.text;
    const end = scanner.scan(within, reader.at);
    json.append(scanner.output);
    reader.hold(end);
    if (scanner.status === 'open' && limitOf(reader) > end && !reader.ended) return 'open';
    if (scanner.status !== 'done' || !isCall(reader, compiled, json.toString())) return 'text';
    json.clear();
    scanner.reset();
    trial.count++;
    trial.between = true;
  }
}

/** Where the held text would be too long. */
function limitOf(reader: Reader): number {
  return reader.at + longestSpeculation - reader.held.length;
}

/** Before a value or after one; `null` if a value begins here. */
function between(
  reader: Reader,
  { table, markers }: Compiled<SpeculativeTable<State>>,
  trial: Trial,
): Verdict | null {
  reader.hold(Math.min(skipSpace(reader.text, reader.at), limitOf(reader)));
  if (reader.held.length >= longestSpeculation) return 'text';
  if (reader.at === reader.text.length) {
    if (!reader.ended) return 'open';
    return trial.count > 0 ? 'calls' : 'text';
  }
  if (trial.count > 0) {
    const match = markers.matchAt(reader, reader.text, reader.at);
    if (match === undecided) return 'open';
    if (match !== null) return 'calls';
    if (table.list || reader.text[reader.at] !== '{') return 'text';
  }
  trial.between = false;
  return null;
}

function isCall(reader: Reader, { table }: Compiled<SpeculativeTable<State>>, json: string): boolean {
  return knowsCalls(reader.options.tools, table.paths, table.list, json);
}
