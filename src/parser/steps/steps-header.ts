/** The step that reads a region's header in a spelling that the template does not render. */

import { repair } from '../leniency/law-table.ts';
import type { Reader, State } from '../reader.ts';
import type { HeaderTable } from '../state-tables.ts';
import { fail, failExtraCall } from './fail.ts';

/** Maximum length of a header. */
const maxHeader = 256;

/** Reads a header up to its end: its parts come in any order, and determine the region that follows. */
export function readHeader(reader: Reader, table: HeaderTable<State>): State | null {
  const { text, at } = reader.cursor;
  const end = text.indexOf(table.end, at);
  // If the end is not complete yet, all but one of its characters may be there already.
  const longest = end === -1 ? maxHeader + table.end.length - 1 : maxHeader;
  const header = text.slice(at, end === -1 ? at + longest + 1 : end);
  if (header.length > longest || hasSecondLine(header, end === -1 ? table.end : '')) return table.otherwise;
  if (end === -1) {
    if (reader.ended) return endInHeader(reader, table, header);
    openCallEarly(reader, table, header);
    return null;
  }
  return followHeader(reader, table, header, end);
}

/** Whether text follows a line break; `end` may have begun there. */
function hasSecondLine(header: string, end: string): boolean {
  const lineBreak = header.indexOf('\n', header.length - header.trimStart().length);
  const rest = lineBreak === -1 ? '' : header.slice(lineBreak).trimStart();
  return rest !== '' && !end.startsWith(rest);
}

/** At the end of the response. What is certainly a header is no content. */
function endInHeader(reader: Reader, table: HeaderTable<State>, header: string): State | null {
  const { begin = '', recipient } = table;
  const written = header.trimStart();
  // A recipient follows white space, which no answer begins with.
  const mayCall = recipient !== '' && written !== '' && (written.startsWith(recipient) || written !== header);
  const isCalling = mayCall && (written.startsWith(recipient) || recipient.startsWith(written));
  const isHeader = begin !== '' && written.startsWith(begin);
  if (reader.inCall) return fail(reader, table.recover, [table.end], 'the response ends inside a header');
  if (!isHeader && !isCalling) return table.otherwise;
  reader.skip(reader.cursor.text.length);
  return null;
}

/** Opens the call as soon as the header shows that one follows. */
function openCallEarly(reader: Reader, table: HeaderTable<State>, header: string): void {
  if (reader.inCall || table.call === undefined || !reader.callsAllowed) return;
  if (header.includes(table.call.marker)) reader.openCall();
}

/** Emits text before a header, which is more than one word, as an answer; returns the header. */
function withoutTextBefore(reader: Reader, table: HeaderTable<State>, header: string): string {
  const starts = [table.begin ?? '', table.call?.marker ?? '', table.recipient, '<|']
    .map((each) => (each === '' ? -1 : header.indexOf(each)))
    .filter((at) => at !== -1);
  const before = header.slice(0, Math.min(header.length, ...starts));
  if (!/\S\s+\S|[.:!?]\s*$/.test(before)) return header;
  reader.enterRegion('text', false);
  reader.emitText(reader.cursor.at + before.length);
  reader.leaveRegion();
  return header.slice(before.length);
}

/** What a header says decides the region after it: a call, thoughts, or text. */
function followHeader(reader: Reader, table: HeaderTable<State>, whole: string, end: number): State {
  const header = withoutTextBefore(reader, table, whole);
  const after = end + table.end.length;
  // `to=functions.get_weather`
  const written = calledName(table, table.call?.marker ?? '', header);
  const called = withoutType(reader, table, written) ?? calledTool(reader, table, header);
  if (called !== null && table.call !== undefined && reader.callsAllowed)
    return followCall(reader, table, table.call.next, { header, written, called, after });
  const hasRecipient = table.recipient !== '' && header.includes(table.recipient);
  if (hasRecipient && !isSelf(table, header))
    return fail(reader, table.recover, ['tool name'], 'a header for an unknown recipient');
  if (table.thought !== undefined && header.includes(table.thought.marker))
    return reader.consumeMarker({ ...table.thought, role: 'thought', trailingSpace: '' }, after);
  const { known } = table;
  if (known !== undefined && header.trim() !== '' && !known.some((each) => header.includes(each))) {
    if (!reader.allows('spelling')) return fail(reader, table.recover, known, 'no header of a region');
    reader.noteRepair(repair('spelling', 'header', header));
  }
  reader.skip(after);
  return table.next;
}

/** A header of a call. */
interface CallHeader {
  readonly header: string;
  /** The name after the marker of calls, if that is there. */
  readonly written: CalledName | null;
  /** The tool that is called: `written` or, by leniency, another reading. */
  readonly called: CalledName;
  /** Position after the header. */
  readonly after: number;
}

/** Enters the call that a header opens. */
function followCall(
  reader: Reader,
  table: HeaderTable<State>,
  next: State,
  { header, written, called, after }: CallHeader,
): State {
  const { name, at } = called;
  if (!reader.inCall) reader.openCall();
  const isOffered = reader.options.tools.has(name);
  const around = isOffered ? header.slice(0, at) + header.slice(at + name.length) : header;
  if (/["{]/.test(around)) return fail(reader, table.recover, [table.end], 'no header of a call');
  if (reader.call.isExtra) return failExtraCall(reader, table.recover);
  reader.call.name = name;
  const start = reader.cursor.at + at;
  reader.skip(start);
  reader.startCall(start, start + name.length);
  reader.cursor.moveTo(start + name.length);
  reader.input.begin();
  if (written === null) reader.noteRepair(repair('name-prefix', 'header', header));
  else if (written.name !== name) reader.noteRepair(repair('name-prefix', 'type', written.name, name));
  reader.skip(after);
  return next;
}

/** The offered tool whose name is written together with the type of its arguments: a marker between them is missing. */
function withoutType(
  reader: Reader,
  { type }: HeaderTable<State>,
  written: CalledName | null,
): CalledName | null {
  if (written === null || type === undefined || !reader.allows('name-prefix')) return written;
  const { tools } = reader.options;
  const name = written.name.slice(0, -type.length);
  const isJoined = written.name.endsWith(type) && !tools.has(written.name) && tools.has(name);
  return isJoined ? { ...written, name } : written;
}

/** Whether a header names the model itself as its recipient. */
function isSelf({ self }: HeaderTable<State>, header: string): boolean {
  return self !== undefined && header.includes(self);
}

/** The offered tool that a header names as its recipient, without the prefix of tool names. */
function calledTool(reader: Reader, table: HeaderTable<State>, header: string): CalledName | null {
  const called = reader.allows('name-prefix') ? calledName(table, table.recipient, header) : null;
  return called !== null && reader.options.tools.has(called.name) ? called : null;
}

interface CalledName {
  readonly name: string;
  readonly at: number;
}

/** The name after a marker, and its position in the header. */
function calledName(table: HeaderTable<State>, marker: string, header: string): CalledName | null {
  const at = header.indexOf(marker);
  if (marker === '' || at === -1) return null;
  const start = at + marker.length;
  const stop = table.end.charAt(0);
  let end = start;
  while (end < header.length && header[end] !== stop && !/\s/.test(header.charAt(end))) end++;
  return end === start ? null : { name: header.slice(start, end), at: start };
}
