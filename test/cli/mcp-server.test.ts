/** A server that a command starts, as `idiolect chat --mcp` uses it. */
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { startMcpServer } from '../../src/cli/mcp/mcp-session.ts';
import { mcpTools } from '../../src/mcp/index.ts';

const everything = path.join(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
);
const server = await startMcpServer([process.execPath, everything]);
afterAll(() => server.close());

it('executes calls, and tells of its failures', async () => {
  const tools = await mcpTools(server, { close: true });
  const echo = tools.find(({ name }) => name === 'echo');
  const context = { toolCallId: 'a', signal: new AbortController().signal };
  expect(echo?.parameters).toMatchObject({ additionalProperties: false });
  expect(await echo?.execute({ message: 'hello' }, context)).toBe('Echo: hello');
  await expect(echo?.execute({}, context)).rejects.toThrow('message');
});

it('is left when a call is abandoned', async () => {
  const tools = await mcpTools(server);
  const abandoned = AbortSignal.abort(new Error('enough'));
  const echo = tools.find(({ name }) => name === 'echo');
  await expect(echo?.execute({ message: 'x' }, { toolCallId: 'a', signal: abandoned })).rejects.toThrow(
    'enough',
  );
});
