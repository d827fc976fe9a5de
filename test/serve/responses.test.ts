/**
 * `/v1/responses` under its clients, over five notations: each carries a call out and tells its result. Whatever they
 * are sent has the published shapes.
 */
import { createOpenResponses } from '@ai-sdk/open-responses';
import { Agent, tool as agentTool, OpenAIProvider, Runner, setTracingDisabled } from '@openai/agents';
import { generateText, stepCountIs, streamText, tool } from 'ai';
import OpenAI from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Turn } from '../ai-sdk/written-model.ts';
import { checkedFetch } from './open-responses-schema.ts';
import {
  answer,
  anyFormat,
  formats,
  isThoughtful,
  oneCall,
  question,
  type Served,
  serveTurns,
  weatherSchema,
} from './served-models.ts';

setTracingDisabled(true);

let served: Served | null = null;
afterEach(async () => {
  await served?.close(AbortSignal.abort());
  served = null;
});

const weather = {
  type: 'function',
  name: 'get_weather',
  description: 'The weather in a city.',
  parameters: { ...weatherSchema },
  strict: true,
} as const;

const City = z.strictObject({ city: z.string() });

describe.each(formats)('$name', ({ format }) => {
  const thoughts = isThoughtful(format) ? { reasoning_content: 'They ask for the weather.' } : {};
  const request = { model: 'written', input: question.content };

  async function open(...turns: readonly Turn[]): Promise<{ client: OpenAI; served: Served }> {
    served = await serveTurns(format, turns);
    return {
      client: new OpenAI({ baseURL: `${served.url}/v1`, apiKey: 'any', maxRetries: 0, fetch: checkedFetch }),
      served,
    };
  }

  /** That the result of the call was told after it, with its id. */
  function expectToldResult({ model }: Served): void {
    expect(model.asked).toHaveLength(2);
    const told = model.asked[1]?.messages ?? [];
    const calling = told.find((message) => message.role === 'assistant');
    const id = calling?.role === 'assistant' ? calling.tool_calls?.[0]?.id : undefined;
    expect(id).toMatch(/./);
    expect(told.at(-1)).toMatchObject({ role: 'tool', tool_call_id: id });
    if (thoughts.reasoning_content !== undefined) expect(calling).toMatchObject(thoughts);
  }

  it.each([false, true])('openai: a tool loop, streamed: %s', async (isStreamed) => {
    const { client, served } = await open({ ...oneCall, ...thoughts }, { ...answer, ...thoughts });
    const ask = async (input: OpenAI.Responses.ResponseInput) => {
      const asked = { model: 'written', input, tools: [weather] };
      if (!isStreamed) return client.responses.create(asked);
      const stream = client.responses.stream(asked);
      const types: string[] = [];
      let last = -1;
      for await (const { type, sequence_number } of stream) {
        types.push(type);
        expect(sequence_number).toBe(last + 1);
        last = sequence_number;
      }
      expect(types.slice(0, 2)).toEqual(['response.created', 'response.in_progress']);
      expect(types.at(-1)).toBe('response.completed');
      return stream.finalResponse();
    };
    const first = await ask([question]);
    const [call] = first.output.flatMap((item) => (item.type === 'function_call' ? [item] : []));
    expect(call).toMatchObject({ name: 'get_weather', status: 'completed' });
    expect(JSON.parse(call?.arguments ?? '')).toEqual({ city: 'Bern' });
    const output = { type: 'function_call_output', call_id: call?.call_id ?? '', output: '21' } as const;
    const second = await ask([question, ...(first.output as OpenAI.Responses.ResponseInput), output]);
    expect(second.output_text).toBe(answer.content);
    expect(second.status).toBe('completed');
    expectToldResult(served);
  });

  it('openai: an answer of a schema', async () => {
    const { client } = await open({ role: 'assistant', content: '{"city":"Bern"}' });
    const text = { format: zodTextFormat(City, 'city') };
    const { output_parsed } = await client.responses.parse({ ...request, text });
    expect(output_parsed).toEqual({ city: 'Bern' });
  });

  it.each([false, true])('@openai/agents, streamed: %s', async (stream) => {
    const { client, served } = await open({ ...oneCall, ...thoughts }, answer);
    const execute = async () => '21';
    const tools = [agentTool({ name: 'get_weather', description: 'Weather.', parameters: City, execute })];
    const agent = new Agent({ name: 'weather', model: 'written', tools });
    // The agents bring a client of their own version, with the same methods.
    const openAIClient = client as never;
    const runner = new Runner({ modelProvider: new OpenAIProvider({ openAIClient, useResponses: true }) });
    if (stream) {
      const run = await runner.run(agent, question.content, { stream: true });
      for await (const event of run) void event;
      expect(run.finalOutput).toBe(answer.content);
    } else {
      expect((await runner.run(agent, question.content)).finalOutput).toBe(answer.content);
    }
    expectToldResult(served);
  });

  it.each([false, true])('@ai-sdk/open-responses, streamed: %s', async (isStreamed) => {
    const { served } = await open({ ...oneCall, ...thoughts }, answer);
    const provider = createOpenResponses({
      name: 'idiolect',
      url: `${served.url}/v1/responses`,
      fetch: checkedFetch,
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
});

const named = { type: 'function', name: 'get_weather', parameters: weatherSchema };
const allowed = { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'g' }] };

describe('a request', () => {
  it.each<[object, string]>([
    [{ previous_response_id: 'resp_1' }, 'previous_response_id'],
    [{ background: true }, 'background'],
    [{ tools: [{ type: 'local_shell' }] }, 'tools[0].type'],
    [{ tools: [{ type: 'mcp', server_label: 'files' }] }, 'tools[0].type'],
    [{ tools: [{ type: 'namespace', tools: [] }] }, 'tools[0].name'],
    [{ tools: [{ type: 'namespace', name: 'n', tools: [{ type: 'shell' }] }] }, 'tools[0].tools[0].type'],
    [{ tools: [{ type: 'custom' }] }, 'tools[0].name'],
    [{ tools: [{ type: 'web_search' }], tool_choice: 'required' }, 'tool_choice'],
    [{ input: [{ type: 'custom_tool_call', call_id: 'a', name: 'f', input: {} }] }, 'input[0].input'],
    [{ tools: [{ type: 'function' }] }, 'tools[0].name'],
    [{ tools: [named], tool_choice: { type: 'function', name: 'g' } }, 'tool_choice'],
    [{ tools: [named], tool_choice: allowed }, 'tool_choice'],
    [{ tool_choice: { type: 'file_search' } }, 'tool_choice'],
    [{ input: 5 }, 'input'],
    [{ input: null }, 'input'],
    [{ input: [] }, 'input'],
    [{ input: [5] }, 'input[0]'],
    [{ input: [{ type: 'item_reference', id: 'x' }] }, 'input[0]'],
    [{ input: [{ role: 'robot', content: '' }] }, 'input[0].role'],
    [{ input: [{ role: 'user', content: [{ type: 'input_image' }] }] }, 'input[0].content[0]'],
    [{ input: [{ type: 'function_call', name: 'f', arguments: '{}' }] }, 'input[0].call_id'],
    [{ text: { format: { type: 'xml' } } }, 'text.format.type'],
    [{ text: { format: { type: 'json_schema' } } }, 'text.format.schema'],
    [{ max_output_tokens: 0 }, 'max_output_tokens'],
    [{ reasoning: { effort: 5 } }, 'reasoning.effort'],
    [{ top_logprobs: 21 }, 'top_logprobs'],
    [{ include: 'message.output_text.logprobs' }, 'include'],
    [{ instructions: 5 }, 'instructions'],
  ])('%j is refused for %s', async (fields, param) => {
    served = await serveTurns(anyFormat, [answer]);
    const response = await fetch(`${served.url}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'written', input: 'Hello', ...fields }),
    });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error', param } });
    expect(served.model.asked).toEqual([]);
  });

  it.each<[object, object]>([
    [
      { instructions: 'Be brief.' },
      { messages: [{ role: 'system', content: 'Be brief.' }, { role: 'user' }] },
    ],
    [{ reasoning: { effort: 'low' } }, { thinking: true, templateVariables: { reasoning_effort: 'low' } }],
    [
      { max_output_tokens: 7, temperature: 0, top_p: 0.3 },
      { maxTokens: 7, temperature: 0, topP: 0.3 },
    ],
    [
      {
        tools: [weather],
        tool_choice: {
          type: 'allowed_tools',
          mode: 'required',
          tools: [{ type: 'function', name: 'get_weather' }],
        },
      },
      { toolChoice: { type: 'allowed_tools', allowed_tools: { mode: 'required' } } },
    ],
    [
      {
        tools: [weather],
        tool_choice: { type: 'function', name: 'get_weather' },
        parallel_tool_calls: false,
      },
      { toolChoice: { type: 'function', function: { name: 'get_weather' } }, parallelToolCalls: false },
    ],
  ])('%j asks for %j', async (fields, options) => {
    served = await serveTurns(anyFormat, [answer]);
    const client = new OpenAI({ baseURL: `${served.url}/v1`, apiKey: 'any', fetch: checkedFetch });
    await client.responses.create({ model: 'written', input: 'Hello', ...fields });
    expect(served.model.asked[0]).toMatchObject(options);
  });

  it.each([false, true])('whose text a limit cuts says so of that item, streamed: %s', async (stream) => {
    served = await serveTurns(anyFormat, [{ ...answer, cut: 10 }]);
    const client = new OpenAI({ baseURL: `${served.url}/v1`, apiKey: 'any', fetch: checkedFetch });
    const asked = { model: 'written', input: 'Hello' };
    const items: OpenAI.Responses.ResponseOutputItem[] = [];
    if (stream) {
      for await (const event of await client.responses.create({ ...asked, stream: true }))
        if (event.type === 'response.output_item.done') items.push(event.item);
    } else items.push(...(await client.responses.create(asked)).output);
    expect(items).toMatchObject([{ status: 'incomplete' }]);
  });

  it.each([false, true])(
    'whose call breaks off has no call in its response, streamed: %s',
    async (stream) => {
      served = await serveTurns(anyFormat, [{ ...oneCall, cut: 60 }]);
      const client = new OpenAI({ baseURL: `${served.url}/v1`, apiKey: 'any', fetch: checkedFetch });
      const asked = { model: 'written', input: 'Hello', tools: [weather] };
      const types: string[] = [];
      let response: OpenAI.Responses.Response | null = null;
      if (stream) {
        for await (const event of await client.responses.create({ ...asked, stream: true })) {
          types.push(event.type);
          if (event.type === 'response.incomplete') response = event.response;
        }
      } else response = await client.responses.create(asked);
      expect(response).toMatchObject({
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
      });
      expect(response?.output).toEqual([]);
      expect(response).toMatchObject({ idiolect: { malformed: [{}] } });
      expect(types).not.toContain('response.output_item.done');
    },
  );
});
