/**
 * Law: a call that `max_tokens` cuts is executed by nobody. Clients of several makers, each unmodified, with a tool that
 * takes any arguments, ask for a call that ends at each of its characters.
 */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import Anthropic from '@anthropic-ai/sdk';
import { type AIMessageChunk, HumanMessage } from '@langchain/core/messages';
import { tool as langchainTool } from '@langchain/core/tools';
import { concat } from '@langchain/core/utils/stream';
import { ChatOpenAI } from '@langchain/openai';
import { Agent, tool as agentTool, OpenAIProvider, Runner, setTracingDisabled } from '@openai/agents';
import * as sdk7 from 'ai';
import * as sdk6 from 'ai-v6';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { connectEngine } from '../../src/runtime/engine/index.ts';
import { createHandler } from '../../src/serve/index.ts';
import { toyEngine } from '../../src/testing/index.ts';
import { writtenText } from '../ai-sdk/written-model.ts';
import { sampled } from '../support/sample.ts';
import {
  answer,
  anyFormat,
  call,
  formats,
  oneCall,
  question,
  serveTurns,
  weatherTool,
} from './served-models.ts';

setTracingDisabled(true);

/** Runs a conversation; `execute` is called with the arguments of each call. */
type Client = (url: string, execute: (args: unknown) => string) => Promise<unknown>;

const anything = z.looseObject({});
const parameters = { type: 'object', properties: {}, required: [], additionalProperties: true } as const;

function langchain(streaming: boolean): Client {
  return async (url, execute) => {
    const weather = langchainTool(async () => '21', { name: 'get_weather', schema: anything });
    const configuration = { baseURL: `${url}/v1` };
    const options = { model: 'written', apiKey: 'any', configuration, maxRetries: 0 };
    const model = new ChatOpenAI(options).bindTools([weather]);
    const messages = [new HumanMessage(question.content)];
    if (!streaming) return (await model.invoke(messages)).tool_calls?.map(({ args }) => execute(args));
    const chunks: AIMessageChunk[] = [];
    for await (const chunk of await model.stream(messages)) chunks.push(chunk);
    const whole = chunks.reduce((one, other) => concat(one, other));
    return whole.tool_calls?.map(({ args }) => execute(args));
  };
}

function aiSdk({ generateText, streamText, stepCountIs, tool }: typeof sdk7, streaming: boolean): Client {
  return async (url, execute) => {
    const provider = createOpenAICompatible({ name: 'idiolect', baseURL: `${url}/v1` });
    const options = {
      model: provider('written'),
      prompt: question.content,
      tools: { get_weather: tool({ inputSchema: anything, execute: async (args) => execute(args) }) },
      stopWhen: stepCountIs(3),
    };
    return streaming ? streamText(options).text : (await generateText(options)).text;
  };
}

function agents(streaming: boolean, useResponses: boolean): Client {
  return async (url, execute) => {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'any', maxRetries: 0 });
    const tools = [
      agentTool({
        name: 'get_weather',
        description: 'Weather.',
        parameters: parameters as never,
        strict: false,
        execute: async (args) => execute(args),
      }),
    ];
    const agent = new Agent({ name: 'weather', model: 'written', tools });
    // The agents bring a client of their own version, with the same methods.
    const openAIClient = client as never;
    const runner = new Runner({ modelProvider: new OpenAIProvider({ openAIClient, useResponses }) });
    if (!streaming) return runner.run(agent, question.content, { maxTurns: 3 });
    const run = await runner.run(agent, question.content, { stream: true, maxTurns: 3 });
    for await (const event of run) void event;
    return run.completed;
  };
}

function openai(streaming: boolean): Client {
  return async (url, execute) => {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'any', maxRetries: 0 });
    const called = { name: 'get_weather', description: '', parameters: { ...parameters }, parse: JSON.parse };
    const tools = [{ type: 'function', function: { ...called, function: execute } }] as never;
    const runner = client.chat.completions.runTools({
      model: 'written',
      messages: [question],
      tools,
      stream: streaming,
    } as never);
    return runner.finalContent();
  };
}

function anthropic(streaming: boolean): Client {
  return async (url, execute) => {
    const client = new Anthropic({ baseURL: url, apiKey: 'any', maxRetries: 0 });
    const { name, description } = weatherTool.function;
    const custom = { type: 'custom', name, description, input_schema: parameters };
    const tools = [{ ...custom, run: execute, parse: (input: unknown) => input }] as never;
    const asked = { model: 'written', max_tokens: 100, messages: [question] };
    return client.beta.messages
      .toolRunner({ ...asked, tools, stream: streaming, max_iterations: 3 })
      .runUntilDone();
  };
}

const clients: readonly (readonly [string, Client])[] = [false, true].flatMap((streaming) => {
  const way = streaming ? 'streamed' : 'whole';
  return [
    [`LangChain, ${way}`, langchain(streaming)],
    [`AI SDK 7, ${way}`, aiSdk(sdk7, streaming)],
    [`AI SDK 6, ${way}`, aiSdk(sdk6 as never, streaming)],
    [`OpenAI agents, ${way}`, agents(streaming, true)],
    [`OpenAI agents with chats, ${way}`, agents(streaming, false)],
    [`openai, ${way}`, openai(streaming)],
    [`Anthropic, ${way}`, anthropic(streaming)],
  ] as const;
});

/** What the client executes of a call that is cut after `cut` characters; errors of clients are theirs. */
async function executed(format: ChatFormat, cut: number, client: Client): Promise<readonly unknown[]> {
  const served = await serveTurns(format, [{ ...oneCall, cut }, answer]);
  const found: unknown[] = [];
  const execute = (args: unknown): string => {
    found.push(args);
    return '21';
  };
  await client(served.url, execute).catch(() => undefined);
  await served.close(AbortSignal.abort());
  return found;
}

describe.each(clients)('%s', (_, client) => {
  it('executes a call as a whole or not at all, wherever it is cut', async () => {
    const places = formats.flatMap(({ name, format }) => {
      const { length } = writtenText(format, oneCall);
      return Array.from({ length }, (_, cut) => ({ name, format, cut: cut + 1 }));
    });
    for (const { name, format, cut } of sampled(places, 31)) {
      for (const args of await executed(format, cut, client))
        expect({ name, cut, args }).toEqual({ name, cut, args: { city: 'Bern' } });
    }
  });

  it('executes it if it is whole', async () => {
    const { length } = writtenText(anyFormat, oneCall);
    expect(await executed(anyFormat, length, client)).toEqual([{ city: 'Bern' }]);
  });
});

describe('a history with a call that was cut', () => {
  const cut = '{"city": "Be';
  const told = { role: 'assistant', tool_calls: [{ function: { arguments: '{"city": "Be"}' } }] };

  it.each([
    [
      '/v1/chat/completions',
      {
        messages: [
          question,
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ ...call('Bern'), function: { name: 'get_weather', arguments: cut } }],
          },
          question,
        ],
      },
    ],
    [
      '/v1/responses',
      {
        input: [
          question,
          { type: 'function_call', call_id: 'abcdefghi', name: 'get_weather', arguments: cut },
          question,
        ],
      },
    ],
  ])('is answered, with what there is of it: %s', async (route, body) => {
    const served = await serveTurns(anyFormat, [answer]);
    const response = await fetch(`${served.url}${route}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    await served.close();
    expect(response.status).toBe(200);
    expect(served.model.asked[0]?.messages[1]).toMatchObject(told);
  });
});

describe('a history with a call that was cut in its depth', () => {
  const args = `{"a":${'['.repeat(300_000)}`;
  const name = 'get_weather';

  it.each([
    [
      '/v1/chat/completions',
      {
        messages: [
          question,
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'c', function: { name, arguments: args } }],
          },
        ],
      },
    ],
    ['/v1/responses', { input: [question, { type: 'function_call', call_id: 'c', name, arguments: args }] }],
    [
      '/v1/messages',
      {
        max_tokens: 1,
        messages: [
          question,
          { role: 'assistant', content: [{ type: 'tool_use', id: 'c', name, input: args }] },
        ],
      },
    ],
  ])('is refused where it is nested deeper than a request may be: %s', async (route, body) => {
    const handler = createHandler(await connectEngine(await toyEngine()));
    const headers = { 'content-type': 'application/json' };
    const request = new Request(`http://localhost${route}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    const response = await handler(request);
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringContaining('nested more than 200 levels deep'),
    ]);
    await handler.close();
  });
});
