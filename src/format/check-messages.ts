/** Validates messages before a template renders them. */
import { MessageError } from './errors.ts';
import { parseObject } from './json-values.ts';
import type { Message, SystemMessage, ToolCall } from './messages.ts';
import { isRecord, shown, spelling } from './option-rules.ts';

const ownKeys = ['content', 'reasoning_content', 'tool_calls', 'tool_call_id'];
const ownSpellings = new Map(ownKeys.map((name) => [spelling(name), name]));
const roles = new Set(['system', 'developer', 'user', 'assistant', 'tool']);

function refuse(path: string, reason: string): never {
  throw new MessageError({ path, reason });
}

function checkContent(content: unknown, path: string, role: string): void {
  if (typeof content === 'string') return;
  const isAbsent = content === undefined || content === null;
  if (isAbsent && (role === 'assistant' || role === 'tool')) return;
  if (isAbsent) refuse(path, `a message of the role ${role} needs content: text, or a list of parts`);
  if (!Array.isArray(content)) refuse(path, 'content must be text, or a list of parts');
  content.forEach((part, index) => {
    if (!isRecord(part) || typeof part.type !== 'string') refuse(`${path}[${index}]`, 'a part needs a type');
  });
}

function checkCall(call: unknown, path: string): void {
  if (!isRecord(call) || !isRecord(call.function)) refuse(path, 'a tool call needs a function');
  const { name, arguments: args } = call.function;
  if (typeof name !== 'string')
    refuse(`${path}.function.name`, 'the name of the called function must be text');
  if (!isRecord(args) && !holdsObject(args)) {
    refuse(`${path}.function.arguments`, 'arguments must be the JSON text of an object');
  }
}

/** Whether text is the JSON of an object; servers write an empty text for a call without arguments. */
function holdsObject(text: unknown): boolean {
  if (typeof text !== 'string') return false;
  return text.trim() === '' || parseObject(text) !== null;
}

function checkMessage(message: unknown, path: string): void {
  if (!isRecord(message)) refuse(path, 'a message must be an object');
  if (typeof message.role !== 'string' || !roles.has(message.role)) {
    refuse(`${path}.role`, `role must be one of ${[...roles].join(', ')}, got ${shown(message.role)}`);
  }
  refuseOtherSpellings(message, path);
  checkContent(message.content, `${path}.content`, message.role);
  const { tool_calls: calls, reasoning_content: reasoning } = message;
  if (reasoning !== undefined && reasoning !== null && typeof reasoning !== 'string') {
    refuse(`${path}.reasoning_content`, 'reasoning must be text');
  }
  if (calls === undefined || calls === null) return;
  if (!Array.isArray(calls)) refuse(`${path}.tool_calls`, 'tool_calls must be a list');
  calls.forEach((call, index) => {
    checkCall(call, `${path}.tool_calls[${index}]`);
  });
}

/** Templates may read unknown keys, but none reads `toolCalls`, whose calls would be lost silently. */
function refuseOtherSpellings(message: Readonly<Record<string, unknown>>, path: string): void {
  for (const key of Object.keys(message)) {
    if (key === 'role' || ownKeys.includes(key) || (message[key] ?? null) === null) continue;
    const meant = ownSpellings.get(spelling(key));
    if (meant !== undefined) refuse(`${path}.${key}`, `unknown key; did you mean ${meant}?`);
  }
}

function checkMessages(messages: unknown): void {
  if (!Array.isArray(messages)) refuse('messages', 'messages must be a list');
  if (messages.length === 0) refuse('messages', 'there is nothing to render; give at least one message');
  messages.forEach((message, index) => {
    checkMessage(message, `messages[${index}]`);
  });
}

/**
 * Normalises messages: `null` only for absent content, arguments as JSON text, nothing of a response that is not for
 * templates. Throws MessageError with the path of
 * the first fault.
 */
export function readMessages(messages: unknown): readonly Message[] {
  checkMessages(messages);
  return (messages as readonly Message[]).map(inOneSpelling);
}

/** Normalises one message; `path` is its position, for errors. */
export function readMessage(message: unknown, path: string): Message {
  checkMessage(message, path);
  return inOneSpelling(message as Message);
}

function inOneSpelling(message: Message): Message {
  if (message.role !== 'assistant') return message;
  const { tool_calls: calls, reasoning_content: reasoning, ...others } = message;
  return {
    ...withoutNotes(others),
    ...(reasoning == null ? {} : { reasoning_content: reasoning }),
    ...(calls == null ? {} : { tool_calls: calls.map(withArgumentText) }),
  };
}

/** What responses say about themselves; a template that serialises whole messages would show it to the model. */
const notes = ['assurance', 'malformed', 'repaired', 'possible_calls'];

function withoutNotes<Value extends object>(value: Value): Value {
  if (!notes.some((note) => note in value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !notes.includes(key))) as Value;
}

function withArgumentText(given: ToolCall): ToolCall {
  const call = withoutNotes(given);
  const { arguments: args } = call.function as { readonly arguments: unknown };
  const text = typeof args === 'string' ? args : JSON.stringify(args);
  return { ...call, function: { ...call.function, arguments: text.trim() === '' ? '{}' : text } };
}

/** Whether a message gives the model instructions. */
export function isInstruction(message: Message): message is SystemMessage {
  return message.role === 'system' || message.role === 'developer';
}
