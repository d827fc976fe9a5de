/** A server that a command starts, as `idiolect chat --mcp` uses it. */
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
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

it('an MCP server may ask the model', async () => {
  const tools = await mcpTools(server);
  const asking = tools.find(({ name }) => name === 'trigger-sampling-request');
  const context = { toolCallId: 'a', signal: new AbortController().signal };
  expect(await asking?.execute({ prompt: 'How warm?', maxTokens: 50 }, context)).toContain(answer.content);
  expect(model.asked[0]).toMatchObject({ maxTokens: 50, thinking: false });
});
