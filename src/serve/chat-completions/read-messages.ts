/** Reads the messages of a request, without fields that no template reads. */
import { readMessages } from '../../format/check-messages.ts';
import { MessageError } from '../../format/errors.ts';
import type { Message } from '../../format/messages.ts';
import { isRecord } from '../../format/option-rules.ts';
import { earlierArguments } from '../content/earlier-arguments.ts';
import type { Notes } from '../content/notes.ts';
import { contentText, plainText } from '../content/part-text.ts';
import type { Body } from '../read-body.ts';

/** Fields of a message that templates read. */
const messageFields = ['role', 'content', 'name', 'tool_calls', 'tool_call_id', 'reasoning_content'];

/** Reads the conversation. Throws `MessageError`, and `RequestError` for content that cannot be read. */
export function readChatMessages(given: unknown, notes: Notes): readonly Message[] {
  if (!Array.isArray(given)) return readMessages(given);
  return readMessages(
    given.map((message: unknown, index) => readMessage(message, `messages[${index}]`, notes)),
  );
}

/** Its result would have a role that no template knows, so it is not read as a call either. */
const olderCall = 'calls are read from tool_calls only, and their results from messages of the role "tool"';

/** Answers of other servers have more fields; `reasoning` is a newer name of the thoughts. */
function readMessage(message: unknown, path: string, notes: Notes): unknown {
  if (!isRecord(message)) return message;
  const { reasoning, content, tool_calls: calls, function_call: older, ...rest } = message;
  if (older != null) throw new MessageError({ path: `${path}.function_call`, reason: olderCall });
  const thoughts = rest.reasoning_content ?? (typeof reasoning === 'string' ? reasoning : undefined);
  const read = {
    ...rest,
    content: readContent(content, `${path}.content`, notes) ?? null,
    ...(thoughts === undefined ? {} : { reasoning_content: thoughts }),
    ...(calls === undefined ? {} : { tool_calls: readCalls(calls, `${path}.tool_calls`, notes) }),
  };
  return Object.fromEntries(Object.entries(read).filter(([name]) => messageFields.includes(name)));
}

/** Parts that are text remain parts, because templates may join them in their own way. */
function readContent(content: unknown, path: string, notes: Notes): unknown {
  // Some frameworks give what their tools return.
  if (isRecord(content)) return JSON.stringify(content);
  if (!Array.isArray(content)) return content;
  const texts = content.map((part: unknown) => (isRecord(part) ? plainText(part) : null));
  if (texts.includes(null)) return contentText(content, path, notes);
  return texts.map((text) => ({ type: 'text', text }));
}

function readCalls(calls: unknown, path: string, notes: Notes): unknown {
  if (!Array.isArray(calls)) return calls;
  return calls.map((call: unknown, index) => {
    if (!isRecord(call) || !isRecord(call.function)) return call;
    const at = `${path}[${index}].function.arguments`;
    const called: Body = {
      ...call.function,
      arguments: earlierArguments(call.function.arguments, at, notes),
    };
    return { ...call, function: called };
  });
}
