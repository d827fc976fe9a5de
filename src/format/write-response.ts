/**
 * The writer: the text that a model writes for a message, as a pure function of its format.
 *
 * The text begins after `turn.start` and ends before the end of the turn. It equals the chat template's render of the
 * same message, byte for byte; grammars and forced text are made from the same strings.
 */
import type { ArgumentsFormat, CallPart, CallsFormat, ChatFormat, EntryArguments } from './chat-format.ts';
import { readMessage } from './check-messages.ts';
import { MessageError } from './errors.ts';
import type { AssistantMessage, JsonObject, ToolCall } from './messages.ts';
import { chatFormat, requireOption } from './option-rules.ts';
import { jsonType, orderedEntries, writeFramed, writeJson, writeJsonString } from './write-values.ts';

/**
 * The response text of `message` in `format`, after `turn.start` and without an end of turn. Calls are omitted if the
 * format has none. Throws `MessageError` if the message is not an assistant's, or a call's arguments are not the JSON
 * of an object; `UnsupportedOptionError` if `format` is not a format.
 */
export function writeResponse(format: ChatFormat, given: AssistantMessage): string {
  requireOption('format', format, chatFormat);
  const message = readMessage(given, 'message');
  if (message.role !== 'assistant') {
    throw new MessageError({ path: 'message.role', reason: 'a response is the message of an assistant' });
  }
  const calls = format.calls === null ? [] : (message.tool_calls ?? []);
  const content = contentText(message);
  const lead = format.turn.lead ?? '';
  const body = format.calls === null || calls.length === 0 ? null : writeCalls(format.calls, calls);
  if (body === null)
    return lead + writeReasoning(format, message, false) + writeContent(format, message, content);
  return lead + writeContentWithCalls(format, message, content, body);
}

/** The text of a message's content; parts of types other than `text` have none. */
function contentText(message: AssistantMessage): string {
  if (typeof message.content === 'string') return message.content;
  const parts = message.content ?? [];
  return parts.map((part) => (typeof part.text === 'string' ? part.text : '')).join('');
}

function writeReasoning(format: ChatFormat, message: AssistantMessage, withCalls: boolean): string {
  const { reasoning } = format;
  if (reasoning === null) return '';
  const thoughts = message.reasoning_content ?? '';
  if (thoughts !== '') return reasoning.start + thoughts + reasoning.end;
  return withCalls ? (reasoning.emptyWithCalls ?? reasoning.empty) : reasoning.empty;
}

function writeContent(format: ChatFormat, message: AssistantMessage, content: string): string {
  const { open, close, afterReasoning } = format.content;
  const thought = format.reasoning !== null && (message.reasoning_content ?? '') !== '';
  return (thought ? (afterReasoning ?? '') : '') + open + content + close;
}

function writeContentWithCalls(
  format: ChatFormat,
  message: AssistantMessage,
  content: string,
  calls: string,
): string {
  const { position, beforeCalls, withCalls, empty } = format.content;
  const reasoning = writeReasoning(format, message, true);
  if (content === '') return reasoning + (empty ?? '') + calls;
  if (position === 'dropped') return reasoning + calls;
  if (position === 'reasoning') {
    const thoughts = message.reasoning_content ?? '';
    return writeReasoning(format, { ...message, reasoning_content: thoughts + content }, true) + calls;
  }
  const written =
    withCalls === null ? writeContent(format, message, content) : withCalls.open + content + withCalls.close;
  if (position === 'after-calls') return reasoning + calls + beforeCalls + written;
  return reasoning + written + beforeCalls + calls;
}

/** The section of calls: its markers, the calls and their separators. */
export function writeCalls(format: CallsFormat, calls: readonly ToolCall[]): string {
  const later = format.laterSeparator ?? format.separator;
  const written = calls
    .map((call, index) => {
      const separator = index === 0 ? '' : index === 1 ? format.separator : later;
      return separator + writeCall(format, call, index);
    })
    .join('');
  const closes = !(format.sectionCloseOptional && calls.length === 1);
  return format.section.open + written + (closes ? format.section.close : '');
}

/** One call, from `call.open` to `call.close`. `index` is its position in the message. */
function writeCall(format: CallsFormat, call: ToolCall, index: number): string {
  const part = (each: CallPart) => writePart(each, call, index, format.envelope !== null);
  const head = format.head.map(part).join('');
  const tail = format.tail.map(part).join('');
  const values: JsonObject = JSON.parse(call.function.arguments === '' ? '{}' : call.function.arguments);
  return format.call.open + head + writeArguments(format.arguments, values) + tail + format.call.close;
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
      return part.parts.map((each) => writePart(each, call, index, escaped)).join('');
  }
}

/** The arguments of one call. */
export function writeArguments(format: ArgumentsFormat, values: JsonObject): string {
  if (format.kind === 'entries') return writeEntries(format, values);
  if (format.empty !== null && Object.keys(values).length === 0) return format.empty;
  const json = writeJson(values, format.style);
  return format.encoding === 'string' ? writeJsonString(json, format.style.ascii) : json;
}

function writeEntries(format: EntryArguments, values: JsonObject): string {
  const entries = orderedEntries(values, format.sorted ? 'ignoring-case' : 'none')
    .filter(([, value]) => format.frames[jsonType(value)].codec !== 'absent')
    .map(([key, value]) => {
      const close = format.entry.close.map((part) => (typeof part === 'string' ? part : key)).join('');
      return format.entry.open + key + format.entry.key + writeFramed(value, format) + close;
    });
  if (entries.length === 0) return format.empty;
  return format.open + entries.join(format.separator) + format.close;
}
