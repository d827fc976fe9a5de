/** What `mcpTools` makes of clients and servers that are not what they should be. */
import { describe, expect, it } from 'vitest';
import { ToolListError, UnsupportedOptionError } from '../../src/format/errors.ts';
import type { McpClient } from '../../src/mcp/mcp-client.ts';
import { mcpTools } from '../../src/mcp/mcp-tools.ts';

/** A client whose server lists what `listTools` says. */
function clientOf(listTools: () => unknown): McpClient {
  return { listTools: async () => listTools(), callTool: async () => ({ content: [] }) } as McpClient;
}

describe('mcpTools', () => {
  it.each([null, {}, { listTools: () => ({ tools: [] }) }, 'client'])(
    'refuses %j as a client',
    async (client) => {
      const wrong = client as unknown as McpClient;
      await expect(mcpTools(wrong)).rejects.toThrow(UnsupportedOptionError);
    },
  );

  it.each([
    ['no list', () => ({})],
    ['a list that is none', () => ({ tools: 'many' })],
    ['a list without an end', () => ({ tools: [], nextCursor: 'again' })],
  ])('refuses %s', async (_, listTools) => {
    await expect(mcpTools(clientOf(listTools))).rejects.toThrow(ToolListError);
  });

  it('takes a page of two hundred thousand tools', async () => {
    const tool = { name: 'look', inputSchema: { type: 'object' } };
    const tools = Array.from({ length: 200_000 }, () => tool);
    expect(await mcpTools(clientOf(() => ({ tools })))).toHaveLength(200_000);
  });
});
