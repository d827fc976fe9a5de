/** Converts call options of the AI SDK to options of a chat, with warnings for those without effect. */
import type { LanguageModelV3CallOptions, SharedV3Warning } from '@ai-sdk/provider';
import type { JsonSchema, Message, Tool, ToolChoice } from '../format/messages.ts';
import { withoutUndefined } from '../format/option-rules.ts';
import type { ChatOptions } from '../runtime/chat/chat-options.ts';
import { effortOptions } from '../runtime/chat/reasoning-effort.ts';
import { promptMessages } from './prompt-messages.ts';

/** Options of a chat that the AI SDK does not have: `providerOptions: { idiolect: { thinking: false } }`. */
export type IdiolectProviderOptions = Omit<
  ChatOptions,
  'messages' | 'tools' | 'toolChoice' | 'responseFormat' | 'maxTokens' | 'stop' | 'signal' | 'reasoningFormat'
>;

/** A call's options, and its warnings. */
interface CallRequest {
  readonly chat: ChatOptions;
  readonly warnings: SharedV3Warning[];
}

/** The newer generation of the SDK also has an effort. */
type CallOptions = LanguageModelV3CallOptions & { readonly reasoning?: string };

/** Reads the options of one call. Those that do not apply to a local model are omitted with a warning. */
export function readOptions(options: CallOptions): CallRequest {
  const warnings: SharedV3Warning[] = [];
  const warn = (warning: SharedV3Warning): void => void warnings.push(warning);
  const chat: ChatOptions = {
    ...samplingOptions(options),
    ...(isEffort(options.reasoning) ? effortOptions(options.reasoning) : {}),
    ...options.providerOptions?.idiolect,
    ...withoutUndefined({
      maxTokens: options.maxOutputTokens,
      stop: options.stopSequences?.filter((text) => text !== ''),
      signal: options.abortSignal,
    }),
    ...toolOptions(options, warn),
    ...formatOptions(options),
    messages: tellSchema(promptMessages(options.prompt, warn), options.responseFormat),
  };
  return { chat, warnings };
}

type Warn = (warning: SharedV3Warning) => void;

function samplingOptions({
  temperature,
  topK,
  topP,
  presencePenalty,
  frequencyPenalty,
  seed,
}: CallOptions): Partial<ChatOptions> {
  return withoutUndefined({ temperature, topK, topP, presencePenalty, frequencyPenalty, seed });
}

function isEffort(effort: string | undefined): effort is string {
  return effort !== undefined && effort !== 'provider-default';
}

function toolOptions({ tools = [], toolChoice }: CallOptions, warn: Warn): Partial<ChatOptions> {
  const offered = tools.flatMap((tool): Tool[] => {
    if (tool.type === 'function') return [functionTool(tool)];
    warn({ type: 'unsupported', feature: `the provider's tool "${tool.id}"` });
    return [];
  });
  if (offered.length === 0) return {};
  return withoutUndefined({ tools: offered, toolChoice: toolChoice && choiceOf(toolChoice) });
}

interface FunctionTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: unknown;
}

function functionTool({ name, description, inputSchema }: FunctionTool): Tool {
  const parameters = inputSchema as JsonSchema;
  return {
    type: 'function',
    function: withoutUndefined({ name, description, parameters }),
  };
}

function choiceOf(choice: NonNullable<CallOptions['toolChoice']>): ToolChoice {
  return choice.type === 'tool' ? { type: 'function', function: { name: choice.toolName } } : choice.type;
}

function formatOptions({ responseFormat }: CallOptions): Partial<ChatOptions> {
  if (responseFormat?.type !== 'json') return {};
  const { schema } = responseFormat;
  if (schema === undefined) return { responseFormat: { type: 'json_object' } };
  return { responseFormat: { type: 'json_schema', json_schema: { schema: schema as JsonSchema } } };
}

/** The grammar enforces the schema, but the model answers better if it also knows it. */
function tellSchema(messages: Message[], format: CallOptions['responseFormat']): Message[] {
  if (format?.type !== 'json') return messages;
  const [first, ...rest] = messages;
  const demand = schemaDemand(format);
  if (first?.role !== 'system' || typeof first.content !== 'string') {
    return [{ role: 'system', content: demand }, ...messages];
  }
  return [{ role: 'system', content: `${first.content}\n\n${demand}` }, ...rest];
}

function schemaDemand(format: Extract<CallOptions['responseFormat'], { type: 'json' }>): string {
  const { schema, name, description } = format;
  const of = name === undefined ? '' : ` "${name}"`;
  const purpose = description === undefined ? '' : ` (${description})`;
  if (schema === undefined) return `Answer with a JSON object${of}${purpose} and nothing else.`;
  return `Answer with JSON${of}${purpose} that fits this JSON Schema, and nothing else:\n${JSON.stringify(schema)}`;
}
