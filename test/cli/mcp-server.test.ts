/** A server that a command starts, as `idiolect chat --mcp` uses it. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, it, vi } from 'vitest';
import { startMcpServer } from '../../src/cli/mcp/mcp-session.ts';
import { mcpTools, samplingHandler } from '../../src/mcp/index.ts';
import { writtenModel } from '../ai-sdk/written-model.ts';
import { answer, anyFormat } from '../serve/served-models.ts';

const everything = path.join(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
);
const model = writtenModel(anyFormat, [answer]);
const server = await startMcpServer(`"${process.execPath}" "${everything}"`, {}, samplingHandler(model));
afterAll(() => server.close());

it('an MCP server executes calls, and tells of its failures', async () => {
  const tools = await mcpTools(server, { close: true });
  const echo = tools.find(({ name }) => name === 'echo');
  const context = { toolCallId: 'a', signal: new AbortController().signal };
  expect(echo?.parameters).toMatchObject({ additionalProperties: false });
  expect(await echo?.execute({ message: 'hello' }, context)).toBe('Echo: hello');
  await expect(echo?.execute({}, context)).rejects.toThrow('message');
});

it('an MCP server is left when a call is abandoned', async () => {
  const tools = await mcpTools(server);
  const abandoned = AbortSignal.abort(new Error('enough'));
  const echo = tools.find(({ name }) => name === 'echo');
  await expect(echo?.execute({ message: 'x' }, { toolCallId: 'a', signal: abandoned })).rejects.toThrow(
    'enough',
  );
});

it('an MCP server hears that a result is no longer needed', async () => {
  const listening = createServer(async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const message = JSON.parse(await text(request));
    told.push(message);
    if (message.method === 'tools/call') leaving.abort(new Error('enough'));
    else {
      response.setHeader('content-type', 'application/json');
      const tools = [{ name: 'wait', inputSchema: { type: 'object' } }];
      response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { tools } }));
    }
  });
  const told: { readonly id?: number; readonly method: string; readonly params?: unknown }[] = [];
  const leaving = new AbortController();
  await once(listening.listen(0, '127.0.0.1'), 'listening');
  const { port } = listening.address() as AddressInfo;
  const waited = await startMcpServer(`http://127.0.0.1:${port}/`);
  const [wait] = await mcpTools(waited);
  const context = { toolCallId: 'a', signal: leaving.signal };
  await expect(wait?.execute({}, context)).rejects.toThrow('enough');
  await vi.waitFor(() => expect(told.at(-1)?.method).toBe('notifications/cancelled'));
  const asked = told.find(({ method }) => method === 'tools/call');
  expect(told.at(-1)?.params).toMatchObject({ requestId: asked?.id });
  waited.close();
  listening.closeAllConnections();
  listening.close();
});

it('an MCP server may ask the model', async () => {
  const tools = await mcpTools(server);
  const asking = tools.find(({ name }) => name === 'trigger-sampling-request');
  const context = { toolCallId: 'a', signal: new AbortController().signal };
  expect(await asking?.execute({ prompt: 'How warm?', maxTokens: 50 }, context)).toContain(answer.content);
  expect(model.asked[0]).toMatchObject({ maxTokens: 50, thinking: false });
});
