/** Tools of a real MCP server, through its own client: what the model is told of each kind of result. */
import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type McpTool, McpToolError, mcpTools } from '../../src/mcp/index.ts';
import { normalizeTools } from '../../src/tools/tools.ts';

const server = path.join(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/server-everything/dist/index.js',
);
const context = { toolCallId: 'call-0', signal: new AbortController().signal };

describe('server-everything', () => {
  const client = new Client({ name: 'idiolect-test', version: '1.0.0' });
  let tools: readonly McpTool[] = [];

  beforeAll(async () => {
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [server], stderr: 'ignore' }),
    );
    tools = await mcpTools(client, { prefix: 'demo_' });
  });
  afterAll(() => client.close());

  async function call(name: string, input: object): Promise<unknown> {
    const tool = tools.find((each) => each.name === `demo_${name}`);
    if (tool === undefined) throw new RangeError(`the server has no tool ${name}`);
    return tool.execute(input, context);
  }

  it('lists tools that a chat takes', () => {
    const names = normalizeTools(tools).map(({ function: { name } }) => name);
    expect(names).toContain('demo_echo');
    expect(new Set(names).size).toBe(tools.length);
  });

  it('text is text', async () => {
    expect(await call('echo', { message: 'Grüezi' })).toBe('Echo: Grüezi');
  });

  it('structured content is JSON', async () => {
    expect(await call('get-structured-content', { location: 'New York' })).toMatchObject({
      temperature: expect.any(Number),
      conditions: expect.any(String),
    });
  });

  it('an image is a short description', async () => {
    const text = String(await call('get-tiny-image', {}));
    expect(text).toMatch(/\[file, image\/png, \d+ kB\]/);
    expect(text.length).toBeLessThan(300);
  });

  it('a text resource is its text and its address', async () => {
    const text = String(await call('get-resource-reference', { resourceType: 'Text', resourceId: 1 }));
    expect(text).toMatch(/demo:\/\/resource\/\S+:\n/);
  });

  it('so is one whose text is sent as bytes', async () => {
    const text = String(await call('get-resource-reference', { resourceType: 'Blob', resourceId: 1 }));
    expect(text).toMatch(/demo:\/\/resource\/\S+:\n\S/);
  });

  it('links are told with their addresses', async () => {
    expect(String(await call('get-resource-links', { count: 2 }))).toMatch(/\[resource .*demo:\/\//);
  });

  it('an error of the tool is an error', async () => {
    await expect(call('get-sum', { a: 'one', b: 2 })).rejects.toThrow(McpToolError);
  });

  it('a call can be given up', async () => {
    const controller = new AbortController();
    const tool = tools.find(({ name }) => name === 'demo_trigger-long-running-operation');
    const running = tool?.execute(
      { duration: 60, steps: 60 },
      { toolCallId: 'c', signal: controller.signal },
    );
    controller.abort(new Error('enough'));
    await expect(running).rejects.toThrow('enough');
  });
});

describe('clients', () => {
  const listed = { name: 'a', inputSchema: { type: 'object' } };

  it('are asked page by page', async () => {
    const pages = new Map([
      [undefined, { tools: [listed], nextCursor: 'b' }],
      ['b', { tools: [{ ...listed, name: 'b' }] }],
    ]);
    const tools = await mcpTools({
      listTools: async ({ cursor } = {}) => pages.get(cursor) ?? { tools: [] },
      callTool: async () => ({ content: [] }),
    });
    expect(tools.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  it('may send binary resources, which are described', async () => {
    const resource = { uri: 'demo://a.png', mimeType: 'image/png', blob: btoa('x'.repeat(4_000)) };
    const [tool] = await mcpTools({
      listTools: async () => ({ tools: [listed] }),
      callTool: async () => ({ content: [{ type: 'resource', resource }], structuredContent: { size: 4 } }),
    });
    expect(await tool?.execute({}, context)).toEqual({
      result: { size: 4 },
      attached: ['[file demo://a.png, image/png, 4 kB]'],
    });
  });

  it('whose lists never end are refused', async () => {
    const endless = mcpTools({
      listTools: async () => ({ tools: [], nextCursor: 'again' }),
      callTool: async () => ({ content: [] }),
    });
    await expect(endless).rejects.toThrow(/the list has no end/);
  });
});
