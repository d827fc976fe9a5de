/** What a parser makes of a response, or of its beginning: the stations of the live parse. */
import { createResponseParser } from '../../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../../src/format/chat-format.ts';
import type { Tool, ToolCall } from '../../../src/format/messages.ts';
import { buildGrammar } from '../../../src/grammar/build-grammar.ts';
import { createMatcher, type Matcher } from '../../../src/language/matcher/matcher.ts';
import { type FoldedCall, foldEvents } from '../../../src/parser/assistant-message.ts';
import type { ResponseEvent, ResponseMessage } from '../../../src/parser/events.ts';
import type { ParserPosition } from '../../../src/parser/response-parser.ts';

/** A text to read. */
export interface ReadingRequest {
  readonly text: string;
  /** How much of it was written, in UTF-16 units. */
  readonly at: number;
  readonly tools: readonly Tool[];
  /** What the prompt wrote of the turn; `null`: only its header. */
  readonly generationPrompt: string | null;
}

/** A stretch of the text, by what it became. */
export interface ReadSpan {
  readonly type: ResponseEvent['type'];
  readonly start: number;
  readonly end: number;
  /** Why a stretch is malformed, and what was expected. */
  readonly note?: string;
}

/** Events of one kind that follow each other, as one. */
export interface EventRow {
  readonly type: ResponseEvent['type'];
  readonly start: number;
  readonly end: number;
  /** How many events these are. */
  readonly count: number;
  /** What they say, joined. */
  readonly detail: string;
}

/** Where reading stands. */
export interface Reading {
  readonly spans: readonly ReadSpan[];
  /** The last rows; `eventCount` counts all events. */
  readonly rows: readonly EventRow[];
  readonly eventCount: number;
  readonly position: ParserPosition;
  /** While a response is written: what its events say so far, with the arguments of calls as far as they came. */
  readonly message: ResponseMessage;
  readonly allowed: AllowedText;
}

/** What the grammar of `required` lets come next. */
export interface AllowedText {
  /** How much of the text it allows, in UTF-16 units. */
  readonly length: number;
  /** Characters that may come after that, in ranges: `a–z`, `"`. */
  readonly characters: readonly string[];
  /** Text without a choice. */
  readonly forced: string;
  /** The response may end there. */
  readonly complete: boolean;
  /** Why there is no grammar. */
  readonly problem?: string;
}

/** More characters than this are fed in longer pieces: the events stay the same, but for the cuts of deltas. */
const mostPieces = 20_000;
const mostRows = 300;

/** Reads a response up to `at`, character by character. Model output never makes it throw. */
export function readResponse(format: ChatFormat, request: ReadingRequest): Reading {
  const { text, at, tools, generationPrompt } = request;
  const written = text.slice(0, at);
  const prompt = generationPrompt === null ? {} : { generationPrompt };
  const parser = createResponseParser(format, { tools, markers: true, ...prompt });
  const events: ResponseEvent[] = [];
  const step = Math.max(1, Math.ceil(written.length / mostPieces));
  for (let from = 0; from < written.length; from += step) {
    events.push(...parser.feed(written.slice(from, from + step)));
  }
  const position = { ...parser.position };
  const { events: last, message } = parser.finish(at < text.length ? 'length' : 'stop');
  const isWhole = at >= text.length;
  // What a replay has not reached may still make sense of a marker that has begun.
  const all = isWhole ? [...events, ...last] : events;
  return {
    spans: spansOf(all),
    rows: rowsOf(all).slice(-mostRows),
    eventCount: all.length,
    position,
    message: isWhole ? message : messageSoFar(events),
    allowed: allowedText(format, request),
  };
}

/** To end the parser there would call a call malformed that is only not complete. */
function messageSoFar(events: readonly ResponseEvent[]): ResponseMessage {
  const { content, reasoning, calls } = foldEvents(events);
  return {
    role: 'assistant',
    content: content === '' ? null : content,
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(callSoFar) }),
  };
}

function callSoFar({ id, name, input }: FoldedCall): ToolCall {
  return { id, type: 'function', function: { name, arguments: input } };
}

/** Neighbours of one type and one note are one span. */
function spansOf(events: readonly ResponseEvent[]): readonly ReadSpan[] {
  const spans: ReadSpan[] = [];
  let at = 0;
  for (const event of events) {
    if (event.end <= at || event.end <= 0) continue;
    const note = event.type === 'malformed' ? malformedNote(event) : undefined;
    const [start, end, last] = [Math.max(at, event.start), event.end, spans.at(-1)];
    if (last?.type === event.type && last.end === start && last.note === note) {
      spans[spans.length - 1] = { ...last, end };
    } else spans.push({ type: event.type, start, end, ...(note === undefined ? {} : { note }) });
    at = end;
  }
  return spans;
}

function malformedNote({ reason, expected }: Extract<ResponseEvent, { type: 'malformed' }>): string {
  return expected.length === 0 ? reason : `${reason}; expected ${expected.join(' or ')}`;
}

function rowsOf(events: readonly ResponseEvent[]): readonly EventRow[] {
  const rows: EventRow[] = [];
  for (const event of events) {
    const last = rows.at(-1);
    const detail = detailOf(event);
    if (last?.type === event.type && (event.type === 'marker' || event.type.endsWith('-delta'))) {
      rows[rows.length - 1] = {
        ...last,
        end: event.end,
        count: last.count + 1,
        detail: clip(last.detail + detail),
      };
    } else {
      rows.push({ type: event.type, start: event.start, end: event.end, count: 1, detail: clip(detail) });
    }
  }
  return rows;
}

const longestDetail = 400;

function clip(text: string): string {
  return text.length <= longestDetail ? text : `${text.slice(0, longestDetail)}…`;
}

function detailOf(event: ResponseEvent): string {
  switch (event.type) {
    case 'reasoning-delta':
    case 'text-delta':
    case 'tool-input-delta':
      return event.delta;
    case 'tool-input-start':
      return event.toolName;
    case 'tool-call':
      return `${event.toolName}(${event.input})`;
    case 'malformed':
      return malformedNote(event);
    case 'repaired':
      return `${event.law}: ${event.detail}`;
    case 'marker':
      return event.text;
    case 'finish':
      return event.reason;
    default:
      return '';
  }
}

const matchers = new WeakMap<ChatFormat, Map<string, Matcher>>();

function allowedText(format: ChatFormat, { text, at, tools, generationPrompt }: ReadingRequest): AllowedText {
  const nothing = { length: 0, characters: [], forced: '', complete: false };
  try {
    const matcher = requiredMatcher(format, tools, generationPrompt).clone();
    const written = text.slice(0, at);
    const length = matcher.allowedLength(written);
    matcher.accept(written.slice(0, length));
    const { complete } = matcher;
    return { length, characters: allowedCharacters(matcher), forced: clip(matcher.forced()), complete };
  } catch (error) {
    return { ...nothing, problem: error instanceof Error ? error.message : String(error) };
  }
}

function requiredMatcher(
  format: ChatFormat,
  tools: readonly Tool[],
  generationPrompt: string | null,
): Matcher {
  const known = matchers.get(format) ?? new Map<string, Matcher>();
  matchers.set(format, known);
  const key = JSON.stringify([tools, generationPrompt]);
  const found = known.get(key);
  if (found !== undefined) return found;
  const prompt = generationPrompt === null ? {} : { generationPrompt };
  const { expression } = buildGrammar(format, {
    tools,
    toolChoice: 'required',
    policy: 'degrade',
    ...prompt,
  });
  if (expression === null) throw new Error('this format has no calls, so none can be required');
  const made = createMatcher(expression);
  known.clear();
  known.set(key, made);
  return made;
}

/** ASCII in ranges, and whether other letters may come. */
function allowedCharacters(matcher: Matcher): readonly string[] {
  const codes = Array.from({ length: 0x7f }, (_, code) => code).filter(
    (code) =>
      (code >= 0x20 || code === 9 || code === 10 || code === 13) && matcher.allows(String.fromCharCode(code)),
  );
  const ranges: [number, number][] = [];
  for (const code of codes) {
    const last = ranges.at(-1);
    if (last !== undefined && code === last[1] + 1 && sameKind(code, last[1])) last[1] = code;
    else ranges.push([code, code]);
  }
  const shown = ranges.flatMap(([from, to]) => {
    if (to - from >= 2) return [`${visible(from)}–${visible(to)}`];
    return from === to ? [visible(from)] : [visible(from), visible(to)];
  });
  return matcher.allows('é') && matcher.allows('東') ? [...shown, 'beyond ASCII'] : shown;
}

/** Ranges run within digits, within letters of one case, or within signs. */
function sameKind(code: number, other: number): boolean {
  const kinds = [/[0-9]/, /[a-z]/, /[A-Z]/, /[!-~]/];
  const kind = (each: number) => kinds.findIndex((pattern) => pattern.test(String.fromCharCode(each)));
  return kind(code) === kind(other) && code > 0x20;
}

function visible(code: number): string {
  const names = new Map([
    [9, 'tab'],
    [10, 'newline'],
    [13, 'return'],
    [32, 'space'],
  ]);
  return names.get(code) ?? String.fromCharCode(code);
}
