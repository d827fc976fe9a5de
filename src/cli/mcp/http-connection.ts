/** A connection to an MCP server at an address: streamable HTTP. */
import { setTimeout } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';
import { parseJson } from '../../format/json-values.ts';
import { readBeginning } from '../../format/limited-body.ts';
import { isRecord } from '../../format/option-rules.ts';
import type { McpConnection, McpListener, McpMessage } from './mcp-connection.ts';

/** Time for a server to hear that the session is over. */
const graceMs = 500;

/** How often a stream that broke is asked for again, unless it has brought something since. */
const maxTries = 4;
/** When, in milliseconds, unless the server says so; and within which bounds it may. */
const retryMs = { usual: 1_000, least: 50, most: 30_000 } as const;

/** How far a stream of events was read. */
interface Place {
  /** The request that it answers; `null`: none; `undefined`: it holds whatever the server says unasked. */
  readonly request: unknown;
  /** The last event that had an id. */
  lastId: string | null;
  /** Messages that it brought. */
  messages: number;
  isAnswered: boolean;
  waitMs: number;
}

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
    await this.#follow(response, message.id ?? null);
  }

  /** What the server asks unasked. Many servers have no such stream. */
  async #listen(): Promise<void> {
    try {
      await this.#follow(await this.#open(null), undefined);
    } catch {
      // Calls do not depend on it.
    }
  }

  /** A stream of what the server says unasked, or the rest of one after its event `lastId`. */
  async #open(lastId: string | null): Promise<Response> {
    const headers = { ...this.#headers(), ...(lastId === null ? {} : { 'last-event-id': lastId }) };
    const response = await fetch(this.#url, { headers, signal: this.#ended.signal });
    if (!response.ok) throw await httpError(response);
    return response;
  }

  /**
   * Reads a response. A stream that ends without the answer, or breaks, goes on after the last event that had an id; one
   * that answers nothing, in any case.
   */
  async #follow(first: Response, request: unknown): Promise<void> {
    const place: Place = { request, lastId: null, messages: 0, isAnswered: false, waitMs: retryMs.usual };
    let isStream = await this.#readAll(first, place);
    for (let tries = 0; isStream && this.#goesOn(place) && tries < maxTries; tries += 1) {
      const before = place.messages;
      await setTimeout(place.waitMs, undefined, { signal: this.#ended.signal });
      const rest = await this.#open(place.lastId).catch(unlessUnreached);
      if (rest === null) continue;
      isStream = await this.#readAll(rest, place);
      if (place.messages > before) tries = 0;
    }
  }

  #goesOn({ request, lastId, isAnswered }: Place): boolean {
    return !this.#ended.signal.aborted && !isAnswered && (request === undefined || lastId !== null);
  }

  /** One message, or a stream of them, up to where it ends or breaks; true if it is a stream. */
  async #readAll(response: Response, place: Place): Promise<boolean> {
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    try {
      await this.#read(response, isStream, place);
    } catch (error) {
      if (!isStream || !this.#goesOn(place)) throw error;
    }
    return isStream;
  }

  async #read(response: Response, isStream: boolean, place: Place): Promise<void> {
    const parser = createParser({
      onEvent: ({ id, data }) => {
        place.lastId = id ?? place.lastId;
        if (data === '') return;
        place.messages += 1;
        place.isAnswered ||= answers(data, place.request);
        this.#listener.receive(data);
      },
      onRetry: (wanted) => {
        place.waitMs = Math.min(Math.max(wanted, retryMs.least), retryMs.most);
      },
    });
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

/** Whether a message answers the request with this id. */
function answers(text: string, request: unknown): boolean {
  const message = parseJson(text);
  return isRecord(message) && !('method' in message) && 'id' in message && message.id === request;
}

/** `null` if nobody listened, as while a server is started anew. */
function unlessUnreached(error: unknown): null {
  if (error instanceof TypeError) return null;
  throw error;
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
