/**
 * A session with an MCP server that a command starts. The stdio transport has one JSON-RPC message per line on standard
 * input and output.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { ToolListError } from '../../format/errors.ts';
import { parseJson } from '../../format/json-values.ts';
import { untilAborted } from '../../format/on-abort.ts';
import { toolVersion } from '../../format/version.ts';
import type { McpClient, McpListedTool } from '../../mcp/index.ts';
import { spawnedCommand } from './spawned-command.ts';

/** Limits of a session. */
export interface McpLimits {
  /** Time until its tools are listed; a server may have to be downloaded first. Default: 60,000. */
  readonly milliseconds?: number;
  /** Maximum characters of its output for one request. Default: 32 million. */
  readonly characters?: number;
}

const protocolVersion = '2025-06-18';
const maxPages = 1000;
/** How much of a failing server's standard error is reported. */
const saidLength = 400;
/** Time for a server to exit after its input is closed. */
const graceMs = 500;

type Fields = ReadonlyMap<string, unknown>;

/**
 * The tools of the server started by `command`, unchanged. Throws `ToolListError` if it cannot be started, does not
 * answer in time, or answers with an error.
 */
export async function listMcpTools(command: readonly string[], limits: McpLimits = {}): Promise<unknown[]> {
  const server = await startMcpServer(command, limits);
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

/** Starts the server of `command`. Throws like `listMcpTools`, and so do its requests. */
export async function startMcpServer(command: readonly string[], limits: McpLimits = {}): Promise<McpServer> {
  const session = new McpSession(command, limits);
  try {
    await session.request('initialize', {
      protocolVersion,
      capabilities: {},
      clientInfo: { name: 'idiolect', version: toolVersion },
    });
    session.notify('notifications/initialized');
    const tools = await listAll(session);
    session.stay();
    return {
      listTools: async () => ({ tools: tools as McpListedTool[] }),
      callTool: async (call, _, options = {}) => {
        const result = await untilAborted(session.request('tools/call', call), options.signal);
        return Object.fromEntries(result);
      },
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
    const list = answer.get('tools');
    if (!Array.isArray(list)) throw session.failure('it answered tools/list with no list of tools');
    for (const tool of list) tools.push(tool);
    cursor = answer.get('nextCursor');
    if (typeof cursor !== 'string') return tools;
  }
  throw session.failure(`its list of tools has more than ${maxPages} pages`);
}

interface Waiting {
  readonly method: string;
  readonly resolve: (result: Fields) => void;
  readonly reject: (error: ToolListError) => void;
}

class McpSession {
  readonly #source: string;
  readonly #server: ChildProcessWithoutNullStreams;
  readonly #waiting = new Map<number, Waiting>();
  readonly #timer: NodeJS.Timeout;
  readonly #maxLength: number;
  #failed: ToolListError | null = null;
  #requests = 0;
  #received = 0;
  #line = '';
  #said = '';

  constructor(command: readonly string[], { milliseconds = 60_000, characters = 32_000_000 }: McpLimits) {
    this.#source = command.join(' ');
    this.#maxLength = characters;
    const { file, args, verbatim } = spawnedCommand(command);
    this.#server = spawn(file, args, {
      stdio: 'pipe',
      windowsVerbatimArguments: verbatim,
      windowsHide: true,
    });
    this.#timer = setTimeout(() => this.#fail(`it did not answer within ${milliseconds} ms`), milliseconds);
    this.#server.on('error', (error) => this.#fail(`it cannot be started (${error.message})`, error));
    this.#server.on('exit', (code, signal) => this.#fail(`it ended (${signal ?? `exit code ${code}`})`));
    this.#server.stdin.on('error', () => undefined); // `exit` reports its end
    this.#server.stdout.setEncoding('utf8').on('data', (text: string) => this.#receive(text));
    this.#server.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#said = (this.#said + text).slice(-saidLength);
    });
  }

  request(method: string, params: object): Promise<Fields> {
    return new Promise((resolve, reject) => {
      if (this.#failed !== null) {
        reject(this.#failed);
        return;
      }
      const id = ++this.#requests;
      this.#received = 0;
      this.#waiting.set(id, { method, resolve, reject });
      this.#send({ id, method, params });
    });
  }

  notify(method: string): void {
    this.#send({ method });
  }

  /** What it does from now on may take any time. */
  stay(): void {
    clearTimeout(this.#timer);
  }

  close(): void {
    this.stay();
    this.#failed ??= this.failure('the session is closed');
    const server = this.#server;
    server.stdin.end();
    const kill = setTimeout(() => server.kill('SIGKILL'), graceMs);
    server.on('exit', () => clearTimeout(kill));
    if (server.exitCode !== null || server.pid === undefined) clearTimeout(kill);
  }

  failure(reason: string, cause?: unknown): ToolListError {
    const said = this.#said.trim();
    const detail = said === '' ? '' : `; it said: ${said}`;
    return new ToolListError({ source: this.#source, reason: `MCP server: ${reason}${detail}`, cause });
  }

  #send(message: object): void {
    this.#server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  #fail(reason: string, cause?: unknown): void {
    this.#failed ??= this.failure(reason, cause);
    for (const { reject } of this.#waiting.values()) reject(this.#failed);
    this.#waiting.clear();
  }

  #receive(text: string): void {
    this.#received += text.length;
    if (this.#received > this.#maxLength) {
      this.#fail(`it wrote more than ${this.#maxLength} characters`);
      return;
    }
    const lines = (this.#line + text).split('\n');
    this.#line = lines.pop() ?? '';
    for (const line of lines) this.#read(line);
  }

  /** Ignores lines that are not JSON: the protocol forbids them, but many servers write them. */
  #read(line: string): void {
    const message = fieldsOf(parseJson(line));
    if (message?.has('method')) this.#answer(message);
    else if (message !== null) this.#settle(message);
  }

  #settle(message: Fields): void {
    const id = Number(message.get('id'));
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    this.#waiting.delete(id);
    const result = fieldsOf(message.get('result'));
    if (result !== null) waiting.resolve(result);
    else waiting.reject(this.failure(`${waiting.method} failed: ${JSON.stringify(message.get('error'))}`));
  }

  /** A server may send a ping; this client offers nothing else. */
  #answer(message: Fields): void {
    const id = message.get('id');
    if (id === undefined) return;
    const method = message.get('method');
    const refusal = { error: { code: -32601, message: 'not offered by this client' } };
    this.#send({ id, ...(method === 'ping' ? { result: {} } : refusal) });
  }
}

function fieldsOf(value: unknown): Fields | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  return new Map<string, unknown>(Object.entries(value));
}
