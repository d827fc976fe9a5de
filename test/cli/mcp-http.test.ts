/** MCP servers over streamable HTTP, made with the official SDK: as `idiolect chat --mcp` and as programs reach them. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { CreateMessageResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readToolSources } from '../../src/cli/generate/tool-source.ts';
import { startMcpServer } from '../../src/cli/mcp/mcp-session.ts';
import { type McpClient, mcpTools, samplingHandler } from '../../src/mcp/index.ts';
import { writtenModel } from '../ai-sdk/written-model.ts';
import { answer, anyFormat } from '../serve/served-models.ts';

const context = { toolCallId: 'a', signal: new AbortController().signal };
const question = {
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'How warm?' } }],
  maxTokens: 50,
};

let ended: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ended) await end();
  ended = [];
});

interface Seen {
  readonly url: string;
  /** Each request: its method, and its headers. */
  readonly requests: { readonly method: string; readonly headers: http.IncomingHttpHeaders }[];
}

/** A server with sessions; with `json`, it answers without streams. */
async function server({ json = false, key = '' } = {}): Promise<Seen> {
  const mcp = new McpServer({ name: 'tools', version: '1.0.0' });
  mcp.registerTool('echo', { inputSchema: { message: z.string() } }, ({ message }) =>
    said(`Echo: ${message}`),
  );
  mcp.registerTool('fail', {}, () => ({ ...said('not today'), isError: true }));
  // Within the call's own stream, and in the one that is open for whatever the server asks.
  mcp.registerTool('ask', {}, async (extra) => {
    const request = { method: 'sampling/createMessage' as const, params: question };
    return said(JSON.stringify((await extra.sendRequest(request, CreateMessageResultSchema)).content));
  });
  mcp.registerTool('ask-unasked', {}, async () =>
    said(JSON.stringify((await mcp.server.createMessage(question)).content)),
  );
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: () => 'session-1',
    enableJsonResponse: json,
  });
  // The SDK's own types differ under exactOptionalPropertyTypes.
  await mcp.connect(transport as Parameters<McpServer['connect']>[0]);
  const requests: Seen['requests'] = [];
  const url = await listening((request, response) => {
    requests.push({ method: request.method ?? '', headers: request.headers });
    if (key !== '' && request.headers.authorization !== `Bearer ${key}`)
      response.writeHead(401).end('no key');
    else void transport.handleRequest(request, response);
  });
  ended.push(() => mcp.close());
  return { url: `${url}/mcp`, requests };
}

/** The address of a server on this machine. */
async function listening(listener: http.RequestListener): Promise<string> {
  const served = http.createServer(listener);
  await new Promise<void>((resolve) => served.listen(0, '127.0.0.1', resolve));
  ended.push(async () => {
    served.closeAllConnections();
    served.close();
  });
  const { port } = served.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

function said(text: string) {
  return { content: [{ type: 'text' as const, text }] };
}

async function call(client: McpClient, name: string, input: object = {}): Promise<unknown> {
  const tool = (await mcpTools(client, { close: true })).find((each) => each.name === name);
  return tool?.execute(input, context);
}

describe.each([true, false])('a server that answers in JSON: %s', (json) => {
  it('is listed and called, in one session that is ended', async () => {
    const { url, requests } = await server({ json });
    const { tools } = await readToolSources([url]);
    expect(tools.map(({ function: { name } }) => name)).toEqual(['echo', 'fail', 'ask', 'ask-unasked']);
    await expect.poll(() => requests.at(-1)?.method).toBe('DELETE');
    const later = requests.slice(1).map(({ headers }) => headers);
    expect(new Set(later.map((headers) => headers['mcp-session-id']))).toEqual(new Set(['session-1']));
    expect(later.every((headers) => /^2025-/.test(String(headers['mcp-protocol-version'])))).toBe(true);
  });

  it('executes calls, and tells of failures', async () => {
    const { url } = await server({ json });
    const started = await startMcpServer(url);
    ended.push(async () => started.close());
    expect(await call(started, 'echo', { message: 'Grüezi' })).toBe('Echo: Grüezi');
    await expect(call(started, 'fail')).rejects.toThrow('not today');
    await expect(started.callTool({ name: 'missing', arguments: {} })).resolves.toMatchObject({
      isError: true,
    });
  });

  it('asks the model of its client', async () => {
    const { url } = await server({ json });
    const started = await startMcpServer(url, {}, samplingHandler(writtenModel(anyFormat, [answer, answer])));
    ended.push(async () => started.close());
    // Answers in JSON leave no room for questions.
    const name = json ? 'ask-unasked' : 'ask';
    expect(await call(started, name)).toContain(answer.content);
    expect(await call(started, 'ask-unasked')).toContain(answer.content);
  });
});

it('a server that asks a client without a model is told so', async () => {
  const { url } = await server();
  const started = await startMcpServer(url);
  ended.push(async () => started.close());
  await expect(call(started, 'ask')).rejects.toThrow(/sampling|not offered/);
});

it("the official client reaches it, too, for a program's own tools", async () => {
  const { url } = await server();
  const client = new Client({ name: 'program', version: '1.0.0' });
  const transport = new StreamableHTTPClientTransport(new URL(url));
  await client.connect(transport as Parameters<Client['connect']>[0]);
  ended.push(() => client.close());
  expect(await call(client, 'echo', { message: 'hello' })).toBe('Echo: hello');
});

describe('an address that does not answer as a server does', () => {
  it('wants a key, which is read from the environment', async () => {
    const { url } = await server({ key: 'secret' });
    await expect(startMcpServer(url)).rejects.toThrow(/HTTP 401 .*IDIOLECT_MCP_KEY.*no key/);
    process.env.IDIOLECT_MCP_KEY = 'secret';
    try {
      const started = await startMcpServer(url);
      started.close();
    } finally {
      delete process.env.IDIOLECT_MCP_KEY;
    }
  });

  it.each([
    ['nobody listens', null, /ECONNREFUSED/],
    ['a page', (response: http.ServerResponse) => response.end('<html>'), /without an answer/],
    ['an error', (response: http.ServerResponse) => response.writeHead(500).end('broken'), /HTTP 500 broken/],
    ['silence', () => undefined, /did not answer within 700 ms/],
    ['a flood', (response: http.ServerResponse) => response.end('x'.repeat(2_000_000)), /more than 1000000/],
  ])('%s', async (_name, respond, message) => {
    const url =
      respond === null ? 'http://127.0.0.1:47/mcp' : await listening((_, response) => void respond(response));
    const limits = { milliseconds: String(message).includes('700') ? 700 : 20_000, characters: 1_000_000 };
    await expect(startMcpServer(url, limits)).rejects.toThrow(message);
  });
});
