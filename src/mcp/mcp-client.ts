/** The part of an MCP client that is used: a subset of `Client` in `@modelcontextprotocol/sdk`. */

/** A tool as a server lists it. */
export interface McpListedTool {
  readonly name: string;
  readonly description?: string | undefined;
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** A piece of a result: a text, an image, audio, a resource or a link to one. */
export interface McpContent {
  readonly type: string;
  readonly text?: string | undefined;
  /** Base64. */
  readonly data?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly name?: string | undefined;
  readonly uri?: string | undefined;
  readonly resource?: unknown;
}

/** The result of a call. */
export interface McpResult {
  readonly content?: readonly McpContent[] | undefined;
  readonly structuredContent?: unknown;
  /** In the first version of the protocol, all of the result. */
  readonly toolResult?: unknown;
  /** Whether the tool failed; the content then describes how. */
  readonly isError?: boolean | undefined;
}

/** A connected client. */
export interface McpClient {
  /** One page of the server's tools, and where the next one begins, if there is one. */
  listTools(page?: { readonly cursor?: string }): Promise<{
    readonly tools: readonly McpListedTool[];
    readonly nextCursor?: string | undefined;
  }>;
  /** Calls a tool. The result is an `McpResult`, whatever else it may hold. */
  callTool(
    call: { readonly name: string; readonly arguments: Record<string, unknown> },
    resultSchema?: undefined,
    options?: { readonly signal?: AbortSignal; readonly timeout?: number },
  ): Promise<unknown>;
}
