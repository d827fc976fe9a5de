/** An answer at the end of a conversation is continued, in every API, as if that had been asked for. */
import { afterAll, describe, expect, it } from 'vitest';
import { createHandler } from '../../src/serve/index.ts';
import { writtenModel } from '../ai-sdk/written-model.ts';
import { openTiny } from '../support/small-chats.ts';
import { anyFormat, question, weatherSchema as schema, weatherTool } from './served-models.ts';

const model = await openTiny({ contextSize: 2048 });
const handler = createHandler(model);
afterAll(async () => {
  await handler.close();
  await model.dispose();
});

async function promptOf(path: string, body: object): Promise<string> {
  const response = await handler(
    new Request(`http://localhost${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  );
  return ((await response.json()) as { prompt?: string; input_tokens?: number }).prompt ?? '';
}

async function tokensOf(path: string, body: object): Promise<number> {
  const response = await handler(
    new Request(`http://localhost${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  );
  return ((await response.json()) as { input_tokens: number }).input_tokens;
}

const begun = [question, { role: 'assistant', content: 'Hello the' }] as const;

describe('an answer at the end', () => {
  const continued = model.preview({ messages: begun, continueFinalMessage: true });

  it('is continued in chat completions, unless a new turn is asked for', async () => {
    expect(await promptOf('/apply-template', { messages: begun })).toBe(continued.prompt);
    const anew = await promptOf('/apply-template', { messages: begun, add_generation_prompt: true });
    expect(anew).toBe(model.preview({ messages: begun }).prompt);
    expect(anew).not.toBe(continued.prompt);
  });

  it('is continued in the others', async () => {
    const input = begun.map(({ role, content }) => ({ role, content }));
    expect(await tokensOf('/v1/responses/input_tokens', { input })).toBe(continued.promptTokens);
    const off = model.preview({ messages: begun, continueFinalMessage: true, thinking: false });
    expect(await tokensOf('/v1/messages/count_tokens', { messages: begun })).toBe(off.promptTokens);
  });

  it('is not continued where it has no text, or ends in calls', async () => {
    const empty = [question, { role: 'assistant', content: '' }] as const;
    const expected = model.preview({ messages: empty }).prompt;
    expect(await promptOf('/apply-template', { messages: empty })).toBe(expected);
  });
});

const openAi = { name: 'get_weather', parameters: schema };
const format = { type: 'json_schema', name: 'weather', schema };

/** Where an answer goes, what asks for JSON, and what for a call. */
const apis = [
  [
    '/v1/chat/completions',
    { response_format: { type: 'json_schema', json_schema: format } },
    { tools: [weatherTool], tool_choice: 'required' },
  ],
  [
    '/v1/responses',
    { text: { format } },
    { tools: [{ type: 'function', ...openAi }], tool_choice: { type: 'function', name: 'get_weather' } },
  ],
  [
    '/v1/messages',
    { max_tokens: 9, output_config: { format } },
    { max_tokens: 9, tools: [{ name: 'get_weather', input_schema: schema }], tool_choice: { type: 'any' } },
  ],
  ['/api/chat', { format: schema }, {}],
] as const;

/** Whether the model was asked to continue `content`. */
async function continues(path: string, content: string, fields: object): Promise<boolean> {
  const model = writtenModel(anyFormat, []);
  const to = createHandler(model);
  const history = [question, { role: 'assistant', content }];
  const body = { model: 'written', messages: history, input: history, stream: false, ...fields };
  const { messages: _, ...input } = body;
  const { input: __, ...messages } = body;
  await to(
    new Request(`http://localhost${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(path === '/v1/responses' ? input : messages),
    }),
  );
  await to.close();
  expect(model.asked).toHaveLength(1);
  return model.asked[0]?.continueFinalMessage === true;
}

it.each(apis)('JSON after an answer is a new one, unless it was begun, %s', async (path, forJson) => {
  for (const finished of ['It is 21 degrees.', '{"city": "Bern"}', '21'])
    expect(await continues(path, finished, forJson)).toBe(false);
  expect(await continues(path, '{"city": "Be', forJson)).toBe(true);
});

it.each(apis.slice(0, 3))(
  'a call that is demanded after an answer is a new turn, %s',
  async (path, _, forCall) => {
    expect(await continues(path, 'It is 21 degrees.', forCall)).toBe(false);
    expect(await continues(path, 'It is 21 deg', { ...forCall, tool_choice: undefined })).toBe(true);
  },
);

it('LangGraph, which asks for JSON after the answer, gets JSON', async () => {
  const response = await handler(
    new Request('http://localhost/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        messages: [question, { role: 'assistant', content: 'It is 21 in Bern.' }],
        response_format: {
          type: 'json_schema',
          json_schema: {
            name: 'Report',
            strict: true,
            schema: { ...schema, properties: { city: { enum: ['Bern', 'Oslo'] } } },
          },
        },
        seed: 3,
        reasoning_effort: 'none',
      }),
    }),
  );
  const { choices } = (await response.json()) as { choices: [{ message: { content: string } }] };
  expect(JSON.parse(choices[0].message.content)).toEqual({ city: expect.stringMatching(/^(Bern|Oslo)$/) });
});
