/** Which requests are retried, and when. */
import { codeOf } from '../format/error-class.ts';
import { ServerError } from '../format/errors.ts';
import { untilAborted } from '../format/on-abort.ts';

/** The minimum pause before the first retry; each further one is twice as long. */
const firstPauseMs = 300;
const maxPauseMs = 10_000;
/** A server that asks for a longer pause is not waited for. */
const maxRetryAfterMs = 60_000;
/** Too many requests; no answer through a gateway; overloaded, or still loading its model. */
const overloaded: readonly number[] = [429, 502, 503];
/** Node's codes for connections that were refused or closed. */
const lost: ReadonlySet<string | null> = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** Whether a response with this HTTP status is a transient failure. */
export function isOverloaded(status: number): boolean {
  return overloaded.includes(status);
}

/** Whether the error of `fetch` or a body means that the connection was refused or closed. */
export function isLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { cause } = error;
  // Browsers only report that it failed.
  if (cause === undefined) return error instanceof TypeError;
  return lost.has(codeOf(cause));
}

/**
 * Runs `attempt`, and again after a transient `ServerError`, at most `retries` times. Pauses grow, with a random part,
 * so that clients that failed together do not return together. Throws the last error, or the reason of `signal`.
 */
export async function withRetries<Result>(
  attempt: () => Promise<Result>,
  retries: number,
  signal: AbortSignal | undefined,
): Promise<Result> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await attempt();
    } catch (error) {
      signal?.throwIfAborted();
      const pauseMs = failures < retries ? pauseAfter(error, failures) : null;
      if (pauseMs === null) throw error;
      await pause(pauseMs, signal);
    }
  }
}

/** Milliseconds before the next attempt; `null` if there is none. */
export function pauseAfter(error: unknown, failures: number, lot = Math.random()): number | null {
  if (!(error instanceof ServerError) || !error.transient) return null;
  const asked = error.retryAfterMs ?? 0;
  if (asked > maxRetryAfterMs) return null;
  const full = Math.min(maxPauseMs, firstPauseMs * 2 ** failures);
  return asked + (full * (1 + lot)) / 2;
}

async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await untilAborted(over, signal).finally(() => clearTimeout(timer));
}
