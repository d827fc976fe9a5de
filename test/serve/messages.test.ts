/** `/v1/messages` under Anthropic's own client, over five notations. */
import Anthropic from '@anthropic-ai/sdk';
import { afterEach, describe, expect, it } from 'vitest';
import { Notes } from '../../src/serve/content/notes.ts';
import { serve } from '../../src/serve/index.ts';
import { readConversation } from '../../src/serve/messages/read-messages.ts';
import type { Turn } from '../ai-sdk/written-model.ts';
import {
  answer,
  anyFormat,
  brokenModel,
  formats,
  isThoughtful,
  oneCall,
  question,
  type Served,
  serveTurns,
  weatherSchema,
} from './served-models.ts';

let served: Served | null = null;
afterEach(async () => {
  await served?.close(AbortSignal.abort());
  served = null;
});

const weather: Anthropic.Tool = {
  name: 'get_weather',
  description: 'The weather in a city.',
  input_schema: { ...weatherSchema, required: ['city'] },
};
const asked = { model: 'written', max_tokens: 500 };

describe.each(formats)('$name', ({ format }) => {
  const thoughts = isThoughtful(format) ? { reasoning_content: 'They ask for the weather.' } : {};

  async function open(...turns: readonly Turn[]): Promise<{ client: Anthropic; served: Served }> {
    served = await serveTurns(format, turns);
    return { client: new Anthropic({ baseURL: served.url, apiKey: 'any', maxRetries: 0 }), served };
  }

  it.each([false, true])('a tool loop, streamed: %s', async (isStreamed) => {
    const { client, served } = await open({ ...oneCall, ...thoughts }, { ...answer, ...thoughts });
    const ask = (messages: Anthropic.MessageParam[]) => {
      const request = { ...asked, messages, tools: [weather], thinking: { type: 'adaptive' as const } };
      return isStreamed ? client.messages.stream(request).finalMessage() : client.messages.create(request);
    };
    const first = await ask([question]);
    expect(first.stop_reason).toBe('tool_use');
    const use = first.content.find((block) => block.type === 'tool_use');
    expect(use).toMatchObject({ name: 'get_weather', input: { city: 'Bern' } });
    const result = { type: 'tool_result', tool_use_id: use?.id ?? '', content: '21' } as const;
    const second = await ask([
      question,
      { role: 'assistant', content: first.content },
      { role: 'user', content: [result, { type: 'text', text: 'And now?' }] },
    ]);
    expect(second.stop_reason).toBe('end_turn');
    const text = second.content.find((block) => block.type === 'text');
    expect(text).toMatchObject({ text: answer.content });
    const thinking = second.content.find((block) => block.type === 'thinking');
    expect(thinking?.thinking ?? '').toBe(thoughts.reasoning_content ?? '');
    const [, calling, told, further] = served.model.asked[1]?.messages ?? [];
    expect(calling).toMatchObject({ role: 'assistant', tool_calls: [{ id: use?.id }], ...thoughts });
    expect(told).toEqual({ role: 'tool', tool_call_id: use?.id, content: '21' });
    expect(further).toEqual({ role: 'user', content: 'And now?' });
  });

  it.each([false, true])('the client’s own loop of tools, streamed: %s', async (stream) => {
    const { client, served } = await open({ ...oneCall, ...thoughts }, { ...answer, ...thoughts });
    const run = ({ city }: { city: string }) => `21 degrees in ${city}`;
    const tools = [{ ...weather, type: 'custom', run, parse: (input: unknown) => input }] as never;
    const runner = client.beta.messages.toolRunner({ ...asked, messages: [question], tools, stream });
    const { content } = await runner.runUntilDone();
    expect(content.at(-1)).toMatchObject({ type: 'text', text: answer.content });
    expect(served.model.asked[1]?.messages).toMatchObject([
      question,
      { role: 'assistant', tool_calls: [{ function: { name: 'get_weather' } }] },
      { role: 'tool', content: '21 degrees in Bern' },
    ]);
    expect(served.model.asked[1]?.tools).toHaveLength(1);
  });

  it('the blocks of a stream are closed one after the other', async () => {
    const { client } = await open({ ...answer, ...thoughts, tool_calls: oneCall.tool_calls ?? [] });
    const open_ = new Set<number>();
    const types: string[] = [];
    for await (const event of client.messages.stream({ ...asked, messages: [question], tools: [weather] })) {
      types.push(event.type);
      if (event.type === 'content_block_start') {
        expect(open_.size).toBe(0);
        open_.add(event.index);
      }
      if (event.type === 'content_block_delta') expect(open_.has(event.index)).toBe(true);
      if (event.type === 'content_block_stop') expect(open_.delete(event.index)).toBe(true);
    }
    expect(types[0]).toBe('message_start');
    expect(types.slice(-2)).toEqual(['message_delta', 'message_stop']);
  });
});

describe('a request', () => {
  it.each<[object, object]>([
    [{ system: 'Be brief.' }, { messages: [{ role: 'system', content: 'Be brief.' }, question] }],
    [
      {
        system: [
          { type: 'text', text: 'A' },
          { type: 'text', text: 'B' },
        ],
      },
      { messages: [{ content: 'A\nB' }, question] },
    ],
    [{ thinking: { type: 'enabled', budget_tokens: 99 } }, { thinking: true, thinkingBudget: 99 }],
    [{ thinking: { type: 'disabled' } }, { thinking: false }],
    [{}, { thinking: false }],
    [{ messages: [question, { role: 'assistant', content: 'It is' }] }, { continueFinalMessage: true }],
    [
      { tools: [weather], tool_choice: { type: 'any', disable_parallel_tool_use: true } },
      { toolChoice: 'required', parallelToolCalls: false },
    ],
    [
      { tools: [weather], tool_choice: { type: 'tool', name: 'get_weather' } },
      { toolChoice: { type: 'function', function: { name: 'get_weather' } } },
    ],
    [
      { stop_sequences: ['END'], top_k: 3, temperature: 0 },
      { stop: ['END'], topK: 3, temperature: 0, maxTokens: 500 },
    ],
    [
      { output_config: { format: { type: 'json_schema', schema: weatherSchema } } },
      { responseFormat: { type: 'json_schema' } },
    ],
    [
      { output_format: { type: 'json_schema', schema: weatherSchema } },
      { responseFormat: { type: 'json_schema', json_schema: { schema: weatherSchema } } },
    ],
  ])('%j asks for %j', async (fields, options) => {
    served = await serveTurns(anyFormat, [answer]);
    const client = new Anthropic({ baseURL: served.url, apiKey: 'any' });
    await client.messages.create({ ...asked, messages: [question], ...fields });
    expect(served.model.asked[0]).toMatchObject(options);
  });

  it.each<[object, number, string]>([
    [{ max_tokens: undefined }, 400, 'invalid_request_error'],
    [
      { messages: [{ role: 'user', content: [{ type: 'image', source: {} }] }] },
      400,
      'invalid_request_error',
    ],
    [{ messages: [{ role: 'robot', content: 'x' }] }, 400, 'invalid_request_error'],
    [
      { messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: 5 }] }] },
      400,
      'invalid_request_error',
    ],
    [{ messages: [] }, 400, 'invalid_request_error'],
    [{ thread: { type: 'create' } }, 400, 'invalid_request_error'],
    [{ tools: [{ type: 'bash_20250124', name: 'bash' }] }, 400, 'invalid_request_error'],
    [
      { tools: [{ type: 'web_search_20250305', name: 'web_search' }], tool_choice: { type: 'any' } },
      400,
      'invalid_request_error',
    ],
    [{ tool_choice: { type: 'any' } }, 400, 'invalid_request_error'],
    [{ thinking: { type: 'wild' } }, 400, 'invalid_request_error'],
    [{ model: 'other' }, 404, 'not_found_error'],
  ])('%j is refused', async (fields, status, type) => {
    served = await serveTurns(anyFormat, [answer]);
    const client = new Anthropic({ baseURL: served.url, apiKey: 'any', maxRetries: 0 });
    const request = client.messages.create({ ...asked, messages: [question], ...fields } as never);
    await expect(request).rejects.toMatchObject({ status, error: { type: 'error', error: { type } } });
    expect(served.model.asked).toEqual([]);
  });

  it('for what is not there gets the API’s own error, wherever it goes', async () => {
    served = await serveTurns(anyFormat, [answer]);
    const client = new Anthropic({ baseURL: served.url, apiKey: 'any', maxRetries: 0 });
    const error = { type: 'error', error: { type: 'not_found_error' } };
    await expect(client.messages.batches.create({ requests: [] })).rejects.toMatchObject({ error });
    await expect(client.models.retrieve('other')).rejects.toMatchObject({ status: 404, error });
  });

  it('whose stream breaks off hears of it as the API’s own event', async () => {
    const broken = await serve(brokenModel(), { port: 0 });
    const client = new Anthropic({ baseURL: broken.url, apiKey: 'any', maxRetries: 0 });
    const words: string[] = [];
    const stream = client.messages.stream({ ...asked, model: 'broken', messages: [question] });
    stream.on('text', (text) => words.push(text));
    await expect(stream.finalMessage()).rejects.toMatchObject({ error: { error: { type: 'api_error' } } });
    expect(words).toEqual(['word']);
    await broken.close();
  });

  it('without the key gets the API’s own error', async () => {
    served = await serveTurns(anyFormat, [answer], { apiKeys: ['right'] });
    const ask = (apiKey: string) =>
      new Anthropic({ baseURL: served?.url ?? '', apiKey, maxRetries: 0 }).messages.create({
        ...asked,
        messages: [question],
      });
    await expect(ask('wrong')).rejects.toBeInstanceOf(Anthropic.AuthenticationError);
    expect((await ask('right')).content).toMatchObject([{ type: 'text', text: answer.content }]);
  });
});

it('60,000 turns of one side are one, and read in one pass', () => {
  const messages = Array.from({ length: 60_000 }, () => question);
  const [turn, ...others] = readConversation({ messages }, new Notes([]));
  expect(others).toEqual([]);
  expect(turn?.content).toBe(messages.map(({ content }) => content).join('\n'));
});
