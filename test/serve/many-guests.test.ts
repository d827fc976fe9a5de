/** Whatever one client sends, the others are served: bodies wait their turn unread, and nobody waits for a model. */
import { describe, expect, it, vi } from 'vitest';
import { createHandler, type Handler, type ServableModel } from '../../src/serve/index.ts';
import { writtenModel } from '../ai-sdk/written-model.ts';
import { anyFormat, brokenModel, question, serveTurns } from './served-models.ts';

const json = { 'content-type': 'application/json' };

function ask(handler: Handler, path: string, body: string, headers: object = {}): Promise<Response> {
  const request = { method: 'POST', headers: { ...json, ...headers }, body };
  return handler(new Request(`http://localhost${path}`, request));
}

const small = JSON.stringify({ messages: [question] });

/** A model whose previews count how many of them run at once; they end once `until` does. */
function previewModel(until = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, 5))) {
  const counts = { now: 0, most: 0, afterDispose: 0, disposed: false };
  const model: ServableModel = {
    ...brokenModel(),
    name: 'counted',
    preview: async () => {
      counts.now += 1;
      counts.most = Math.max(counts.most, counts.now);
      await until();
      if (counts.disposed) counts.afterDispose += 1;
      counts.now -= 1;
      return { prompt: '', promptTokens: 1 };
    },
    dispose: async () => {
      counts.disposed = true;
    },
  };
  return { model, counts };
}

describe('previews', () => {
  it('are admitted like responses, and too many are told so', async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { model, counts } = previewModel(() => released);
    const handler = createHandler(model, { concurrency: 2, queueLimit: 3 });
    const path = '/v1/chat/completions/input_tokens';
    const statuses: number[] = [];
    const asked = Array.from({ length: 20 }, async () => {
      const { status } = await ask(handler, path, small);
      statuses.push(status);
      // The others wait until the fifteen are refused, however long their bodies take to be read.
      if (statuses.length === 15) release();
    });
    await Promise.all(asked);
    expect(statuses).toEqual([...Array(15).fill(429), ...Array(5).fill(200)]);
    expect(counts.most).toBe(2);
    await handler.close();
  });

  it('are finished before the models are disposed of', async () => {
    const { model, counts } = previewModel();
    const handler = createHandler([{ name: 'counted', open: async () => model }]);
    const asked = Array.from({ length: 5 }, () => ask(handler, '/apply-template', small));
    await new Promise((resolve) => setTimeout(resolve, 2));
    await handler.close();
    await Promise.all(asked);
    expect(counts).toMatchObject({ now: 0, afterDispose: 0, disposed: true });
  });
});

it.each(['/apply-template', '/v1/messages/count_tokens', '/tokenize', '/v1/embeddings'])(
  'a server that gives up does not wait for a model that is being opened for %s',
  async (path) => {
    let open = (_: ServableModel): void => undefined;
    const opening = new Promise<ServableModel>((resolve) => {
      open = resolve;
    });
    const handler = createHandler([{ name: 'slow', open: () => opening }]);
    const body = JSON.stringify({ messages: [question], content: 'x', input: 'x' });
    const asked = ask(handler, path, body);
    await new Promise((resolve) => setTimeout(resolve, 20));
    await handler.close(AbortSignal.abort());
    expect((await asked).status).toBe(503);
    const { model, counts } = previewModel();
    open(model);
    await vi.waitUntil(() => counts.disposed);
  },
);

it('the list of models does not wait for one that is being opened', async () => {
  let open = (_: ServableModel): void => undefined;
  const opening = new Promise<ServableModel>((resolve) => {
    open = resolve;
  });
  const handler = createHandler([{ name: 'slow', open: () => opening }]);
  const asked = ask(handler, '/apply-template', small);
  const listed = await handler(new Request('http://localhost/v1/models'));
  expect(await listed.json()).toMatchObject({ data: [{ id: 'slow', loaded: false }] });
  open(previewModel().model);
  expect((await asked).status).toBe(200);
  const again = await handler(new Request('http://localhost/v1/models'));
  expect(await again.json()).toMatchObject({ data: [{ id: 'slow', loaded: true }] });
  await handler.close();
});

describe('a large body', () => {
  const large = (text: string): string =>
    JSON.stringify({ messages: [question], metadata: { text: text.repeat(300_000) } });

  it('is not read before its turn, while small ones are', async () => {
    const handler = createHandler(writtenModel(anyFormat, []), { concurrency: 3 });
    let pulled = 0;
    const send = (pull: () => void | Promise<void>, leave?: AbortSignal) =>
      handler(
        new Request('http://localhost/v1/chat/completions', {
          method: 'POST',
          headers: { ...json, 'content-length': '1000000' },
          body: new ReadableStream({ pull }, { highWaterMark: 0 }),
          duplex: 'half',
          ...(leave === undefined ? {} : { signal: leave }),
        } as RequestInit),
      );
    const leaving = new AbortController();
    const stuck = send(() => new Promise(() => undefined), leaving.signal);
    const leavingToo = new AbortController();
    const waiting = send(() => {
      pulled += 1;
      return new Promise(() => undefined);
    }, leavingToo.signal);
    expect((await ask(handler, '/v1/chat/completions', small)).status).toBe(200);
    expect(pulled).toBe(0);
    leaving.abort();
    await vi.waitUntil(() => pulled === 1);
    leavingToo.abort();
    await handler.close(AbortSignal.abort());
    void stuck;
    void waiting;
  });

  it.each(['/tokenize', '/v1/embeddings', '/v1/rerank', '/api/show', '/apply-template'])(
    'is not read before its turn by %s',
    async (path) => {
      const handler = createHandler(previewModel().model);
      let pulled = 0;
      const send = (leave: AbortSignal) =>
        handler(
          new Request(`http://localhost${path}`, {
            method: 'POST',
            headers: { ...json, 'content-length': '1000000' },
            body: new ReadableStream(
              {
                pull: () => {
                  pulled += 1;
                  return new Promise(() => undefined);
                },
              },
              { highWaterMark: 0 },
            ),
            duplex: 'half',
            signal: leave,
          } as RequestInit),
        );
      const leaving = Array.from({ length: 3 }, () => new AbortController());
      const asked = leaving.map(({ signal }) => send(signal));
      for (const [index, each] of leaving.entries()) {
        await vi.waitUntil(() => pulled === index + 1);
        await new Promise((resolve) => setImmediate(resolve));
        expect(pulled).toBe(index + 1);
        each.abort();
        expect((await asked[index])?.status).toBe(499);
      }
      await handler.close();
    },
  );

  it('is answered, one after the other', async () => {
    const served = await serveTurns(anyFormat, []);
    const asked = Array.from({ length: 4 }, () =>
      fetch(`${served.url}/v1/chat/completions`, { method: 'POST', headers: json, body: large('x') }),
    );
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    await served.close();
  });

  it('of too many values, or of no text, is refused', async () => {
    const served = await serveTurns(anyFormat, []);
    const send = (body: string | Uint8Array<ArrayBuffer>) =>
      fetch(`${served.url}/v1/chat/completions`, { method: 'POST', headers: json, body });
    expect((await send(`{"messages":[${'{},'.repeat(400_000)}{}]}`)).status).toBe(400);
    const fields = Array.from({ length: 1_001 }, (_, index) => `"field${index}":0`);
    expect((await send(`{"messages":[],${fields.join()}}`)).status).toBe(400);
    expect((await send(Uint8Array.from([0x7b, 0xff, 0x7d]))).status).toBe(400);
    await served.close();
  });
});
