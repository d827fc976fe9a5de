/**
 * Downloads one file over parallel connections, in chunks that are not fetched again once complete.
 *
 * Written here because no library does it safely. ipull (which node-llama-cpp uses) repeats the request's headers,
 * including the token, at the target of a redirect; marks a chunk complete while its writes are pending, so that a
 * kill at the wrong moment leaves a hole; and does not check which bytes a server sends. `@huggingface/hub` downloads
 * over one connection, cannot resume and checks no hash.
 */
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { codeOf } from '../format/error-class.ts';
import { IdiolectError } from '../format/errors.ts';
import { follow } from '../format/on-abort.ts';
import { parseContentRange } from './byte-source.ts';
import { DiskFullError, DownloadInterruptedError, HubUnavailableError, RateLimitedError } from './errors.ts';
import type { PartialFile } from './partial-file.ts';

/** What to fetch, and how. */
interface DownloadRequest {
  /** The file's name in errors. */
  readonly name: string;
  readonly url: string;
  readonly size: number;
  /** Authorises, follows redirects, and throws typed errors for refusals. */
  readonly fetch: typeof fetch;
  readonly connections: number;
  readonly signal: AbortSignal;
  /** A connection without data for this long is dropped. */
  readonly stallMs: number;
  /** Pause before the first retry; it doubles with each failure in a row. */
  readonly retryMs: number;
  /** Called with the number of new bytes. */
  readonly onBytes: (count: number) => void;
}

/** A download stops after this many failures in a row without a single new byte. */
const maxFailures = 6;
/** Maximum failures of one chunk: a server that sends one byte per connection must not go on forever. */
const maxChunkFailures = 100;
/** If the Hub asks for a longer wait, the user decides. */
const maxWaitSeconds = 60;

/**
 * Fetches all missing chunks into `target`. Throws `DownloadInterruptedError` after repeated failures,
 * `DiskFullError`, and the Hub's refusals; complete chunks are kept.
 */
export async function downloadFile(target: PartialFile, request: DownloadRequest): Promise<void> {
  const stop = new AbortController();
  request.signal.throwIfAborted();
  const forget = follow(stop, request.signal);
  const missing = Array.from({ length: target.chunkCount }, (_, chunk) => chunk).filter(
    (chunk) => !target.isDone(chunk),
  );
  const connection = stickyFetch(request);
  const work = async (): Promise<void> => {
    for (let chunk = missing.shift(); chunk !== undefined; chunk = missing.shift()) {
      await fetchChunk(target, chunk, { ...request, fetch: connection, signal: stop.signal });
    }
  };
  const workers = Array.from({ length: Math.max(1, request.connections) }, () =>
    work().catch((error: unknown) => {
      stop.abort(error);
      throw error;
    }),
  );
  // All must have stopped before the file is closed; the first failure is thrown.
  await Promise.allSettled(workers);
  forget();
  if (stop.signal.aborted) throw stop.signal.reason;
}

/**
 * Remembers the target of the Hub's redirect, so that the Hub is asked only once. Such addresses expire: after a
 * failure the Hub is asked again.
 */
function stickyFetch(request: DownloadRequest): typeof fetch {
  let address: string | null = null;
  return async (_url, init) => {
    try {
      const response = await request.fetch(address ?? request.url, init);
      if (URL.canParse(response.url)) address = response.url;
      return response;
    } catch (error) {
      address = null;
      throw error;
    }
  };
}

async function fetchChunk(target: PartialFile, chunk: number, request: DownloadRequest): Promise<void> {
  const [start, end] = target.bounds(chunk);
  let position = start;
  let failures = 0;
  for (let all = 0; position < end; ) {
    const before = position;
    const write = async (bytes: Uint8Array): Promise<void> => {
      await writeBytes(target, position, bytes);
      position += bytes.length;
      request.onBytes(bytes.length);
    };
    try {
      await fetchRange(position, end, request, write);
    } catch (error) {
      request.signal.throwIfAborted();
      failures = position > before ? 1 : failures + 1;
      all += 1;
      await pauseBeforeRetry(error, failures > maxFailures || all > maxChunkFailures, failures, request);
    }
  }
  await target.finish(chunk);
}

/** Fetches one range; all bytes go to `write`, in order. Throws if the answer is not as requested. */
async function fetchRange(
  start: number,
  end: number,
  request: DownloadRequest,
  write: (bytes: Uint8Array) => Promise<void>,
): Promise<void> {
  const stalled = new AbortController();
  const forget = follow(stalled, request.signal);
  const timer = setTimeout(() => stalled.abort(new Error('the connection stalled')), request.stallMs);
  try {
    const headers = { range: `bytes=${start}-${end - 1}`, 'accept-encoding': 'identity' };
    const response = await request.fetch(request.url, { headers, signal: stalled.signal });
    await checkRange(response, start, end, request.size);
    let left = end - start;
    for await (const bytes of response.body ?? []) {
      timer.refresh();
      if (bytes.length > left) throw new Error('the server sends more than was asked for');
      await write(bytes);
      left -= bytes.length;
    }
    if (left > 0) throw new Error('the connection ended early');
  } catch (error) {
    throw stalled.signal.aborted ? stalled.signal.reason : error;
  } finally {
    clearTimeout(timer);
    forget();
    stalled.abort();
  }
}

async function checkRange(response: Response, start: number, end: number, size: number): Promise<void> {
  const range = parseContentRange(response.headers.get('content-range'));
  if (
    response.status === 206 &&
    range?.start === start &&
    range.end === end - 1 &&
    (range.size ?? size) === size &&
    response.headers.get('content-encoding') === null
  ) {
    return;
  }
  await response.body?.cancel();
  const page = response.headers.get('content-type')?.startsWith('text/html') ?? false;
  const other = range === null ? 'no part of the file' : `another part or file (${size} bytes were promised)`;
  throw new Error(page ? 'the server sends a web page instead of the model' : `the server sends ${other}`);
}

async function writeBytes(target: PartialFile, position: number, bytes: Uint8Array): Promise<void> {
  try {
    await target.write(position, bytes);
  } catch (cause) {
    if (['ENOSPC', 'EDQUOT'].includes(codeOf(cause) ?? ''))
      throw new DiskFullError({ folder: path.dirname(target.file), needed: null, free: null, cause });
    throw cause;
  }
}

/** Waits before a retry; throws if there are no more retries or another one would not help. */
async function pauseBeforeRetry(
  error: unknown,
  over: boolean,
  failures: number,
  request: DownloadRequest,
): Promise<void> {
  const slowDown = error instanceof RateLimitedError ? (error.waitSeconds ?? maxWaitSeconds) : 0;
  if (slowDown > maxWaitSeconds) throw error;
  const mayPass = error instanceof HubUnavailableError || error instanceof RateLimitedError;
  if (error instanceof IdiolectError && !mayPass) throw error;
  if (over) {
    if (error instanceof RateLimitedError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new DownloadInterruptedError({ fileName: request.name, reason, cause: error });
  }
  const pause = Math.max(slowDown * 1000, Math.min(request.retryMs * 2 ** (failures - 1), 10_000));
  await wait(pause, undefined, { signal: request.signal });
}
