/** Which requests are retried, and when. */
import { ServerError } from '../../format/errors.ts';
import { onAbort } from '../chat/on-abort.ts';

/** The minimum pause before the first retry; each further one is twice as long. */
const firstPauseMs = 300;
const longestPauseMs = 10_000;
/** A server that asks for a longer pause is not waited for. */
const longestRetryAfterMs = 60_000;
/** Too many requests; no answer through a gateway; overloaded, or still loading its model. */
const overloaded: readonly number[] = [429, 502, 503];
/** Node's codes for connections that were refused or closed. */
const lost: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

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
  return cause instanceof Error && 'code' in cause && lost.has(cause.code);
}

/** Milliseconds of `Retry-After`, in seconds or as a date; `null` if absent or unreadable. */
export function retryAfter(headers: Headers, now = Date.now()): number | null {
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
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
  if (asked > longestRetryAfterMs) return null;
  const full = Math.min(longestPauseMs, firstPauseMs * 2 ** failures);
  return asked + (full * (1 + lot)) / 2;
}

async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  let forget = (): void => undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  try {
    await new Promise<void>((resolve) => {
      timer = setTimeout(resolve, milliseconds);
      if (signal !== undefined) forget = onAbort(signal, resolve);
    });
  } finally {
    clearTimeout(timer);
    forget();
  }
  signal?.throwIfAborted();
}
