/** Converts a prompt of the AI SDK to messages of a conversation. */
import type { LanguageModelV3Message, LanguageModelV3Prompt, SharedV3Warning } from '@ai-sdk/provider';
import type { AssistantMessage, Message, ToolCall, ToolMessage } from '../format/messages.ts';
import { describeFile, type FilePart } from '../tools/describe-file.ts';
import { resultText } from './result-text.ts';

type MessageOf<Role> = Extract<LanguageModelV3Message, { role: Role }>;
type Warn = (warning: SharedV3Warning) => void;

/**
 * The conversation of a prompt. A part that chat templates do not accept (an image, say) is replaced by a short
 * description, and `warn` is called.
 */
export function promptMessages(prompt: LanguageModelV3Prompt, warn: Warn): Message[] {
  return prompt.flatMap((message): readonly Message[] => {
    if (message.role === 'system') return [{ role: 'system', content: message.content }];
    if (message.role === 'user') return [{ role: 'user', content: userText(message, warn) }];
    if (message.role === 'assistant') return [assistantMessage(message, warn)];
    return toolMessages(message, warn);
  });
}

function userText({ content }: MessageOf<'user'>, warn: Warn): string {
  return content.map((part) => (part.type === 'text' ? part.text : fileText(part, warn))).join('\n');
}

/** The SDK keeps text and thoughts in parts; here each is one text, as the model wrote it. */
function assistantMessage({ content }: MessageOf<'assistant'>, warn: Warn): AssistantMessage {
  let text = '';
  let reasoning = '';
  const calls: ToolCall[] = [];
  for (const part of content) {
    if (part.type === 'text') text += part.text;
    else if (part.type === 'reasoning') reasoning += part.text;
    else if (part.type === 'tool-call') calls.push(toolCall(part, warn));
    else if (part.type === 'file') text += fileText(part, warn);
    else warn({ type: 'unsupported', feature: `a part of type "${part.type}" in an assistant message` });
  }
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

interface CallPart {
  readonly toolCallId: string;
  readonly toolName: string;
  readonly input: unknown;
}

/** The SDK parses arguments, so numbers that JavaScript has none for have changed before they come here. */
function toolCall({ toolCallId, toolName, input }: CallPart, warn: Warn): ToolCall {
  let hasChanged = false;
  const noteNumber = (_key: string, value: unknown): unknown => {
    hasChanged ||= Number.isInteger(value) && !Number.isSafeInteger(value);
    return value;
  };
  const text = typeof input === 'string' ? input : JSON.stringify(input ?? {}, noteNumber);
  if (hasChanged) {
    const message = `arguments of ${toolName} hold an integer beyond 2^53, which is not the one that the model wrote; let the tool take it as text`;
    warn({ type: 'other', message });
  }
  return { id: toolCallId, type: 'function', function: { name: toolName, arguments: text } };
}

/** Each result is a separate message. An approval is not a result: the SDK executes the call afterwards. */
function toolMessages({ content }: MessageOf<'tool'>, warn: Warn): ToolMessage[] {
  return content.flatMap((part): ToolMessage[] => {
    if (part.type !== 'tool-result') return [];
    const { toolCallId, toolName, output } = part;
    return [{ role: 'tool', tool_call_id: toolCallId, name: toolName, content: resultText(output, warn) }];
  });
}

function fileText(part: FilePart, warn: Warn): string {
  const { text, isDescribed } = describeFile(part);
  if (isDescribed) {
    const details = 'the model is told its name and type instead';
    warn({ type: 'unsupported', feature: `a file of type ${part.mediaType}`, details });
  }
  return text;
}
