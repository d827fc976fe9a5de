/** Clients of other makers, each unmodified, through a two-step tool loop; and the real engine. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import Anthropic from '@anthropic-ai/sdk';
import { type AIMessageChunk, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { tool as langchainTool } from '@langchain/core/tools';
import { concat } from '@langchain/core/utils/stream';
import { ChatOpenAI } from '@langchain/openai';
import { generateText, stepCountIs, streamText, tool } from 'ai';
import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type RunningServer, serve } from '../../src/serve/index.ts';
import { connectServer } from '../../src/servers/index.ts';
import { serveModel } from '../support/model-server.ts';
import { chatTemplate, openLlamaTiny } from '../support/small-chats.ts';
import { tinyModelFile, smallVocabulary as vocabulary } from '../support/small-vocabulary.ts';
import { answer, formats, oneCall, question, serveTurns, weatherTool } from './served-models.ts';

let server: RunningServer | null = null;
afterEach(async () => {
  await server?.close(AbortSignal.abort());
  server = null;
});

const City = z.strictObject({ city: z.string() });

describe.each(formats)('$name', ({ format }) => {
  it.each([false, true])('@ai-sdk/openai-compatible, streamed: %s', async (isStreamed) => {
    const served = await serveTurns(format, [oneCall, answer]);
    server = served;
    const provider = createOpenAICompatible({
      name: 'idiolect',
      baseURL: `${served.url}/v1`,
      includeUsage: true,
    });
    const options = {
      model: provider('written'),
      prompt: question.content,
      tools: { get_weather: tool({ inputSchema: City, execute: async () => '21' }) },
      stopWhen: stepCountIs(3),
    };
    const { text } = isStreamed ? streamText(options) : await generateText(options);
    expect(await text).toBe(answer.content);
    expect(served.model.asked).toHaveLength(2);
  });

  it.each([false, true])('@langchain/openai, streamed: %s', async (streaming) => {
    const served = await serveTurns(format, [oneCall, answer]);
    server = served;
    const configuration = { baseURL: `${served.url}/v1` };
    const weather = langchainTool(async () => '21', {
      name: 'get_weather',
      description: 'Weather.',
      schema: City,
    });
    const model = new ChatOpenAI({
      model: 'written',
      apiKey: 'any',
      configuration,
      maxRetries: 0,
    }).bindTools([weather]);
    const ask = async (messages: BaseMessage[]): Promise<AIMessageChunk> => {
      if (!streaming) return model.invoke(messages);
      const chunks: AIMessageChunk[] = [];
      for await (const chunk of await model.stream(messages)) chunks.push(chunk);
      return chunks.reduce((one, other) => concat(one, other));
    };
    const first = await ask([new HumanMessage(question.content)]);
    const [call] = first.tool_calls ?? [];
    expect(call).toMatchObject({ name: 'get_weather', args: { city: 'Bern' } });
    const result = new ToolMessage({ content: '21', tool_call_id: call?.id ?? '' });
    const second = await ask([new HumanMessage(question.content), first, result]);
    expect(second.text).toBe(answer.content);
    expect(served.model.asked[1]?.messages.at(-1)).toMatchObject({ role: 'tool', tool_call_id: call?.id });
  });
});

describe('with random weights, under the grammar', () => {
  const create = (client: OpenAI) =>
    client.chat.completions.create({
      model: client.apiKey,
      messages: [question],
      tools: [
        {
          ...weatherTool,
          function: {
            ...weatherTool.function,
            parameters: {
              type: 'object',
              properties: { city: { enum: ['Bern', 'Oslo'] } },
              required: ['city'],
              additionalProperties: false,
            },
          },
        },
      ],
      tool_choice: 'required',
      seed: 3,
      ...{ reasoning_effort: 'none', chat_template_kwargs: { enable_thinking: false } },
    } as OpenAI.ChatCompletionCreateParamsNonStreaming);

  function expectValid({ choices, usage }: OpenAI.ChatCompletion): void {
    expect(choices[0]?.finish_reason).toBe('tool_calls');
    for (const each of choices[0]?.message.tool_calls ?? [])
      expect(
        each.type === 'function' && ['Bern', 'Oslo'].includes(JSON.parse(each.function.arguments).city),
      ).toBe(true);
    expect(usage?.total_tokens).toBe((usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0));
    expect(usage?.completion_tokens).toBeGreaterThan(0);
  }

  /** Anthropic's clients are told the tokens of the prompt before the first event of the response. */
  async function expectCounted(baseURL: string, model: string): Promise<void> {
    const client = new Anthropic({ baseURL, apiKey: 'any', maxRetries: 0 });
    let start = 0;
    let total = 0;
    const request = { model, messages: [question], max_tokens: 3 };
    for await (const event of client.messages.stream(request)) {
      if (event.type === 'message_start') start = event.message.usage.input_tokens;
      if (event.type !== 'message_delta') continue;
      total = (event.usage.input_tokens ?? 0) + (event.usage.cache_read_input_tokens ?? 0);
    }
    expect(start).toBeGreaterThan(0);
    expect(start).toBe(total);
  }

  it('calls are valid, and refusals come before a token', async () => {
    const model = await openLlamaTiny({ sequences: 2 });
    server = await serve(model, { port: 0 });
    const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: model.name, maxRetries: 0 });
    expectValid(await create(client));
    const ask = (fields: object) =>
      client.chat.completions.create({ model: model.name, messages: [question], ...fields });
    await expect(ask({ messages: [{ role: 'user', content: 'word '.repeat(9000) }] })).rejects.toMatchObject({
      status: 400,
      code: 'context_length_exceeded',
      // What a client or an operator can do, and no option of the library.
      message: expect.stringMatching(/^400 the prompt needs (?!.*context(?:Overflow|Size)).*--context-size/),
    });
    await expect(
      ask({ stream: true, messages: [{ role: 'user', content: 'word '.repeat(9000) }] }),
    ).rejects.toMatchObject({ status: 400 });
    const impossible = {
      type: 'json_schema',
      json_schema: { name: 'x', schema: { type: 'string', not: {} } },
    };
    await expect(ask({ response_format: impossible })).rejects.toMatchObject({
      status: 400,
      param: 'response_format',
    });
    const { data } = await client.models.list();
    expect(data[0]).toMatchObject({
      capabilities: { supports_tool_calls: true },
      labels: { tool_format: 'JSON_NATIVE' },
      max_model_len: model.contextSize,
      context_length: model.contextSize,
      meta: { n_ctx: model.contextSize, n_ctx_train: model.trainedContextSize },
    });
    await expectCounted(server.url, model.name);
    await server.close();
    await model.dispose();
  });

  it('so they are in front of a llama-server', async () => {
    const file = await tinyModelFile({
      vocabulary,
      chatTemplate,
      markers: ['<think>', '</think>', '<tool_call>', '</tool_call>'],
      controls: ['<|im_start|>', '<|im_end|>'],
    });
    const upstream = await serveModel(file, 'llama-server');
    const model = await connectServer({ kind: 'llama-server', url: upstream.url });
    server = await serve(model, { port: 0 });
    const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: model.name, maxRetries: 0 });
    expectValid(await create(client));
    expect((await client.models.list()).data[0]).toMatchObject({
      max_model_len: 2048,
      meta: { n_ctx: 2048 },
    });
    await expectCounted(server.url, model.name);
    const prompts = upstream.requests.filter(
      ({ path, body }) => path === '/tokenize' && body.add_special === true,
    );
    // Each prompt is cut into tokens once.
    expect(new Set(prompts.map(({ body }) => body.content)).size).toBe(prompts.length);
    await upstream.close();
  });
});
