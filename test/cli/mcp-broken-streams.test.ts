/** Streams of an MCP server that break are resumed: wherever they break, a call has its answer. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { startMcpServer } from '../../src/cli/mcp/mcp-session.ts';

let ended: (() => void)[] = [];
afterEach(() => {
  for (const end of ended) end();
  ended = [];
});

interface Message {
  readonly id?: number;
  readonly method: string;
}

/** What a server does with the stream of a call. */
interface Plan {
  /** The events of the call `id`. */
  readonly events: (id: number) => readonly string[];
  /** Bytes of them after which the stream breaks. */
  readonly breaksAfter: number;
  /** Whether it ends as if it were whole. */
  readonly endsWell?: boolean;
  /** Requests for the rest that meet nobody first. */
  readonly refuses?: number;
}

const answerTo = (id: number | undefined, result: object) => JSON.stringify({ jsonrpc: '2.0', id, result });
const numbered = (event: string, index: number) => `id: e${index}\nretry: 50\ndata: ${event}\n\n`;
const told = (id: number) => [
  '',
  JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } }),
  answerTo(id, { content: [{ type: 'text', text: 'Grüezi' }] }),
];

/** A server whose stream for a call breaks; its address, and the events after which it was asked for the rest. */
async function breakingServer({ events, breaksAfter, endsWell = false, refuses = 0 }: Plan) {
  const resumed: (string | null)[] = [];
  let [left, called] = [refuses, 0];
  const served = http.createServer(async (request, response) => {
    const stream = { 'content-type': 'text/event-stream' };
    if (request.method === 'DELETE') return response.end();
    if (request.method === 'GET') {
      const last = request.headers['last-event-id'];
      if (last === undefined) return response.writeHead(405).end();
      resumed.push(String(last));
      left -= 1;
      if (left >= 0) return response.destroy();
      const rest = events(called)
        .map(numbered)
        .slice(Number(String(last).slice(1)) + 1);
      return response.writeHead(200, stream).end(rest.join(''));
    }
    let body = '';
    for await (const piece of request) body += piece;
    const { id, method } = JSON.parse(body) as Message;
    const results: Readonly<Record<string, object>> = {
      initialize: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: {} },
      'tools/list': { tools: [{ name: 'greet', inputSchema: { type: 'object' } }] },
    };
    if (id === undefined) return response.writeHead(202).end();
    const result = results[method];
    if (result !== undefined)
      return response.writeHead(200, { 'content-type': 'application/json' }).end(answerTo(id, result));
    called = id;
    const whole = Buffer.from(events(id).map(numbered).join(''));
    response.writeHead(200, stream);
    response.write(whole.subarray(0, breaksAfter), () => (endsWell ? response.end() : response.destroy()));
  });
  await new Promise<void>((resolve) => served.listen(0, '127.0.0.1', resolve));
  ended.push(() => {
    served.closeAllConnections();
    served.close();
  });
  const { port } = served.address() as AddressInfo;
  const session = await startMcpServer(`http://127.0.0.1:${port}/mcp`);
  ended.push(() => session.close());
  return { call: () => session.callTool({ name: 'greet', arguments: {} }), resumed };
}

const greeting = { content: [{ type: 'text', text: 'Grüezi' }] };
const [first = '', second = '', third = ''] = told(3).map(numbered);
const afterFirst = first.length;
const afterSecond = afterFirst + second.length;
const length = afterSecond + Buffer.byteLength(third);

describe.each([true, false])('a stream that ends well: %s', (endsWell) => {
  it.each([
    afterFirst,
    afterFirst + 5,
    afterFirst + 40,
    afterSecond - 1,
    afterSecond,
    afterSecond + 30,
    length - 12,
    length - 1,
  ])('after %i bytes goes on after its last whole event', async (breaksAfter) => {
    const { call, resumed } = await breakingServer({ events: told, breaksAfter, endsWell });
    expect(await call()).toEqual(greeting);
    expect(resumed).toEqual([breaksAfter < afterSecond ? 'e0' : 'e1']);
  });

  it('of which nothing with an id came is not asked for again', async () => {
    const { call, resumed } = await breakingServer({ events: told, breaksAfter: afterFirst - 1, endsWell });
    await expect(call()).rejects.toThrow('tools/call failed');
    expect(resumed).toEqual([]);
  });
});

it.each([1, 2, 3])('a server that is away %i times is asked again', async (refuses) => {
  const { call, resumed } = await breakingServer({ events: told, breaksAfter: afterFirst, refuses });
  expect(await call()).toEqual(greeting);
  expect(resumed).toEqual(Array(refuses + 1).fill('e0'));
});

it('a server that is away for longer is not', async () => {
  const { call, resumed } = await breakingServer({ events: told, breaksAfter: afterFirst, refuses: 4 });
  await expect(call()).rejects.toThrow('ended without an answer');
  expect(resumed).toEqual(Array(4).fill('e0'));
});

it('a server that never says more is asked a few times', async () => {
  const events = (id: number) => told(id).slice(0, 1);
  const { call, resumed } = await breakingServer({ events, breaksAfter: afterFirst });
  await expect(call()).rejects.toThrow('ended without an answer');
  expect(resumed).toEqual(['e0', 'e0', 'e0', 'e0']);
});
