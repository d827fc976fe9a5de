/** `idiolect/mcp`: the tools of MCP servers, with their implementation. Works with any client; imports none. */

export type { McpClient, McpContent, McpListedTool, McpResult } from './mcp-client.ts';
export { type McpTool, type McpToolsOptions, mcpTools } from './mcp-tools.ts';
export { McpToolError } from './result-content.ts';
