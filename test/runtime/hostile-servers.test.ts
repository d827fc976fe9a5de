/** Servers that lie, flood, fall silent or send people elsewhere: bounded, typed, and the key stays where it is. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ServerError } from '../../src/format/errors.ts';
import { llamaServer } from '../../src/servers/llama-server.ts';
import { sglang, vllm } from '../../src/servers/openai-server.ts';
import { ServerConnection } from '../../src/servers/server-connection.ts';
import type { ServerDialect, ServerQuestion } from '../../src/servers/server-dialect.ts';
import { sampled } from '../support/sample.ts';

const apiKey = 'sk-s3cret"ke/y+1';
const url = 'http://server.test:8080';
const dialects: Readonly<Record<string, ServerDialect>> = { 'llama-server': llamaServer, vllm, sglang };

const completion = {
  prompt: [1, 2, 3],
  grammar: null,
  stops: [],
  preservedTokens: [],
  maxTokens: 10,
  free: true,
  sampling: {},
};

/** What is asked of a server. */
function questions(dialect: ServerDialect): Readonly<Record<string, ServerQuestion<unknown>>> {
  return {
    describe: dialect.describe,
    tokenize: dialect.tokenize('a secret prompt', 'm', false),
    complete: dialect.complete(completion, 'm'),
    ...(dialect.takesTags === undefined ? {} : { takesTags: dialect.takesTags }),
    ...(dialect.spell === undefined ? {} : { spell: dialect.spell([1, 2], 'm') }),
  };
}

/** A body that repeats `text` for ever, after `start`. */
function endless(text: string, start = ''): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  return new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode(start)),
    pull: (controller) => controller.enqueue(bytes),
  });
}

/** A body that begins and then says nothing more. */
function silent(start: string): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode(start)),
    pull: () => new Promise(() => undefined),
  });
}

function broken(start: string): ReadableStream<Uint8Array> {
  let begun = false;
  return new ReadableStream({
    pull(controller) {
      if (begun) controller.error(new Error('the cable was pulled'));
      else controller.enqueue(new TextEncoder().encode(start));
      begun = true;
    },
  });
}

const block = 'a'.repeat(65_536);
const elsewhere = { location: 'http://evil.test/v1/completions' };

type Answer = () => Response | Promise<Response>;

/** Answers to any question; none of them is one. */
const hostile: Readonly<Record<string, Answer>> = {
  'a body without end': () => new Response(endless(block)),
  'a list without end': () => new Response(endless('1,'.repeat(30_000), '{"tokens":[')),
  'a refusal without end': () => new Response(endless(block), { status: 500 }),
  'an event without end': () => new Response(endless(block, 'data: ')),
  'comments without end': () => new Response(endless(': alive\n\n'.repeat(100)), { status: 200 }),
  'a body that falls silent': () => new Response(silent('{"tok')),
  'an event that falls silent': () => new Response(silent('data: {"con')),
  'a refusal that falls silent': () => new Response(silent('{"error":'), { status: 503 }),
  'no answer at all': () => new Promise<Response>(() => undefined),
  ...Object.fromEntries(
    [301, 302, 303, 307, 308].map((status) => [
      `a redirect with ${status}`,
      () => new Response(null, { status, headers: elsewhere }),
    ]),
  ),
  'a redirect to nowhere': () => new Response(null, { status: 307, headers: { location: 'http://[' } }),
  'a redirect without a target': () => new Response(null, { status: 307 }),
  'an error in a 200 body': () => Response.json({ error: { message: 'out of memory' }, chat_template: 'x' }),
  'an error as a text': () => Response.json({ error: 'out of memory', data: [{ id: 'm' }], tokens: [1] }),
  'an error as an event': () => new Response('data: {"error":{"message":"out of memory"}}\n\n'),
  'an error as a field of an event stream': () => new Response('error: {"message":"out of memory"}\n\n'),
  'the key in a refusal': () => Response.json({ error: `no such key ${apiKey}` }, { status: 401 }),
  'the key in a plain refusal': () => new Response(`Authorization: Bearer ${apiKey}`, { status: 403 }),
  'the key escaped': () => new Response(`{"x":${JSON.stringify(apiKey)}}`, { status: 400 }),
  'the key in an address': () => new Response(`?key=${encodeURIComponent(apiKey)}`, { status: 400 }),
  'the key in a 200 body': () => Response.json({ error: { detail: apiKey } }),
  'a web page': () => new Response('<!DOCTYPE html><title>Sign in</title>'),
  'an empty body': () => new Response(''),
  'no body': () => new Response(null, { status: 204 }),
  'half of an answer': () => new Response('{"tokens": [1, 2'),
  null: () => Response.json(null),
  'a list': () => Response.json([]),
  'a text': () => Response.json('ok'),
  'brackets, a hundred thousand deep': () => new Response('['.repeat(100_000)),
  'other things than tokens': () =>
    Response.json({ tokens: [1.5, 'a'], data: [null], content: 7, choices: [{ text: 7 }] }),
  'tokens that are no list': () => Response.json({ tokens: { length: 3 }, data: { 0: {} }, choices: 'ab' }),
  'bytes that are no text': () => new Response(new Uint8Array([0xff, 0xfe, 0, 0xc3, 0x28])),
  'a body that breaks off': () => new Response(broken('{"tokens": [')),
  'an event that breaks off': () => new Response(broken('data: {')),
  'a connection that fails': () => Promise.reject(new TypeError('fetch failed')),
  'a failure that repeats the key': () => Promise.reject(new Error(`invalid header: Bearer ${apiKey}`)),
  'a failure that is no error': () => Promise.reject('no'),
  'a failure without a text': () => Promise.reject(Object.create(null)),
  'a redirect to a file': () => redirect('file:///etc/passwd'),
  'a redirect to a script': () => redirect('javascript:alert(1)'),
  'a redirect to another port': () => redirect('http://server.test:9090/tokenize'),
  'a redirect with the key': () => redirect(`http://evil.test/?key=${encodeURIComponent(apiKey)}`),
  'a redirect of a megabyte': () => redirect(`http://evil.test/${'a'.repeat(1_000_000)}`),
  'a redirect with a body without end': () =>
    new Response(endless(block), { status: 307, headers: elsewhere }),
  'the key in an event': () => new Response(`data: {"error":${JSON.stringify({ message: apiKey })}}\n\n`),
  'the key as the reason of an end': () =>
    new Response(`data: ${JSON.stringify({ choices: [{ text: '', finish_reason: apiKey }] })}\n\n`),
  'the key in the cause of a failure': () =>
    Promise.reject(new TypeError('fetch failed', { cause: new Error(`Bearer ${apiKey}`) })),
  'an error that is empty': () => Response.json({ error: {} }),
  'an error nested a thousand deep': () =>
    new Response(`{"error":${'{"error":'.repeat(1000)}1${'}'.repeat(1000)}}`, { status: 400 }),
  'a number': () => Response.json(7),
  'a number that is too large': () => new Response('{"tokens":[1e999],"data":[1e999],"choices":1e999}'),
  'tokens below zero': () => Response.json({ tokens: [-1, -2], token_strs: ['a', 'b'] }),
  'a token below zero': () => Response.json({ tokens: [{ id: -1, piece: 'a' }] }),
  'a list of a million nulls': () => Response.json({ tokens: Array(1_000_000).fill(null) }),
  'fields of a prototype': () => new Response('{"__proto__":{"tokens":[1]},"constructor":{"name":"m"}}'),
  'a text of two encodings': () => new Response(new Uint8Array([0xff, 0xfe, 0x7b, 0, 0x7d, 0])),
  'an event that is null': () => new Response('data: null\n\n'),
  'an event that is a list': () => new Response('data: [1, 2]\n\n'),
  'an event that is no JSON': () => new Response('data: {oops}\n\n'),
  'an event with half a character': () =>
    new Response(new Uint8Array([...Buffer.from('data: "'), 0xc3, 10, 10])),
  'NUL in place of an answer': () => new Response('\0'.repeat(1000)),
  'control characters in a refusal': () =>
    Response.json({ error: '\u001B[2J\0\u0007\r\n\u009B' }, { status: 400 }),
  'a name of a file in place of a version': () => Response.json({ version: '../../etc/passwd' }),
  'a version of a megabyte': () => Response.json({ version: 'v'.repeat(1_000_000) }),
  'an event stream where JSON was asked for': () => new Response('data: {"tokens":[1]}\n\n'),
  'two answers': () => new Response('{"tokens":[]}{"tokens":[]}'),
  'an answer after a megabyte of white space': () => new Response(`${' '.repeat(1_000_000)}[]`),
  'more texts than tokens': () =>
    Response.json({ tokens: [-1], token_strs: ['a', 'b'], text: ['a', 'b', 'c'] }),
  'an event without an end of its line': () => new Response('data: {"choices":[{"text":7}]}'),
  'events that are empty, and nothing else': () => new Response('data:\n\n'.repeat(100)),
  'an event that is no choice': () => new Response('data: {"choices":[],"content":[]}\n\n'),
  'too many requests, for a year': () =>
    new Response('wait', { status: 429, headers: { 'retry-after': '31536000' } }),
  'a refusal without a body': () => new Response(null, { status: 500 }),
  'a teapot': () => new Response('short and stout', { status: 418 }),
};

function redirect(location: string): Response {
  return new Response(null, { status: 307, headers: { location } });
}

/** A list of each kind of question that holds `value` where its own value should be. */
function withEvery(value: unknown): Answer {
  return () =>
    Response.json({
      tokens: value,
      token_strs: value,
      text: value,
      data: value,
      default_generation_settings: value,
      choices: value,
      content: value ?? null,
      version: value,
    });
}

/** What no field that is read may be; `describe` of llama-server needs none of its fields. */
const wrongValues: Readonly<Record<string, unknown>> = {
  'a number': 7,
  'a boolean': true,
  'an object': { id: 1 },
  'a list of lists': [[[1]]],
  'a list of booleans': [true],
  'a list of numbers that are none': [1.5, -1],
  'a list of null': [null],
};
const all: Readonly<Record<string, Answer>> = {
  ...hostile,
  ...Object.fromEntries(
    Object.entries(wrongValues).map(([what, value]) => [`${what} in every field`, withEvery(value)]),
  ),
};

it('at least eighty hostile answers are tried, on every kind of server and question', () => {
  const asked = Object.values(dialects).flatMap((dialect) => Object.keys(questions(dialect)));
  const cases = Object.keys(all).length;
  console.log(`hostile answers: ${cases}, on ${asked.length} questions: ${cases * asked.length} cases`);
  expect(cases).toBeGreaterThanOrEqual(80);
});

/** A connection whose answers are `answer`, and what was asked for. */
function connection(answer: Answer) {
  const asked: { readonly url: string; readonly redirect: unknown }[] = [];
  const fetch = async (address: string | URL | Request, init?: RequestInit): Promise<Response> => {
    asked.push({ url: String(address), redirect: init?.redirect });
    return answer();
  };
  return { asked, connection: new ServerConnection({ url, apiKey, fetch, timeoutMs: 150 }) };
}

/** Asks as the question wants to be asked; what was thrown, or the pieces that came. */
async function outcome(
  served: ServerConnection,
  name: string,
  question: ServerQuestion<unknown>,
): Promise<unknown> {
  try {
    if (name !== 'complete') return [await served.ask(question, undefined)];
    const pieces: unknown[] = [];
    for await (const piece of served.stream(question, undefined)) pieces.push(piece);
    return pieces;
  } catch (error) {
    return error;
  }
}

describe.each(Object.entries(dialects))('%s', (kind, dialect) => {
  describe.each(Object.entries(questions(dialect)))('%s', (name, question) => {
    // A quarter of them in one run, other ones for each question.
    it.each(sampled(Object.entries(all), 4, name.length))(
      '%s is an error of the server, which repeats no key',
      async (_, answer) => {
        const { asked, connection: served } = connection(answer);
        const found = await outcome(served, name, question);
        for (const request of asked) {
          expect(request.url.startsWith(`${url}/`)).toBe(true);
          expect(request.redirect).toBe('manual');
        }
        // A stream may also come to an end without a piece, which the chat reports.
        if (name === 'complete' && Array.isArray(found)) return expect(found).toEqual([]);
        // llama-server's facts are all optional, and an object without any says nothing wrong.
        if (kind === 'llama-server' && name === 'describe' && Array.isArray(found)) return undefined;
        expect(found).toBeInstanceOf(ServerError);
        const { message, cause } = found instanceof ServerError ? found : new Error('none');
        expect(message.length).toBeLessThan(700);
        expect(message).not.toMatch(/\p{Cc}/u);
        for (const secret of [apiKey, encodeURIComponent(apiKey), JSON.stringify(apiKey).slice(1, -1)]) {
          expect(`${message} ${inspect(cause)}`).not.toContain(secret);
        }
      },
    );
  });
});

it.each(['abort', 'error', 'content_filter', 7])(
  'a response that ended by %s has not ended well',
  async (reason) => {
    const event = { choices: [{ text: '', finish_reason: reason }] };
    for (const dialect of [vllm, sglang]) {
      const { connection: served } = connection(() => new Response(`data: ${JSON.stringify(event)}\n\n`));
      const found = await outcome(served, 'complete', dialect.complete(completion, 'm'));
      expect(found).toBeInstanceOf(ServerError);
      expect(String(found)).toContain(JSON.stringify(reason));
    }
  },
);

it('the caller leaves a silent server at once', async () => {
  const { connection: served } = connection(() => new Promise<Response>(() => undefined));
  const leaving = new AbortController();
  const asked = served.ask(llamaServer.describe, leaving.signal);
  leaving.abort(new Error('enough'));
  await expect(asked).rejects.toThrow('enough');
});

describe('over a real connection', () => {
  async function serve(listener: RequestListener): Promise<string> {
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  it.each([
    ['an answer', 200],
    ['a refusal', 500],
  ])('%s that unpacks to 64 MB', async (_, status) => {
    const bomb = gzipSync(Buffer.alloc(64_000_000, ' '));
    const address = await serve((_request, response) => {
      response.writeHead(status, { 'content-encoding': 'gzip', 'content-type': 'application/json' });
      response.end(bomb);
    });
    const served = new ServerConnection({ url: address });
    await expect(served.ask(llamaServer.describe, undefined)).rejects.toBeInstanceOf(ServerError);
  });

  it('a 307 takes neither prompt nor key along', async () => {
    const seen: string[] = [];
    const other = await serve((request, response) => {
      seen.push(`${request.method} ${request.headers.authorization}`);
      response.end('{}');
    });
    const address = await serve((_request, response) => {
      response.writeHead(307, { location: `${other}/tokenize` });
      response.end();
    });
    const served = new ServerConnection({ url: address, apiKey });
    const asked = served.ask(llamaServer.tokenize('a secret prompt', null, false), undefined);
    await expect(asked).rejects.toThrow(`redirects to ${other}`);
    expect(seen).toEqual([]);
  });

  it('headers of a megabyte are refused', async () => {
    const address = await serve((_request, response) => {
      response.setHeader('x-padding', 'a'.repeat(1_000_000));
      response.end('{}');
    });
    const served = new ServerConnection({ url: address });
    await expect(served.ask(llamaServer.describe, undefined)).rejects.toBeInstanceOf(ServerError);
  });
});
