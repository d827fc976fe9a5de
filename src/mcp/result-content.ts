/** What a call of an MCP tool gave, as the model is told. */
import { IdiolectError } from '../format/errors.ts';
import { isRecord } from '../format/option-rules.ts';
import { describeFile } from '../tools/describe-file.ts';
import type { McpContent, McpResult } from './mcp-client.ts';

/** A tool of an MCP server failed. The message is what the server said. */
export class McpToolError extends IdiolectError {
  readonly code = 'mcp-tool';
  readonly tool: string;
  constructor(tool: string, message: string) {
    super(message === '' ? `the tool "${tool}" failed` : message);
    this.tool = tool;
  }
}

/**
 * Structured content where there is some (servers repeat it as text), else the texts. What has no text is
 * described. Throws `McpToolError` where the server says that the tool failed, or gives what is no result.
 */
export function resultContent(tool: string, result: unknown): unknown {
  const { content, structuredContent, isError } = readResult(tool, result);
  const text = content.map(contentText).join('\n');
  if (isError === true) throw new McpToolError(tool, text);
  if (structuredContent === undefined || structuredContent === null) return text;
  const described = content.filter(({ type }) => type !== 'text').map(contentText);
  return described.length === 0 ? structuredContent : { result: structuredContent, attached: described };
}

/** Clients hand on what servers send. */
function readResult(tool: string, result: unknown): McpResult & { readonly content: readonly McpContent[] } {
  const { content = [] } = isRecord(result) ? result : {};
  if (isRecord(result) && Array.isArray(content) && content.every(isRecord)) {
    return { ...result, content: content as unknown as readonly McpContent[] };
  }
  throw new McpToolError(tool, `the tool "${tool}" gave no result: its server sent something else`);
}

interface Resource {
  readonly uri?: unknown;
  readonly mimeType?: unknown;
  readonly text?: unknown;
  readonly blob?: unknown;
}

function contentText(part: McpContent): string {
  if (part.type === 'text') return part.text ?? '';
  if (part.type === 'resource') return resourceText(part.resource);
  if (part.type === 'resource_link') return link(part);
  return describeFile({ mediaType: part.mimeType ?? part.type, data: part.data }).text;
}

/** A resource that is text, in whatever encoding, is told with its address, so that the model can speak of it. */
function resourceText(resource: unknown): string {
  const { uri, mimeType, text, blob } = (resource ?? {}) as Resource;
  const mediaType = typeof mimeType === 'string' ? mimeType : 'application/octet-stream';
  const name = typeof uri === 'string' ? { filename: uri } : {};
  const file = describeFile({ mediaType, data: blob, ...name });
  if (typeof text !== 'string' && file.isDescribed) return file.text;
  const content = typeof text === 'string' ? text : file.text;
  return typeof uri === 'string' ? `${uri}:\n${content}` : content;
}

function link({ name, uri, mimeType }: McpContent): string {
  const parts = [`resource ${name ?? ''}`.trim(), mimeType, uri].filter((part) => part !== undefined);
  return `[${parts.join(', ')}]`;
}
