/**
 * The step for text in thoughts that may be a call: it is one if nothing closes the thoughts, or if they end with it and
 * no answer follows. Until then, it is buffered.
 */
import { repair } from '../leniency/law-table.ts';
import { MarkerTable, type Match, undecided } from '../markers/markers.ts';
import { leadingSpaceLength, skipSpace } from '../markers/white-space.ts';
import { unmistakableOpeners } from '../notations/notation.ts';
import type { Reader, State } from '../reader.ts';
import { silentReader } from '../silent-reader.ts';
import type { AmbiguousTable } from '../state-tables.ts';
import type { Compiled } from './compiled.ts';
import { enterMarkerAfter } from './enter-marker.ts';

interface FoundStop {
  readonly match: Match<State>;
  readonly at: number;
}

/** Compiles the table of `readAmbiguous`. */
export function ambiguousTable(table: AmbiguousTable<State>): Compiled<AmbiguousTable<State>> {
  return { table, markers: new MarkerTable<State>([...table.stops, ...table.ends]) };
}

/**
 * Buffers text until a marker decides what it was, or the response ends:
 *
 *     <think>Say <tool_call>{…} here.</think>   the thoughts are closed, and go on: it was reasoning
 *     <think><tool_call>{…}</think><|im_end|>   they end with it, and so does the turn: a call
 *     <think><tool_call>{…}<|im_end|>           nothing closes them: a call
 *
 * Calls are read again, from `resume`.
 */
export function readAmbiguous(
  reader: Reader,
  { table, markers }: Compiled<AmbiguousTable<State>>,
): State | null {
  if (table.opened !== undefined && reader.options.thoughtOpened) return table.opened;
  const found = nextBufferedStop(reader, markers);
  if (found === null && !reader.ended) return null;
  const isClosed = found !== null && !endsTurn(table, found.match);
  const isThinking = reader.region?.kind === 'reasoning';
  const isLast = isClosed && isThinking && isLastOfTurn(reader, table, markers, found.match.end);
  if (isLast === undecided) return null;
  const shift = reader.buffer.length - reader.cursor.at;
  reader.rewind();
  const to = found === null ? reader.cursor.text.length : found.at + shift;
  const isCall = isClosed
    ? isLast && isCalls(reader, table, to)
    : !isThinking || isReadAgain(reader, table, to);
  if (isCall) {
    reader.leaveRegion();
    if (isThinking) reader.noteRepair(repair('unclosed', isLast ? 'last' : 'thoughts'));
    return table.resume;
  }
  if (found === null) {
    reader.emitText(to);
    return null;
  }
  const { choice, end } = found.match;
  const keepsSpace = choice.role === 'thought' && reader.options.thoughtsInText;
  const space = keepsSpace ? 0 : leadingSpaceLength(reader.cursor.text, 0, to, choice.leadingSpace);
  reader.enterRegion('reasoning', false);
  reader.emitText(to - space);
  reader.leaveRegion();
  return enterMarkerAfter(reader, { choice, end: end + shift }, to);
}

function endsTurn({ ends }: AmbiguousTable<State>, { choice }: Match<State>): boolean {
  return ends.some(({ marker }) => marker === choice.marker);
}

/** Whether nothing but the end of the turn follows at `at`; `undecided` if more text decides. */
function isLastOfTurn(
  reader: Reader,
  table: AmbiguousTable<State>,
  markers: MarkerTable<State>,
  at: number,
): boolean | typeof undecided {
  const { cursor } = reader;
  if (!reader.allows('unclosed') || !reader.callsAllowed) return false;
  const next = skipSpace(cursor.text, at);
  if (next === cursor.text.length) return reader.ended ? !cursor.cutShort : undecided;
  const match = markers.matchAt(reader, cursor.text, next);
  return match === undecided ? match : match !== null && endsTurn(table, match);
}

/** Whether what nothing closes is read again. In a notation of another format, only complete calls are. */
function isReadAgain(reader: Reader, table: AmbiguousTable<State>, to: number): boolean {
  if (!reader.allows('unclosed')) return false;
  const text = reader.cursor.text.trimStart();
  const isForeign = [...unmistakableOpeners].some((open) => text.startsWith(open));
  return !isForeign || isCalls(reader, table, to);
}

/** Whether the text up to a position is complete and valid calls, and nothing else. */
function isCalls(reader: Reader, { resume }: AmbiguousTable<State>, to: number): boolean {
  const { cursor, notations } = reader;
  const trial = silentReader(reader, resume, cursor.offset, { notations });
  for (const { text, special } of reader.piecesBetween(cursor.offset, cursor.offsetOf(to)))
    trial.read(text, special);
  trial.cursor.end(false);
  trial.read('', false);
  const types = new Set(trial.writer.take().map(({ type }) => type));
  return types.has('tool-call') && !types.has('malformed') && !types.has('text-start') && !trial.inCall;
}

/** The next marker that decides what the text is; text before it is buffered. */
function nextBufferedStop(reader: Reader, markers: MarkerTable<State>): FoundStop | null {
  const { text, at: from } = reader.cursor;
  let at = markers.nextCandidate(text, from);
  while (at !== -1) {
    const match = markers.matchAt(reader, text, at);
    if (match === undecided) break;
    if (match !== null) return { match, at };
    at = markers.nextCandidate(text, at + 1);
  }
  reader.bufferTo(at === -1 ? text.length : at);
  return null;
}
