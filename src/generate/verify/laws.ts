/** The laws: functions from one rendered turn to what is wrong with it (`null` if the law holds). */

import type { CallSample } from '../../analysis/prompt/call-example.ts';
import { derivesSample, readSample, writesSample } from '../../analysis/prompt/example-law.ts';
import { createResponseParser } from '../../codegen/create-response-parser.ts';
import type { ChatFormat, JsonType } from '../../format/chat-format.ts';
import type { AssistantMessage, JsonObject, JsonValue, Tool } from '../../format/messages.ts';
import { jsonType, writePythonString } from '../../format/write-values.ts';
import type { Matcher } from '../../language/matcher/matcher.ts';
import { Marker } from '../../layout/marker.ts';
import { type TurnLayout, turnLayout } from '../../layout/turn-layout.ts';
import { writeCalls, writeResponse } from '../../layout/write-response.ts';
import type { ResponseEvent, ResponseMessage } from '../../parser/events.ts';

/** One message, and the turn that the template renders. */
export interface RenderedCase {
  readonly format: ChatFormat;
  readonly tools: readonly Tool[];
  readonly message: AssistantMessage;
  /** Text after `turn.start`, including the end of the turn. */
  readonly turn: string;
}

/** How a law is broken: the actual and the expected result. */
export interface Breach {
  readonly expected: string;
  readonly actual: string;
}

/**
 * Exact: the format writes the turn byte for byte. White space at the turn's end counts only if the format has an end
 * of turns.
 */
export function exactLaw({ format, message, turn }: RenderedCase): Breach | null {
  const written = writeResponse(format, shownMessage(format, message, turn));
  const { ends } = turnLayout(format);
  const possible = ['', ...ends.flatMap(({ text, upToCore }) => [text, upToCore])];
  const equal = possible.some((end) => turn === written + end);
  const unterminated = ends.length === 0 && turn.trimEnd() === written.trimEnd();
  return equal || unterminated ? null : { expected: turn, actual: written };
}

/** Round trip: the turn parses to what the template kept of the message. */
export function roundTripLaw({ format, tools, message, turn }: RenderedCase): Breach | null {
  const expected = comparable(shownMessage(format, message, turn), format);
  const actual = comparable(parseWhole(format, tools, turn), format);
  return expected === actual ? null : { expected, actual };
}

/**
 * Quotation: a string that quotes the format's own call is read back, or something is told. Formats in which nothing
 * ends a call cannot keep it: their next call looks like a quoted one.
 */
export function quotationLaw(rendered: RenderedCase): Breach | null {
  const { malformed = [], repaired = [] } = parseWhole(rendered.format, rendered.tools, rendered.turn);
  return malformed.length + repaired.length > 0 ? null : roundTripLaw(rendered);
}

/** Any cut: parsed unit by unit, the turn gives the same message. */
export function anyCutLaw({ format, tools, turn }: RenderedCase): Breach | null {
  const parser = createResponseParser(format, { tools });
  for (let at = 0; at < turn.length; at += 1) parser.feed(turn.charAt(at));
  const actual = JSON.stringify(parser.finish().message);
  const expected = JSON.stringify(parseWhole(format, tools, turn));
  return expected === actual ? null : { expected, actual };
}

/** Nothing lost: the stretches of all events tile the text, for the turn and for damaged versions of it. */
export function nothingLostLaw({ format, tools, turn }: RenderedCase): Breach | null {
  const middle = Math.floor(turn.length / 2);
  const broken = [turn, turn.slice(0, middle), turn.slice(middle), turn.slice(0, middle) + turn];
  for (const text of broken) {
    const parser = createResponseParser(format, { tools, markers: true });
    const gap = firstGap([...parser.feed(text), ...parser.finish().events], text.length);
    if (gap !== null)
      return { expected: `every character of ${JSON.stringify(text)} covered once`, actual: gap };
  }
  return null;
}

/** Complete: a grammar of calls, with `matcher` at its beginning, accepts the calls that the template renders. */
export function completeLaw({ format, message, turn }: RenderedCase, matcher: Matcher): Breach | null {
  const made = shownMessage(format, message, turn).tool_calls ?? [];
  const { calls } = turnLayout(format);
  if (calls === null || made.length === 0) return null;
  const { core: text, fromCore: written } = new Marker(writeCalls(calls, made));
  if ([text, written].some((each) => isComplete(matcher, each))) return null;
  const reached = text.slice(0, matcher.allowedLength(text));
  return {
    expected: text,
    actual: reached === text ? 'more is asked for' : `stops after ${JSON.stringify(reached)}`,
  };
}

/** As told: an example of a call that the prompt shows is read as meant, and the grammar of a required call derives it. */
export function asToldLaw(format: ChatFormat, sample: CallSample): Breach | null {
  if (!sample.isWhole || writesSample(format, sample)) return null;
  const expected = sample.text;
  if (format.calls === null) return { expected, actual: 'the format has no calls' };
  if (readSample(format, sample) !== 'as meant')
    return { expected, actual: 'the parser reads something else' };
  return derivesSample(format, sample) ? null : { expected, actual: 'the grammar derives something else' };
}

function isComplete(matcher: Matcher, text: string): boolean {
  const here = matcher.clone();
  return here.accept(text) && here.complete;
}

/** The message without what the template omits. */
export function shownMessage(format: ChatFormat, message: AssistantMessage, turn: string): AssistantMessage {
  const content = typeof message.content === 'string' ? message.content : '';
  const thoughts = message.reasoning_content ?? '';
  const { content: _content, reasoning_content: _reasoning, tool_calls: made, ...rest } = message;
  const shown: AssistantMessage = {
    ...rest,
    content: content !== '' && turn.includes(content.trim()) ? content : '',
    ...(thoughts !== '' && turn.includes(thoughts.trim()) ? { reasoning_content: thoughts } : {}),
  };
  const rendered = (made ?? []).filter((call) => turn.includes(call.function.name));
  const calls = format.calls === null ? [] : shownCalls(format, rendered);
  if (calls.length === 0) return shown;
  const withCalls = turnLayout(format).content.position === 'reasoning' ? contentAsReasoning(shown) : shown;
  return { ...withCalls, tool_calls: calls };
}

/** Some templates move content next to calls into the reasoning. */
function contentAsReasoning(message: AssistantMessage): AssistantMessage {
  const content = typeof message.content === 'string' ? message.content : '';
  const thoughts = [message.reasoning_content ?? '', content].filter((each) => each !== '').join('\n\n');
  return { ...message, content: '', ...(thoughts === '' ? {} : { reasoning_content: thoughts }) };
}

/**
 * Whether the turn shows anything of its message. Two kinds of turns are none that a model writes, so they show
 * nothing: one that opens reasoning and never closes it, for a message without any (analysis warns of it), and one
 * with a value that history writes unlike the model: a string that needs escapes and is pasted into quotes, or a
 * number in the quotes of strings.
 */
export function showsAnything({ format, message, turn }: RenderedCase): boolean {
  if (isUnshown(format, message)) return false;
  const { content, reasoning_content: thoughts, tool_calls: calls } = shownMessage(format, message, turn);
  if (thoughts === undefined && leavesReasoningOpen(turnLayout(format), turn)) return false;
  return content !== '' || thoughts !== undefined || calls !== undefined;
}

/** Whether history writes a value of the message unlike the model. */
export function isUnshown({ calls }: ChatFormat, { tool_calls: made = [] }: AssistantMessage): boolean {
  if (calls === null || calls.arguments.kind === 'json') return false;
  const { arguments: format, unshown = [] } = calls;
  const { codec, pasted } = format.frames.string;
  const spell = codec === 'python' ? writePythonString : JSON.stringify;
  const isOther = (value: JsonValue) =>
    typeof value === 'string'
      ? pasted !== undefined && spell(value) !== pasted + value + pasted
      : unshown.includes('types');
  return made.some((call) => Object.values<JsonValue>(JSON.parse(call.function.arguments)).some(isOther));
}

function leavesReasoningOpen({ reasoning }: TurnLayout, turn: string): boolean {
  if (reasoning === null || reasoning.open.isBlank) return false;
  return turn.trimStart().startsWith(reasoning.open.core) && !turn.includes(reasoning.close.core);
}

function shownCalls(format: ChatFormat, made: NonNullable<AssistantMessage['tool_calls']>) {
  const kept = format.calls?.parallel ? made : made.slice(0, 1);
  const args = format.calls?.arguments;
  const absent = (value: JsonType) => args?.kind === 'entries' && args.frames[value].codec === 'absent';
  return kept.map((call) => {
    const values: JsonObject = JSON.parse(call.function.arguments);
    const shown = Object.entries(values).filter(([, value]) => !absent(jsonType(value)));
    return { ...call, function: { ...call.function, arguments: JSON.stringify(Object.fromEntries(shown)) } };
  });
}

function parseWhole(format: ChatFormat, tools: readonly Tool[], turn: string): ResponseMessage {
  const parser = createResponseParser(format, { tools });
  parser.feed(turn);
  return parser.finish().message;
}

/** What a round trip must preserve, as text: ids only if the format writes them unchanged. */
function comparable(message: AssistantMessage | ResponseMessage, format: ChatFormat): string {
  const keepsIds = format.calls?.id?.style === 'free';
  const malformed = 'malformed' in message ? (message.malformed ?? []) : [];
  return JSON.stringify({
    content: (typeof message.content === 'string' ? message.content : '').trim(),
    reasoning: (message.reasoning_content ?? '').trim(),
    calls: (message.tool_calls ?? []).map(({ id, function: { name, arguments: args } }) => ({
      ...(keepsIds ? { id } : {}),
      name,
      arguments: sortedKeys(JSON.parse(args)),
    })),
    malformed,
  });
}

function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sortedKeys(item)]));
}

/** Where the stretches have a gap or an overlap; `null` if they tile `0..length`. */
function firstGap(events: readonly ResponseEvent[], length: number): string | null {
  let at = 0;
  for (const { type, start, end } of events) {
    if (start === end) continue;
    if (start !== at) return `${type} covers ${start}..${end} where ${at} was reached`;
    at = end;
  }
  return at === length ? null : `nothing covers ${at}..${length}`;
}
