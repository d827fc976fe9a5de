/**
 * One server, or several that serve the same model. A conversation stays with the server that has it in its cache,
 * unless that one has far more to do than the others; failures are retried, with another server if there is one.
 */
import { ServerError, UnsupportedOptionError } from '../format/errors.ts';
import { PooledServer } from './pooled-server.ts';
import { withRetries } from './retry.ts';
import { ServerConnection } from './server-connection.ts';
import type { ServedModel, ServedTokenizer, ServerDialect, ServerQuestion } from './server-dialect.ts';
import type { ServerHealth, ServerOptions } from './server-options.ts';
import { serverOrder } from './server-order.ts';

/** What a server reports when it is connected. */
interface Introduction {
  readonly served: ServedModel;
  /** `null` if it does not say. */
  readonly tokenizer: ServedTokenizer | null;
  readonly takesTags: boolean;
}

/** Number of retries after a transient failure. */
const defaultRetries = 2;

/** See the top of this file. */
export class ServerPool {
  readonly #servers: readonly PooledServer[];
  readonly #dialect: ServerDialect;
  /** Number of retries after a transient failure. */
  readonly retries: number;
  #turn = 0;

  constructor({ url, retries = defaultRetries, ...options }: ServerOptions, dialect: ServerDialect) {
    const urls = typeof url === 'string' ? [url] : url;
    const shared = { ...options, hasOthers: urls.length > 1 };
    this.#servers = urls.map((each) => new PooledServer(new ServerConnection({ ...shared, url: each })));
    this.#dialect = dialect;
    this.retries = retries;
  }

  /** The addresses of its servers. */
  get urls(): readonly string[] {
    return this.#servers.map(({ connection }) => connection.url);
  }

  /** What is known of each server. */
  get health(): readonly ServerHealth[] {
    const now = performance.now();
    return this.#servers.map((server) => server.health(now));
  }

  /**
   * Asks every server what it serves. One with a transient failure is asked again before it is used. Throws if none
   * answers, one is of another kind, or two serve different models.
   */
  async meet(signal: AbortSignal | undefined): Promise<Introduction> {
    const meetings = await withRetries(() => this.#meetAll(signal), this.retries, signal);
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
    const order = serverOrder(this.#servers, conversation);
    const { first, rest, server } = await this.#reliably(order, signal, async (each) => {
      const pieces = each.run(each.connection.stream(question, signal));
      return { first: await pieces.next(), rest: pieces, server: each };
    });
    try {
      if (first.done !== true) yield first.value;
      yield* rest;
      const reason = 'the stream ended before the response did';
      throw server.connection.error(question.path, reason, { transient: true });
    } catch (error) {
      if (isOfServer(error) && signal?.aborted !== true) server.rest(error);
      throw error;
    } finally {
      await rest.return();
    }
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
    const { describe, sees, takesTags, tokenizer } = this.#dialect;
    const served = await connection.ask(describe, signal);
    if (served.isIdiolect) {
      const advice = "ask it with a client of OpenAI's or Anthropic's API, such as the package openai";
      throw connection.error(describe.path, 'is idiolect serve, which enforces tools and schemas itself', {
        advice,
      });
    }
    return {
      served: { ...served, vision: served.vision ?? (await this.#askIfTold(connection, sees, signal)) },
      tokenizer: await this.#askIfTold(connection, tokenizer, signal),
      // A server that does not report its version counts as an old one.
      takesTags: (await this.#askIfTold(connection, takesTags, signal)) ?? false,
    };
  }

  /** The answer to a question that not every server answers; `null` if this one does not. */
  async #askIfTold<Answer>(
    connection: ServerConnection,
    question: ServerQuestion<Answer> | undefined,
    signal: AbortSignal | undefined,
  ): Promise<Answer | null> {
    if (question === undefined) return null;
    try {
      return await withRetries(() => connection.ask(question, signal), this.retries, signal);
    } catch (error) {
      if (error instanceof ServerError) return null;
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
          // What is the request's own fault fails everywhere.
          if (!isOfServer(error)) throw error;
          server.rest(error);
          failed = error;
        }
      }
      throw failed;
    };
    return withRetries(askAll, this.retries, signal);
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
  const facts = ({ served, tokenizer }: Introduction): string => JSON.stringify([served, tokenizer]);
  return takesEnough && facts(other) === facts(known);
}
