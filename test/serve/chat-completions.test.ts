/** `/v1/chat/completions` under OpenAI's own client, over five notations. */
import OpenAI from 'openai';
import { zodResponseFormat } from 'openai/helpers/zod';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import type { Turn } from '../ai-sdk/written-model.ts';
import {
  answer,
  anyFormat,
  call,
  formats,
  isThoughtful,
  oneCall,
  question,
  type Served,
  serveTurns,
  weatherSchema,
  weatherTool,
} from './served-models.ts';

let served: Served | null = null;
afterEach(async () => {
  await served?.close();
  served = null;
});

async function open(format: ChatFormat, turns: readonly Turn[]): Promise<{ client: OpenAI; served: Served }> {
  served = await serveTurns(format, turns);
  return { client: new OpenAI({ baseURL: `${served.url}/v1`, apiKey: 'any', maxRetries: 0 }), served };
}

const weatherAnswer = {
  responseFormat: { type: 'json_schema', json_schema: { schema: weatherSchema } },
};

const unknownTool = { type: 'function', function: { name: 'get_wether' } } as const;

it('the suite has five notations to try', () => expect(formats).toHaveLength(5));

describe.each(formats)('$name', ({ format }) => {
  const thoughts = isThoughtful(format) ? { reasoning_content: 'They ask for the weather.' } : {};
  const request = { model: 'written', messages: [question] };

  it('create: an answer with its thoughts', async () => {
    const { client } = await open(format, [{ ...answer, ...thoughts }]);
    const { choices, object } = await client.chat.completions.create(request);
    expect(object).toBe('chat.completion');
    expect(choices[0]).toMatchObject({ index: 0, finish_reason: 'stop' });
    expect(choices[0]?.message).toEqual({
      role: 'assistant',
      content: answer.content,
      refusal: null,
      ...thoughts,
    });
  });

  it('stream: the same in pieces', async () => {
    const { client } = await open(format, [{ ...answer, ...thoughts }]);
    const stream = client.chat.completions.stream(request);
    let streamed = '';
    let thought = '';
    for await (const { choices } of stream) {
      streamed += choices[0]?.delta.content ?? '';
      thought += (choices[0]?.delta as { reasoning_content?: string })?.reasoning_content ?? '';
    }
    expect(streamed).toBe(answer.content);
    expect(thought).toBe(thoughts.reasoning_content ?? '');
    expect((await stream.finalChatCompletion()).choices[0]?.message.content).toBe(answer.content);
  });

  it.each([false, true])('runTools, streamed: %s', async (isStreamed) => {
    const { client, served } = await open(format, [{ ...oneCall, ...thoughts }, answer]);
    const cities: string[] = [];
    const tools = [
      {
        type: 'function',
        function: {
          ...weatherTool.function,
          parameters: weatherSchema as object,
          parse: JSON.parse,
          function: ({ city }: { city: string }) => {
            cities.push(city);
            return { city, degrees: 21 };
          },
        },
      } as const,
    ];
    const runner = isStreamed
      ? client.chat.completions.runTools({ ...request, tools, stream: true })
      : client.chat.completions.runTools({ ...request, tools });
    expect(await runner.finalContent()).toBe(answer.content);
    expect(cities).toEqual(['Bern']);
    const [asked, told] = served.model.asked;
    expect(asked?.tools).toMatchObject([weatherTool]);
    const [, calling, result] = told?.messages ?? [];
    const id = calling?.role === 'assistant' ? calling.tool_calls?.[0]?.id : undefined;
    expect(calling).toMatchObject({ tool_calls: [{ function: { name: 'get_weather' } }] });
    expect(result).toMatchObject({ role: 'tool', tool_call_id: id, content: '{"city":"Bern","degrees":21}' });
  });

  it('parse: an answer of a schema', async () => {
    const Weather = z.strictObject({ city: z.string(), degrees: z.number() });
    const value = { city: 'Bern', degrees: 21 };
    const { client, served } = await open(format, [{ role: 'assistant', content: JSON.stringify(value) }]);
    const response_format = zodResponseFormat(Weather, 'weather');
    const { choices } = await client.chat.completions.parse({ ...request, response_format });
    expect(choices[0]?.message.parsed).toEqual(value);
    expect(served.model.asked[0]?.responseFormat).toMatchObject({
      type: 'json_schema',
      json_schema: { name: 'weather' },
    });
  });

  it('several calls at once, streamed', async () => {
    const calls = [call('Bern', 'abcdefghi'), call('Oslo', 'jklmnopqr')];
    const { client } = await open(format, [{ role: 'assistant', content: null, tool_calls: calls }]);
    const stream = client.chat.completions.stream({
      ...request,
      tools: [{ ...weatherTool, function: { ...weatherTool.function, parameters: { ...weatherSchema } } }],
    });
    const { choices } = await stream.finalChatCompletion();
    const made = choices[0]?.message.tool_calls?.map(
      (each) => each.type === 'function' && JSON.parse(each.function.arguments),
    );
    expect(made).toEqual([{ city: 'Bern' }, { city: 'Oslo' }]);
    expect(choices[0]?.finish_reason).toBe('tool_calls');
  });
});

describe('fields of a request', () => {
  type Asked = Readonly<Record<string, unknown>>;

  async function asked(fields: object): Promise<Asked> {
    const { client, served } = await open(anyFormat, [answer]);
    await client.chat.completions.create({ model: 'written', messages: [question], ...fields });
    return served.model.asked[0] as unknown as Asked;
  }

  it.each<[object, object]>([
    [{ stop: 'END' }, { stop: ['END'] }],
    [
      { stop: ['A', 'B'], seed: 7 },
      { stop: ['A', 'B'], seed: 7 },
    ],
    [{ max_completion_tokens: 5, max_tokens: 9 }, { maxTokens: 5 }],
    [{ max_tokens: 9 }, { maxTokens: 9 }],
    [
      { presence_penalty: 1, frequency_penalty: -0.5 },
      { presencePenalty: 1, frequencyPenalty: -0.5 },
    ],
    [
      { temperature: 0, top_p: 0.5, top_k: 3, min_p: 0.1 },
      { temperature: 0, topP: 0.5, topK: 3, minP: 0.1 },
    ],
    [{}, { temperature: 0.7, maxTokens: 32_768, policy: 'strict' }],
    [{ reasoning_effort: 'none' }, { thinking: false }],
    [{ reasoning_effort: 'xhigh' }, { thinking: true, templateVariables: { reasoning_effort: 'high' } }],
    [{ chat_template_kwargs: { a: 1 } }, { templateVariables: { a: 1 } }],
    [
      { tools: [weatherTool], tool_choice: 'required', parallel_tool_calls: false },
      { toolChoice: 'required', parallelToolCalls: false },
    ],
    [
      { tools: [weatherTool], tool_choice: { type: 'function', function: { name: 'get_weather' } } },
      { toolChoice: { type: 'function', function: { name: 'get_weather' } } },
    ],
    [
      {
        tools: [weatherTool],
        tool_choice: {
          type: 'allowed_tools',
          allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'get_weather' } }] },
        },
      },
      { toolChoice: { type: 'allowed_tools', allowed_tools: { mode: 'auto' } } },
    ],
    [
      { logit_bias: { 5: 1.5, 7: -100 } },
      {
        logitBias: [
          [5, 1.5],
          [7, false],
        ],
      },
    ],
    [{ response_format: { type: 'json_object' } }, { responseFormat: { type: 'json_object' } }],
    [{ response_format: { type: 'json_object', schema: weatherSchema } }, weatherAnswer],
    [{ json_schema: weatherSchema }, weatherAnswer],
    [{ guided_json: weatherSchema }, weatherAnswer],
    [{ repeat_penalty: 1.2 }, { repeatPenalty: 1.2 }],
    [{ repetition_penalty: 1.2 }, { repeatPenalty: 1.2 }],
    [
      { messages: [question, { role: 'assistant', content: 'It' }], continue_final_message: true },
      { continueFinalMessage: true },
    ],
    [{ add_generation_prompt: true, continue_final_message: false }, {}],
    [{ n: 1, logprobs: false, presence_penalty: 0, logit_bias: {}, tools: [], user: 'me' }, {}],
  ])('%j asks for %j', async (fields, options) => {
    expect(await asked(fields)).toMatchObject(options);
  });

  it('thoughts of the history come in under either name', async () => {
    const thoughtful = {
      role: 'assistant',
      content: 'Hm.',
      reasoning: 'Let me see.',
      refusal: null,
      audio: null,
    };
    const { messages } = await asked({ messages: [question, thoughtful, question] });
    expect(messages).toEqual([
      question,
      { role: 'assistant', content: 'Hm.', reasoning_content: 'Let me see.' },
      question,
    ]);
  });

  it.each<[object, string, string]>([
    [{ n: 2 }, 'n', 'unsupported_parameter'],
    [{ top_logprobs: 2 }, 'top_logprobs', 'invalid_value'],
    [{ logprobs: true, top_logprobs: 21 }, 'top_logprobs', 'invalid_value'],
    [{ presence_penalty: 3 }, 'presence_penalty', 'invalid_value'],
    [{ logit_bias: { hello: 1 } }, 'logit_bias', 'invalid_value'],
    [{ logit_bias: { 5: 101 } }, 'logit_bias', 'invalid_value'],
    [{ logit_bias: [1] }, 'logit_bias', 'invalid_value'],
    [{ functions: [{ name: 'f' }] }, 'functions', 'unsupported_parameter'],
    [{ grammar: 'root ::= "a"' }, 'grammar', 'unsupported_parameter'],
    [{ guided_json: 'city' }, 'guided_json', 'invalid_value'],
    [{ json_schema: {}, response_format: { type: 'text' } }, 'json_schema', 'invalid_value'],
    [{ response_format: { type: 'json_object', schema: 5 } }, 'response_format.schema', 'invalid_value'],
    [{ repeat_penalty: 1, repetition_penalty: 1 }, 'repetition_penalty', 'invalid_value'],
    [{ repeat_penalty: 0 }, 'repeat_penalty', 'invalid_value'],
    [{ add_generation_prompt: true, continue_final_message: true }, 'add_generation_prompt', 'invalid_value'],
    [{ add_generation_prompt: false }, 'add_generation_prompt', 'invalid_value'],
    [{ temperature: 'hot' }, 'temperature', 'invalid_value'],
    [{ temperature: 3 }, 'temperature', 'invalid_value'],
    [{ max_tokens: 0 }, 'max_tokens', 'invalid_value'],
    [{ stop: [5] }, 'stop[0]', 'invalid_value'],
    [{ stream_options: { include_usage: true } }, 'stream_options', 'invalid_value'],
    [{ tools: {} }, 'tools', 'invalid_value'],
    [{ tools: [{ name: 'f' }] }, 'tools[0].type', 'invalid_value'],
    [{ tools: [{ type: 'custom' }] }, 'tools[0].type', 'unsupported_parameter'],
    [{ tools: [5] }, 'tools[0]', 'invalid_value'],
    [{ tools: [{ type: 'custom', custom: { name: 'x' } }] }, 'tools[0].type', 'unsupported_parameter'],
    [{ tool_choice: 'required' }, 'tool_choice', 'invalid_value'],
    [{ tools: [weatherTool], tool_choice: 'maybe' }, 'tool_choice', 'invalid_value'],
    [{ tools: [weatherTool], tool_choice: unknownTool }, 'tool_choice', 'invalid_value'],
    [{ response_format: { type: 'json_schema' } }, 'response_format', 'invalid_value'],
    [{ messages: [] }, 'messages', 'invalid_message'],
    [{ messages: null }, 'messages', 'missing_required_parameter'],
    [{ messages: 'Hello' }, 'messages', 'invalid_value'],
    [{ messages: [{ role: 'robot', content: '' }] }, 'messages[0].role', 'invalid_message'],
    [
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: {} }] }] },
      'messages[0].content[0]',
      'unsupported_content',
    ],
    [{ model: 'gpt-0' }, 'model', 'model_not_found'],
    [{ model: 5 }, 'model', 'invalid_value'],
  ])('%j is refused for %s', async (fields, param, code) => {
    const { client, served } = await open(anyFormat, [answer]);
    const request = client.chat.completions.create({ model: 'written', messages: [question], ...fields });
    const error = await request.then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(OpenAI.APIError);
    expect(error).toMatchObject({
      status: code === 'model_not_found' ? 404 : 400,
      param,
      code,
      type: 'invalid_request_error',
    });
    expect(served.model.asked).toEqual([]);
  });

  it('a field that nobody knows is named in a header', async () => {
    const { served } = await open(anyFormat, [answer]);
    const response = await fetch(`${served.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ messages: [question], cache_prompt: true, mirostat: 2 }),
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('idiolect-ignored')).toBe('cache_prompt, mirostat');
  });
});

it('what fits the format nowhere is told in the response, whole and streamed', async () => {
  const broken: Turn = { ...oneCall, cut: 40 };
  const { client } = await open(anyFormat, [broken, broken]);
  const request = { model: 'written', messages: [question], tools: [weatherTool as never] };
  const whole = await client.chat.completions.create(request);
  expect(whole.choices[0]).toMatchObject({ finish_reason: 'length', message: { content: '' } });
  expect(whole).toMatchObject({ idiolect: { malformed: [{ raw: expect.stringContaining('name') }] } });
  const chunks = [];
  for await (const chunk of await client.chat.completions.create({ ...request, stream: true }))
    chunks.push(chunk);
  expect(chunks.at(-1)).toMatchObject({
    idiolect: { malformed: [{ raw: expect.stringContaining('name') }] },
  });
});

it('the list of models says what is known of them', async () => {
  const { client } = await open(anyFormat, []);
  const { data } = await client.models.list();
  expect(data).toMatchObject([{ id: 'written', object: 'model', owned_by: 'idiolect', loaded: true }]);
  expect(await client.models.retrieve('written')).toMatchObject({ id: 'written' });
  await expect(client.models.retrieve('other')).rejects.toMatchObject({
    status: 404,
    code: 'model_not_found',
  });
});
