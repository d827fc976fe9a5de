/** Steps that read the values of arguments written as entries. */
import type { JsonType } from '../../format/chat-format.ts';
import { escapeJson } from '../json/json-text.ts';
import { absent, MarkerTable, matchText, undecided } from '../markers/markers.ts';
import { skipSpace } from '../markers/white-space.ts';
import type {
  EndArgumentsTable,
  EndNestedTable,
  FrameChoice,
  ItemTable,
  State,
  ValueTable,
} from '../module-contract.ts';
import type { Reader } from '../reader.ts';
import { readQuoted } from './quoted-value.ts';
import { allowedTypes } from './schema-place.ts';
import { fail } from './steps-call.ts';
import { closerPartsEnd, closeValue, findCloser, valueCloser } from './value-closer.ts';
import { decodeHeld, longestScalar, modeByText, typesInFrame, type ValueMode } from './value-modes.ts';
import { deepestNesting, nestingDepth, openItem, type ValueStack } from './value-stack.ts';

/** White space before a value is waited through up to this many units. */
const longestPause = 256;

/** The table of `readValue`, with its openers compiled. */
export interface CompiledValueTable {
  readonly table: ValueTable<State>;
  readonly framed: MarkerTable<FrameChoice>;
  readonly bare: FrameChoice | null;
}

/** Compiles the table of `readValue`. */
export function valueTable(table: ValueTable<State>): CompiledValueTable {
  const choices = table.frames.flatMap((frame) => openers(frame).map((marker) => ({ marker, next: frame })));
  return {
    table,
    framed: new MarkerTable(choices),
    bare: table.frames.find(({ open }) => open.trim() === '') ?? null,
  };
}

/** A frame in quotes may be opened by either kind of quote. */
function openers(frame: FrameChoice): readonly string[] {
  if (frame.open.trim() === '') return [];
  return isQuote(frame.open) ? ['"', "'"] : [frame.open];
}

function isQuote(text: string): boolean {
  return text === '"' || text === "'";
}

/** What is known of the value that is being read. */
export interface ValueProgress {
  readonly frame: FrameChoice;
  readonly types: ReadonlySet<JsonType>;
  /** The quote that opened it. */
  readonly quote: string;
  mode: ValueMode | null;
  /** Its opening quote has been said. */
  begun: boolean;
  /** Offset of its first closer, where nothing legal stands after that. */
  refused: number | null;
  /** JSON of what a string in quotes holds from there on. */
  heldJson: string;
}

/** The next item of a nested array. */
export function beginItem(reader: Reader, table: ItemTable<State>): State {
  openItem(reader, table.place);
  return table.next;
}

/** A value: its frame, its mode, and its text. */
export function readValue(reader: Reader, compiled: CompiledValueTable): State | null {
  const values = reader.values;
  if (values === null) return compiled.table.recover;
  if (reader.progress === null) {
    const opened = openValue(reader, values, compiled);
    if (opened !== 'opened') return opened;
    // The frame's opener was consumed in this step: what it claims after itself goes first.
    if (reader.trail !== '' && !reader.takeTrail()) return null;
  }
  const progress = reader.progress;
  return isProgress(progress) ? readOpened(reader, values, progress, compiled) : null;
}

function isProgress(progress: unknown): progress is ValueProgress {
  return typeof progress === 'object' && progress !== null && 'frame' in progress;
}

function openValue(
  reader: Reader,
  values: ValueStack,
  { table, framed, bare }: CompiledValueTable,
): State | null | 'opened' {
  const { text } = reader;
  const start = skipSpace(text, reader.at);
  const known = framed.choices.length === 0 ? null : framed.matchAt(reader, text, start);
  if (framed.choices.length > 0 && start === text.length && !reader.ended) return null;
  if (known === undecided) return null;
  const allowed = allowedTypes(values.schema);
  if (known === null) {
    if (bare === null) return fail(reader, table.recover, framed.expected(), 'no value of a known notation');
    return openBare(reader, values, table, bare, allowed);
  }
  const frame = known.choice.next;
  const quote = isQuote(frame.open) ? text.charAt(known.end - 1) : '';
  reader.skip(known.end);
  reader.trail = known.choice.trail;
  reader.progress = {
    frame,
    types: typesInFrame(frame, allowed),
    quote,
    mode: null,
    begun: false,
    refused: null,
    heldJson: '',
  };
  return 'opened';
}

function openBare(
  reader: Reader,
  values: ValueStack,
  table: ValueTable<State>,
  bare: FrameChoice,
  allowed: ReadonlySet<JsonType>,
): State | null | 'opened' {
  const types = typesInFrame(bare, allowed);
  const nested = table.nested === null ? null : openNested(reader, values, table, bare, types);
  if (nested === 'wait') return null;
  if (nested !== null) return nested;
  reader.progress = { frame: bare, types, quote: '', mode: null, begun: false, refused: null, heldJson: '' };
  return 'opened';
}

/** An object or array in the format's own notation. */
function openNested(
  reader: Reader,
  values: ValueStack,
  table: ValueTable<State>,
  frame: FrameChoice,
  types: ReadonlySet<JsonType>,
): State | null | 'wait' {
  const { nested } = table;
  if (nested === null) return null;
  const start = skipSpace(reader.text, reader.at);
  const openings = [
    { open: nested.arrayOpen, type: 'array', closer: ']', next: nested.array, peek: nested.arrayPeek },
    { open: nested.objectOpen, type: 'object', closer: '}', next: nested.object, peek: nested.objectPeek },
  ] as const;
  for (const { open, type, closer, next, peek } of openings) {
    if (!types.has(type) || open.trim() === '') continue;
    const end = matchText(reader, reader.text, start, open.trim());
    if (end === undecided) return 'wait';
    if (end === absent) continue;
    if (nestingDepth(values) > deepestNesting) {
      return fail(reader, table.recover, ['a simpler value'], 'values are nested too deeply');
    }
    reader.skip(peek ? start : end);
    values.nested = { closer, frameClose: frame.close, count: 0 };
    reader.writer.input(closer === ']' ? '[' : '{', reader.offset(reader.at), reader.offset(reader.at));
    return next;
  }
  return null;
}

function readOpened(
  reader: Reader,
  values: ValueStack,
  progress: ValueProgress,
  compiled: CompiledValueTable,
): State | null {
  if (progress.mode === null) {
    progress.mode = chooseMode(reader, values, progress);
    if (progress.mode === null) return null;
    reader.beginInput();
  }
  switch (progress.mode) {
    case 'raw':
      return readRaw(reader, values, progress);
    case 'hold':
      return readHeld(reader, values, progress);
    case 'quoted':
      return readQuoted(reader, values, progress);
    case 'scan':
      return readScanned(reader, values, progress, compiled.table.recover);
  }
}

function chooseMode(reader: Reader, values: ValueStack, progress: ValueProgress): ValueMode | null {
  const { frame, types, quote } = progress;
  if (quote !== '') return 'quoted';
  if (frame.quoted) return 'scan';
  if (valueCloser(values, frame.close).parts.length === 0) return 'scan';
  if (types.size === 1 && types.has('string')) return 'raw';
  const start = skipSpace(reader.text, reader.at);
  if (start === reader.text.length && !reader.ended && start - reader.at <= longestPause) return null;
  return modeByText(types, start - reader.at > longestPause ? '' : reader.text.charAt(start));
}

function readRaw(reader: Reader, values: ValueStack, progress: ValueProgress): State | null {
  const found = findCloser(reader, values, progress.frame.close);
  progress.refused ??= found.refused === null ? null : reader.offset(found.refused);
  if (reader.held.length === 0) sayString(reader, progress, found.refused ?? found.textEnd);
  if (progress.refused !== null) reader.hold(found.textEnd);
  if (found.end !== null) {
    sayHeldString(reader, progress);
    return endString(reader, values, progress, found.end);
  }
  if (progress.refused !== null) return reader.ended ? endAtRefused(reader, values, progress) : null;
  if (progress.begun) reader.waitForString(valueCloser(values, progress.frame.close).quiet);
  return null;
}

/** The text is over: the value has ended at its first closer, and what was held after that is read again. */
function endAtRefused(reader: Reader, values: ValueStack, progress: ValueProgress): State {
  reader.unhold();
  const refused = (progress.refused ?? 0) - reader.base;
  if (progress.mode === 'raw') {
    reader.writer.input(progress.begun ? '"' : '""', reader.offset(refused), reader.offset(refused));
  } else {
    const json = decodeHeld(reader.text.slice(0, refused), progress.types);
    reader.writer.input(json, reader.base, reader.offset(refused));
  }
  reader.at = refused;
  const closer = valueCloser(values, progress.frame.close);
  reader.trail = closer.trail;
  return leaveValue(reader, values, closerPartsEnd(reader, closer));
}

/** Says raw text up to `end` as part of a JSON string. */
function sayString(reader: Reader, progress: ValueProgress, end: number): void {
  if (end <= reader.at) return;
  const json = escapeJson(reader.text.slice(reader.at, end));
  reader.writer.input(progress.begun ? json : `"${json}`, reader.offset(reader.at), reader.offset(end));
  progress.begun = true;
  reader.at = end;
}

/** Says what was held after a closer that was none. */
function sayHeldString(reader: Reader, progress: ValueProgress): void {
  const { held } = reader;
  if (held.length === 0) return;
  const json = escapeJson(held.toString());
  const end = reader.offset(reader.at);
  reader.writer.input(progress.begun ? json : `"${json}`, end - held.length, end);
  progress.begun = true;
  held.clear();
}

function endString(reader: Reader, values: ValueStack, progress: ValueProgress, end: number): State {
  const here = reader.offset(reader.at);
  reader.writer.input(progress.begun ? '"' : '""', here, here);
  return leaveValue(reader, values, end);
}

function leaveValue(reader: Reader, values: ValueStack, end: number): State {
  reader.skip(end);
  reader.values = values.outer;
  return values.place.next;
}

function readHeld(reader: Reader, values: ValueStack, progress: ValueProgress): State | null {
  const found = findCloser(reader, values, progress.frame.close);
  progress.refused ??= found.refused === null ? null : reader.offset(found.refused);
  reader.hold(found.textEnd);
  const { held } = reader;
  if (found.end === null) {
    if (reader.ended && progress.refused !== null) return endAtRefused(reader, values, progress);
    const length = (progress.refused ?? reader.offset(reader.at)) - reader.heldStart;
    if (length > longestScalar && progress.types.has('string')) becomeString(reader, progress);
    return null;
  }
  const text = held.toString();
  held.clear();
  const json = decodeHeld(text, progress.types);
  const end = reader.offset(reader.at);
  reader.writer.input(json, end - text.length, end);
  return leaveValue(reader, values, found.end);
}

/** Held text that turns out to be no scalar is a string; what begins like a container stays held. */
function becomeString(reader: Reader, progress: ValueProgress): void {
  const { held, heldStart } = reader;
  const text = held.toString();
  if (/^\s*[{[]/.test(text)) return;
  const length = progress.refused === null ? text.length : progress.refused - heldStart;
  held.clear();
  progress.mode = 'raw';
  progress.begun = true;
  reader.writer.input(`"${escapeJson(text.slice(0, length))}`, heldStart, heldStart + length);
  if (length === text.length) return;
  held.append(text.slice(length));
  reader.heldStart = heldStart + length;
}

/** Lets the scanner read on, and says what it has read. */
export function scanInput(reader: Reader): void {
  const { scanner } = reader;
  const end = scanner.scan(reader.text, reader.at);
  reader.sayInput(scanner.output, end, scanner.held);
  reader.waitForJson();
  if (!reader.ended || scanner.status !== 'open') return;
  scanner.end();
  reader.sayInput(scanner.output, end, scanner.held);
}

function readScanned(
  reader: Reader,
  values: ValueStack,
  progress: ValueProgress,
  recover: State,
): State | null {
  const { scanner } = reader;
  if (scanner.status === 'open') scanInput(reader);
  if (scanner.status === 'open') return null;
  if (scanner.status === 'illegal') return fail(reader, recover, ['a value'], 'no value here');
  return closeValue(reader, values, progress.frame.close, recover);
}

/** A value in nested notation is over; what its frame and its place end with comes next. */
export function endNested(reader: Reader, { recover }: EndNestedTable<State>): State | null {
  const { values } = reader;
  if (values === null) return recover;
  const { nested } = values;
  if (nested !== null) {
    const here = reader.offset(reader.at);
    reader.writer.input(nested.closer, here, here);
    values.nested = null;
    reader.progress = nested.frameClose;
  }
  const frameClose = typeof reader.progress === 'string' ? reader.progress : '';
  return closeValue(reader, values, frameClose, recover);
}

/** No more entries: the arguments are complete. */
export function endArguments(reader: Reader, table: EndArgumentsTable<State>): State {
  const here = reader.offset(reader.at);
  reader.writer.input(reader.draft.entries === 0 ? '{}' : '}', here, here);
  reader.values = null;
  if (!table.open) reader.writer.endCall(here);
  return table.next;
}
