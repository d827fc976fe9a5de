/** Models on servers that fail, return and tell of themselves: what a gateway makes of it. */
import { afterEach, describe, expect, it } from 'vitest';
import type { ChatOptions } from '../../src/runtime/node-llama-cpp/index.ts';
import { createHandler, type Handler } from '../../src/serve/index.ts';
import { connectServer, type ServerModel, type ServerOptions } from '../../src/servers/index.ts';
import { chatTemplate } from '../support/small-chats.ts';
import { StandInServer } from '../support/stand-in-server.ts';

const parameters = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
} as const;
const tools = [{ type: 'function', function: { name: 'get_weather', parameters } }] as const;
const messages = [{ role: 'user', content: 'Will it rain?' }] as const;
const call = [
  '<tool_call>',
  '\n{"name": ',
  '"get_weather", ',
  '"arguments": ',
  '{"city": ',
  '"Bern"}}',
  '\n</tool_call>',
];
const words = ['Yes', ', ', 'it ', 'will ', 'rain ', 'in ', 'Bern', '.'];
const required: ChatOptions = { messages, tools, toolChoice: 'required', thinking: false };

const open: StandInServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.kill().catch(() => undefined);
});

async function standIns(
  count: number,
  response: readonly string[],
  more: { readonly pieceMs?: number; readonly tellsTokenizer?: boolean } = {},
): Promise<readonly StandInServer[]> {
  const made = Array.from({ length: count }, () => new StandInServer({ chatTemplate, response, ...more }));
  for (const server of made) open.push(await server.start());
  return made;
}

function connect(servers: readonly StandInServer[], more: Partial<ServerOptions> = {}): Promise<ServerModel> {
  return connectServer({ kind: 'vllm', url: servers.map(({ url }) => url), ...more });
}

describe('a server that tells its tokenizer', () => {
  it('needs no template, and is asked for tokens once for each prompt', async () => {
    const [server] = await standIns(1, words);
    if (server === undefined) throw new TypeError('one');
    const model = await connect([server]);
    expect(model.name).toBe('stand-in');
    for (const count of [1, 2, 3]) {
      const { content } = await model.chat({ messages: [{ role: 'user', content: `"Rain?" (${count})` }] })
        .message;
      expect(content).toBe(words.join(''));
      expect(server.asked('/tokenize')).toHaveLength(count);
    }
  });

  it('that does not tell is asked at most twice at first', async () => {
    const [server] = await standIns(1, words, { tellsTokenizer: false });
    if (server === undefined) throw new TypeError('one');
    await expect(connect([server])).rejects.toMatchObject({ option: 'chatTemplate' });
    const model = await connect([server], { chatTemplate });
    await model.chat({ messages }).message;
    expect(server.asked('/tokenize').length).toBeLessThanOrEqual(2);
    const before = server.asked('/tokenize').length;
    await model.chat({ messages }).message;
    expect(server.asked('/tokenize')).toHaveLength(before + 1);
  });
});

it.each<readonly [string, ChatOptions, readonly string[]]>([
  ['a required call', required, call],
  [
    'a call by name',
    { ...required, toolChoice: { type: 'function', function: { name: 'get_weather' } } },
    call,
  ],
  [
    'an answer with a schema',
    {
      messages,
      thinking: false,
      responseFormat: {
        type: 'json_schema',
        json_schema: { name: 'answer', strict: true, schema: parameters },
      },
    },
    ['{"city": ', '"Bern"}'],
  ],
])('%s is sent as a tag', async (_, options, response) => {
  const [server] = await standIns(1, response);
  if (server === undefined) throw new TypeError('one');
  const model = await connect([server]);
  const { content, tool_calls: calls } = await model.chat(options).message;
  expect(calls?.[0]?.function.arguments ?? content).toBe('{"city": "Bern"}');
  const [completion, ...others] = server.asked('/v1/completions');
  expect(others).toEqual([]);
  expect(completion?.body.structured_outputs).toEqual({
    structural_tag: expect.stringContaining('"grammar"'),
  });
});

it('a server of a model is never asked for a top_p of 0, which vLLM and SGLang refuse', async () => {
  const [server] = await standIns(1, words);
  if (server === undefined) throw new TypeError('one');
  const model = await connect([server]);
  for (const topP of [0, 0.4]) await model.chat({ messages, topP, temperature: 0.5 }).message;
  const [least, other] = server.asked('/v1/completions').map(({ body: { top_p } }) => Number(top_p));
  expect(least).toBeGreaterThan(0);
  expect(least).toBeLessThan(1e-5);
  expect(other).toBe(0.4);
});

describe.each(['whole', 'streamed'] as const)('%s responses', (how) => {
  it.each<readonly [string, ChatOptions, readonly string[]]>([
    ['calls', required, call],
    ['text', { messages, thinking: false }, words],
  ])('%s, of which a server dies in the middle, end on the other one', async (_, options, response) => {
    const servers = await standIns(2, response, { pieceMs: 20 });
    const model = await connect(servers);
    const read = async (index: number) => {
      const stream = model.chat({ ...options, messages: [{ role: 'user', content: `Rain, ${index}?` }] });
      if (how === 'streamed') for await (const _event of stream);
      return stream.message;
    };
    const all = Array.from({ length: 8 }, (_each, index) => read(index));
    await new Promise((resolve) => setTimeout(resolve, 60));
    const busiest = servers.reduce((one, other) =>
      one.asked('/v1/completions').length >= other.asked('/v1/completions').length ? one : other,
    );
    await busiest.kill();
    for (const { content, tool_calls: calls } of await Promise.all(all))
      expect(calls?.[0]?.function.arguments ?? content).toBe(
        response === call ? '{"city": "Bern"}' : words.join(''),
      );
    expect(model.servers.map(({ isWell }) => isWell).sort()).toEqual([false, true]);
  });
});

describe('two servers', () => {
  const ask = async (model: ServerModel, index: number) =>
    (await model.chat({ messages: [{ role: 'user', content: `Rain, ${index}?` }], thinking: false }).message)
      .content;

  it('of which one is slow share what it cannot do in time, and nothing fails', async () => {
    const [slow, other] = await standIns(2, words);
    if (slow === undefined || other === undefined) throw new TypeError('two');
    const model = await connect([slow, other]);
    const release = slow.hold();
    const begun = () => slow.asked('/v1/completions').length;
    const all: Promise<string | null>[] = [];
    for (let index = 0; index < 48; index += 1) {
      let isOver = false;
      const before = begun();
      const asked = ask(model, index).finally(() => {
        isOver = true;
      });
      all.push(asked);
      while (!isOver && begun() === before) await new Promise((resolve) => setTimeout(resolve, 1));
    }
    // From this many on, it is asked last.
    expect(begun()).toBe(8);
    release();
    for (const content of await Promise.all(all)) expect(content).toBe(words.join(''));
    expect(model.servers.map(({ failures }) => failures)).toEqual([0, 0]);
  });

  it('that die before they have written anything fail no request', async () => {
    const servers = await standIns(2, words);
    const model = await connect(servers);
    const release = servers.map((server) => server.hold());
    const asked = (server: StandInServer) => server.asked('/v1/completions').length;
    const content = ask(model, 1);
    for (const _death of ['first', 'second']) {
      const before = servers.map(asked);
      const busy = () => servers.find((server, at) => asked(server) > (before[at] ?? 0));
      while (busy() === undefined) await new Promise((resolve) => setTimeout(resolve, 1));
      // Its first event has come by then.
      await new Promise((resolve) => setTimeout(resolve, 50));
      const server = busy();
      await server?.kill();
      await server?.start();
    }
    for (const each of release) each();
    expect(await content).toBe(words.join(''));
  });

  it('that are restarted one after the other fail no request', async () => {
    const servers = await standIns(2, words, { pieceMs: 2 });
    const model = await connect(servers);
    let over = 0;
    const guest = async (number: number): Promise<void> => {
      for (let turn = 0; turn < 12; turn += 1) {
        expect(await ask(model, 100 * number + turn)).toBe(words.join(''));
        over += 1;
      }
    };
    const restart = async (): Promise<void> => {
      for (const server of servers) {
        const written = async (more: number) => {
          const goal = Math.min(over + more, 48);
          while (over < goal) await new Promise((resolve) => setTimeout(resolve, 1));
        };
        await written(6);
        await server.kill();
        await written(6);
        await server.start();
      }
    };
    await Promise.all([...Array.from({ length: 4 }, (_, number) => guest(number)), restart()]);
    expect(over).toBe(48);
    for (const { failures } of model.servers) expect(failures).toBeGreaterThan(0);
  });
});

describe('a gateway', () => {
  const body = { model: 'stand-in', messages, max_tokens: 50 };
  const paths = {
    '/v1/chat/completions': body,
    '/v1/completions': null,
    '/v1/responses': { model: 'stand-in', input: 'Rain?' },
    '/v1/messages': body,
    '/api/chat': body,
  } as const;
  const ask = (handler: Handler, path: string, sent: object): Promise<Response> =>
    handler(
      new Request(`http://gateway.test${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(sent),
      }),
    );

  it('tells of its servers, counts tokens, and hides where they are', async () => {
    const servers = await standIns(2, words);
    const handler = createHandler(await connect(servers, { retries: 0 }));
    const get = (path: string) => handler(new Request(`http://gateway.test${path}`));
    expect(await (await get('/health')).json()).toMatchObject({
      status: 'ok',
      upstreams: [{ model: 'stand-in', servers: 2, well: 2 }],
    });
    const counted = (await (await ask(handler, '/v1/messages/count_tokens', body)).json()) as object;
    expect(counted).toEqual({ input_tokens: expect.any(Number) });
    expect(servers.flatMap((server) => server.asked('/v1/completions'))).toEqual([]);
    for (const server of servers) await server.kill();
    for (const [path, sent] of Object.entries(paths)) {
      if (sent === null) continue;
      const failed = await ask(handler, path, { ...sent, stream: false });
      expect([path, failed.status]).toEqual([path, 503]);
      expect(Number(failed.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(await failed.text()).not.toMatch(/127\.0\.0\.1|tokenize|:\d{4}/);
    }
    expect((await get('/health')).status).toBe(503);
    const metrics = await (await get('/metrics')).text();
    for (const { url } of servers)
      expect(metrics).toContain(`idiolect_upstream_up{model="stand-in",upstream="${url}"} 0`);
  });

  const ends: Readonly<Record<string, RegExp>> = {
    '/v1/chat/completions': /\ndata: \{"error":\{[^\n]*"upstream_error"[^\n]*\n\n$/,
    '/v1/responses': /event: response\.failed\ndata: [^\n]*\n\nevent: error\ndata: [^\n]*\n\n$/,
    '/v1/messages': /event: error\ndata: \{"type":"error"[^\n]*\n\n$/,
    '/api/chat': /\n\{"error":[^\n]*\}\n$/,
  };
  it.each(Object.keys(ends))('ends a broken stream of %s with an error of that API', async (path) => {
    const servers = await standIns(1, words, { pieceMs: 30 });
    const handler = createHandler(await connect(servers, { retries: 0 }));
    const sent = path === '/v1/responses' ? paths['/v1/responses'] : body;
    const answer = await ask(handler, path, { ...sent, stream: true });
    expect(answer.status).toBe(200);
    setTimeout(() => void servers[0]?.kill(), 100);
    const text = await answer.text();
    expect(text).toMatch(ends[path] ?? /never/);
    expect(text).not.toContain('127.0.0.1');
  });
});
