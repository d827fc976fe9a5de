/** How likely the tokens of an answer were, under OpenAI's own client. */
import OpenAI from 'openai';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningServer, serve } from '../../src/serve/index.ts';
import { openTiny } from '../support/small-chats.ts';
import { checkedFetch, requireResponse } from './open-responses-schema.ts';

const model = await openTiny({ contextSize: 1024 });
let server: RunningServer;
let client: OpenAI;
/** The same, whose answers have to be Open Responses'. */
let checked: OpenAI;
beforeAll(async () => {
  server = await serve(model, { port: 0, defaults: { temperature: 0, thinking: false } });
  const options = { baseURL: `${server.url}/v1`, apiKey: 'any', maxRetries: 0 };
  client = new OpenAI(options);
  checked = new OpenAI({ ...options, fetch: checkedFetch });
});
afterAll(async () => {
  await server.close();
  await model.dispose();
});

const chat: OpenAI.ChatCompletionCreateParamsNonStreaming = {
  model: model.name,
  messages: [{ role: 'user', content: 'Hello' }],
  max_tokens: 8,
};

type Token = OpenAI.ChatCompletionTokenLogprob;

function textOf(tokens: readonly { readonly bytes: readonly number[] | null }[]): string {
  return new TextDecoder().decode(Uint8Array.from(tokens.flatMap(({ bytes }) => bytes ?? [])));
}

async function ask(fields: object): Promise<OpenAI.ChatCompletion.Choice | undefined> {
  return (await client.chat.completions.create({ ...chat, ...fields })).choices[0];
}

it('chat completions: each token of the answer, with the likeliest of its place', async () => {
  const choice = await ask({ logprobs: true, top_logprobs: 2 });
  const { content: tokens, refusal } = choice?.logprobs ?? {};
  expect(refusal).toBeNull();
  expect(textOf(tokens ?? []).startsWith(choice?.message.content ?? 'none')).toBe(true);
  for (const { token, logprob, bytes, top_logprobs: top } of tokens ?? []) {
    expect(top).toHaveLength(2);
    expect(top[0]).toEqual({ token, logprob, bytes });
  }
});

it('without top_logprobs the tokens alone; without logprobs, null', async () => {
  const tokens = (await ask({ logprobs: true }))?.logprobs?.content;
  expect(tokens?.length).toBeGreaterThan(0);
  expect(tokens).toEqual(tokens?.map((token) => ({ ...token, top_logprobs: [] })));
  expect((await ask({ logprobs: false, top_logprobs: 0 }))?.logprobs).toBeNull();
});

it('streamed, the same tokens come with the text that they begin', async () => {
  const whole = await ask({ logprobs: true, top_logprobs: 3 });
  const tokens: Token[] = [];
  let content = '';
  const stream = await client.chat.completions.create({
    ...chat,
    logprobs: true,
    top_logprobs: 3,
    stream: true,
  });
  for await (const { choices } of stream) {
    const [choice] = choices;
    content += choice?.delta.content ?? '';
    tokens.push(...(choice?.logprobs?.content ?? []));
    expect(choice?.logprobs === null || (choice?.delta.content ?? '') !== '').toBe(true);
    expect(textOf(tokens).length).toBeGreaterThanOrEqual(content.length);
  }
  expect(tokens).toEqual(whole?.logprobs?.content);
});

const response: OpenAI.Responses.ResponseCreateParamsNonStreaming = {
  model: model.name,
  input: 'Hello',
  max_output_tokens: 16,
};

it.each<[object, number]>([
  [{ include: ['message.output_text.logprobs'] }, 0],
  [{ include: ['message.output_text.logprobs'], top_logprobs: 2 }, 2],
  [{ top_logprobs: 2 }, 2],
])('responses, asked with %j: in the parts and in the events', async (fields, top) => {
  const whole = await checked.responses.create({ ...response, ...fields });
  requireResponse(whole);
  expect(whole.top_logprobs).toBe(top);
  const [message] = whole.output;
  const part = message?.type === 'message' ? message.content[0] : undefined;
  const tokens = part?.type === 'output_text' ? part.logprobs : undefined;
  expect(tokens?.length).toBeGreaterThan(0);
  for (const { top_logprobs: likeliest } of tokens ?? []) expect(likeliest).toHaveLength(top);
  const events: unknown[] = [];
  for await (const event of await checked.responses.create({ ...response, ...fields, stream: true })) {
    if (event.type === 'response.output_text.delta') events.push(...event.logprobs);
    if (event.type === 'response.output_text.done') expect(event.logprobs).toEqual(tokens);
  }
  expect(events).toEqual(tokens);
});

it('responses that are not asked for them have none', async () => {
  const whole = await checked.responses.create({ ...response, include: ['reasoning.encrypted_content'] });
  expect(JSON.stringify(whole.output)).toContain('"logprobs":[]');
});
