/**
 * The writer: the text that a model writes for a message, as a pure function of its format.
 *
 * The text begins after the turn's start and ends before its end. It equals the chat template's render of the same
 * message, byte for byte; grammars and forced text are made from the same markers.
 */
import type { CallPart, ChatFormat } from '../format/chat-format.ts';
import { readMessage } from '../format/check-messages.ts';
import { MessageError } from '../format/errors.ts';
import { parseExactObject } from '../format/exact-json.ts';
import type { AssistantMessage, ToolCall } from '../format/messages.ts';
import { chatFormat, requireOption } from '../format/option-rules.ts';
import { writeArguments, writeJsonString } from '../format/write-values.ts';
import type { CallsRegion } from './calls-region.ts';
import type { ContentRegion, ReasoningRegion } from './regions.ts';
import { turnLayout } from './turn-layout.ts';

/**
 * The response text of `message` in `format`, after the turn's start and without an end of turn. Calls are omitted if
 * the format has none. Throws `MessageError` if the message is not an assistant's, or a call's arguments are not the
 * JSON of an object; `UnsupportedOptionError` if `format` is not a format.
 */
export function writeResponse(format: ChatFormat, given: AssistantMessage): string {
  requireOption('format', format, chatFormat);
  const message = readMessage(given, 'message');
  if (message.role !== 'assistant') {
    throw new MessageError({ path: 'message.role', reason: 'a response is the message of an assistant' });
  }
  const { lead, reasoning, content, calls } = turnLayout(format);
  const called = calls === null ? [] : (message.tool_calls ?? []);
  const text = contentText(message);
  const thoughts = reasoning === null ? '' : (message.reasoning_content ?? '');
  if (calls === null || called.length === 0) {
    return lead.text + writeReasoning(reasoning, thoughts, false) + writeContent(content, text, thoughts);
  }
  const moved = content.position === 'reasoning' ? text : '';
  const joined = [thoughts, moved].filter((each) => each !== '').join('\n\n');
  const before = lead.text + writeReasoning(reasoning, joined, true);
  const body = writeCalls(calls, called);
  if (text === '') return before + content.empty.text + body;
  if (content.position === 'dropped' || content.position === 'reasoning') return before + body;
  const [, other] = content.wrappers;
  const written =
    other === undefined ? writeContent(content, text, thoughts) : other.open.text + text + other.close.text;
  const gap = content.beforeCalls.text;
  return before + (content.position === 'after-calls' ? body + gap + written : written + gap + body);
}

/** The text of a message's content; parts of types other than `text` have none. */
function contentText(message: AssistantMessage): string {
  if (typeof message.content === 'string') return message.content;
  const parts = message.content ?? [];
  return parts.map((part) => (typeof part.text === 'string' ? part.text : '')).join('');
}

function writeReasoning(reasoning: ReasoningRegion | null, thoughts: string, withCalls: boolean): string {
  if (reasoning === null) return '';
  if (thoughts !== '') return reasoning.open.text + thoughts + reasoning.close.text;
  return withCalls ? reasoning.emptyWithCalls.text : reasoning.empty.text;
}

function writeContent(
  { open, close, afterReasoning }: ContentRegion,
  text: string,
  thoughts: string,
): string {
  return (thoughts === '' ? '' : afterReasoning.text) + open.text + text + close.text;
}

/** The section of calls: its markers, the calls and their separators. */
export function writeCalls(region: CallsRegion, calls: readonly ToolCall[]): string {
  const written = calls.map((call, index) => {
    const separator = index === 0 ? '' : index === 1 ? region.separator.text : region.laterSeparator.text;
    return separator + writeCall(region, call, index);
  });
  const closes = !(region.sectionCloseOptional && calls.length === 1);
  return region.open.text + written.join('') + (closes ? region.close.text : '');
}

/** One call with its markers. `index` is its position in the message. */
export function writeCall(region: CallsRegion, call: ToolCall, index: number): string {
  const escaped = region.envelope !== null;
  const head = writeParts(region.head, call, index, escaped);
  const tail = writeParts(region.tail, call, index, escaped);
  const values = parseExactObject(call.function.arguments) ?? {};
  const { open, close } = region.call;
  return open.text + head + writeArguments(region.arguments, values) + tail + close.text;
}

/** Parts of a call's skeleton with their holes filled; `escaped`, as inside a JSON string. */
export function writeParts(
  parts: readonly CallPart[],
  call: ToolCall,
  index: number,
  escaped: boolean,
): string {
  return parts.map((part) => writePart(part, call, index, escaped)).join('');
}

function writePart(part: CallPart, call: ToolCall, index: number, escaped: boolean): string {
  if (typeof part === 'string') return part;
  const spell = (text: string) => (escaped ? writeJsonString(text, false).slice(1, -1) : text);
  switch (part.hole) {
    case 'name':
      return spell(call.function.name);
    case 'id':
      return spell(call.id);
    case 'index':
      return String(part.base + index);
    case 'composed-id':
      return writeParts(part.parts, call, index, escaped);
  }
}
