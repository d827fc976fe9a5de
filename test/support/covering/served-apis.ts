/** The three APIs of the server: a chat's options as their requests, and their answers as a client folds them. */
import type { ChatOptions } from '../../../src/runtime/chat/chat-options.ts';
import { createHandler, type ServableModel } from '../../../src/serve/index.ts';
import { type Exchange, type Handed, listAt, numberAt, objectAt, textAt } from './handed.ts';

/** How an API is spoken. */
interface Api {
  readonly path: string;
  /** The body but for `stream`. */
  body(options: ChatOptions): object;
  readWhole(answer: object): Handed;
  /** `events`: the data of all events in order, without `[DONE]`. */
  readStream(events: readonly object[]): Handed;
}

/** Asks twice, once for the whole answer and once for a stream. What the API has no field for, the server adds. */
export async function askServer(
  model: ServableModel,
  api: keyof typeof apis,
  options: ChatOptions,
): Promise<Exchange> {
  const { path, body, readWhole, readStream } = apis[api];
  const { policy = 'strict', thinking, thinkingBudget } = options;
  const defaults = Object.entries({ thinking, thinkingBudget }).filter(([, value]) => value !== undefined);
  const handler = createHandler(model, { policy, defaults: Object.fromEntries(defaults) });
  const ask = (stream: boolean): Promise<Response> =>
    handler(
      new Request(`http://served.test${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: model.name, ...body(options), stream }),
      }),
    );
  const answered = await ask(false);
  const answer = (await answered.json()) as object;
  const whole = answered.ok ? readWhole(answer) : codeOf(answer);
  const streaming = await ask(true);
  const streamed = streaming.ok
    ? readEvents(await streaming.text(), readStream)
    : codeOf(await streaming.json());
  await handler.close();
  return { whole, streamed };
}

/** What a client of the API at `path` has of a successful answer, whole or streamed; the code of an error. */
export function handedBy(path: string, text: string): Handed | string {
  const api = Object.values(apis).find((each) => each.path === path);
  if (api === undefined) throw new RangeError(`no API is at ${path}`);
  return text.startsWith('{') ? api.readWhole(JSON.parse(text)) : readEvents(text, api.readStream);
}

function codeOf(answer: unknown): string {
  return textAt(answer, 'error', 'code') || textAt(answer, 'error', 'details', 'error_code') || 'unknown';
}

function readEvents(text: string, read: Api['readStream']): Handed | string {
  const data = text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []));
  const events = data.filter((each) => each !== '[DONE]').map((each): object => JSON.parse(each));
  const failed = events.find((each) => 'error' in each && objectAt(each).error !== null);
  return failed === undefined ? read(events) : codeOf(failed);
}

const apis = {
  'chat completions': {
    path: '/v1/chat/completions',
    body: ({ tools, toolChoice, parallelToolCalls, responseFormat, stop, ...options }) => ({
      messages: options.messages,
      tools,
      tool_choice: toolChoice,
      parallel_tool_calls: tools === undefined ? undefined : parallelToolCalls,
      response_format: responseFormat,
      stop,
      max_completion_tokens: options.maxTokens,
      continue_final_message: options.continueFinalMessage,
      logit_bias: biasOf(options),
      ...samplingOf(options),
    }),
    readWhole: (answer) => ({
      content: textAt(answer, 'choices', 0, 'message', 'content'),
      reasoning: textAt(answer, 'choices', 0, 'message', 'reasoning_content'),
      calls: listAt(answer, 'choices', 0, 'message', 'tool_calls').map((call) => ({
        name: textAt(call, 'function', 'name'),
        input: textAt(call, 'function', 'arguments'),
      })),
      finish: textAt(answer, 'choices', 0, 'finish_reason'),
      promptTokens: numberAt(answer, 'usage', 'prompt_tokens'),
      completionTokens: numberAt(answer, 'usage', 'completion_tokens'),
      told: 'idiolect' in answer,
    }),
    readStream(events) {
      const deltas = events.map((each) => objectAt(each, 'choices', 0, 'delta'));
      const calls: { name: string; input: string }[] = [];
      for (const delta of deltas.flatMap((each) => listAt(each, 'tool_calls'))) {
        const index = numberAt(delta, 'index') ?? 0;
        const { name, input } = calls[index] ?? { name: textAt(delta, 'function', 'name'), input: '' };
        calls[index] = { name, input: input + textAt(delta, 'function', 'arguments') };
      }
      return {
        content: deltas.map((each) => textAt(each, 'content')).join(''),
        reasoning: deltas.map((each) => textAt(each, 'reasoning_content')).join(''),
        calls,
        finish: events.map((each) => textAt(each, 'choices', 0, 'finish_reason')).join(''),
        promptTokens: undefined,
        completionTokens: undefined,
        told: events.some((each) => 'idiolect' in each),
      };
    },
  },
  responses: {
    path: '/v1/responses',
    body: ({ messages, tools = [], toolChoice, parallelToolCalls, responseFormat, ...options }) => ({
      input: messages,
      tools: (tools as readonly object[]).map((tool) => ({
        type: 'function',
        ...objectAt(tool, 'function'),
      })),
      tool_choice: flatChoice(toolChoice),
      parallel_tool_calls: parallelToolCalls,
      text: { format: flatFormat(responseFormat) },
      max_output_tokens: options.maxTokens,
      ...samplingOf(options),
    }),
    readWhole: readOutput,
    readStream: (events) => readOutput(objectAt(events.at(-1), 'response')),
  },
  messages: {
    path: '/v1/messages',
    body: ({ messages, tools = [], toolChoice, parallelToolCalls, responseFormat, stop, ...options }) => ({
      messages,
      tools: (tools as readonly object[]).map((tool) => ({
        name: textAt(tool, 'function', 'name'),
        description: textAt(tool, 'function', 'description'),
        input_schema: objectAt(tool, 'function', 'parameters'),
      })),
      tool_choice: {
        ...blockChoice(toolChoice),
        ...(parallelToolCalls === false ? { disable_parallel_tool_use: true } : {}),
      },
      output_config: responseFormat === undefined ? undefined : { format: flatFormat(responseFormat) },
      stop_sequences: stop,
      max_tokens: options.maxTokens,
      ...samplingOf(options),
    }),
    readWhole: (answer) => readBlocks(listAt(answer, 'content'), answer, answer),
    readStream(events) {
      const blocks: Record<string, unknown>[] = [];
      for (const event of events) {
        const block = objectAt(event, 'content_block');
        if (textAt(event, 'type') === 'content_block_start') blocks.push({ ...block, input: '' });
        const last = blocks.at(-1);
        if (last === undefined || textAt(event, 'type') !== 'content_block_delta') continue;
        for (const [part, field] of blockDeltas)
          last[field] = textAt(last, field) + textAt(event, 'delta', part);
      }
      const end = events.find((each) => textAt(each, 'type') === 'message_delta') ?? {};
      return readBlocks(blocks, end, { ...objectAt(end, 'delta'), usage: undefined });
    },
  },
} as const satisfies Readonly<Record<string, Api>>;

const blockDeltas = [
  ['text', 'text'],
  ['thinking', 'thinking'],
  ['partial_json', 'input'],
] as const;

function readBlocks(blocks: readonly object[], told: object, end: object): Handed {
  const joined = (type: string, field: string): string =>
    blocks.map((each) => (textAt(each, 'type') === type ? textAt(each, field) : '')).join('');
  return {
    content: joined('text', 'text'),
    reasoning: joined('thinking', 'thinking'),
    calls: blocks
      .filter((each) => textAt(each, 'type') === 'tool_use')
      .map((each) => {
        const { input } = objectAt(each);
        return {
          name: textAt(each, 'name'),
          input: typeof input === 'string' ? input : JSON.stringify(input),
        };
      }),
    finish: textAt(end, 'stop_reason'),
    promptTokens: numberAt(end, 'usage', 'input_tokens'),
    completionTokens: numberAt(end, 'usage', 'output_tokens'),
    told: 'idiolect' in told,
  };
}

function readOutput(answer: object): Handed {
  const items = listAt(answer, 'output');
  const texts = (type: string): string =>
    items
      .filter((each) => textAt(each, 'type') === type)
      .flatMap((each) => listAt(each, 'content'))
      .map((part) => textAt(part, 'text'))
      .join('');
  return {
    content: texts('message'),
    reasoning: texts('reasoning'),
    calls: items
      .filter((each) => textAt(each, 'type') === 'function_call')
      .map((each) => ({ name: textAt(each, 'name'), input: textAt(each, 'arguments') })),
    finish: textAt(answer, 'status'),
    promptTokens: numberAt(answer, 'usage', 'input_tokens'),
    completionTokens: numberAt(answer, 'usage', 'output_tokens'),
    told: 'idiolect' in answer,
  };
}

function samplingOf({ temperature, topK, topP, seed, ...penalties }: Partial<ChatOptions>): object {
  return {
    temperature,
    top_k: topK,
    top_p: topP,
    seed,
    repeat_penalty: penalties.repeatPenalty,
    frequency_penalty: penalties.frequencyPenalty,
    presence_penalty: penalties.presencePenalty,
  };
}

function biasOf({ logitBias }: Partial<ChatOptions>): object | undefined {
  if (logitBias === undefined) return undefined;
  return Object.fromEntries(logitBias.map(([token, bias]) => [token, bias === false ? -100 : bias]));
}

function flatChoice(choice: ChatOptions['toolChoice']): unknown {
  if (typeof choice !== 'object') return choice;
  if (choice.type === 'function') return { type: 'function', name: choice.function.name };
  const { mode, tools } = choice.allowed_tools;
  return {
    type: 'allowed_tools',
    mode,
    tools: tools.map((tool) => ({ type: 'function', ...tool.function })),
  };
}

function blockChoice(choice: ChatOptions['toolChoice'] = 'auto'): object {
  if (typeof choice === 'object' && choice.type === 'function')
    return { type: 'tool', name: choice.function.name };
  return { type: choice === 'required' ? 'any' : choice };
}

function flatFormat(format: ChatOptions['responseFormat']): object {
  if (format?.type !== 'json_schema') return format ?? { type: 'text' };
  return { type: 'json_schema', name: 'answer', schema: format.json_schema.schema };
}
