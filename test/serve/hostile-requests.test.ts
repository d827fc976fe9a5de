/** Requests that are broken, too much, not allowed, or given up: typed answers, and everybody else unharmed. */
import http from 'node:http';
import net from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { ModelFileError } from '../../src/format/errors.ts';
import { type RunningServer, type ServeOptions, serve } from '../../src/serve/index.ts';
import { type HeldModel, heldModel } from './held-model.ts';
import { answer, anyFormat, question, serveTurns } from './served-models.ts';

let server: RunningServer | null = null;
afterEach(async () => {
  await server?.close(AbortSignal.abort());
  server = null;
});

async function open(options: ServeOptions = {}): Promise<string> {
  server = await serveTurns(anyFormat, [answer, answer, answer], options);
  return `${server.url}/v1/chat/completions`;
}

const json = { 'content-type': 'application/json' };
const asked = JSON.stringify({ messages: [question] });

function post(url: string, body: string, headers: Record<string, string> = json): Promise<Response> {
  return fetch(url, { method: 'POST', body, headers });
}

async function refusal(response: Response): Promise<object> {
  const { error } = (await response.json()) as { error: { code: string; message: string } };
  expect(error.message).not.toBe('');
  return { status: response.status, code: error.code };
}

describe('a body', () => {
  it.each<[string, string, object]>([
    ['that is no JSON', '{bad', { status: 400, code: 'invalid_json' }],
    ['that is empty', '', { status: 400, code: 'invalid_json' }],
    ['that is a list', '[]', { status: 400, code: 'invalid_json' }],
    [
      'that is nested deeply',
      `{"a":${'['.repeat(300)}${']'.repeat(300)}}`,
      { status: 400, code: 'invalid_value' },
    ],
    ['that is nested without an end', '['.repeat(1_000_000), { status: 400, code: 'invalid_value' }],
    [
      'of strings that look nested',
      JSON.stringify({ messages: [{ role: 'user', content: `"\\${'['.repeat(300)}` }] }),
      { status: 200 },
    ],
    [
      'with a field whose name is half a character',
      JSON.stringify({ '\ud800': 1, messages: [question] }),
      { status: 200 },
    ],
    [
      'with a name that leads to a prototype',
      '{"__proto__":{"messages":[]},"messages":[]}',
      { status: 400, code: 'invalid_message' },
    ],
  ])('%s', async (_, body, expected) => {
    const response = await post(await open(), body);
    if ('code' in expected) expect(await refusal(response)).toEqual(expected);
    else expect(response.status).toBe(200);
  });

  it('that is compressed is refused, and said to be', async () => {
    const response = await post(await open(), asked, { ...json, 'content-encoding': 'gzip' });
    expect(await refusal(response.clone())).toEqual({ status: 415, code: 'unsupported_media_type' });
    expect(await response.text()).toContain('gzip');
  });

  it('may be sent to an address that ends in a slash', async () => {
    expect((await post(`${await open()}/`, asked)).status).toBe(200);
  });

  it('of another type is refused, so that no page can send it without asking', async () => {
    const response = await post(await open(), asked, { 'content-type': 'text/plain' });
    expect(await refusal(response)).toEqual({ status: 415, code: 'unsupported_media_type' });
  });

  it.each([true, false])('that is too long is refused; length announced: %s', async (isAnnounced) => {
    const url = await open({ maxBodyBytes: 1000 });
    const long = JSON.stringify({ messages: [{ role: 'user', content: 'a'.repeat(5000) }] });
    const stream = new Blob([long]).stream();
    const init = isAnnounced ? { body: long } : { body: stream, duplex: 'half' };
    const response = await fetch(url, { method: 'POST', headers: json, ...init } as RequestInit);
    expect(await refusal(response)).toEqual({ status: 413, code: 'request_too_large' });
    expect((await post(url, asked)).status).toBe(200);
  });

  it('of 100 MB is given up long before its end', async () => {
    const url = new URL(await open());
    let sent = 0;
    const status = await new Promise((resolve) => {
      const request = http.request(url, {
        method: 'POST',
        headers: { ...json, 'transfer-encoding': 'chunked' },
      });
      request.on('response', (response) => resolve(response.statusCode));
      // A connection that is closed while we write need not give its answer to us.
      request.on('error', () => resolve(413));
      const chunk = Buffer.alloc(1_000_000, 'a');
      const send = (): void => {
        if (sent === 100 || request.destroyed || request.writableEnded) return;
        sent += 1;
        request.write(chunk, (error) => (error == null ? send() : undefined));
      };
      send();
    });
    expect(status).toBe(413);
    expect(sent).toBeLessThan(100);
  });

  it('that does not come is not waited for', async () => {
    const url = new URL(await open({ bodyTimeoutMs: 20 }));
    const status = await new Promise((resolve, reject) => {
      const request = http.request(url, { method: 'POST', headers: { ...json, 'content-length': 100 } });
      request.on('response', (response) => resolve(response.statusCode));
      request.on('error', reject);
      request.write('{');
    });
    expect(status).toBe(408);
  });
});

/** Only Linux listens at all of them without being told to. */
const loopbacks = process.platform === 'linux' ? ['127.0.0.1', '127.0.0.2'] : ['127.0.0.1'];

describe('who may call', () => {
  const apiKeys = ['first', 'second'];

  it.each([
    [{ ...json }, 401],
    [{ ...json, authorization: 'Bearer wrong' }, 401],
    [{ ...json, authorization: 'Basic first' }, 401],
    [{ ...json, authorization: 'Bearer ' }, 401],
    [{ ...json, 'x-api-key': '' }, 401],
    [{ ...json, authorization: 'Bearer first' }, 200],
    [{ ...json, authorization: 'bearer second' }, 200],
    [{ ...json, 'x-api-key': 'second' }, 200],
    [{ ...json, 'x-api-key': 'stale', authorization: 'Bearer second' }, 200],
    [{ ...json, 'x-api-key': 'stale', authorization: 'Bearer other' }, 401],
  ])('%j gets %d', async (headers, status) => {
    const url = await open({ apiKeys });
    const response = await post(url, asked, headers as Record<string, string>);
    expect(response.status).toBe(status);
    const models = await fetch(url.replace('chat/completions', 'models'), { headers });
    expect(models.status).toBe(status);
  });

  it('health needs no key', async () => {
    const url = await open({ apiKeys });
    expect(await (await fetch(new URL('/health', url))).json()).toEqual({ status: 'ok' });
  });

  it.each(loopbacks)('at %s, a name that is none of this machine is refused', async (host) => {
    const url = new URL(await open({ host }));
    const statusOf = (host: string) =>
      new Promise((resolve, reject) => {
        const request = http.get(new URL('/v1/models', url), { headers: { host } }, (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        request.on('error', reject);
      });
    expect(await statusOf('evil.example')).toBe(403);
    expect(await statusOf(`localhost:${url.port}`)).toBe(200);
    expect(await statusOf(url.host)).toBe(200);
  });

  it.each<[readonly string[], string | null]>([
    [[], null],
    [['https://mine.example'], 'https://mine.example'],
    [['https://other.example'], null],
  ])('pages of other origins, where %j may', async (corsOrigins, allowed) => {
    expect(await originFor('https://mine.example', corsOrigins)).toBe(allowed);
  });

  it('a page that may reads our headers, of answers and of refusals', async () => {
    const url = await open({ corsOrigins: ['https://mine.example'] });
    const headers = { ...json, origin: 'https://mine.example' };
    for (const body of [JSON.stringify({ ...JSON.parse(asked), zzz: 1 }), '{}']) {
      const response = await post(url, body, headers);
      const exposed = response.headers.get('access-control-expose-headers')?.split(',') ?? [];
      const own = [...response.headers.keys()].filter((name) => /^idiolect-|request-id$/.test(name));
      expect(own).toContain('x-request-id');
      expect(exposed).toEqual(expect.arrayContaining([...own, 'retry-after']));
    }
  });

  it('a page that may not is refused before it sends JSON, and gets nothing done by what it may send', async () => {
    const url = await open({ corsOrigins: ['https://other.example'] });
    const origin = 'https://mine.example';
    const before = { origin, 'access-control-request-method': 'POST' };
    const asking = await fetch(url, { method: 'OPTIONS', headers: before });
    expect(await refusal(asking)).toEqual({ status: 403, code: 'origin_not_allowed' });
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=a'])
      expect(await refusal(await post(url, asked, { origin, 'content-type': type }))).toMatchObject({
        status: 415,
      });
  });

  it.each([
    ['http://localhost:5173', true],
    ['https://127.0.0.1', true],
    ['http://[::1]:80', true],
    ['http://localhost.evil.example', false],
    ['http://evil.example/?http://localhost', false],
    ['http://localhost:5173.evil.example', false],
    ['null', false],
  ])('a page of %s, where those of this machine may: %s', async (origin, allowed) => {
    expect(await originFor(origin, ['localhost'])).toBe(allowed ? origin : null);
  });

  /** What a page of `origin` is told that it may be of. */
  async function originFor(origin: string, corsOrigins: readonly string[]): Promise<string | null> {
    const url = await open({ corsOrigins });
    const headers = { origin, 'access-control-request-method': 'POST' };
    const response = await fetch(url, { method: 'OPTIONS', headers });
    return response.headers.get('access-control-allow-origin');
  }
});

it.each(['GET /v1/chat/completions', 'POST /v1/models', 'POST /v1/audio/speech', 'DELETE /'])(
  '%s is not there',
  async (line) => {
    const [method = '', path = ''] = line.split(' ');
    const response = await fetch(new URL(path, await open()), { method });
    expect(await refusal(response)).toEqual({ status: 404, code: 'not_found' });
  },
);

describe('a client that leaves', () => {
  async function held(options: ServeOptions = {}): Promise<{ model: HeldModel; url: string }> {
    const model = heldModel(3);
    server = await serve(model, { port: 0, ...options });
    return { model, url: `${server.url}/v1/chat/completions` };
  }
  const streamed = JSON.stringify({ messages: [question], stream: true });

  it('while it sends its request', async () => {
    const { model, url } = await held();
    const socket = net.connect(Number(new URL(url).port), '127.0.0.1');
    const head =
      'POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n{';
    await new Promise<void>((resolve) => socket.write(head, () => resolve()));
    socket.destroy();
    const running = post(url, asked);
    await model.until('begun', 1);
    for (let word = 0; word < 3; word += 1) await model.step();
    expect((await running).status).toBe(200);
  });

  it.each([streamed, asked])('before the first word of %s', async (body) => {
    const { model, url } = await held();
    const leaving = new AbortController();
    const left = fetch(url, { method: 'POST', body, headers: json, signal: leaving.signal }).catch(
      () => null,
    );
    await model.until('begun', 1);
    leaving.abort();
    await model.until('over', 1);
    await left;
  });

  it('in the middle of a stream', async () => {
    const { model, url } = await held();
    const leaving = new AbortController();
    const response = fetch(url, { method: 'POST', body: streamed, headers: json, signal: leaving.signal });
    await model.until('begun', 1);
    await model.step();
    const reader = (await response).body?.getReader();
    await reader?.read();
    leaving.abort();
    await model.until('over', 1);
  });

  it('while it waits for its turn', async () => {
    const { model, url } = await held({ concurrency: 1 });
    const first = post(url, asked);
    await model.until('begun', 1);
    const leaving = new AbortController();
    const second = fetch(url, { method: 'POST', body: asked, headers: json, signal: leaving.signal }).catch(
      () => null,
    );
    const third = post(url, asked);
    leaving.abort();
    await second;
    for (let word = 0; word < 3; word += 1) await model.step();
    expect((await first).status).toBe(200);
    await model.until('begun', 2);
    for (let word = 0; word < 3; word += 1) await model.step();
    expect((await third).status).toBe(200);
    expect(model.begun).toBe(2);
  });

  it('without closing its connection', async () => {
    const { model, url } = await held({ stallMs: 20, keepAliveMs: 5 });
    const response = await post(url, streamed);
    // Nothing of it is read: what the connection holds is soon full, or nobody asks for more.
    expect(response.status).toBe(200);
    await response.body?.cancel();
    await model.until('over', 1);
  });

  it('and a stream that says nothing yet is kept alive by comments', async () => {
    const { model, url } = await held({ keepAliveMs: 5 });
    const response = await post(url, streamed);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toContain(': waiting');
    let text = '';
    for (let word = 0; word < 3; word += 1) await model.step();
    for (;;) {
      const { done = true, value = '' } = (await reader?.read()) ?? {};
      text += value;
      if (done) break;
    }
    expect(text).toContain('word ');
    expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  });

  it('too many are told when to come again', async () => {
    const { model, url } = await held({ concurrency: 1, queueLimit: 0 });
    const first = post(url, asked);
    await model.until('begun', 1);
    const refused = await post(url, asked);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(await refusal(refused)).toEqual({ status: 429, code: 'queue_full' });
    for (let word = 0; word < 3; word += 1) await model.step();
    expect((await first).status).toBe(200);
  });

  it('closing finishes what runs, and refuses what comes', async () => {
    const { model, url } = await held();
    const running = post(url, streamed);
    await model.until('begun', 1);
    const closed = server?.close();
    await expect(post(url, asked)).rejects.toThrow();
    for (let word = 0; word < 3; word += 1) await model.step();
    expect(await (await running).text()).toContain('[DONE]');
    await closed;
    server = null;
  });

  it('closing at once ends what runs with an error', async () => {
    const { model, url } = await held();
    const running = post(url, streamed);
    await model.until('begun', 1);
    await model.step();
    const response = await running;
    const closed = server?.close(AbortSignal.abort());
    await response.text().catch(() => null);
    await closed;
    expect(model.over).toBe(1);
    server = null;
  });
});

/** `LAWS=long`: as many as somebody who means harm would send. */
const isLong = process.env.LAWS === 'long';
const requestCount = isLong ? 10_000 : 500;
const connectionCount = isLong ? 1000 : 100;

it(`${connectionCount} connections that say little harm nobody`, async () => {
  const url = new URL(await open({ bodyTimeoutMs: 60_000 }));
  const head = 'POST /v1/chat/completions HTTP/1.1\r\nhost: localhost\r\n';
  const sockets = await Promise.all(
    Array.from(
      { length: connectionCount },
      () =>
        new Promise<net.Socket>((resolve, reject) => {
          const socket = net.connect(Number(url.port), '127.0.0.1');
          socket.once('error', reject);
          socket.once('connect', () => socket.write(head, () => resolve(socket)));
        }),
    ),
  );
  expect((await post(url.href, asked)).status).toBe(200);
  for (const socket of sockets) socket.destroy();
});

it(`${requestCount} requests, most of them broken, leave nothing running`, async () => {
  const records: number[] = [];
  const url = await open({ onRequest: ({ status }) => records.push(status) });
  const bodies = [
    '{',
    '{"messages":5}',
    '{"messages":[],"stream":true}',
    asked,
    '{"messages":[{"role":"x"}]}',
  ];
  for (let round = 0; round < requestCount / 50; round += 1) {
    const statuses = await Promise.all(
      Array.from({ length: 50 }, async (_, at) => (await post(url, bodies[at % 5] ?? '')).status),
    );
    expect(new Set(statuses)).toEqual(new Set([400, 200]));
  }
  expect(records).toHaveLength(requestCount);
  expect(records.filter((status) => status === 200)).toHaveLength(requestCount / 5);
});

it('whoever is refused is told to the operator, by route, and not by what was made up', async () => {
  const records: (readonly [string, number, string | null])[] = [];
  const { origin: url } = new URL(
    await open({
      apiKeys: ['right'],
      onRequest: ({ endpoint, status, code }) => records.push([endpoint, status, code]),
    }),
  );
  const get = (path: string, key: string) =>
    fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
  await get('/v1/models', 'right');
  await get('/v1/models', 'wrong');
  await get('/made/up', 'right');
  for (const path of ['/v1/chat/completions', '/v1/messages/count_tokens', '/tokenize'])
    await fetch(url + path, { method: 'POST', body: asked });
  expect(records).toEqual([
    ['other', 401, 'invalid_api_key'],
    ['other', 404, 'not_found'],
    ['/v1/chat/completions', 401, 'invalid_api_key'],
    ['/v1/messages/count_tokens', 401, 'invalid_api_key'],
    ['/tokenize', 401, 'invalid_api_key'],
  ]);
});

it('where a model lies is told to the operator, and to nobody who asks', async () => {
  const errors: unknown[] = [];
  const cause = new ModelFileError({ file: '/home/somebody/model.gguf', reason: 'is cut off' });
  const entry = { name: 'm', open: () => Promise.reject(cause) };
  server = await serve([entry], { port: 0, onError: (error) => errors.push(error) });
  for (const stream of [false, true]) {
    const body = JSON.stringify({ messages: [question], stream });
    const text = await (await post(`${server.url}/v1/chat/completions`, body)).text();
    expect(text).toContain('model_file');
    expect(text).not.toContain('/home');
  }
  expect(errors).toEqual([cause, cause]);
});

it('a port that is taken is the system’s error', async () => {
  await open();
  const port = Number(new URL(server?.url ?? '').port);
  await expect(serve(heldModel(1), { port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
});
