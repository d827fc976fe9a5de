/** `/v1/completions` under OpenAI's own client, llama-server's `/completion`, and questions about tokens. */
import OpenAI from 'openai';
import { afterAll, describe, expect, it } from 'vitest';
import { createHandler, serve } from '../../src/serve/index.ts';
import { openTiny } from '../support/small-chats.ts';
import { heldModel } from './held-model.ts';
import { answer, anyFormat, serveTurns } from './served-models.ts';

const model = await openTiny({ contextSize: 512 });
const server = await serve(model, { port: 0, defaults: { temperature: 1, seed: 3, thinking: false } });
afterAll(async () => {
  await server.close();
  await model.dispose();
});
const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'any', maxRetries: 0 });

async function ask(path: string, body?: object): Promise<{ status: number; body: Record<string, unknown> }> {
  const init = body && {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  const response = await fetch(`${server.url}${path}`, init);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const request = { model: model.name, prompt: 'Once upon a time', max_tokens: 20 };
const expected = async (maxTokens: number, stop: readonly string[] = []) =>
  (await model.complete({ prompt: request.prompt, temperature: 1, seed: 3, maxTokens, stop }).message)
    .content;

describe('completions', () => {
  it('are whole and streamed the same', async () => {
    const { choices, usage, object } = await client.completions.create(request);
    expect(object).toBe('text_completion');
    expect(choices).toMatchObject([{ text: await expected(20), finish_reason: 'length' }]);
    expect(usage?.total_tokens).toBe((usage?.prompt_tokens ?? 0) + 20);
    let text = '';
    const stream_options = { include_usage: true };
    const counts: unknown[] = [];
    for await (const chunk of await client.completions.create({ ...request, stream: true, stream_options })) {
      text += chunk.choices[0]?.text ?? '';
      if (chunk.usage != null) counts.push(chunk.usage);
    }
    expect([text, counts]).toEqual([choices[0]?.text, [usage]]);
  });

  it('have sixteen tokens where no limit is given, and begin with the prompt if asked', async () => {
    const { max_tokens: _, ...unlimited } = request;
    const { choices } = await client.completions.create({
      ...unlimited,
      echo: true,
      prompt: [request.prompt],
    });
    expect(choices[0]?.text).toBe(`${request.prompt}${await expected(16)}`);
  });

  it('name the stop that ended them', async () => {
    const stop = String(await expected(20)).slice(4, 8);
    const { choices } = await client.completions.create({ ...request, stop });
    expect(choices).toMatchObject([
      { finish_reason: 'stop', stop_reason: stop, text: await expected(20, [stop]) },
    ]);
  });

  it.each(['/completion', '/completions'])('are there in llama-server’s own shape: %s', async (path) => {
    const { body } = await ask(path, { prompt: request.prompt, n_predict: 20 });
    expect(body).toMatchObject({
      content: await expected(20),
      stop: true,
      stop_type: 'limit',
      tokens_predicted: 20,
    });
  });

  it.each([
    [{ prompt: null }, 'prompt'],
    [{ prompt: ['a', 'b'] }, 'prompt'],
    [{ prompt: [1, 2] }, 'prompt'],
    [{ n: 2 }, 'n'],
    [{ suffix: 'x' }, 'suffix'],
    [{ logprobs: 3 }, 'logprobs'],
    // The chosen tokens' own, in that API.
    [{ logprobs: 0 }, 'logprobs'],
    [{ grammar: 'root ::= "a"' }, 'grammar'],
    [{ prompt: 'word '.repeat(900) }, 'messages'],
  ])('of %j are refused for %s', async (fields, param) => {
    const { status, body } = await ask('/v1/completions', { ...request, ...fields });
    expect([status, body]).toMatchObject([400, { error: { param } }]);
  });

  it('of a model that continues no texts are refused', async () => {
    const served = await serveTurns(anyFormat, [answer]);
    const there = new OpenAI({ baseURL: `${served.url}/v1`, apiKey: 'any', maxRetries: 0 });
    await expect(there.completions.create({ ...request, model: 'written' })).rejects.toMatchObject({
      status: 501,
    });
    await served.close();
  });
});

it('the server gives the tokens of texts, and the texts of tokens', async () => {
  const text = 'Hello world<|im_end|>';
  const { body } = await ask('/tokenize', { content: text });
  expect(body).toEqual({ tokens: model.tokenize(text), count: model.tokenize(text).length });
  const { body: back } = await ask('/detokenize', { tokens: body.tokens });
  expect(back.content).toBe(model.detokenize(model.tokenize(text)));
  const { body: pieces } = await ask('/tokenize', { prompt: text, with_pieces: true });
  const joined = (pieces.tokens as { piece: string }[]).map(({ piece }) => piece).join('');
  expect(joined).toBe(back.content);
  for (const tokens of [[-1], ['a'], 'a']) expect((await ask('/detokenize', { tokens })).status).toBe(400);
  expect((await ask('/tokenize', {})).status).toBe(400);
});

it('the properties of the model', async () => {
  expect((await ask('/props')).body).toMatchObject({
    model_alias: model.name,
    chat_template: model.templates.toolUse.source,
    default_generation_settings: { n_ctx: 512 },
  });
});

it('the slots are the sequences of the model, or the requests at a time where these are not known', async () => {
  for (const [known, slots] of [
    [{ sequences: 2 }, 2],
    [{}, 5],
  ] as const) {
    const handler = createHandler({ ...heldModel(1), ...known }, { concurrency: 5 });
    const response = await handler(new Request('http://localhost/props'));
    expect(await response.json()).toMatchObject({ total_slots: slots });
  }
});
