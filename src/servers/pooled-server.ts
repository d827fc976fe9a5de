/** One of the servers of a pool: its failures, and what it is doing. */
import { ServerError } from '../format/errors.ts';
import type { ServerConnection } from './server-connection.ts';
import type { ServerHealth } from './server-options.ts';

/** How long a server is not used after a failure; twice as long after each further failure in a row. */
const firstRestMs = 1000;
const maxRestMs = 30_000;

/** A server, and its failures. */
export class PooledServer {
  readonly connection: ServerConnection;
  /** Number of responses that it is writing. */
  running = 0;
  /** Number of transient failures in a row. */
  failures = 0;
  /** Whether it answers and serves the same model as before. */
  isWell: (signal: AbortSignal | undefined) => Promise<boolean> = async () => true;
  #restsUntil = 0;
  #requests = 0;
  #failed = 0;

  constructor(connection: ServerConnection) {
    this.connection = connection;
  }

  /** What is known of it. */
  health(now: number): ServerHealth {
    const { connection, running } = this;
    const isWell = !this.rests(now);
    return { url: connection.url, isWell, running, requests: this.#requests, failures: this.#failed };
  }

  /** Passes the pieces of a response through, and counts it. */
  async *run<Piece>(pieces: AsyncGenerator<Piece, void>): AsyncGenerator<Piece, void> {
    this.running += 1;
    this.#requests += 1;
    try {
      yield* pieces;
    } finally {
      this.running -= 1;
    }
  }

  /** Whether it is only used if no other answers. */
  rests(now: number): boolean {
    return now < this.#restsUntil;
  }

  /** Records a failure, after which it is not used for a while. */
  rest(error: unknown): void {
    const restMs = Math.min(maxRestMs, firstRestMs * 2 ** this.failures);
    const asked = error instanceof ServerError ? (error.retryAfterMs ?? 0) : 0;
    this.#restsUntil = performance.now() + Math.max(asked, restMs);
    this.failures += 1;
    this.#failed += 1;
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
