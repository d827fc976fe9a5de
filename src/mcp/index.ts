/** `idiolect/mcp`: the tools of MCP servers, and a model for what servers ask. Works with any client; imports none. */

export type { McpClient, McpContent, McpListedTool, McpResult } from './mcp-client.ts';
export { type McpTool, type McpToolsOptions, mcpTools } from './mcp-tools.ts';
export { McpToolError } from './result-content.ts';
export {
  type SampledModel,
  type SamplingContent,
  type SamplingHandlerOptions,
  type SamplingResult,
  samplingHandler,
} from './sampling-handler.ts';
export type { SamplingBlock, SamplingMessage, SamplingParams } from './sampling-request.ts';
