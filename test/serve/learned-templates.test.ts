/** Nothing that a client can ask has a template analysed at once, while all others wait. */
import { describe, expect, it } from 'vitest';
import { createHandler, type ServableModel } from '../../src/serve/index.ts';
import { writtenModel } from '../ai-sdk/written-model.ts';
import { answer, anyFormat } from './served-models.ts';

/** A model whose templates may be asked for once they were learned. */
function lazyModel(): ServableModel {
  const model = writtenModel(anyFormat, [answer, answer]);
  let isLearned = false;
  const templates = { toolUse: { source: 'the template', format: anyFormat } };
  return {
    name: 'lazy',
    chat: (options) => model.chat(options),
    learnTemplates: async () => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      isLearned = true;
    },
    get templates() {
      if (!isLearned) throw new Error('the template is analysed at once');
      return templates as unknown as NonNullable<ServableModel['templates']>;
    },
  };
}

const messages = [{ role: 'user', content: 'hello' }];

it.each([
  ['/v1/models', null, 'lazy'],
  ['/v1/models/lazy', null, 'tool_format'],
  ['/props', null, 'the template'],
  ['/api/tags', null, 'lazy'],
  ['/api/ps', null, 'lazy'],
  ['/api/show', { model: 'lazy' }, 'the template'],
  ['/api/chat', { model: 'lazy', messages, stream: false }, answer.content],
  ['/v1/messages', { model: 'lazy', messages, max_tokens: 9 }, answer.content],
  ['/v1/chat/completions', { messages }, answer.content],
] as const)('%s', async (path, body, expected) => {
  const handler = createHandler(lazyModel());
  const headers = { 'content-type': 'application/json' };
  const sent = body === null ? {} : { method: 'POST', headers, body: JSON.stringify(body) };
  const response = await handler(new Request(`http://localhost${path}`, sent));
  expect(response.status).toBe(200);
  expect(await response.text()).toContain(expected);
  await handler.close();
});

/** A model whose templates cannot be analysed; asking for them anyway fails, too. */
function unreadableModel(): ServableModel {
  const fail = (): never => {
    throw new Error('its template cannot be read');
  };
  return {
    name: 'unreadable',
    chat: fail,
    learnTemplates: async () => fail(),
    get templates() {
      return fail();
    },
  };
}

describe('of a model whose templates cannot be analysed, what is known is listed, and of all others more:', () => {
  const capabilities = { supports_tools: true };

  it.each([
    [
      '/v1/models',
      null,
      {
        data: [
          { id: 'unreadable', loaded: true },
          { id: 'lazy', loaded: true, capabilities },
        ],
      },
    ],
    ['/v1/models/unreadable', null, { id: 'unreadable', loaded: true }],
    ['/v1/models/lazy', null, { id: 'lazy', capabilities }],
    ['/props', null, { model_alias: 'unreadable', chat_template: '' }],
    ['/api/show', { model: 'lazy' }, { template: 'the template' }],
    ['/api/show', { model: 'unreadable' }, { template: '' }],
  ])('%s %j', async (path, body, expected) => {
    const errors: unknown[] = [];
    const onError = (error: unknown): void => void errors.push(error);
    const handler = createHandler([unreadableModel(), lazyModel()], { onError });
    const headers = { 'content-type': 'application/json' };
    const sent = body === null ? {} : { method: 'POST', headers, body: JSON.stringify(body) };
    const response = await handler(new Request(`http://localhost${path}`, sent));
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject(expected);
    expect(errors).toEqual([expect.objectContaining({ message: 'its template cannot be read' })]);
    await handler.close();
  });
});
