/** Each bound of what an MCP server may offer: at it, one below and one above. */
import { describe, expect, it } from 'vitest';
import { ToolListError } from '../../src/index.ts';
import { closeSchema } from '../../src/mcp/close-schema.ts';
import { mcpTools } from '../../src/mcp/index.ts';

describe('a schema of a tool', () => {
  it.each([
    [199, true],
    [200, true],
    [201, false],
  ])('is closed down to the 200th object within it: %i', (depth, isClosed) => {
    let schema: object = { type: 'object', properties: { a: {} } };
    for (let at = 0; at < depth; at += 1) schema = { items: schema };
    expect(JSON.stringify(closeSchema(schema)).includes('additionalProperties')).toBe(isClosed);
  });
});

describe('a list of tools', () => {
  it.each([
    [999, true],
    [1000, true],
    [1001, false],
  ])('has at most 1000 pages: %i', async (pages, isRead) => {
    let asked = 0;
    const listTools = async () => {
      asked += 1;
      const tools = [{ name: `tool${asked}`, inputSchema: { type: 'object' as const } }];
      return { tools, ...(asked < pages ? { nextCursor: String(asked) } : {}) };
    };
    const tools = mcpTools({ listTools, callTool: async () => ({ content: [] }) });
    if (isRead) expect(await tools).toHaveLength(pages);
    else await expect(tools).rejects.toThrow(ToolListError);
    expect(asked).toBe(Math.min(pages, 1000));
  });
});
