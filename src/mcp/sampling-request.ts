/** What an MCP server asks of its client's model (`sampling/createMessage`), as the options of a chat. */
import { MessageError } from '../format/errors.ts';
import type { ContentPart, Message, ToolCall } from '../format/messages.ts';
import { isRecord, withoutUndefined } from '../format/option-rules.ts';
import type { ChatOptions } from '../runtime/chat/chat-options.ts';
import type { McpListedTool } from './mcp-client.ts';
import { contentText } from './result-content.ts';

/** A piece of a message: a text, a picture, a sound, a call (`tool_use`) or its result (`tool_result`). */
export type SamplingBlock = { readonly type: string } & Readonly<Record<string, unknown>>;

/** A message: of the server's own making, or what the model answered before. */
export interface SamplingMessage {
  readonly role: 'user' | 'assistant';
  readonly content: SamplingBlock | readonly SamplingBlock[];
}

/**
 * The parameters of a request: those of the official SDK's `CreateMessageRequest`. `modelPreferences` and
 * `includeContext` have no effect: there is one model, and it knows no other conversation.
 */
export interface SamplingParams {
  readonly messages: readonly SamplingMessage[];
  readonly maxTokens: number;
  readonly systemPrompt?: string | undefined;
  readonly temperature?: number | undefined;
  readonly stopSequences?: readonly string[] | undefined;
  readonly tools?: readonly McpListedTool[] | undefined;
  readonly toolChoice?: { readonly mode?: 'auto' | 'required' | 'none' | undefined } | undefined;
}

/** Reads a request for a model that sees pictures, or is told of them. Throws `MessageError`; the chat checks the rest. */
export function readSampling(params: SamplingParams, vision: boolean): ChatOptions {
  if (!isRecord(params) || !Array.isArray(params.messages)) throw refuse('messages', 'must be a list');
  const { messages, maxTokens, temperature, stopSequences, toolChoice } = params;
  // Servers in languages without `undefined` write null.
  const systemPrompt = params.systemPrompt ?? null;
  const tools = params.tools ?? [];
  const system = systemPrompt === null ? [] : [{ role: 'system', content: systemPrompt } as const];
  return {
    messages: [...system, ...messages.flatMap((message, index) => readMessage(message, index, vision))],
    // Schemas of servers may say what no grammar can; it is then checked.
    policy: 'degrade',
    ...withoutUndefined({ maxTokens, temperature, stop: stopSequences }),
    ...(tools.length === 0 ? {} : { tools, toolChoice: toolChoice?.mode ?? 'auto' }),
  };
}

function readMessage(message: SamplingMessage, index: number, vision: boolean): readonly Message[] {
  const at = `messages[${index}]`;
  if (!isRecord(message)) throw refuse(at, 'must be a message');
  const blocks: readonly unknown[] = [message.content].flat();
  if (!blocks.every(isBlock)) throw refuse(at, 'must have content: a block with a type, or a list of them');
  if (message.role === 'assistant') return [readAnswer(blocks)];
  if (message.role !== 'user') throw refuse(at, 'must have the role user or assistant');
  const results = blocks.filter(({ type }) => type === 'tool_result').map(readResult);
  const others = blocks.filter(({ type }) => type !== 'tool_result');
  const parts = others.map((block) => readPart(block, vision));
  if (parts.length === 0 && results.length > 0) return results;
  const isText = parts.every(({ type }) => type === 'text');
  return [...results, { role: 'user', content: isText ? parts.map(({ text }) => text).join('\n') : parts }];
}

function readAnswer(blocks: readonly SamplingBlock[]): Message {
  const calls = blocks.filter(({ type }) => type === 'tool_use').map(readCall);
  const texts = blocks.filter(({ type }) => type !== 'tool_use').map(contentText);
  return {
    role: 'assistant',
    content: texts.length === 0 ? null : texts.join('\n'),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

function readCall({ id, name, input }: SamplingBlock): ToolCall {
  const called = { name: String(name), arguments: JSON.stringify(input ?? {}) };
  return { id: String(id), type: 'function', function: called };
}

function readResult({ toolUseId, content, structuredContent, isError }: SamplingBlock): Message {
  const blocks = Array.isArray(content) ? content.filter(isBlock) : [];
  const text = blocks.map(contentText).join('\n');
  const told = text === '' && structuredContent !== undefined ? JSON.stringify(structuredContent) : text;
  return {
    role: 'tool',
    tool_call_id: String(toolUseId),
    content: isError === true ? `Error: ${told}` : told,
  };
}

function readPart(block: SamplingBlock, vision: boolean): ContentPart {
  const { type, mimeType, data } = block;
  if (!vision || type !== 'image') return { type: 'text', text: contentText(block) };
  return { type: 'image_url', image_url: { url: `data:${mimeType};base64,${data}` } };
}

function isBlock(value: unknown): value is SamplingBlock {
  return isRecord(value) && typeof value.type === 'string';
}

function refuse(path: string, reason: string): MessageError {
  return new MessageError({ path, reason });
}
