/** The tools of an MCP server as tools of a chat. */
import { ToolListError } from '../format/errors.ts';
import type { JsonSchema } from '../format/messages.ts';
import {
  boolean,
  integerFrom,
  isRecord,
  type OptionRule,
  type OptionRules,
  readOptions,
  requireOption,
  string,
  withoutUndefined,
} from '../format/option-rules.ts';
import type { CallContext } from '../tools/tools.ts';
import { closeSchema } from './close-schema.ts';
import type { McpClient, McpListedTool } from './mcp-client.ts';
import { resultContent } from './result-content.ts';

/** Options of `mcpTools`. */
export interface McpToolsOptions {
  /** Prefix of each name, to distinguish the tools of several servers. Default: none. */
  readonly prefix?: string | undefined;
  /** Timeout of one call in milliseconds; a call that exceeds it fails, and the model is told. Default: the client's. */
  readonly timeout?: number | undefined;
  /**
   * Closes objects whose schema declares properties and leaves others open, as many servers do: an undeclared key only
   * costs tokens. Default: false, the schemas are taken as they are.
   */
  readonly close?: boolean | undefined;
}

/** A tool of an MCP server. */
export interface McpTool {
  readonly name: string;
  readonly description?: string;
  readonly parameters: JsonSchema;
  /** Calls the tool on its server. Returns the text for the model; throws `McpToolError` if the tool failed. */
  readonly execute: (input: object, context: CallContext) => Promise<unknown>;
}

const rules: OptionRules<McpToolsOptions> = {
  prefix: string,
  close: boolean,
  timeout: integerFrom(1, Number.MAX_SAFE_INTEGER),
};

const mcpClient: OptionRule = {
  expected: 'a client of an MCP server, with listTools and callTool',
  allows: (value) =>
    isRecord(value) && ['listTools', 'callTool'].every((name) => typeof value[name] === 'function'),
};

/** More pages than the tools of any server need. */
const maxPages = 1_000;

/**
 * All tools that the server of `client` offers, ready for `runTools`. Text in a result reaches the model unchanged,
 * structured content as JSON; images, audio and binary resources, which chat templates do not accept, as a short
 * description. Throws `ToolListError` if the list is endless or invalid, `UnsupportedOptionError` for an invalid
 * option, and whatever the client throws.
 */
export async function mcpTools(client: McpClient, given: McpToolsOptions = {}): Promise<McpTool[]> {
  requireOption('client', client, mcpClient);
  const options = readOptions(given, rules);
  const listed = await listAll(client);
  return listed.map((tool) => toolOf(client, tool, options));
}

async function listAll(client: McpClient): Promise<McpListedTool[]> {
  const tools: McpListedTool[] = [];
  const cursors = new Set<string>();
  let cursor: string | undefined;
  while (cursors.size < maxPages) {
    const listed: unknown = await client.listTools(withoutUndefined({ cursor }));
    if (!isRecord(listed) || !Array.isArray(listed.tools)) throw listError('its answer has no list of tools');
    for (const tool of listed.tools) tools.push(readListed(tool, tools.length));
    const { nextCursor } = listed;
    // Servers in languages without `undefined` end with null.
    if (nextCursor === undefined || nextCursor === null || nextCursor === '') return tools;
    cursor = String(nextCursor);
    if (cursors.has(cursor)) throw listError('the list has no end: the server leads back to an earlier page');
    cursors.add(cursor);
  }
  throw listError(`the list goes on after ${maxPages} pages`);
}

function readListed(tool: unknown, index: number): McpListedTool {
  if (isRecord(tool) && typeof tool.name === 'string') return tool as unknown as McpListedTool;
  throw listError(`/${index} of its list is not a tool: an object with a name is expected`);
}

function listError(reason: string): ToolListError {
  return new ToolListError({ source: 'the MCP server', reason });
}

function toolOf(
  client: McpClient,
  tool: McpListedTool,
  { prefix = '', timeout, close = false }: McpToolsOptions,
): McpTool {
  const { name, description, inputSchema } = tool;
  return {
    name: prefix + name,
    ...withoutUndefined({ description }),
    parameters: (close ? closeSchema(inputSchema) : inputSchema) as JsonSchema,
    async execute(input, { signal }) {
      const call = { name, arguments: { ...input } };
      const limits = withoutUndefined({ signal, timeout });
      return resultContent(name, await client.callTool(call, undefined, limits));
    },
  };
}
