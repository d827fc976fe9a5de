/** What carries the messages of a session with an MCP server. */

/** A message of JSON-RPC. */
export type McpMessage = Readonly<Record<string, unknown>>;

/** How messages reach a server. */
export interface McpConnection {
  send(message: McpMessage): void;
  /** The version of the protocol that the server speaks. */
  agree?(version: string): void;
  close(): void;
  /** What else it said, such as its standard error; '' for nothing. */
  said(): string;
}

/** What a connection tells its session. */
export interface McpListener {
  /** A message, as JSON text. */
  receive(text: string): void;
  /** Whether so many more characters are read; if not, the session has failed. */
  takes(characters: number): boolean;
  /** The connection is of no more use. */
  fail(reason: string, cause?: unknown): void;
}
