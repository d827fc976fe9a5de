/** What is worth asking a server again, and when. */
import { ServerError } from '../../format/errors.ts';
import { onAbort } from '../chat/on-abort.ts';

/** The shortest pause before the first repetition; each further one is twice as long. */
const firstPauseMs = 300;
const longestPauseMs = 10_000;
/** A server that wants to be left alone for longer is not waited for. */
const longestRetryAfterMs = 60_000;
/** Too many requests; no answer through a gateway; overloaded, or still loading its model. */
const overloaded: readonly number[] = [429, 502, 503];
/** As Node names connections that were refused or closed. */
const lost: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** Whether a refusal with this HTTP status is one of the moment. */
export function isOverloaded(status: number): boolean {
  return overloaded.includes(status);
}

/** Whether what `fetch` or a body threw is a connection that was refused or closed. */
export function isLost(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { cause } = error;
  // Browsers say no more than that it failed.
  if (cause === undefined) return error instanceof TypeError;
  return cause instanceof Error && 'code' in cause && lost.has(cause.code);
}

/** Milliseconds of `Retry-After`, which has seconds or a date; `null` where there is none that can be read. */
export function retryAfter(headers: Headers, now = Date.now()): number | null {
  const value = headers.get('retry-after')?.trim() ?? '';
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/**
 * Does `attempt`, and does it again after a `ServerError` of the moment, `retries` times at the most. Pauses grow, and
 * part of each is drawn by lot, so that clients who failed together do not come back together. Throws the last error,
 * or the reason of `signal`.
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

/** Milliseconds to wait before the next attempt; `null` where there is to be none. */
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
