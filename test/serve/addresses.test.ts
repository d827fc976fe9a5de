/** Where clients look for the server: in wrong places, too. */
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { createHandler } from '../../src/serve/index.ts';
import { writtenModel } from '../ai-sdk/written-model.ts';
import { anyFormat, question } from './served-models.ts';

const handler = createHandler(writtenModel(anyFormat, []), { anyModel: true });
const strict = createHandler(writtenModel(anyFormat, []));
afterAll(() => Promise.all([handler.close(), strict.close()]));

const ask = (path: string, init: RequestInit = {}, to = handler) =>
  to(new Request(`http://localhost:8080${path}`, init));
const post = (path: string, body: object, to = handler) =>
  ask(
    path,
    { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) },
    to,
  );

it('a doubled or foreign prefix, and a slash at the end, lead to the same', async () => {
  const prefixes = fc.array(fc.constantFrom('/v1', '/api', '/openai', '/anthropic'), { maxLength: 3 });
  const requests = fc.constantFrom<[string, object]>(
    ['/v1/chat/completions', { messages: [question] }],
    ['/v1/responses', { input: 'Hello' }],
    ['/v1/messages', { messages: [question], max_tokens: 9 }],
    ['/v1/messages/count_tokens', { messages: [question] }],
  );
  await fc.assert(
    fc.asyncProperty(prefixes, requests, fc.boolean(), async (before, [path, body], slash) => {
      const plain = await post(path, body);
      const led = await post(`${before.join('')}${path}${slash ? '/' : ''}`, body);
      expect(led.status).toBe(plain.status);
    }),
  );
});

it('GET of a model agrees with POST to it, whatever its name', async () => {
  for (const to of [handler, strict])
    for (const name of ['written', 'gpt-5', 'a/b', 'ä']) {
      const got = await ask(`/v1/models/${encodeURIComponent(name)}`, {}, to);
      const posted = await post('/v1/chat/completions', { model: name, messages: [question] }, to);
      expect(got.status).toBe(posted.status);
      const [card, response] = [await got.json(), await posted.json()] as Record<string, unknown>[];
      if (got.ok) expect(card?.id).toBe(response?.model);
      else expect(card).toEqual(response);
    }
});

it('an address that is nowhere is answered with those that are', async () => {
  const response = await post('/v1/chats', {});
  expect(response.status).toBe(404);
  const { error } = (await response.json()) as { error: { message: string } };
  expect(error.message).toContain('http://localhost:8080/v1 for OpenAI');
  expect(error.message).toContain('http://localhost:8080 for Anthropic');
});

it('probes and preflights of browsers are answered', async () => {
  for (const method of ['GET', 'HEAD']) expect((await ask('/', { method })).status).toBe(200);
  const preflight = await ask('/v1/chat/completions', { method: 'OPTIONS' });
  expect([preflight.status, await preflight.text()]).toEqual([403, expect.stringContaining('--cors')]);
});

it('ids of requests have the names that both SDKs read', async () => {
  for (const body of [{ messages: [question], max_tokens: 9 }, {}]) {
    const { headers } = await post('/v1/messages', body);
    expect(headers.get('request-id')).toMatch(/^\w{32}$/);
    expect(headers.get('x-request-id')).toBe(headers.get('request-id'));
  }
});

it('Anthropic’s clients read models in their own shape', async () => {
  const response = await ask('/v1/models', { headers: { 'anthropic-version': '2023-06-01' } });
  const { data, has_more } = (await response.json()) as { data: object[]; has_more: boolean };
  expect(has_more).toBe(false);
  const keys = ['capabilities', 'created_at', 'deprecated_at', 'display_name', 'id', 'lifecycle', 'line'];
  const rest = ['max_input_tokens', 'max_tokens', 'retires_at', 'type'];
  expect(Object.keys(data[0] ?? {}).sort()).toEqual([...keys, ...rest]);
});
