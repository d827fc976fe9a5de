/** The headers of regions, in formats where each region of a turn has one: `<|channel|>final<|message|>`. */
import type { ChatFormat } from '../format/chat-format.ts';
import { Marker, significantLength } from './marker.ts';
import { leadingLiteral } from './skeleton.ts';

/** What the headers of a format have in common. */
export interface Header {
  /** The end of every header: `<|message|>`. */
  readonly end: string;
  /** The token that headers begin with, except those of calls: `<|channel|>`. Empty if there is none. */
  readonly begin: string;
  /** Beginnings of headers, including the word after it: `<|channel|>final`. */
  readonly beginnings: readonly string[];
  /** The header of thoughts without its end. */
  readonly thought: string;
  /** What precedes the tool's name in the header of a call; empty if the format has no calls. */
  readonly call: string;
  /** The type of a call's arguments, which its header ends with: `json`. Empty if there is none. */
  readonly type: string;
  /** What marks a recipient: the beginning of `call`, if it does not occur in the headers of other regions. */
  readonly recipient: string;
  /** The recipient that is the model itself, whose header is none of a call: `to=assistant`. Empty if there is none. */
  readonly self: string;
}

/** The headers of regions; `null` if regions have none, or a call's header continues after their common end. */
export function headerOf(format: ChatFormat): Header | null {
  const { reasoning, content } = format;
  const end = headerEnd(format);
  if (reasoning === null || end === null) return null;
  // White space at the marker's end separates it from the name.
  const call = new Marker(commonEnd(callOpenings(format))).fromCore;
  const begin = /^\W*\w+\W/.exec(call)?.[0] ?? call;
  const role = /(?<!\w)\w+$/.exec(new Marker(format.turn.start).core)?.[0] ?? '';
  const isShared = [reasoning.start, content.open].some((opener) => opener.includes(begin));
  return {
    end,
    begin: headerToken(format),
    beginnings: beginnings(format),
    thought: new Marker(reasoning.start).core.slice(0, -end.length),
    call,
    type: argumentsType(format, end),
    recipient: isShared ? '' : begin,
    self: isShared || role === '' ? '' : begin + role,
  };
}

/** The word between a tool's name and the end of its header. */
function argumentsType({ calls }: ChatFormat, end: string): string {
  const last = calls?.head.at(-1);
  if (typeof last !== 'string') return '';
  const before = new Marker(last).core.slice(0, -end.length).trimEnd();
  return /(?<=\s)\w+$/.exec(before)?.[0] ?? '';
}

/** What precedes the tool's name, in each way to write the header of a call. */
function callOpenings({ calls, alternatives = {} }: ChatFormat): readonly string[] {
  if (calls === null) return [];
  const { call, head, section } = calls;
  return [{ open: call.open, head }, ...(alternatives.calls ?? [])].map(
    (notation) => section.open + notation.open + leadingLiteral(notation.head).text,
  );
}

function commonEnd([first = '', ...others]: readonly string[]): string {
  const start = Array.from(first).findIndex((_, at) =>
    others.every((each) => each.endsWith(first.slice(at))),
  );
  return start < 0 ? '' : first.slice(start);
}

/** The common end of the openers of reasoning and content. */
function headerEnd({ reasoning, content, calls }: ChatFormat): string | null {
  const left = new Marker(reasoning?.start ?? '').core;
  const right = new Marker(content.open).core;
  let length = 0;
  while (length < left.length && left.at(-1 - length) === right.at(-1 - length)) length++;
  const end = left.slice(left.length - length);
  if (length < significantLength || length === left.length) return null;
  if (calls === null) return end;
  // A call's header has the same end if its head is a name between two literals.
  const last = calls.head.at(-1);
  const holes = calls.head.flatMap((part) => (typeof part === 'string' ? [] : [part.hole]));
  const isName = calls.envelope === null && holes.join() === 'name' && typeof last === 'string';
  return isName && new Marker(last).core.endsWith(end) ? end : null;
}

function headerToken({ content }: ChatFormat): string {
  return /^(?:<[^<>\s]+>|\W\w+\W)/.exec(new Marker(content.open).core)?.[0] ?? '';
}

/** The common beginning of the openers of reasoning and content, with each word that may follow it. */
function beginnings(format: ChatFormat): readonly string[] {
  const { reasoning, content, calls } = format;
  const token = headerToken(format);
  if (token === '') return [];
  const head = (calls?.head ?? []).filter((part) => typeof part === 'string');
  const literals = [reasoning?.start ?? '', content.open, content.withCalls?.open ?? '', ...head];
  const words = literals.flatMap((text) => {
    const { core } = new Marker(text);
    const [word = ''] = core.startsWith(token) ? (/^\w+/.exec(core.slice(token.length)) ?? []) : [];
    return word === '' ? [] : [token + word];
  });
  return [...new Set(words)];
}
