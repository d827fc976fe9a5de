/** What an MCP server lists, and what it gives as a result: tools that a grammar is built for, and texts. */
import { buildGrammar } from '../../src/index.ts';
import { mcpTools } from '../../src/mcp/mcp-tools.ts';
import { lawTools } from '../support/law-tools.ts';
import { jsonInTags } from '../support/sample-formats.ts';
import { type FuzzTarget, typed } from './fuzz-target.ts';
import { mutatedJson } from './mutated-json.ts';

const listed = lawTools.map(({ function: { name, description, parameters } }) => ({
  name,
  title: 'T',
  description,
  inputSchema: parameters,
  outputSchema: { type: 'object', properties: { degrees: { type: 'number' } }, required: ['degrees'] },
  annotations: { readOnlyHint: true, title: 'T' },
}));
const resource = { uri: 'file:///a.txt', mimeType: 'text/plain', text: 'a' };
const server = {
  lists: [
    { tools: listed.slice(0, 2), nextCursor: 'a' },
    { tools: listed.slice(2), nextCursor: null },
  ],
  result: {
    content: [
      { type: 'text', text: '21 degrees' },
      { type: 'image', data: 'aGk=', mimeType: 'image/png' },
      { type: 'audio', data: 'aGk=', mimeType: 'audio/wav' },
      { type: 'resource', resource },
      { type: 'resource_link', name: 'a', ...resource },
    ],
    structuredContent: { degrees: 21 },
    isError: false,
  },
};

const keys = [
  ...['tools', 'nextCursor', 'name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'],
  ...['content', 'structuredContent', 'isError', 'toolResult', 'type', 'text', 'data', 'mimeType', 'blob'],
  ...['resource', 'uri', 'properties', 'required', '$ref', 'result', '__proto__', 'toString', '\ud800'],
];
const leaves = [
  ...['', 'a', 'a b', 'text', 'image', 'resource', 'object', '\ud800', '\u0000', '<|im_end|>', 'get_weather'],
  ...['#', 'x'.repeat(300), 0, -1, 1e308, true, false, null, [], {}, [[]], { type: 'text', text: 'b' }],
];

/** See the top of this file. */
export const mcp: FuzzTarget = {
  seeds: [JSON.stringify(server)],
  near: (input) => mutatedJson([JSON.parse(input)], keys, leaves),
  attempt: async (input) => {
    const given: unknown = JSON.parse(input);
    const { lists, result } = {
      lists: [],
      result: null,
      ...(given as { lists?: unknown; result?: unknown }),
    };
    const pages = Array.isArray(lists) ? [...lists] : [lists];
    const client = { listTools: async () => pages.shift() ?? { tools: [] }, callTool: async () => result };
    await typed(async () => {
      const tools = await mcpTools(client as Parameters<typeof mcpTools>[0], { close: true });
      for (const { execute } of tools.slice(0, 1))
        await typed(() => execute({}, { signal: AbortSignal.abort(), toolCallId: 'call' }));
      buildGrammar(jsonInTags, { tools, toolChoice: 'required', policy: 'degrade' });
    });
  },
};
