/** A connection to an MCP server at an address: streamable HTTP. */
import { createParser } from 'eventsource-parser';
import { readBeginning } from '../../format/limited-body.ts';
import type { McpConnection, McpListener, McpMessage } from './mcp-connection.ts';

/** Time for a server to hear that the session is over. */
const graceMs = 500;

/** Opens it; nothing is sent yet. A key in the environment's `IDIOLECT_MCP_KEY` goes with every message. */
export function openHttp(url: string, listener: McpListener): McpConnection {
  return new HttpConnection(url, listener, process.env.IDIOLECT_MCP_KEY ?? '');
}

class HttpConnection implements McpConnection {
  readonly #url: string;
  readonly #listener: McpListener;
  readonly #key: string;
  readonly #ended = new AbortController();
  #session: string | null = null;
  #version: string | null = null;
  /** Whatever is sent later waits for the last notification, so that a server is initialized before it is asked. */
  #noticed: Promise<void> = Promise.resolve();

  constructor(url: string, listener: McpListener, key: string) {
    this.#url = url;
    this.#listener = listener;
    this.#key = key;
  }

  said(): string {
    return '';
  }

  agree(version: string): void {
    this.#version = version;
  }

  send(message: McpMessage): void {
    const { id, method } = message;
    // Of no effect for a request that has its answer.
    const end = (reason: string): void => {
      const error = { message: reason };
      if (id !== undefined && method !== undefined) this.#listener.receive(JSON.stringify({ id, error }));
    };
    const sent = this.#noticed.then(() => this.#post(message));
    const told = sent.then(
      () => end('the response ended without an answer'),
      (error: unknown) => end(reasonOf(error)),
    );
    if (id === undefined) this.#noticed = told;
    if (method === 'notifications/initialized') void told.then(() => this.#listen());
  }

  close(): void {
    this.#ended.abort();
    if (this.#session === null) return;
    const signal = AbortSignal.timeout(graceMs);
    fetch(this.#url, { method: 'DELETE', headers: this.#headers(), signal }).catch(() => undefined);
  }

  async #post(message: McpMessage): Promise<void> {
    const response = await fetch(this.#url, {
      method: 'POST',
      headers: { ...this.#headers(), 'content-type': 'application/json' },
      body: JSON.stringify(message),
      signal: this.#ended.signal,
    });
    this.#session ??= response.headers.get('mcp-session-id');
    if (!response.ok) throw await httpError(response);
    await this.#read(response);
  }

  /** What the server asks unasked. Many servers have no such stream. */
  async #listen(): Promise<void> {
    try {
      const response = await fetch(this.#url, { headers: this.#headers(), signal: this.#ended.signal });
      if (response.ok) await this.#read(response);
      else await response.body?.cancel();
    } catch {
      // Calls do not depend on it.
    }
  }

  /** One message, or a stream of them. */
  async #read(response: Response): Promise<void> {
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const parser = createParser({ onEvent: ({ data }) => this.#listener.receive(data) });
    const decoder = new TextDecoder();
    let text = '';
    for await (const bytes of response.body ?? []) {
      const piece = decoder.decode(bytes, { stream: true });
      if (!this.#listener.takes(piece.length)) return this.#ended.abort();
      if (isStream) parser.feed(piece);
      else text += piece;
    }
    if (text !== '') this.#listener.receive(text);
  }

  #headers(): Record<string, string> {
    return {
      accept: 'application/json, text/event-stream',
      ...(this.#key === '' ? {} : { authorization: `Bearer ${this.#key}` }),
      ...(this.#session === null ? {} : { 'mcp-session-id': this.#session }),
      ...(this.#version === null ? {} : { 'mcp-protocol-version': this.#version }),
    };
  }
}

/** How many bytes of what a server says of a failure are reported. */
const saidLength = 400;

async function httpError(response: Response): Promise<Error> {
  const key = response.status === 401 ? ' (a key is read from the environment: IDIOLECT_MCP_KEY)' : '';
  const { bytes } = await readBeginning(response, saidLength);
  return new Error(`HTTP ${response.status}${key} ${new TextDecoder().decode(bytes)}`.trim());
}

/** `fetch failed` says nothing; its cause does. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
