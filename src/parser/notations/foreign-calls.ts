/**
 * Calls of offered tools in a notation that is not the format's: as JSON, or in one of `format/call-notations.ts`; one,
 * several or a list, alone, in a code fence, or in markers of any format. Text may precede them if the format's own
 * marker opens or closes them, or if prose has nothing like them. Text is buffered while it may be such calls, and read
 * again if it is not. Its phases, in a fence not labelled as code:
 *
 *     ⏎```json⏎  {"name": "f", …}  ⏎        {"name": "g", …}  ⏎```
 *     begin      value             between  value             between
 *
 * A value is JSON, or one call in the notations that are tried together (`trial`). Names say *bare* calls for the same.
 * `streamed-calls.ts` takes over where the verdict is `enforced`, and reads on here after calls that it has streamed.
 */
import { callNotations } from '../../format/call-notations.ts';
import { JsonScanner } from '../json/json-scanner.ts';
import { type MarkerTable, type Match, undecided } from '../markers/markers.ts';
import { TextBlocks } from '../markers/text-blocks.ts';
import { skipSpace } from '../markers/white-space.ts';
import { isJsonCallEnforced } from '../open-call.ts';
import type { Reader, State } from '../reader.ts';
import type { Transition } from '../state-tables.ts';
import type { BareCallsProgress, CallTrial } from '../steps/step-progress.ts';
import {
  beginningOfMarker,
  endOfMarker,
  fenceOfCalls,
  fenceOpener,
  firstMarker,
  maxBeginning,
  partOfFence,
} from './around-calls.ts';
import { emitCalls } from './emitted-calls.ts';
import { beginningsOf, callPaths, callsIn, mayBeginCall } from './json-calls.ts';
import { endsInBeginning, nameAt, unmistakableOpeners } from './notation.ts';
import { NotationTrial } from './notation-trial.ts';
import { SoleValueTrial, soleHeadAt } from './sole-value.ts';

/** Longer answers are text. The bound counts the calls and what is around them, in units. */
const maxAnswer = 1 << 16;

/** Begins to read possible calls in the middle of text, at a marker of `foreign-stops.ts`. */
export function beginBareCalls(reader: Reader, { marker }: Transition<State>, at: number): void {
  reader.progress = {
    ...newBareCalls(),
    inTextAt: reader.cursor.offsetOf(at),
    // A brace is no marker: prose may have JSON.
    isMarked: !marker.trim().startsWith('{'),
  };
}

/**
 * Reads the beginning of the answer. `wait`: it may be calls. `text`: it is not. `calls`: they have been read.
 * `enforced`: it is calls, to be read again as they arrive: a grammar enforces one of them, so none need be buffered.
 */
export function readBareCalls(reader: Reader, stops: MarkerTable<State>): CallsVerdict {
  const { progress: known } = reader;
  const progress = known?.kind === 'bare-calls' ? known : newBareCalls();
  reader.progress = progress;
  const verdict = readOn(reader, progress, stops);
  if (verdict === 'wait') return verdict;
  reader.progress = null;
  const reached = reader.cursor.offset;
  reader.rewind();
  if (verdict === 'enforced') return verdict;
  reader.attempts.wereBareCalls = true;
  const { inTextAt, isMarked } = progress;
  // JSON in the middle of text is part of it, unless a marker of the format's own stands at one of its ends.
  const isJsonInProse = inTextAt !== null && !isMarked;
  if (verdict !== 'text' && !isJsonInProse) {
    emitCalls(reader, progress, verdict === 'calls' ? reached : progress.endedAt);
    // What follows in text is no beginning of the answer, however it arrives.
    if (verdict === 'calls and text') reader.attempts.wereBareCalls = true;
    return 'calls';
  }
  if (inTextAt !== null) reader.attempts.textUpTo = Math.max(reached, inTextAt + 1);
  return 'text';
}

/** Nothing of such calls has been read. */
export function newBareCalls(): BareCallsProgress {
  return {
    kind: 'bare-calls',
    scanner: new JsonScanner(),
    json: new TextBlocks(),
    phase: 'begin',
    inTextAt: null,
    isFenced: false,
    isCode: false,
    isMarked: false,
    isDoubled: false,
    isClosed: false,
    // For `streamed-calls.ts`; `step-progress.ts` describes all flags.
    isStreaming: false,
    isListed: false,
    calls: [],
    trial: null,
    valueAt: 0,
    endedAt: 0,
    count: 0,
  };
}

/** `calls and text`: the calls are over, and other text follows, which is not read with them. */
type CallsVerdict = 'wait' | 'text' | 'calls' | 'calls and text' | 'enforced';

function readOn(reader: Reader, progress: BareCallsProgress, stops: MarkerTable<State>): CallsVerdict {
  const { cursor, buffer } = reader;
  if (progress.phase === 'begin') {
    const verdict = readBeginning(reader, progress);
    if (verdict !== 'calls') return verdict;
    progress.phase = 'value';
    progress.valueAt = cursor.offset;
  }
  if (isJsonCallEnforced(reader)) return 'enforced';
  for (;;) {
    const limit = cursor.at + maxAnswer - buffer.length;
    if (limit < cursor.at) return 'text';
    if (progress.phase === 'between') {
      const verdict = readBetween(reader, progress, stops, limit);
      if (verdict !== null) return verdict;
      progress.phase = 'value';
      progress.valueAt = cursor.offset;
    }
    const verdict =
      progress.trial === null
        ? readJson(reader, progress, limit)
        : readNotation(reader, progress, progress.trial, limit);
    if (verdict !== null) return verdict;
    progress.phase = 'between';
    progress.trial = null;
    progress.endedAt = cursor.offset;
  }
}

/**
 * White space, a fence or a marker, and the beginning of calls; `calls` if it is there:
 *
 *     ⏎```json⏎{"name": "f"      a fence
 *     <tool_call>{"name": "f"    a marker; it may itself begin a call: `<f>`
 *     {"name": "f"               neither
 */
function readBeginning(reader: Reader, progress: BareCallsProgress): CallsVerdict {
  const { cursor } = reader;
  const text = cursor.text.slice(cursor.at, cursor.at + maxBeginning);
  const isCut = text.length < maxBeginning && !reader.ended;
  const fence = fenceOpener.exec(text)?.[0];
  const marker = fence === undefined ? firstMarker.exec(text)?.[0] : undefined;
  const mayOpen = partOfFence.test(text) || beginningOfMarker.test(text);
  if (fence === undefined && marker === undefined && mayOpen) return isCut ? 'wait' : 'text';
  progress.isFenced = fence !== undefined;
  progress.isCode = fence !== undefined && !fenceOfCalls.test(fence);
  // After white space if the marker itself begins the call (`<f>`), or after the marker.
  const places = new Set([skipSpace(text, 0), (fence ?? marker ?? '').length]);
  let verdict: CallsVerdict = 'text';
  for (const place of places) {
    const found = readHead(reader, progress, cursor.at + place, text.slice(place), isCut);
    if (found === 'calls') return found;
    if (found === 'wait') verdict = 'wait';
  }
  return verdict;
}

/** The beginning of a call at `at`, where `text` begins: as JSON, or in another notation. */
function readHead(
  reader: Reader,
  progress: BareCallsProgress,
  at: number,
  text: string,
  isCut: boolean,
): 'calls' | 'wait' | 'text' {
  const written = text.replace(/\s/g, '');
  // A second pair of braces around a call is read, too (`wrapped-call`).
  const list = written.replace(/^(?:\[|\{(?=\{))/, '');
  const all = beginningsOf(reader.options.tools);
  if (all.some((each) => list.startsWith(each))) {
    progress.isDoubled = written.startsWith('{{');
    reader.bufferTo(progress.isDoubled ? skipSpace(reader.cursor.text, at) + 1 : at);
    return 'calls';
  }
  const verdict = beginNotation(reader, progress, at);
  if (verdict !== 'text') return verdict;
  return isCut && all.some((each) => each.startsWith(list)) ? 'wait' : 'text';
}

/** Begins to try the notations in which a call begins at `at`, perhaps in a list. */
function beginNotation(reader: Reader, progress: BareCallsProgress, at: number): 'calls' | 'wait' | 'text' {
  const { notations, options } = reader;
  if (!options.tools.known || !reader.allows('notation')) return 'text';
  const { text } = reader.cursor;
  const inList = text[at] === '[' ? skipSpace(text, at + 1) : at;
  // In code, `f(x)` is code.
  const possible = progress.isCode ? notations.filter(({ open }) => open !== '') : notations;
  const heads = possible.map((notation) => ({
    notation,
    name: nameAt(reader, notation, notation.open === '' ? inList : at),
  }));
  // A tool's only value, without its key.
  const sole = progress.isFenced || progress.inTextAt !== null ? null : soleHeadAt(reader, at);
  if (sole === undecided || heads.some(({ name }) => name === undecided)) return 'wait';
  const found = heads.filter(({ name }) => name >= 0);
  const [first] = found;
  if (first === undefined && sole === null) return 'text';
  reader.bufferTo(first?.name ?? (sole?.nameAt ?? 0) - reader.cursor.base);
  progress.trial = new NotationTrial(
    reader,
    found.map(({ notation }) => notation),
    reader.cursor.offset,
    sole === null ? null : new SoleValueTrial(sole),
  );
  return 'calls';
}

/** A call in one of the notations that are being tried; `null` when it has been read. */
function readNotation(
  reader: Reader,
  progress: BareCallsProgress,
  trial: CallTrial,
  limit: number,
): CallsVerdict | null {
  const { cursor } = reader;
  const end = Math.min(limit, cursor.text.length);
  trial.read(cursor.text.slice(cursor.at, end), false);
  const isBroken = trial.failed;
  if (reader.ended && !isBroken) trial.read('', true);
  const { whole } = trial;
  // What has been read to see that the call is over comes after it.
  if (whole !== null && whole.end < cursor.offset) reader.rewind();
  reader.bufferTo(whole === null ? end : whole.end - cursor.base);
  if (isBroken) return textAfter(progress);
  if (whole === null) return end < limit && !reader.ended ? 'wait' : unfinished(reader, progress);
  progress.calls.push({ ...whole, at: progress.valueAt });
  return countsAnother(reader, progress, 1) ? null : 'text';
}

/** A call or an array of calls as JSON; `null` when it has been read. */
function readJson(reader: Reader, progress: BareCallsProgress, limit: number): CallsVerdict | null {
  const { cursor } = reader;
  const { scanner, json } = progress;
  const within = limit < cursor.text.length ? cursor.text.slice(0, limit) : cursor.text;
  const end = scanner.scan(within, cursor.at);
  json.append(scanner.output);
  reader.bufferTo(end);
  if (isJsonCallEnforced(reader)) return 'enforced';
  if (scanner.status === 'open' && end < limit && !reader.ended) return 'wait';
  if (scanner.status === 'open')
    return mayBeginCall(reader.options.tools, json.toString())
      ? unfinished(reader, progress)
      : textAfter(progress);
  if (scanner.status === 'illegal') return textAfter(progress);
  const calls = callsIn(json.toString());
  if (calls?.every((call) => callPaths(reader.options.tools, call) !== null) !== true)
    return textAfter(progress);
  progress.calls.push({ notation: null, sole: null, at: progress.valueAt, end: cursor.offset });
  json.clear();
  scanner.reset();
  return countsAnother(reader, progress, calls.length) ? null : 'text';
}

/** What is no call, after those that have been read. */
function textAfter(progress: BareCallsProgress): CallsVerdict {
  return mayHaveText(progress) ? 'calls and text' : 'text';
}

/** Whole calls stay calls if the response ends in another one, which is text. */
function unfinished({ ended }: Reader, progress: BareCallsProgress): CallsVerdict {
  return ended && progress.count > 0 && !isFenceOpen(progress) ? 'calls and text' : 'text';
}

function isFenceOpen({ isFenced, isClosed }: BareCallsProgress): boolean {
  return isFenced && !isClosed;
}

/** Counts calls; false if there are more than allowed. */
function countsAnother(reader: Reader, progress: BareCallsProgress, calls: number): boolean {
  progress.count += calls;
  return reader.options.parallel || progress.count + reader.writer.calls.count === 1;
}

/**
 * After a call; `null` if another one begins:
 *
 *     …}⏎```              the end of the fence, which belongs to the calls
 *     …}</tool_call>⏎     so does a marker, or a comma before another call
 *     …}<|im_end|>        a stop of the format: the calls are over, unless the fence is open
 *     …}⏎{"name": "…      another call
 *     …}⏎That is all.     other text: the whole is text, but after a notation that prose does not have
 */
function readBetween(
  reader: Reader,
  progress: BareCallsProgress,
  stops: MarkerTable<State>,
  limit: number,
): CallsVerdict | null {
  const { cursor } = reader;
  reader.bufferTo(Math.min(skipSpace(cursor.text, cursor.at), limit));
  const { text, at } = cursor;
  const asOver = isFenceOpen(progress) ? 'text' : 'calls';
  if (cursor.isAtEnd) return reader.ended ? asOver : 'wait';
  if (isFenceOpen(progress) && '```'.startsWith(text.slice(at, at + 3))) {
    if (text.length < at + 3) return reader.ended ? 'text' : 'wait';
    pass(reader, progress, at + 3);
    progress.isClosed = true;
    return readBetween(reader, progress, stops, limit);
  }
  const match = stops.matchAt(reader, text, at);
  if (match === undecided) return 'wait';
  const passed = match === null ? endOfSeparator(reader, progress, at) : openerEnd(match, at);
  if (passed === undecided && !reader.ended) return 'wait';
  if (passed > at) {
    progress.isMarked ||= closesBlock(stops, text.slice(at, passed));
    pass(reader, progress, passed);
    return readBetween(reader, progress, stops, limit);
  }
  // A choice without a role is a stop.
  const isStop = match !== null && match.choice.role === undefined;
  if (isStop) return asOver;
  if (progress.isClosed) return 'text';
  const next = text[at] === '{' ? 'calls' : beginNotation(reader, progress, at);
  if (next === 'calls') return null;
  if (next === 'wait') return next;
  if (reader.ended && endsInBeginning(reader, text.slice(at))) return unfinished(reader, progress);
  return mayHaveText(progress) ? 'calls and text' : 'text';
}

/** Whether other text may follow: prose has nothing like the notation. */
function mayHaveText(progress: BareCallsProgress): boolean {
  const { calls } = progress;
  if (calls.length === 0 || isFenceOpen(progress)) return false;
  return calls.every(
    ({ notation }) => notation !== null && unmistakableOpeners.has(callNotations[notation].call.open),
  );
}

/** Passes what belongs to the calls before it. */
function pass(reader: Reader, progress: BareCallsProgress, end: number): void {
  reader.bufferTo(end);
  progress.endedAt = reader.cursor.offset;
}

/** End of a marker that belongs to the calls: the format's own opener, or one without meaning there. Otherwise `at`. */
function openerEnd({ choice, end }: Match<State>, at: number): number {
  // The end of thoughts means nothing here.
  if (choice.passes && choice.role === 'thought') return end;
  // Choices of `bare-calls` are the openers and braces of `foreign-stops.ts`.
  return choice.repairs === 'bare-calls' && !choice.marker.trim().startsWith('{') ? end : at;
}

/**
 * End of a marker, comma, semicolon or `]` at `at`, or of `}` if braces are doubled; `at` if there is none; or
 * `undecided`. A tag that is named after a tool begins another call.
 */
function endOfSeparator(
  { cursor: { text }, options: { tools } }: Reader,
  { isFenced, isDoubled }: BareCallsProgress,
  at: number,
): number {
  if (isDoubled && text[at] === '}') return at + 1;
  if (/[;,\]]/.test(text.charAt(at))) return at + 1;
  const end = isFenced ? at : endOfMarker(text, at);
  const [, name = ''] = /^<([^<>]+)>/.exec(text.slice(at, Math.max(at, end))) ?? [];
  return tools.has(name) ? at : end;
}

/** Whether a text ends with the closer of the format's own blocks of calls. */
export function closesBlock({ choices }: MarkerTable<State>, text: string): boolean {
  return choices.some(({ blockEnd }) => blockEnd?.endsWith(text.trim()) === true);
}
