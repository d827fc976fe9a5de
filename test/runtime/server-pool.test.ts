/** What fails for the moment is asked again, with pauses or elsewhere; what does not, is told at once. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ServerError } from '../../src/format/errors.ts';
import { retryAfter } from '../../src/format/retry-after.ts';
import { llamaServer } from '../../src/servers/llama-server.ts';
import { vllm } from '../../src/servers/openai-server.ts';
import { pauseAfter } from '../../src/servers/retry.ts';
import { ServerPool } from '../../src/servers/server-pool.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const question = { path: '/completion', body: {}, read: (answer: unknown) => answer };
const props = {
  default_generation_settings: { n_ctx: 2048 },
  chat_template: 'x',
  bos_token: '',
  eos_token: '',
};

/** A connection that was closed, as Node's `fetch` tells it. */
function lost(code: string): Error {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
}

function refusal(status: number, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response('{"error": "not now"}', { status, headers });
}

function events(...data: readonly unknown[]): Response {
  return new Response(data.map((each) => `data: ${JSON.stringify(each)}\n\n`).join(''));
}

type Server = (path: string) => Response | Error;

/** Servers by their hosts, and the hosts that were asked, in order. */
function poolOf(servers: Readonly<Record<string, Server>>, retries = 2) {
  const asked: string[] = [];
  const fetch = async (address: string | URL | Request): Promise<Response> => {
    const { hostname, pathname } = new URL(String(address));
    asked.push(pathname === '/props' ? `${hostname}?` : hostname);
    const answer = servers[hostname]?.(pathname) ?? lost('ENOTFOUND');
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const url = Object.keys(servers).map((host) => `http://${host}`);
  return { asked, pool: new ServerPool({ kind: 'llama-server', url, fetch, retries }, llamaServer) };
}

/** What comes of `work` once all of its pauses are over. */
async function settled<Result>(work: Promise<Result>): Promise<Result | unknown> {
  const result = work.catch((error: unknown) => error);
  await vi.runAllTimersAsync();
  return result;
}

async function collect<Piece>(
  pieces: AsyncIterable<Piece>,
  most = Number.POSITIVE_INFINITY,
): Promise<Piece[]> {
  const found: Piece[] = [];
  for await (const piece of pieces) {
    found.push(piece);
    if (found.length >= most) break;
  }
  return found;
}

describe('one server', () => {
  const passing: Readonly<Record<string, () => Response | Error>> = {
    'is overloaded (429)': () => refusal(429),
    'is not reached by its gateway (502)': () => refusal(502),
    'is starting (503)': () => refusal(503),
    'closes the connection': () => lost('ECONNRESET'),
    'closes a kept connection': () => lost('UND_ERR_SOCKET'),
    'is not there yet': () => lost('ECONNREFUSED'),
    'fails as browsers tell it': () => new TypeError('Failed to fetch'),
  };
  it.each(Object.entries(passing))('that %s is asked again', async (_, failure) => {
    let failures = 2;
    const { asked, pool } = poolOf({ a: () => (failures-- > 0 ? failure() : Response.json('ok')) });
    expect(await settled(pool.ask(question, undefined))).toBe('ok');
    expect(asked).toEqual(['a', 'a', 'a']);
    failures = 9;
    const failed = await settled(pool.ask(question, undefined));
    expect(failed).toBeInstanceOf(ServerError);
    expect(failed).toMatchObject({ transient: true });
    expect(asked).toHaveLength(6);
  });

  const lasting: Readonly<Record<string, () => Response | Error>> = {
    'refuses the request (400)': () => refusal(400),
    'refuses the key (401)': () => refusal(401),
    'fails (500)': () => refusal(500),
    'redirects (307)': () => refusal(307, { location: 'http://evil.test' }),
    'has no address': () => lost('ENOTFOUND'),
    'answers something else': () => new Response('<html>'),
    'wants to be left alone for an hour': () => refusal(503, { 'retry-after': '3600' }),
  };
  it.each(Object.entries(lasting))('that %s is not', async (_, failure) => {
    const { asked, pool } = poolOf({ a: () => (asked.length === 1 ? failure() : Response.json('ok')) });
    const question = {
      path: '/completion',
      body: {},
      read: (answer: unknown) => (answer === null ? null : answer),
    };
    expect(await settled(pool.ask(question, undefined))).toBeInstanceOf(ServerError);
    expect(asked).toEqual(['a']);
  });

  it('is asked again for a stream until the first piece has come, and not after', async () => {
    const broken = (first: string): Response => {
      let begun = first === '';
      const body = new ReadableStream({
        pull(controller) {
          if (begun) controller.error(lost('UND_ERR_SOCKET'));
          else controller.enqueue(new TextEncoder().encode(first));
          begun = true;
        },
      });
      return new Response(body);
    };
    const answers = [broken(''), events(1, 2)];
    const before = poolOf({ a: () => answers.shift() ?? lost('ECONNREFUSED') });
    expect(await settled(collect(before.pool.stream(question, 'x', undefined), 2))).toEqual([1, 2]);
    expect(before.asked).toEqual(['a', 'a']);
    const after = poolOf({ a: () => broken('data: 1\n\n') });
    const failed = await settled(collect(after.pool.stream(question, 'x', undefined)));
    expect(failed).toMatchObject({ code: 'server', transient: true });
    expect(after.asked).toEqual(['a']);
  });

  it('is left alone for as long as it says', async () => {
    const { asked, pool } = poolOf({
      a: () => (asked.length === 1 ? refusal(503, { 'retry-after': '20' }) : Response.json('ok')),
    });
    const answer = pool.ask(question, undefined);
    await vi.advanceTimersByTimeAsync(19_900);
    expect(asked).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await answer).toBe('ok');
  });

  it('is waited for no longer than the caller waits', async () => {
    const leaving = new AbortController();
    const { pool } = poolOf({ a: () => refusal(503, { 'retry-after': '20' }) });
    const answer = pool.ask(question, leaving.signal).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1_000);
    leaving.abort('enough');
    expect(await answer).toBe('enough');
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('pauses', () => {
  const error = new ServerError({ url: 'http://a', reason: '', transient: true });

  it('grow up to a limit, and are drawn by lot', () => {
    for (let failures = 0; failures < 20; failures += 1) {
      const [least = 0, most = 0] = [0, 1].map((lot) => pauseAfter(error, failures, lot) ?? Number.NaN);
      expect(most).toBe(2 * least);
      expect(most).toBe(Math.min(10_000, 300 * 2 ** failures));
    }
  });

  it('come after what the server asks for, in seconds or as a date', () => {
    const now = Date.parse('2026-01-01T00:00:00Z');
    const read = (value: string) => retryAfter(new Headers({ 'retry-after': value }), now);
    expect(read('7')).toBe(7000);
    expect(read('Thu, 01 Jan 2026 00:00:30 GMT')).toBe(30_000);
    expect(read('Wed, 31 Dec 2025 23:00:00 GMT')).toBe(0);
    for (const wrong of ['soon', '-5', '1e9', '']) expect(read(wrong) ?? 0, wrong).toBe(0);
    const asked = new ServerError({ url: 'http://a', reason: '', transient: true, retryAfterMs: 5000 });
    expect(pauseAfter(asked, 0, 0)).toBe(5150);
  });
});

describe('several servers', () => {
  const well: Server = (path) => (path === '/props' ? Response.json(props) : events('piece'));
  const ask = (pool: ServerPool, conversation: string) =>
    settled(collect(pool.stream(question, conversation, undefined), 1));
  const conversations = Array.from({ length: 60 }, (_, index) => `conversation ${index}`);
  /** Which server each conversation is answered by. */
  const homes = async ({ asked, pool }: ReturnType<typeof poolOf>) => {
    const found = new Map<string, string>();
    for (const conversation of conversations) {
      expect(await ask(pool, conversation)).toEqual(['piece']);
      found.set(conversation, asked.at(-1) ?? '');
    }
    return found;
  };

  it('share the conversations, each of which stays where it was', async () => {
    const three = poolOf({ a: well, b: well, c: well });
    const before = await homes(three);
    expect(await homes(three)).toEqual(before);
    for (const host of ['a', 'b', 'c']) {
      expect([...before.values()].filter((each) => each === host).length).toBeGreaterThan(8);
    }
    // Without one of them, only its own conversations move.
    const two = await homes(poolOf({ a: well, b: well }));
    for (const [conversation, home] of before) if (home !== 'c') expect(two.get(conversation)).toBe(home);
  });

  it('stand in for one that fails, at once, and it is looked at before it is used again', async () => {
    let isUp = true;
    const three = poolOf({ a: (path) => (isUp ? well(path) : lost('ECONNREFUSED')), b: well, c: well });
    await three.pool.meet(undefined);
    const before = await homes(three);
    const [own = ''] = [...before].find(([, home]) => home === 'a') ?? [];
    isUp = false;
    three.asked.length = 0;
    const start = performance.now();
    expect(await ask(three.pool, own)).toEqual(['piece']);
    expect(performance.now()).toBe(start);
    expect(three.asked).toHaveLength(2);
    // While it rests nobody asks it, also when it is up again.
    isUp = true;
    three.asked.length = 0;
    expect(await ask(three.pool, own)).toEqual(['piece']);
    expect(three.asked).not.toContain('a');
    await vi.advanceTimersByTimeAsync(1_000);
    three.asked.length = 0;
    expect(await ask(three.pool, own)).toEqual(['piece']);
    expect(three.asked).toEqual(['a?', 'a']);
    expect(await homes(three)).toEqual(before);
  });

  it('do without one that has come back with another model', async () => {
    let served = props;
    let isUp = true;
    const a: Server = (path) => {
      if (!isUp) return lost('ECONNREFUSED');
      return path === '/props' ? Response.json(served) : events('other');
    };
    const two = poolOf({ a, b: well });
    await two.pool.meet(undefined);
    isUp = false;
    for (const conversation of conversations) await ask(two.pool, conversation);
    [isUp, served] = [true, { ...props, chat_template: 'y' }];
    await vi.advanceTimersByTimeAsync(60_000);
    for (const conversation of conversations) expect(await ask(two.pool, conversation)).toEqual(['piece']);
  });

  it('are all asked again after a pause where none answers', async () => {
    let failures = 4;
    const fails: Server = (path) => (failures-- > 0 ? refusal(503) : well(path));
    const two = poolOf({ a: fails, b: fails });
    expect(await ask(two.pool, 'x')).toEqual(['piece']);
    expect(two.asked).toHaveLength(5);
    failures = 99;
    expect(await ask(two.pool, 'x')).toMatchObject({ code: 'server', status: 503 });
  });

  it('may be missing when they are connected to, as long as one answers', async () => {
    const gone: Server = () => lost('ECONNREFUSED');
    const two = poolOf({ a: gone, b: well });
    expect(await settled(two.pool.meet(undefined))).toMatchObject({ served: { chatTemplate: 'x' } });
    for (const conversation of conversations) expect(await ask(two.pool, conversation)).toEqual(['piece']);
    const none = poolOf({ a: gone, b: gone });
    expect(await settled(none.pool.meet(undefined))).toMatchObject({ code: 'server', transient: true });
    expect(none.asked).toHaveLength(6);
  });

  it('must serve the same', async () => {
    const other: Server = () => Response.json({ ...props, chat_template: 'y' });
    const different = poolOf({ a: well, b: other });
    expect(await settled(different.pool.meet(undefined))).toMatchObject({ option: 'url' });
    const wrong = poolOf({ a: well, b: () => refusal(404) });
    expect(await settled(wrong.pool.meet(undefined))).toMatchObject({ code: 'server', status: 404 });
  });

  it('take structural tags only where all of them do', async () => {
    const versions: Readonly<Record<string, string>> = { old: '0.11.0', new: '0.12.0' };
    const fetch = async (address: string | URL | Request): Promise<Response> => {
      const { hostname, pathname } = new URL(String(address));
      return Response.json(
        pathname === '/version' ? { version: versions[hostname] } : { data: [{ id: 'm' }] },
      );
    };
    const takesTags = async (...hosts: readonly string[]) => {
      const url = hosts.map((host) => `http://${host}`);
      return (await new ServerPool({ kind: 'vllm', url, fetch }, vllm).meet(undefined)).takesTags;
    };
    expect(await takesTags('new')).toBe(true);
    expect(await takesTags('new', 'old')).toBe(false);
  });
});
