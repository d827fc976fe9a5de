/** A session with an MCP server: JSON-RPC over whatever reaches it. */
import { ToolListError } from '../../format/errors.ts';
import { parseJson } from '../../format/json-values.ts';
import { onAbort } from '../../format/on-abort.ts';
import { isRecord } from '../../format/option-rules.ts';
import { toolVersion } from '../../format/version.ts';
import type { McpClient, McpListedTool, samplingHandler } from '../../mcp/index.ts';
import { splitCommand } from '../command-words.ts';
import { openHttp } from './http-connection.ts';
import type { McpConnection, McpListener, McpMessage } from './mcp-connection.ts';
import { openStdio } from './stdio-connection.ts';

/** Limits of a session. */
export interface McpLimits {
  /** Time until its tools are listed; a server may have to be downloaded first. Default: 60,000. */
  readonly milliseconds?: number;
  /** Maximum characters of its output for one request. Default: 32 million. */
  readonly characters?: number;
}

/** Answers a server that asks the model of its client. */
export type AnswerSampling = ReturnType<typeof samplingHandler>;

const protocolVersion = '2025-11-25';
const maxPages = 1000;

/**
 * The tools of a server, unchanged. Throws `ToolListError` if it cannot be reached, does not answer in time, or answers
 * with an error.
 */
export async function listMcpTools(source: string, limits: McpLimits = {}): Promise<unknown[]> {
  const server = await startMcpServer(source, limits);
  try {
    return [...(await server.listTools()).tools];
  } finally {
    server.close();
  }
}

/** A running server, as `mcpTools` takes it. */
export interface McpServer extends McpClient {
  close(): void;
}

/**
 * The server at an address (streamable HTTP), or else the one that a command starts. With `sampling`, it may ask the
 * model. Throws like `listMcpTools`, and so do its requests.
 */
export async function startMcpServer(
  source: string,
  limits: McpLimits = {},
  sampling?: AnswerSampling,
): Promise<McpServer> {
  const session = new McpSession(source, limits, sampling);
  try {
    await session.initialize();
    const tools = await listAll(session);
    session.stay();
    return {
      listTools: async () => ({ tools: tools as McpListedTool[] }),
      callTool: (call, _, options = {}) => session.request('tools/call', call, options.signal),
      close: () => session.close(),
    };
  } catch (error) {
    session.close();
    throw error;
  }
}

async function listAll(session: McpSession): Promise<unknown[]> {
  const tools: unknown[] = [];
  let cursor: unknown;
  for (let page = 0; page < maxPages; page++) {
    const answer = await session.request('tools/list', cursor === undefined ? {} : { cursor });
    if (!Array.isArray(answer.tools)) throw session.failure('it answered tools/list with no list of tools');
    for (const tool of answer.tools) tools.push(tool);
    cursor = answer.nextCursor;
    if (typeof cursor !== 'string') return tools;
  }
  throw session.failure(`its list of tools has more than ${maxPages} pages`);
}

interface Waiting {
  readonly method: string;
  readonly resolve: (result: McpMessage) => void;
  readonly reject: (error: unknown) => void;
  /** No longer waits for it to be aborted. */
  readonly forget: () => void;
}

class McpSession implements McpListener {
  readonly #source: string;
  readonly #connection: McpConnection;
  readonly #waiting = new Map<number, Waiting>();
  readonly #timer: NodeJS.Timeout;
  readonly #maxLength: number;
  readonly #sampling: AnswerSampling | undefined;
  readonly #closing = new AbortController();
  #failed: ToolListError | null = null;
  #requests = 0;
  #received = 0;

  constructor(
    source: string,
    { milliseconds = 60_000, characters = 32_000_000 }: McpLimits,
    sampling: AnswerSampling | undefined,
  ) {
    this.#source = source;
    this.#maxLength = characters;
    this.#sampling = sampling;
    this.#connection = isAddress(source) ? openHttp(source, this) : openStdio(splitCommand(source), this);
    this.#timer = setTimeout(() => this.fail(`it did not answer within ${milliseconds} ms`), milliseconds);
  }

  /** Aborted, it no longer waits, and tells the server so. */
  request(method: string, params: object, signal?: AbortSignal): Promise<McpMessage> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (this.#failed !== null) {
        reject(this.#failed);
        return;
      }
      const id = ++this.#requests;
      this.#received = 0;
      const forget = signal === undefined ? () => undefined : onAbort(signal, () => this.#cancel(id, signal));
      this.#waiting.set(id, { method, resolve, reject, forget });
      this.#send({ id, method, params });
    });
  }

  async initialize(): Promise<void> {
    const { protocolVersion: agreed } = await this.request('initialize', {
      protocolVersion,
      capabilities: this.#sampling === undefined ? {} : { sampling: { tools: {} } },
      clientInfo: { name: 'idiolect', version: toolVersion },
    });
    this.#connection.agree?.(String(agreed));
    this.#send({ method: 'notifications/initialized' });
  }

  /** What it does from now on may take any time. */
  stay(): void {
    clearTimeout(this.#timer);
  }

  close(): void {
    this.stay();
    this.#failed ??= this.failure('the session is closed');
    this.#closing.abort(this.#failed);
    this.#connection.close();
  }

  failure(reason: string, cause?: unknown): ToolListError {
    const said = this.#connection.said().trim();
    const detail = said === '' ? '' : `; it said: ${said}`;
    return new ToolListError({ source: this.#source, reason: `MCP server: ${reason}${detail}`, cause });
  }

  fail(reason: string, cause?: unknown): void {
    this.#failed ??= this.failure(reason, cause);
    for (const id of [...this.#waiting.keys()]) this.#taken(id)?.reject(this.#failed);
  }

  takes(characters: number): boolean {
    this.#received += characters;
    if (this.#received > this.#maxLength) this.fail(`it wrote more than ${this.#maxLength} characters`);
    return this.#failed === null;
  }

  /** Ignores what is not JSON: the protocol forbids it, but many servers write it. */
  receive(text: string): void {
    if (this.#failed !== null) return;
    const message = parseJson(text);
    if (!isRecord(message)) return;
    if ('method' in message) void this.#answer(message);
    else this.#settle(message);
  }

  #send(message: McpMessage): void {
    this.#connection.send({ jsonrpc: '2.0', ...message });
  }

  #cancel(id: number, { reason }: AbortSignal): void {
    this.#taken(id)?.reject(reason);
    const params = { requestId: id, reason: 'the result is no longer needed' };
    this.#send({ method: 'notifications/cancelled', params });
  }

  /** The request with this id, which from now on waits for nothing. */
  #taken(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    waiting?.forget();
    return waiting;
  }

  #settle({ id, result, error }: McpMessage): void {
    const waiting = this.#taken(Number(id));
    if (waiting === undefined) return;
    if (isRecord(result)) waiting.resolve(result);
    else {
      const reason =
        isRecord(error) && typeof error.message === 'string' ? error.message : JSON.stringify(error);
      waiting.reject(this.failure(`${waiting.method} failed: ${reason}`));
    }
  }

  /** A server may send a ping, and ask the model if there is one for it; this client offers nothing else. */
  async #answer({ id, method, params }: McpMessage): Promise<void> {
    if (id === undefined) return;
    if (method === 'ping') return this.#send({ id, result: {} });
    if (method !== 'sampling/createMessage' || this.#sampling === undefined)
      return this.#send({ id, error: { code: -32601, message: 'not offered by this client' } });
    try {
      const request = { params: params as never };
      this.#send({ id, result: await this.#sampling(request, { signal: this.#closing.signal }) });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (this.#failed === null) this.#send({ id, error: { code: -32603, message } });
    }
  }
}

/** Whether a server is reached over HTTP. */
export function isAddress(source: string): boolean {
  return /^https?:\/\/\S+$/i.test(source);
}
