/** What a server holds of requests that are over, however they ended: nothing. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { ChatOptions } from '../../src/runtime/chat/chat-options.ts';
import { createHandler, type ServableModel } from '../../src/serve/index.ts';
import { writtenModel } from '../ai-sdk/written-model.ts';
import { anyFormat, question } from './served-models.ts';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

const requests = 40;

/** A model that notes what chats were asked, and holds nothing of it itself. */
function forgetfulModel(change: (options: ChatOptions) => ChatOptions = (options) => options) {
  const asked: WeakRef<object>[] = [];
  const model: ServableModel = {
    name: 'forgetful',
    chat(options) {
      const { signal, messages } = options;
      for (const each of [options, signal, messages]) if (each !== undefined) asked.push(new WeakRef(each));
      return writtenModel(anyFormat, []).chat(change(options));
    },
  };
  return { model, asked };
}

/** How many are still held; the engine lets go of weak references only between two tasks. */
async function held(all: readonly WeakRef<object>[]): Promise<number> {
  for (let round = 0; round < 3; round += 1) {
    await new Promise((resolve) => setTimeout(resolve));
    collect();
  }
  return all.filter((each) => each.deref() !== undefined).length;
}

function ask(path: string, fields: object, signal?: AbortSignal): Request {
  return new Request(`http://localhost${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [question], input: 'Hello.', max_tokens: 100, ...fields }),
    ...(signal === undefined ? {} : { signal }),
  });
}

const fail = (options: ChatOptions): ChatOptions => ({
  ...options,
  signal: AbortSignal.abort(new Error('no')),
});

describe('of requests that are over, nothing is held:', () => {
  it.each([
    ['whole', '/v1/chat/completions', {}],
    ['streamed', '/v1/chat/completions', { stream: true }],
    ['of responses', '/v1/responses', { stream: true }],
    ['of messages', '/v1/messages', { stream: true }],
  ])('%s', async (_, path, fields) => {
    const { model, asked } = forgetfulModel();
    const handler = createHandler(model);
    for (let at = 0; at < requests; at += 1) {
      const response = await handler(ask(path, fields));
      expect(response.status).toBe(200);
      await response.text();
    }
    expect(asked.length).toBe(3 * requests);
    // Stacks and registers may hold those of the last request.
    expect(await held(asked)).toBeLessThanOrEqual(3);
    await handler.close();
  });

  it('failed', async () => {
    const { model, asked } = forgetfulModel(fail);
    const handler = createHandler(model);
    for (let at = 0; at < requests; at += 1) {
      const response = await handler(ask('/v1/chat/completions', {}));
      expect(response.status).toBe(500);
      await response.text();
    }
    expect(await held(asked)).toBeLessThanOrEqual(3);
    await handler.close();
  });

  it('left, before their answer and in the middle of it', async () => {
    const { model, asked } = forgetfulModel();
    const handler = createHandler(model);
    for (let at = 0; at < requests; at += 1) {
      const client = new AbortController();
      const response = handler(ask('/v1/chat/completions', { stream: at % 2 === 0 }, client.signal));
      const reader = at % 2 === 0 ? (await response).body?.getReader() : undefined;
      await reader?.read();
      client.abort();
      // As HTTP servers do where a connection is closed.
      await reader?.cancel();
      await response;
    }
    expect(asked.length).toBeGreaterThan(requests);
    expect(await held(asked)).toBeLessThanOrEqual(3);
    await handler.close();
  });
});
