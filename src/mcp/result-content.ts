/** The result of a call of an MCP tool, as the model reads it. */
import { IdiolectError } from '../format/errors.ts';
import { isRecord } from '../format/option-rules.ts';
import { describeFile } from '../tools/describe-file.ts';
import type { McpContent, McpResult } from './mcp-client.ts';

/** A tool of an MCP server failed. The message is the server's. */
export class McpToolError extends IdiolectError {
  readonly code = 'mcp-tool';
  readonly tool: string;
  constructor(tool: string, message: string) {
    super(message === '' ? `the tool "${tool}" failed` : message);
    this.tool = tool;
  }
}

/**
 * The structured content if there is any (servers repeat it as text), otherwise the texts. Content without text is
 * described. Throws `McpToolError` if the server reports that the tool failed, or the result is invalid.
 */
export function resultContent(tool: string, result: unknown): unknown {
  const { content, isError, ...given } = readResult(tool, result);
  // The first version of the protocol had results of any kind.
  const structuredContent = given.structuredContent ?? given.toolResult;
  const text = content.map(contentText).join('\n');
  if (isError === true) throw new McpToolError(tool, text);
  if (structuredContent === undefined || structuredContent === null) return text;
  const described = content.filter(({ type }) => type !== 'text').map(contentText);
  return described.length === 0 ? structuredContent : { result: structuredContent, attached: described };
}

/** Clients pass on what servers send, without validation. */
function readResult(tool: string, result: unknown): McpResult & { readonly content: readonly McpContent[] } {
  const { content = [] } = isRecord(result) ? result : {};
  if (isRecord(result) && Array.isArray(content) && content.every(isRecord)) {
    return { ...result, content: content as unknown as readonly McpContent[] };
  }
  throw new McpToolError(tool, `the tool "${tool}" gave no result: its server sent something else`);
}

const unknownType = 'application/octet-stream';

interface Resource {
  readonly uri?: unknown;
  readonly mimeType?: unknown;
  readonly text?: unknown;
  readonly blob?: unknown;
}

/** A piece of content as text. */
export function contentText(part: McpContent): string {
  if (part.type === 'text') return textOf(part.text);
  if (part.type === 'resource') return resourceText(part.resource);
  if (part.type === 'resource_link') return link(part);
  const mediaType = [part.mimeType, part.type].find((type) => typeof type === 'string');
  return describeFile({ mediaType: mediaType ?? unknownType, data: part.data }).text;
}

/** A text resource of any encoding is written with its address, so that the model can refer to it. */
function resourceText(resource: unknown): string {
  const { uri, mimeType, text, blob } = (resource ?? {}) as Resource;
  const mediaType = typeof mimeType === 'string' ? mimeType : unknownType;
  const name = typeof uri === 'string' ? { filename: uri } : {};
  const file = describeFile({ mediaType, data: blob, ...name });
  if (typeof text !== 'string' && file.isDescribed) return file.text;
  const content = typeof text === 'string' ? text : file.text;
  return typeof uri === 'string' ? `${uri}:\n${content}` : content;
}

function link({ name, uri, mimeType }: McpContent): string {
  const parts = [`resource ${textOf(name)}`.trim(), textOf(mimeType), textOf(uri)];
  return `[${parts.filter((part) => part !== '').join(', ')}]`;
}

/** Servers may send any JSON where a text belongs. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : value == null ? '' : JSON.stringify(value);
}
