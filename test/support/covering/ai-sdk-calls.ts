/** The AI SDK's language model: a chat's options as those of a call, and its parts as a client folds them. */
import type { LanguageModelV3CallOptions, LanguageModelV3StreamPart } from '@ai-sdk/provider';
import { type IdiolectModel, idiolect } from '../../../src/ai-sdk/index.ts';
import { IdiolectError } from '../../../src/format/errors.ts';
import type { ChatOptions } from '../../../src/runtime/chat/chat-options.ts';
import { type Exchange, type Handed, objectAt, textAt } from './handed.ts';

/** Asks twice, once for the whole answer and once for a stream. */
export async function askSdk(model: IdiolectModel, options: ChatOptions): Promise<Exchange> {
  const languageModel = idiolect(model);
  const call = callOptions(options);
  return {
    whole: await orCode(async () => {
      const { content, finishReason, usage, providerMetadata } = await languageModel.doGenerate(call);
      const metadata = providerMetadata === undefined ? {} : { providerMetadata };
      return handedOf(content, { finishReason, usage, ...metadata });
    }),
    streamed: await orCode(async () => {
      const { stream } = await languageModel.doStream(call);
      const parts: LanguageModelV3StreamPart[] = [];
      for await (const part of stream) {
        if (part.type === 'error') throw part.error;
        parts.push(part);
      }
      const finish = parts.find((part) => part.type === 'finish');
      if (finish === undefined) throw new Error('the stream has no end');
      return handedOf(parts, finish);
    }),
  };
}

async function orCode(ask: () => Promise<Handed>): Promise<Handed | string> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof IdiolectError) return error.code;
    throw error;
  }
}

type Finish = Omit<Extract<LanguageModelV3StreamPart, { type: 'finish' }>, 'type'>;

/** Text and thoughts of whole parts, or of deltas. */
function handedOf(
  parts: readonly { readonly type: string }[],
  { finishReason, usage, providerMetadata }: Finish,
): Handed {
  const joined = (type: string): string =>
    parts
      .map((part) => {
        if (part.type === type) return textAt(part, 'text');
        return part.type === `${type}-delta` ? textAt(part, 'delta') : '';
      })
      .join('');
  return {
    content: joined('text'),
    reasoning: joined('reasoning'),
    calls: parts
      .filter(({ type }) => type === 'tool-call')
      .map((part) => ({ name: textAt(part, 'toolName'), input: textAt(part, 'input') })),
    finish: finishReason.unified,
    promptTokens: usage.inputTokens.total,
    completionTokens: usage.outputTokens.total,
    told: providerMetadata?.idiolect !== undefined,
  };
}

function callOptions({ messages, tools = [], toolChoice, responseFormat, ...options }: ChatOptions) {
  const { maxTokens, stop, temperature, topK, topP, seed, ...others } = options;
  const call = {
    prompt: messages.map((message) => promptMessage(message)),
    tools: (tools as readonly object[]).map((tool) => ({
      type: 'function' as const,
      name: textAt(tool, 'function', 'name'),
      description: textAt(tool, 'function', 'description'),
      inputSchema: objectAt(tool, 'function', 'parameters'),
    })),
    ...(toolChoice === undefined ? {} : { toolChoice: choiceOf(toolChoice) }),
    ...(responseFormat === undefined ? {} : { responseFormat: formatOf(responseFormat) }),
    ...{ maxOutputTokens: maxTokens, stopSequences: stop, temperature, topK, topP, seed },
    providerOptions: { idiolect: others },
  };
  // Options of this package are more than JSON to the SDK's types.
  return call as unknown as LanguageModelV3CallOptions;
}

function promptMessage(message: ChatOptions['messages'][number]): object {
  const text = [{ type: 'text', text: message.content }];
  if (message.role !== 'assistant') return { role: message.role, content: text };
  const { reasoning_content: thoughts } = message;
  return {
    role: 'assistant',
    content: thoughts === undefined ? text : [{ type: 'reasoning', text: thoughts }],
  };
}

function choiceOf(choice: NonNullable<ChatOptions['toolChoice']>): object {
  if (typeof choice === 'string') return { type: choice };
  if (choice.type === 'function') return { type: 'tool', toolName: choice.function.name };
  throw new Error('the SDK has no choice of several tools');
}

function formatOf(format: NonNullable<ChatOptions['responseFormat']>): object {
  if (format.type !== 'json_schema') return { type: format.type === 'text' ? 'text' : 'json' };
  return { type: 'json', schema: format.json_schema.schema };
}
