/** What `mcpTools` makes of clients and servers that are not what they should be. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ToolListError, UnsupportedOptionError } from '../../src/format/errors.ts';
import type { McpClient } from '../../src/mcp/mcp-client.ts';
import { mcpTools } from '../../src/mcp/mcp-tools.ts';
import { McpToolError } from '../../src/mcp/result-content.ts';

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
    ['pages without an end', () => ({ tools: [], nextCursor: String(Math.random()) })],
    ['an answer that is nothing', () => null],
    ['a tool that is nothing', () => ({ tools: [null] })],
    ['a hole in the place of a tool', () => ({ tools: Array(1) })],
    ['a tool that is a number', () => ({ tools: [1] })],
    ['a tool without a name', () => ({ tools: [{ inputSchema: {} }] })],
    ['a name that is a number', () => ({ tools: [{ name: 7, inputSchema: {} }] })],
  ])('refuses %s', async (_, listTools) => {
    await expect(mcpTools(clientOf(listTools))).rejects.toThrow(ToolListError);
  });

  it.each([undefined, null, ''])('ends where the next cursor is %j', async (nextCursor) => {
    const client = clientOf(() => ({ tools: [{ name: 'look', inputSchema: {} }], nextCursor }));
    expect(await mcpTools(client)).toHaveLength(1);
  });

  it.each([null, 'text', 7, { content: 'text' }, { content: null }, { content: [null] }, { content: ['x'] }])(
    'a call that gives %j has failed',
    async (result) => {
      const listTools = async () => ({ tools: [{ name: 'look', inputSchema: {} }] });
      const [tool] = await mcpTools({ listTools, callTool: async () => result });
      const { signal } = new AbortController();
      await expect(tool?.execute({}, { signal, toolCallId: 'call' })).rejects.toThrow(McpToolError);
    },
  );

  const field = fc.option(fc.jsonValue({ maxDepth: 1 }), { nil: undefined });
  const type = fc.constantFrom('text', 'image', 'audio', 'resource', 'resource_link', 'other', 7, null);
  const part = fc.record({ type, text: field, data: field, mimeType: field, uri: field, resource: field });

  it('gives a result or says that there is none, whatever stands in its content', async () => {
    const listTools = async () => ({ tools: [{ name: 'look', inputSchema: { type: 'object' } }] });
    const given = fc.record({ content: fc.array(part), structuredContent: field, isError: field });
    await fc.assert(
      fc.asyncProperty(given, async (result) => {
        const [tool] = await mcpTools({ listTools, callTool: async () => result });
        const { signal } = new AbortController();
        const outcome = await tool?.execute({}, { signal, toolCallId: 'call' }).catch((error) => error);
        if (outcome instanceof Error) expect(outcome).toBeInstanceOf(McpToolError);
      }),
    );
  });

  it('gives the result of a server of the first version', async () => {
    const listTools = async () => ({ tools: [{ name: 'look', inputSchema: { type: 'object' } }] });
    const [tool] = await mcpTools({ listTools, callTool: async () => ({ toolResult: { warm: true } }) });
    const { signal } = new AbortController();
    expect(await tool?.execute({}, { signal, toolCallId: 'call' })).toEqual({ warm: true });
  });

  it('takes a page of two hundred thousand tools', async () => {
    const tool = { name: 'look', inputSchema: { type: 'object' } };
    const tools = Array.from({ length: 200_000 }, () => tool);
    expect(await mcpTools(clientOf(() => ({ tools })))).toHaveLength(200_000);
  });
});
