/**
 * Shares one listener per signal: an application may pass the same signal to all its chats and calls, and Node warns
 * of a leak if a signal has more than ten listeners.
 */

const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/** Calls `leave` once when `signal` is aborted, unless it already is; returns a function that cancels this. */
export function onAbort(signal: AbortSignal, leave: () => void): () => void {
  const listeners = waiting.get(signal) ?? listen(signal);
  // A separate function, so that two callers may pass the same one.
  const own = (): void => leave();
  listeners.add(own);
  return () => void listeners.delete(own);
}

/**
 * Aborts `controller` with `signal`, now or later; returns a function that ends this. Unlike `AbortSignal.any`, whose
 * result a long-lived signal may keep alive, it leaves nothing registered afterwards.
 */
export function follow(controller: AbortController, signal: AbortSignal | undefined): () => void {
  if (signal === undefined) return () => undefined;
  const abort = (): void => controller.abort(signal.reason);
  if (signal.aborted) abort();
  return onAbort(signal, abort);
}

/** The result of `work`; rejects with the signal's reason if that is aborted first. */
export function untilAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal.reason);
    if (signal.aborted) abort();
    work.then(resolve, reject).finally(onAbort(signal, abort));
  });
}

function listen(signal: AbortSignal): Set<() => void> {
  const listeners = new Set<() => void>();
  const abort = (): void => {
    for (const leave of listeners) leave();
    listeners.clear();
  };
  signal.addEventListener('abort', abort, { once: true });
  waiting.set(signal, listeners);
  return listeners;
}
