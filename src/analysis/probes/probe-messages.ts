/** Converts a probe to the messages and tools for rendering. */
import type { InputShape } from '../../format/chat-format.ts';
import type { Tool } from '../../format/messages.ts';
import { composedId } from '../../template/prompt/composed-ids.ts';
import type { Sentinels } from '../../template/prompt/sentinels.ts';
import type { Probe, ProbeCall } from './probes.ts';

/** The form of messages with which a template is probed. */
export type MessageForm = Omit<InputShape, 'thinkingVariables'>;

type RawMessage = Readonly<Record<string, unknown>>;

/** The messages of a probe: earlier ones, user, assistant, and what follows. */
export function probeMessages(probe: Probe | null, sentinels: Sentinels, form: MessageForm): RawMessage[] {
  const messages: RawMessage[] = [textMessage('user', sentinels.user, form)];
  if (probe === null) return messages;
  if (probe.isLater) {
    const earlier = assistantMessage({ id: 'earlier', content: sentinels.content }, form);
    messages.unshift(textMessage('user', sentinels.laterUser, form), earlier);
  }
  messages.push(assistantMessage(probe, form));
  if (probe.followedBy === 'user' || probe.followedBy === 'exchange')
    messages.push(textMessage('user', sentinels.laterUser, form));
  if (probe.followedBy === 'exchange')
    messages.push(assistantMessage({ id: 'later', content: sentinels.part }, form));
  if (probe.followedBy === 'tool') messages.push(...toolMessages(probe.calls ?? [], sentinels, form));
  return messages;
}

type Role = 'user' | 'assistant' | 'tool';

function textMessage(role: Role, text: string, { contentParts }: MessageForm): RawMessage {
  if (contentParts?.includes(role) !== true) return { role, content: text };
  return { role, content: text === '' ? [] : [{ type: 'text', text }] };
}

function assistantMessage(probe: Probe, form: MessageForm): RawMessage {
  const message: Record<string, unknown> = { role: probe.role ?? 'assistant' };
  const hasCalls = (probe.calls ?? []).length > 0;
  const content = probe.content ?? '';
  if (content !== '' || !hasCalls || form.emptyContent === 'empty')
    message.content = textMessage('assistant', content, form).content;
  else if (form.emptyContent === 'null') message.content = null;
  addReasoning(message, probe, form);
  const calls = probe.calls?.map((call, index) => rawCall(call, index, form)) ?? [];
  if (hasCalls && form.calls === 'single') message.function_call = calls[0];
  else if (hasCalls) message.tool_calls = calls;
  return message;
}

function addReasoning(message: Record<string, unknown>, probe: Probe, form: MessageForm): void {
  if (probe.reasoning === undefined || form.reasoningField === null) return;
  if (form.reasoningField !== 'thinking-part') {
    message[form.reasoningField] = probe.reasoning;
    return;
  }
  const parts: RawMessage[] = [{ type: 'thinking', thinking: probe.reasoning }];
  if (probe.content !== undefined && probe.content !== '') parts.push({ type: 'text', text: probe.content });
  message.content = parts;
}

function idOf(call: ProbeCall, index: number, { callIds }: MessageForm): string {
  return callIds === 'composed' ? composedId(call.name, index) : call.id;
}

function rawCall(call: ProbeCall, index: number, form: MessageForm): RawMessage {
  const text = JSON.stringify(call.arguments);
  const called = { name: call.name, arguments: form.arguments === 'string' ? text : JSON.parse(text) };
  if (form.calls === 'single') return called;
  const id = idOf(call, index, form);
  return form.calls === 'flat'
    ? { id, type: 'function', ...called }
    : { id, type: 'function', function: called };
}

function toolMessages(calls: readonly ProbeCall[], sentinels: Sentinels, form: MessageForm): RawMessage[] {
  return calls.map((call, index) => ({
    tool_call_id: idOf(call, index, form),
    name: call.name,
    ...textMessage('tool', sentinels.toolResult, form),
    ...(form.resultRole === undefined ? {} : { role: form.resultRole }),
  }));
}

const typedSchemas = {
  string: { type: 'string' },
  integer: { type: 'integer' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  null: { type: 'string' },
  array: { type: 'array', items: { type: 'string' } },
  object: { type: 'object', properties: {}, additionalProperties: true },
} as const;

/** The tools that a template accepts: with arguments of all types, with strings only, or none at all. */
export type ToolLevel = 'typed' | 'plain' | 'none';

/** Tools whose schemas match every argument of the probes. */
export function probeTools(sentinels: Sentinels, level: ToolLevel): readonly Tool[] {
  if (level === 'none') return [];
  const described = (schema: object) => ({ ...schema, description: 'about' });
  const strings = sentinels.keys.map((key) => [key, described({ type: 'string' })] as const);
  const typed = Object.entries(typedSchemas).map(
    ([type, schema]) => [sentinels.typed[type as keyof typeof typedSchemas], described(schema)] as const,
  );
  const properties = Object.fromEntries(level === 'plain' ? strings : [...strings, ...typed]);
  return sentinels.names.map((name) => ({
    type: 'function',
    function: {
      name,
      description: 'about',
      parameters: { type: 'object', properties, required: [sentinels.keys[0]], additionalProperties: false },
    },
  }));
}
