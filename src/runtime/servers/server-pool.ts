/**
 * One server, or several that serve the same model. A conversation stays with the server that has it in its cache;
 * transient failures are retried, with another server if there is one.
 */
import { ServerError, UnsupportedOptionError } from '../../format/errors.ts';
import { sha256 } from '../../format/sha256.ts';
import { withRetries } from './retry.ts';
import { ServerConnection } from './server-connection.ts';
import type { ServedModel, ServerDialect, ServerQuestion } from './server-dialect.ts';
import type { ServerOptions } from './server-options.ts';

/** What a server reports when it is connected. */
interface Introduction {
  readonly served: ServedModel;
  readonly takesTags: boolean;
}

/** Number of retries after a transient failure. */
const defaultRetries = 2;
/** How long a server is not used after a failure; twice as long after each further failure in a row. */
const firstRestMs = 1000;
const longestRestMs = 30_000;

/** See the top of this file. */
export class ServerPool {
  readonly #servers: readonly PooledServer[];
  readonly #dialect: ServerDialect;
  readonly #retries: number;
  #turn = 0;

  constructor({ url, retries = defaultRetries, ...options }: ServerOptions, dialect: ServerDialect) {
    const urls = typeof url === 'string' ? [url] : url;
    this.#servers = urls.map((each) => new PooledServer(new ServerConnection({ ...options, url: each })));
    this.#dialect = dialect;
    this.#retries = retries;
  }

  /** The addresses of its servers. */
  get urls(): readonly string[] {
    return this.#servers.map(({ connection }) => connection.url);
  }

  /**
   * Asks every server what it serves. One with a transient failure is asked again before it is used. Throws if none
   * answers, one is of another kind, or two serve different models.
   */
  async meet(signal: AbortSignal | undefined): Promise<Introduction> {
    const meetings = await withRetries(() => this.#meetAll(signal), this.#retries, signal);
    const [first, ...others] = meetings;
    if (first === undefined) throw new RangeError('no server');
    const known = { ...first, takesTags: meetings.every(({ takesTags }) => takesTags) };
    if (!others.every((other) => isSameModel(other, known))) {
      const reason = 'its servers serve different models, or not with the same template and context';
      throw new UnsupportedOptionError({ option: 'url', reason });
    }
    for (const server of this.#servers) {
      server.isWell = async (limit) => isSameModel(await this.#introduce(server.connection, limit), known);
    }
    return known;
  }

  /** Asks one of the servers, in rotation. */
  async ask<Answer>(question: ServerQuestion<Answer>, signal: AbortSignal | undefined): Promise<Answer> {
    this.#turn = (this.#turn + 1) % this.#servers.length;
    const order = [...this.#servers.slice(this.#turn), ...this.#servers.slice(0, this.#turn)];
    return this.#reliably(order, signal, ({ connection }) => connection.ask(question, signal));
  }

  /**
   * Asks the server of `conversation`, and reads the answer's events as they come. The request is retried only before
   * the first event. Leaving the iteration ends the request; a premature end of the stream is an error.
   */
  async *stream<Answer>(
    question: ServerQuestion<Answer>,
    conversation: string,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Answer, never> {
    const order = byWeight(this.#servers, conversation);
    const { first, rest, connection } = await this.#reliably(order, signal, async (server) => {
      const pieces = server.connection.stream(question, signal);
      return { first: await pieces.next(), rest: pieces, connection: server.connection };
    });
    try {
      if (first.done !== true) yield first.value;
      yield* rest;
    } finally {
      await rest.return();
    }
    throw connection.error(question.path, 'the stream ended before the response did', { transient: true });
  }

  /** The error of a request to `path`, of any of the servers. */
  error(path: string, reason: string): ServerError {
    return new ServerError({ url: `${this.urls[0]}${path}`, reason });
  }

  async #meetAll(signal: AbortSignal | undefined): Promise<readonly Introduction[]> {
    const meetings = await Promise.allSettled(
      this.#servers.map(({ connection }) => this.#introduce(connection, signal)),
    );
    signal?.throwIfAborted();
    const errors = meetings.flatMap((meeting, index): readonly unknown[] => {
      if (meeting.status === 'fulfilled') return [];
      this.#servers[index]?.rest(meeting.reason);
      return [meeting.reason];
    });
    const last = errors.find((error) => !isTransient(error));
    if (last !== undefined || errors.length === meetings.length) throw last ?? errors[0];
    return meetings.flatMap((meeting) => (meeting.status === 'fulfilled' ? [meeting.value] : []));
  }

  async #introduce(connection: ServerConnection, signal: AbortSignal | undefined): Promise<Introduction> {
    const { describe, takesTags } = this.#dialect;
    const served = await connection.ask(describe, signal);
    if (takesTags === undefined) return { served, takesTags: false };
    try {
      const asking = () => connection.ask(takesTags, signal);
      return { served, takesTags: await withRetries(asking, this.#retries, signal) };
    } catch (error) {
      // A server that does not report its version counts as an old one.
      if (error instanceof ServerError) return { served, takesTags: false };
      throw error;
    }
  }

  /** Tries one server after the other, resting ones last, and all of them again after a pause. */
  async #reliably<Result>(
    order: readonly PooledServer[],
    signal: AbortSignal | undefined,
    attempt: (server: PooledServer) => Promise<Result>,
  ): Promise<Result> {
    const askAll = async (): Promise<Result> => {
      const now = performance.now();
      const usable = order.filter((server) => !server.rests(now));
      let failed: unknown;
      for (const server of [...usable, ...order.filter((each) => !usable.includes(each))]) {
        try {
          if (order.length > 1) await server.recover(signal);
          const result = await attempt(server);
          server.failures = 0;
          return result;
        } catch (error) {
          signal?.throwIfAborted();
          if (isOfServer(error)) server.rest(error);
          if (!isTransient(error)) throw error;
          failed = error;
        }
      }
      throw failed;
    };
    return withRetries(askAll, this.#retries, signal);
  }
}

/** A server, and its failures. */
class PooledServer {
  readonly connection: ServerConnection;
  /** Number of transient failures in a row. */
  failures = 0;
  /** Whether it answers and serves the same model as before. */
  isWell: (signal: AbortSignal | undefined) => Promise<boolean> = async () => true;
  #restsUntil = 0;

  constructor(connection: ServerConnection) {
    this.connection = connection;
  }

  /** Whether it is only used if no other answers. */
  rests(now: number): boolean {
    return now < this.#restsUntil;
  }

  /** Records a failure, after which it is not used for a while. */
  rest(error: unknown): void {
    const restMs = Math.min(longestRestMs, firstRestMs * 2 ** this.failures);
    const asked = error instanceof ServerError ? (error.retryAfterMs ?? 0) : 0;
    this.#restsUntil = performance.now() + Math.max(asked, restMs);
    this.failures += 1;
  }

  /** Checks the server after a failure, before it is used again. Throws a transient error if it is not available. */
  async recover(signal: AbortSignal | undefined): Promise<void> {
    if (this.failures === 0) return;
    let reason = 'it serves another model than when it was connected to';
    try {
      if (await this.isWell(signal)) return;
    } catch (error) {
      if (!(error instanceof ServerError)) throw error;
      reason = error.reason;
    }
    throw new ServerError({ url: this.connection.url, reason, transient: true });
  }
}

/** Whether the server failed, not just the request. */
function isOfServer(error: unknown): boolean {
  return error instanceof ServerError && (error.transient || error.status === null || error.status >= 500);
}

function isTransient(error: unknown): boolean {
  return error instanceof ServerError && error.transient;
}

/** Whether `other` can replace `known`: it supports at least as much. */
function isSameModel(other: Introduction, known: Introduction): boolean {
  const takesEnough = other.takesTags || !known.takesTags;
  return takesEnough && JSON.stringify(other.served) === JSON.stringify(known.served);
}

/**
 * Rendezvous hashing: every conversation has its own order of servers, so if one fails, only its conversations move.
 */
function byWeight(servers: readonly PooledServer[], conversation: string): readonly PooledServer[] {
  if (servers.length === 1) return servers;
  const weighed = servers.map((server) => ({
    server,
    weight: sha256(`${server.connection.url}\n${conversation}`),
  }));
  return weighed.sort((one, other) => (one.weight < other.weight ? 1 : -1)).map(({ server }) => server);
}
