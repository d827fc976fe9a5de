/** Steps that read the values of arguments that are written as entries. */

import type { JsonType } from '../../format/chat-format.ts';
import { beginsSet } from '../json/json-tokens.ts';
import { repair } from '../leniency/law-table.ts';
import { absent, MarkerTable, matchText, undecided } from '../markers/markers.ts';
import { maxPause, skipSpace } from '../markers/white-space.ts';
import type { Reader, State } from '../reader.ts';
import type { EndArgumentsTable, EndNestedTable, ItemTable, ValueTable } from '../state-tables.ts';
import { fail } from './fail.ts';
import { openItem } from './open-place.ts';
import { scanInput } from './scan-input.ts';
import { allowedTypes } from './schema-place.ts';
import type { Frame, ValueProgress } from './step-progress.ts';
import { endsInDamagedCloser, repeatedOpenersEnd } from './values/marred-value.ts';
import { readQuoted } from './values/quoted-value.ts';
import { tryContainer } from './values/tentative-container.ts';
import { readBuffered, readRaw } from './values/unscanned-value.ts';
import { closeValue, valueCloser } from './values/value-closer.ts';
import { isListOnly, modeByText, typesInFrame, type ValueMode } from './values/value-modes.ts';
import { maxNesting, nestingDepth, type ValueStack } from './values/value-stack.ts';

/** The table of `readValue`, with its openers compiled. */
export interface CompiledValueTable {
  readonly table: ValueTable<State>;
  readonly framed: MarkerTable<Frame>;
  readonly bare: Frame | null;
}

/** Compiles the table of `readValue`. */
export function valueTable(table: ValueTable<State>): CompiledValueTable {
  const frames = table.frames.map((frame): Frame => ({ open: '', close: '', quoted: false, ...frame }));
  const choices = frames.flatMap((frame) => openers(frame).map((marker) => ({ marker, next: frame })));
  return {
    table,
    framed: new MarkerTable(choices),
    bare: frames.find(({ open }) => open.trim() === '') ?? null,
  };
}

/** The openers of a frame; a frame in quotes may have either kind of quote. */
function openers(frame: Frame): readonly string[] {
  if (frame.open.trim() === '') return [];
  return isQuote(frame.open) ? ['"', "'"] : [frame.open];
}

function isQuote(text: string): boolean {
  return text === '"' || text === "'";
}

/** Begins the next item of a nested array. */
export function beginItem(reader: Reader, table: ItemTable<State>): State {
  openItem(reader, table.place);
  return table.next;
}

/** Reads a value: its frame, then its text, in the mode that fits. */
export function readValue(reader: Reader, compiled: CompiledValueTable): State | null {
  const { values } = reader.call;
  if (values === null) return compiled.table.recover;
  if (reader.progress === null) {
    const opened = openValue(reader, values, compiled);
    if (opened !== 'opened') return opened;
    if (isCertainlyText(reader, values)) reader.writer.calls.expectValue(reader.cursor.offset);
  }
  // The frame's opener was consumed in this step and claims white space first.
  if (!reader.passClaimedSpace()) return null;
  const { progress } = reader;
  return progress?.kind === 'value' ? readOpened(reader, values, progress, compiled) : null;
}

function openValue(
  reader: Reader,
  values: ValueStack<State>,
  { table, framed, bare }: CompiledValueTable,
): State | null | 'opened' {
  const { text, at } = reader.cursor;
  const start = skipSpace(text, at);
  const isFramed = framed.choices.length > 0;
  const known = isFramed ? framed.matchAt(reader, text, start) : null;
  if (isFramed && start === text.length && !reader.ended) return null;
  if (known === undecided) return null;
  const allowed = allowedTypes(values.schema);
  if (known === null) {
    if (bare === null) return fail(reader, table.recover, framed.expected(), 'no value of a known notation');
    return openBare(reader, values, table, bare, allowed);
  }
  const frame = known.choice.next;
  const quote = isQuote(frame.open) ? text.charAt(known.end - 1) : '';
  reader.skip(known.end);
  reader.claimSpace(known.choice.trailingSpace);
  reader.progress = newValue(frame, typesInFrame(frame, allowed), quote);
  return 'opened';
}

function newValue(frame: Frame, types: ReadonlySet<JsonType>, quote: string): ValueProgress {
  return {
    kind: 'value',
    frame,
    types,
    quote,
    mode: null,
    isContainer: false,
    begun: false,
    hasText: false,
    unclosed: null,
    isTentative: false,
    refused: null,
    unopened: null,
    isWhole: false,
    bufferedJson: '',
    calls: null,
    entries: null,
  };
}

function openBare(
  reader: Reader,
  values: ValueStack<State>,
  table: ValueTable<State>,
  bare: Frame,
  allowed: ReadonlySet<JsonType>,
): State | null | 'opened' {
  const types = typesInFrame(bare, allowed);
  const nested = openNested(reader, values, table, bare, types);
  if (nested === 'wait') {
    noteValue(reader, null);
    return null;
  }
  if (nested !== null) return nested;
  reader.progress = newValue(bare, types, '');
  return 'opened';
}

/** Opens an object or array in the format's own notation. */
function openNested(
  reader: Reader,
  values: ValueStack<State>,
  table: ValueTable<State>,
  frame: Frame,
  types: ReadonlySet<JsonType>,
): State | null | 'wait' {
  const { cursor } = reader;
  const start = skipSpace(cursor.text, cursor.at);
  for (const type of ['array', 'object'] as const) {
    const opening = table[type];
    if (opening === undefined || !types.has(type)) continue;
    const end = matchText(reader, cursor.text, start, opening.open.trim());
    if (end === undecided) return 'wait';
    if (end === absent) continue;
    if (nestingDepth(values) > maxNesting) {
      return fail(reader, table.recover, ['a simpler value'], 'values are nested too deeply');
    }
    reader.skip(opening.peek ? start : end);
    values.nested = { closer: type === 'array' ? ']' : '}', frameClose: frame.close, count: 0 };
    reader.writer.calls.input(type === 'array' ? '[' : '{', cursor.offset, cursor.offset);
    return opening.next;
  }
  return null;
}

function readOpened(
  reader: Reader,
  values: ValueStack<State>,
  progress: ValueProgress,
  compiled: CompiledValueTable,
): State | null {
  if (progress.mode === null) {
    progress.mode = chooseMode(reader, values, progress);
    if (progress.mode === null || !beginScan(reader, progress)) return null;
    noteValue(reader, progress.mode);
    reader.input.begin();
  }
  const { recover } = compiled.table;
  const next = readInMode(reader, values, progress, progress.mode, recover);
  // A container that turned out to be text has become a raw string by now.
  const isString = progress.mode !== 'scan';
  if (next === null || !isString || next === recover || !reader.allows('unclosed')) return next;
  const isDamaged = endsInDamagedCloser(reader, valueCloser(values, progress.frame.close));
  return isDamaged ? fail(reader, recover, ['a value'], 'part of a marker in a value') : next;
}

/** Prepares for a set where the schema allows a list alone; false if more text decides. */
function beginScan(reader: Reader, progress: ValueProgress): boolean {
  if (progress.mode !== 'scan' || !isListOnly(progress.types) || !reader.allows('json')) return true;
  const { text, at } = reader.cursor;
  const start = skipSpace(text, at);
  if (start === text.length && !reader.ended) {
    progress.mode = null;
    return false;
  }
  const isSet = text[start] === '{' && beginsSet(text.slice(start), reader.ended);
  if (isSet === true) reader.scanner.reset('any', true);
  if (isSet === null) progress.mode = null;
  return isSet !== null;
}

function readInMode(
  reader: Reader,
  values: ValueStack<State>,
  progress: ValueProgress,
  mode: ValueMode,
  recover: State,
): State | null {
  switch (mode) {
    case 'raw':
      return readRaw(reader, values, progress);
    case 'buffer':
      return readBuffered(reader, values, progress, recover);
    case 'quoted':
      return readQuoted(reader, values, progress);
    case 'scan':
      return readScanned(reader, values, progress, recover);
  }
}

/** Whether the value that has just been opened is a string, whatever its text is. */
function isCertainlyText({ progress }: Reader, values: ValueStack<State>): boolean {
  if (progress?.kind !== 'value') return false;
  const { frame, types, quote } = progress;
  if (quote !== '') return true;
  if (frame.quoted || types.size > 1 || !types.has('string')) return false;
  return valueCloser(values, frame.close).parts.length > 0;
}

/** Tells the writer that a value begins here, unless it may turn out to be `null`. */
function noteValue({ cursor, writer }: Reader, mode: ValueMode | null): void {
  const first = cursor.text.charAt(skipSpace(cursor.text, cursor.at));
  if (mode === 'raw' || mode === 'quoted' || /[^nN"'\s]/.test(first)) writer.calls.expectValue(cursor.offset);
}

function chooseMode(reader: Reader, values: ValueStack<State>, progress: ValueProgress): ValueMode | null {
  const { frame, types, quote } = progress;
  if (quote !== '') return 'quoted';
  if (frame.quoted) return 'scan';
  if (valueCloser(values, frame.close).parts.length === 0) return 'scan';
  const openers = repeatedOpenersEnd(reader, values, frame);
  if (openers === undecided) return null;
  progress.isWhole = openers > reader.cursor.at || values.lacksOpener;
  if (progress.isWhole) return 'buffer';
  if (types.size === 1 && types.has('string')) return 'raw';
  const { text, at } = reader.cursor;
  const start = skipSpace(text, at);
  const isLong = start - at > maxPause;
  if (start === text.length && !reader.ended && !isLong) return null;
  const first = isLong ? '' : text.charAt(start);
  progress.isContainer = first === '{' || first === '[';
  const mode = modeByText(types, first);
  progress.isTentative = mode === 'scan' && reader.allows('literal', at);
  return mode;
}

function readScanned(
  reader: Reader,
  values: ValueStack<State>,
  progress: ValueProgress,
  recover: State,
): State | null {
  if (progress.isTentative) {
    const verdict = tryContainer(reader, values, progress.frame.close);
    if (verdict === 'wait') return null;
    progress.isTentative = false;
    reader.input.begin();
    if (verdict === 'text') return readAsText(reader, values, progress);
  }
  const { scanner } = reader;
  if (scanner.status === 'open') scanInput(reader);
  if (scanner.status === 'open') return null;
  reader.noteDeviation(scanner.deviationFrom('python'));
  if (scanner.status === 'illegal') return fail(reader, recover, ['a value'], 'no value here');
  return closeValue(reader, values, progress.frame.close, recover);
}

/** Reads as text what began like a container but is not one. */
function readAsText(reader: Reader, values: ValueStack<State>, progress: ValueProgress): State | null {
  const wanted = [...progress.types].join(' or ');
  reader.noteRepair(repair('literal', 'ofKey', values.key, wanted));
  progress.mode = 'raw';
  return readRaw(reader, values, progress);
}

/** Ends a value in nested notation: expects the closers of its frame and its place. */
export function endNested(reader: Reader, { recover }: EndNestedTable<State>): State | null {
  const { call, cursor, writer } = reader;
  const { values } = call;
  if (values === null) return recover;
  const { nested } = values;
  if (nested !== null) {
    writer.calls.input(nested.closer, cursor.offset, cursor.offset);
    values.nested = null;
    reader.progress = { kind: 'nested-end', frameClose: nested.frameClose };
  }
  const { progress } = reader;
  const frameClose = progress?.kind === 'nested-end' ? progress.frameClose : '';
  return closeValue(reader, values, frameClose, recover);
}

/** Completes the arguments. */
export function endArguments(reader: Reader, table: EndArgumentsTable<State>): State {
  const { call, cursor, writer } = reader;
  writer.calls.input(call.entryCount === 0 ? '{}' : '}', cursor.offset, cursor.offset);
  call.values = null;
  if (!table.open) writer.calls.endCall(cursor.offset);
  return table.next;
}
