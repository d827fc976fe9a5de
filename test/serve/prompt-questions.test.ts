/** Questions about a request that is not made: what the prompt would be, and how many tokens it has. */
import Anthropic from '@anthropic-ai/sdk';
import { afterAll, afterEach, expect, it } from 'vitest';
import { createHandler, type RunningServer, type ServeOptions, serve } from '../../src/serve/index.ts';
import { connectServer } from '../../src/servers/index.ts';
import { openTiny } from '../support/small-chats.ts';
import { answer, anyFormat, question, serveTurns, weatherTool } from './served-models.ts';

const model = await openTiny({ contextSize: 2048 });
afterAll(() => model.dispose());

let server: RunningServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

async function open(options: ServeOptions = {}): Promise<string> {
  server = await serve(model, { port: 0, ...options });
  return server.url;
}

async function ask(url: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

it('a question about a prompt counts the tokens that the request itself then has', async () => {
  const url = await open({ defaults: { maxTokens: 1 } });
  const expected = model.preview({ messages: [question], tools: [weatherTool] });
  const chat = { messages: [question], tools: [weatherTool] };
  const flat = { ...weatherTool.function, type: 'function' };
  const responses = { input: question.content, tools: [flat] };
  for (const [path, body] of [
    ['/v1/chat/completions', chat],
    ['/chat/completions', chat],
    ['/v1/responses', responses],
  ] as const) {
    const counted = await (await ask(`${url}${path}/input_tokens`, body)).json();
    expect(counted).toEqual({ object: 'response.input_tokens', input_tokens: expected.promptTokens });
  }
  const { usage } = (await (await ask(`${url}/v1/chat/completions`, chat)).json()) as {
    usage: { prompt_tokens: number };
  };
  expect(usage.prompt_tokens).toBe(expected.promptTokens);
  const prompt = await (await ask(`${url}/apply-template`, chat)).json();
  expect(prompt).toEqual({ prompt: expected.prompt });
});

it('a question about a prompt counts for @anthropic-ai/sdk, which says no limit', async () => {
  const client = new Anthropic({ baseURL: await open(), apiKey: 'any', maxRetries: 0 });
  const counted = await client.messages.countTokens({ model: model.name, messages: [question] });
  expect(counted.input_tokens).toBe(model.preview({ messages: [question], thinking: false }).promptTokens);
});

it('a question about a prompt refuses where the key is wrong, the request is, or nobody can count', async () => {
  const keyed = await open({ apiKeys: ['right'] });
  const body = { messages: [question] };
  expect((await ask(`${keyed}/apply-template`, body)).status).toBe(401);
  const right = { authorization: 'Bearer right' };
  expect((await ask(`${keyed}/apply-template`, body, right)).status).toBe(200);
  const wrong = await ask(`${keyed}/v1/messages/count_tokens`, { messages: 5 }, right);
  expect([wrong.status, await wrong.json()]).toMatchObject([400, { type: 'error', error: {} }]);
  await server?.close();
  server = await serveTurns(anyFormat, [answer]);
  const uncounted = await ask(`${server.url}/v1/chat/completions/input_tokens`, body);
  expect([uncounted.status, await uncounted.json()]).toMatchObject([
    501,
    { error: { code: 'unsupported_question' } },
  ]);
});

it('a client that leaves is no fault of the server’s, who waits for a model, too', async () => {
  const faults: unknown[] = [];
  const entry = { name: 'slow', open: () => new Promise<never>(() => undefined) };
  const handler = createHandler([entry], { onError: (error) => faults.push(error) });
  const client = new AbortController();
  const asked = new Request('http://localhost/v1/messages/count_tokens', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [question] }),
    signal: client.signal,
  });
  const answered = handler(asked);
  setTimeout(() => client.abort(new Error('gone')), 10);
  expect((await answered).status).toBe(499);
  expect(faults).toEqual([]);
});

it.each(['llama-server', 'vllm', 'sglang'] as const)(
  'is no server for connectServer, as %s',
  async (kind) => {
    const connecting = connectServer({ kind, url: await open() });
    await expect(connecting).rejects.toThrow(/is idiolect serve, .*client of OpenAI's or Anthropic's API/);
  },
);
