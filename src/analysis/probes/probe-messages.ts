/** From a probe to the messages and tools that a template is rendered with. */
import type { InputShape } from '../../format/chat-format.ts';
import type { Tool } from '../../format/messages.ts';
import type { Probe, ProbeCall } from './probes.ts';
import type { Sentinels } from '../../template/prompt/sentinels.ts';

/** The conversation shape under which a template is tried. */
export type ProbeShape = Pick<InputShape, 'arguments' | 'emptyContent' | 'reasoningField'>;

type RawMessage = Readonly<Record<string, unknown>>;

/** The messages of a probe: user, assistant, and what follows. */
export function probeMessages(probe: Probe | null, sentinels: Sentinels, shape: ProbeShape): RawMessage[] {
  const messages: RawMessage[] = [{ role: 'user', content: sentinels.user }];
  if (probe === null) return messages;
  messages.push(assistantMessage(probe, shape));
  if (probe.followedBy === 'user') messages.push({ role: 'user', content: sentinels.laterUser });
  if (probe.followedBy === 'tool') messages.push(...toolMessages(probe.calls ?? [], sentinels));
  return messages;
}

function assistantMessage(probe: Probe, shape: ProbeShape): RawMessage {
  const message: Record<string, unknown> = { role: 'assistant' };
  const hasCalls = (probe.calls ?? []).length > 0;
  if (probe.content !== undefined && probe.content !== '') message.content = probe.content;
  else if (!hasCalls || shape.emptyContent === 'empty') message.content = '';
  else if (shape.emptyContent === 'null') message.content = null;
  addReasoning(message, probe, shape);
  if (hasCalls) message.tool_calls = probe.calls?.map((call) => rawCall(call, shape));
  return message;
}

function addReasoning(message: Record<string, unknown>, probe: Probe, shape: ProbeShape): void {
  if (probe.reasoning === undefined || shape.reasoningField === null) return;
  if (shape.reasoningField !== 'thinking-part') {
    message[shape.reasoningField] = probe.reasoning;
    return;
  }
  const parts: RawMessage[] = [{ type: 'thinking', thinking: probe.reasoning }];
  if (probe.content !== undefined && probe.content !== '') parts.push({ type: 'text', text: probe.content });
  message.content = parts;
}

function rawCall(call: ProbeCall, shape: ProbeShape): RawMessage {
  const text = JSON.stringify(call.arguments);
  return {
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: shape.arguments === 'string' ? text : JSON.parse(text) },
  };
}

function toolMessages(calls: readonly ProbeCall[], sentinels: Sentinels): RawMessage[] {
  return calls.map((call) => ({
    role: 'tool',
    tool_call_id: call.id,
    name: call.name,
    content: sentinels.toolResult,
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

/** Which tools a template stands: all types of arguments, strings only, or none at all. */
export type ToolLevel = 'typed' | 'plain' | 'none';

/** Tools whose schemas agree with every argument of the probes. */
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
