/**
 * An answer that consists of calls of offered tools written as JSON: one, several or an array, alone or in a code
 * fence, whatever notation the format has. Text may precede them if the format's own marker opens or closes them. Text
 * is buffered while it may be such calls, and read again if it is not.
 */

import { JsonScanner } from '../json/json-scanner.ts';
import { repair } from '../leniency/law-table.ts';
import { knowsCalls } from '../markers/lookahead.ts';
import { type MarkerTable, undecided } from '../markers/markers.ts';
import { TextBlocks } from '../markers/text-blocks.ts';
import { skipSpace } from '../markers/white-space.ts';
import { isJsonCallEnforced } from '../open-call.ts';
import type { Reader, State } from '../reader.ts';
import type { EnvelopePaths, Transition } from '../state-tables.ts';
import type { ToolTable } from '../tool-table.ts';
import { newEnvelope, readEnvelopeOn } from './envelope-reader.ts';
import type { BareCallsProgress } from './step-progress.ts';

/** Longer answers are text. */
const longestAnswer = 1 << 16;
/** This much of the beginning of an answer shows whether it may be calls. */
const longestBeginning = 128;

/** A marker in brackets, as models write around calls: `<|python_tag|>`, `</tool_call>`, `[TOOL_CALLS]`. */
const marker = '<[|｜/]{0,2}[\\w▁:]{2,40}[|｜]?>|\\[/?[A-Z_]{3,40}\\]';
const firstMarker = new RegExp(`^\\s*(?:${marker})\\s*`);
const beginningOfMarker = /^\s*(?:<[|｜/]{0,2}[\w▁:]{0,40}[|｜]?|\[\/?[A-Z_]{0,40})?$/;
/** White space, a fence, brackets, markers, and separators of calls. */
const around = new RegExp(`^(?:\\s|\`\`\`[a-z_-]*|${marker}|[[\\],;])*`);

/** The usual notation of calls in APIs. */
export const usualPaths: EnvelopePaths = { name: ['name'], arguments: ['arguments'], id: ['id'] };

/** The notations of calls in APIs, and in models trained on them. */
const notations: readonly EnvelopePaths[] = [
  usualPaths,
  { name: ['name'], arguments: ['parameters'], id: ['id'] },
  { name: ['function'], arguments: ['arguments'], id: ['id'] },
  { name: ['function'], arguments: ['parameters'], id: ['id'] },
  { name: ['function', 'name'], arguments: ['function', 'arguments'], id: ['id'] },
];

/** What of a text stands around calls, up to the first of them. */
export function aroundCalls(text: string): string {
  return around.exec(text)?.[0] ?? '';
}

/** The first keys of such calls. */
const firstKeys = ['name', 'function', 'arguments', 'parameters', 'type', 'id'];

/** Where such calls may begin in text: at the format's own openers, and at braces. Only `readRegion` uses them. */
export function bareCallStops(stops: readonly Transition<State>[]): readonly Transition<State>[] {
  const openers = stops.filter(({ role, peek, ambiguous, speculative, repairs }) => {
    return role === 'call' && !peek && !ambiguous && !speculative && repairs === undefined;
  });
  const tags = openers.flatMap(({ marker, next }) => {
    const tag = /^\s*(?:<[^<>\s]+>|\[[^[\]\s]+\])/.exec(marker)?.[0];
    return tag === undefined ? [] : [{ marker: tag, next }];
  });
  const [first] = tags;
  if (first === undefined) return [];
  const gap = /^\s*/.exec(first.marker)?.[0] ?? '';
  const braces = firstKeys.map((key) => ({ marker: `${gap}{"${key}"`, next: first.next }));
  const all = [...tags, ...braces];
  return all.map((each) => ({ ...each, role: 'call', speculative: true, repairs: 'bare-calls' }));
}

/** Begins to read possible calls in the middle of text, at a marker of `bareCallStops`. */
export function beginBareCalls(reader: Reader, { marker }: Transition<State>, at: number): void {
  reader.progress = {
    ...newBareCalls(),
    inTextAt: reader.cursor.offsetOf(at),
    isMarked: !marker.trim().startsWith('{'),
  };
}

/** Beginnings of calls other than their name. */
const otherBeginnings = [
  '{"type":"function"',
  '{"id":"',
  '{"function":{"name":"',
  '{"function":{"arguments":',
  '{"arguments":{',
  '{"parameters":{',
];

/**
 * Reads the beginning of the answer. `wait`: it may be calls. `text`: it is not. `calls`: they have been read.
 * `enforced`: it is calls, to be read from their beginning on, because a grammar writes one of them.
 */
export function readBareCalls(reader: Reader, stops: MarkerTable<State>): Verdict {
  const { progress: known } = reader;
  const progress = known?.kind === 'bare-calls' ? known : newBareCalls();
  reader.progress = progress;
  const verdict = readOn(reader, progress, stops);
  if (verdict === 'wait') return verdict;
  reader.progress = null;
  const reached = reader.cursor.offset;
  reader.rewind();
  if (verdict === 'enforced') return verdict;
  const { inTextAt, isMarked } = progress;
  const isText = verdict === 'text' || (inTextAt !== null && !isMarked);
  if (!isText) emitCalls(reader, reached);
  reader.noteBareCalls();
  if (isText && inTextAt !== null) reader.noteSpeculated(Math.max(reached, inTextAt + 1));
  return isText ? 'text' : 'calls';
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
    isMarked: false,
    isClosed: false,
    isStreaming: false,
    isListed: false,
    count: 0,
  };
}

type Verdict = 'wait' | 'text' | 'calls' | 'enforced';

function readOn(reader: Reader, progress: BareCallsProgress, stops: MarkerTable<State>): Verdict {
  const { cursor, buffer } = reader;
  if (progress.phase === 'begin') {
    const verdict = readBeginning(reader, progress);
    if (verdict !== 'calls') return verdict;
    progress.phase = 'value';
  }
  if (isJsonCallEnforced(reader)) return 'enforced';
  for (;;) {
    const limit = cursor.at + longestAnswer - buffer.length;
    if (limit <= cursor.at) return 'text';
    if (progress.phase === 'between') {
      const verdict = readBetween(reader, progress, stops, limit);
      if (verdict !== null) return verdict;
      progress.phase = 'value';
    }
    const verdict = readValue(reader, progress, limit);
    if (verdict !== null) return verdict;
    progress.phase = 'between';
  }
}

/** White space, a fence, and the beginning of calls; `calls` if it is there. */
function readBeginning(reader: Reader, progress: BareCallsProgress): Verdict {
  const { cursor, options } = reader;
  const text = cursor.text.slice(cursor.at, cursor.at + longestBeginning);
  const isCut = text.length < longestBeginning && !reader.ended;
  const fence = /^\s*```[a-z_-]*[ \t]*\r?\n/.exec(text)?.[0];
  const marker = fence === undefined ? firstMarker.exec(text)?.[0] : undefined;
  const begins = /^\s*`{0,3}$|^\s*```[a-z_-]*[ \t]*\r?$/.test(text) || beginningOfMarker.test(text);
  if (fence === undefined && marker === undefined && begins) return isCut ? 'wait' : 'text';
  const opening = fence ?? marker ?? '';
  const written = text.slice(opening.length).replace(/\s/g, '');
  const list = written.startsWith('[') ? written.slice(1) : written;
  const all = beginningsOf(options.tools);
  if (all.some((each) => list.startsWith(each))) {
    progress.isFenced = fence !== undefined;
    reader.bufferTo(cursor.at + opening.length);
    return 'calls';
  }
  return isCut && all.some((each) => each.startsWith(list)) ? 'wait' : 'text';
}

const knownBeginnings = new WeakMap<ToolTable, readonly string[]>();

/** The beginnings of such calls, without white space. */
function beginningsOf(tools: ToolTable): readonly string[] {
  const known = knownBeginnings.get(tools);
  if (known !== undefined) return known;
  const names = tools.names().flatMap((name) => {
    const text = JSON.stringify(name).replace(/\s/g, '');
    return [`{"name":${text}`, `{"function":${text}`];
  });
  const all = [...otherBeginnings, ...names];
  knownBeginnings.set(tools, all);
  return all;
}

/** A call or an array of calls; `null` when it has been read. */
function readValue(reader: Reader, progress: BareCallsProgress, limit: number): Verdict | null {
  const { cursor } = reader;
  const { scanner, json } = progress;
  const within = limit < cursor.text.length ? cursor.text.slice(0, limit) : cursor.text;
  const end = scanner.scan(within, cursor.at);
  json.append(scanner.output);
  reader.bufferTo(end);
  if (isJsonCallEnforced(reader)) return 'enforced';
  if (scanner.status === 'open') return end < limit && !reader.ended ? 'wait' : 'text';
  if (scanner.status === 'illegal') return 'text';
  const { tools, parallel } = reader.options;
  const value = json.toString();
  const isList = value.trimStart().startsWith('[');
  if (!notations.some((paths) => knowsCalls(tools, paths, isList, value))) return 'text';
  progress.count += isList ? JSON.parse(value).length : 1;
  json.clear();
  scanner.reset();
  return parallel || progress.count + reader.writer.callCount === 1 ? null : 'text';
}

/** After a call: the end of the fence, of the turn or of the response; `null` if another call begins. */
function readBetween(
  reader: Reader,
  progress: BareCallsProgress,
  stops: MarkerTable<State>,
  limit: number,
): Verdict | null {
  const { cursor } = reader;
  reader.bufferTo(Math.min(skipSpace(cursor.text, cursor.at), limit));
  const { text, at } = cursor;
  if (cursor.isAtEnd) {
    if (!reader.ended) return 'wait';
    return progress.isFenced === progress.isClosed ? 'calls' : 'text';
  }
  if (progress.isFenced && !progress.isClosed && '```'.startsWith(text.slice(at, at + 3))) {
    if (text.length < at + 3) return reader.ended ? 'text' : 'wait';
    reader.bufferTo(at + 3);
    progress.isClosed = true;
    return readBetween(reader, progress, stops, limit);
  }
  const match = stops.matchAt(reader, text, at);
  if (match === undecided) return 'wait';
  const passed = match === null ? endOfSeparator(progress, text, at) : at;
  if (passed > at) {
    progress.isMarked ||= closesBlock(stops, text.slice(at, passed));
    reader.bufferTo(passed);
    return readBetween(reader, progress, stops, limit);
  }
  if (passed < at && !reader.ended) return 'wait';
  if (match !== null && match.choice.role === undefined) {
    return progress.isFenced === progress.isClosed ? 'calls' : 'text';
  }
  return !progress.isClosed && text[at] === '{' ? null : 'text';
}

/** End of a marker, comma or semicolon at `at`, between or after calls; `at` if there is none; or `undecided`. */
function endOfSeparator({ isFenced, isListed }: BareCallsProgress, text: string, at: number): number {
  if (/[;,]/.test(text.charAt(at)) || (isListed && text[at] === ']')) return at + 1;
  return isFenced ? at : endOfMarker(text, at);
}

/** End of a marker in brackets at `at`; `at` if there is none, or `undecided`. */
export function endOfMarker(text: string, at: number): number {
  const rest = text.slice(at, at + longestBeginning);
  const marker = firstMarker.exec(rest)?.[0];
  if (marker !== undefined) return at + marker.length;
  return beginningOfMarker.test(rest) && rest.length < longestBeginning ? undecided : at;
}

/** Whether a text ends with the closer of the format's own blocks of calls. */
export function closesBlock({ choices }: MarkerTable<State>, text: string): boolean {
  return choices.some(({ blockEnd }) => blockEnd?.endsWith(text.trim()) === true);
}

/** Reads the calls up to the offset `reached`, and the text around them. */
function emitCalls(reader: Reader, reached: number): void {
  const { cursor } = reader;
  if (reader.region !== null) reader.leaveRegion();
  reader.noteRepair(repair('bare-calls', 'json'));
  for (;;) {
    const rest = cursor.text.slice(cursor.at, reached - cursor.base);
    reader.skip(cursor.at + aroundCalls(rest).length);
    if (cursor.offset >= reached) return;
    readCall(reader);
  }
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
  return notations.find((paths) => knowsCalls(tools, paths, false, scanner.output)) ?? null;
}
