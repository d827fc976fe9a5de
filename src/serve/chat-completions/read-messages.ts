/** Reads the messages of a request, without fields that no template reads. */
import { readMessages } from '../../format/check-messages.ts';
import { writeExactJson } from '../../format/exact-json.ts';
import type { ContentPart, Message } from '../../format/messages.ts';
import { isRecord } from '../../format/option-rules.ts';
import { closedArguments } from '../cut-arguments.ts';
import { invalid } from '../errors.ts';

/** Fields of a message that templates read. */
const messageFields = ['role', 'content', 'name', 'tool_calls', 'tool_call_id', 'reasoning_content'];

/** Reads the conversation. Throws `MessageError`, and `RequestError` for content that is not text. */
export function readChatMessages(given: unknown): readonly Message[] {
  const messages = Array.isArray(given) ? given.map(withKnownFields) : given;
  return readMessages(messages).map((message, index) => withText(message, `messages[${index}]`));
}

/** Answers of other servers have more fields; `reasoning` is a newer name of the thoughts. */
function withKnownFields(message: unknown): unknown {
  if (!isRecord(message)) return message;
  const { reasoning, ...rest } = message;
  const thoughts = rest.reasoning_content ?? (typeof reasoning === 'string' ? reasoning : undefined);
  const named = thoughts === undefined ? rest : { ...rest, reasoning_content: thoughts };
  const kept = Object.entries(named).filter(([name]) => messageFields.includes(name));
  return Object.fromEntries(
    kept.map(([name, value]) => [name, name === 'tool_calls' ? withTexts(value) : value]),
  );
}

/** The calls of a message with their arguments as text that a template can render. */
function withTexts(calls: unknown): unknown {
  return Array.isArray(calls) ? calls.map(withArgumentText) : calls;
}

function withArgumentText(call: unknown): unknown {
  if (!isRecord(call) || !isRecord(call.function)) return call;
  return { ...call, function: { ...call.function, arguments: textOf(call.function.arguments) } };
}

/** An object, as in Ollama's API, becomes its text before a number of it could change; a text that was cut is closed. */
function textOf(given: unknown): unknown {
  if (isRecord(given)) return writeExactJson(given);
  return typeof given === 'string' ? closedArguments(given) : given;
}

function withText(message: Message, path: string): Message {
  const { content } = message;
  if (content === undefined) return { ...(message as Message & object), content: null } as Message;
  if (!Array.isArray(content)) return message;
  const parts = content.map((part: ContentPart, index) => textPart(part, `${path}.content[${index}]`));
  return { ...message, content: parts } as Message;
}

/** A template may render a placeholder for an image that no engine here receives. */
function textPart(part: ContentPart, path: string): ContentPart {
  if (part.type === 'text' && typeof part.text === 'string') return { type: 'text', text: part.text };
  if (part.type === 'refusal' && typeof part.refusal === 'string')
    return { type: 'text', text: part.refusal };
  throw invalid(
    path,
    `${path}: parts of type ${part.type} are not supported, only text`,
    'unsupported_content',
  );
}
