/** The tools of an MCP server as tools of a chat. */
import { ToolListError } from '../format/errors.ts';
import type { JsonSchema } from '../format/messages.ts';
import { integerFrom, type OptionRules, readOptions, string } from '../format/option-rules.ts';
import type { CallContext } from '../tools/tools.ts';
import type { McpClient, McpListedTool, McpResult } from './mcp-client.ts';
import { resultContent } from './result-content.ts';

/** Options of `mcpTools`. */
export interface McpToolsOptions {
  /** Put before each name, so that the tools of several servers can be told apart. Default: none. */
  readonly prefix?: string;
  /** Milliseconds that one call may take; then it fails, and the model is told. Default: the client's own. */
  readonly timeout?: number;
}

/** A tool of an MCP server. */
export interface McpTool {
  readonly name: string;
  readonly description?: string;
  readonly parameters: JsonSchema;
  /** Calls the tool on its server. Gives what the model is told; throws `McpToolError` where the tool failed. */
  readonly execute: (input: object, context: CallContext) => Promise<unknown>;
}

const rules: OptionRules<McpToolsOptions> = {
  prefix: string,
  timeout: integerFrom(1, Number.MAX_SAFE_INTEGER),
};

/** More pages than any server has tools for. */
const maxPages = 1_000;

/**
 * All tools that the server of `client` offers, ready for `runTools`. Texts of a result reach the model as they
 * are, structured content as JSON; images, sounds and binary resources, which chat templates do not take, as a
 * short description. Throws `ToolListError` for a list that never ends, and whatever the client throws.
 */
export async function mcpTools(client: McpClient, given: McpToolsOptions = {}): Promise<McpTool[]> {
  const options = readOptions(given, rules);
  const listed = await listAll(client);
  return listed.map((tool) => toolOf(client, tool, options));
}

async function listAll(client: McpClient): Promise<McpListedTool[]> {
  const tools: McpListedTool[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < maxPages; page += 1) {
    const listed = await client.listTools(cursor === undefined ? {} : { cursor });
    tools.push(...listed.tools);
    cursor = listed.nextCursor;
    if (cursor === undefined) return tools;
  }
  const reason = `the list goes on after ${maxPages} pages; the server repeats itself`;
  throw new ToolListError({ source: 'the MCP server', reason });
}

function toolOf(client: McpClient, tool: McpListedTool, { prefix = '', timeout }: McpToolsOptions): McpTool {
  const { name, description, inputSchema } = tool;
  return {
    name: prefix + name,
    ...(description === undefined ? {} : { description }),
    parameters: inputSchema as JsonSchema,
    async execute(input, { signal }) {
      const call = { name, arguments: { ...input } };
      const limits = { signal, ...(timeout === undefined ? {} : { timeout }) };
      return resultContent(name, (await client.callTool(call, undefined, limits)) as McpResult);
    },
  };
}
