/**
 * Many who wait for one signal: an application may hand the same to all its chats and calls, and Node warns of
 * a leak where a signal has more than ten listeners. So each signal has one.
 */

const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/** Calls `leave` once when `signal` is aborted, if it is not yet; returns what takes that back. */
export function onAbort(signal: AbortSignal, leave: () => void): () => void {
  const leavers = waiting.get(signal) ?? listen(signal);
  // A function of its own, so that two who pass the same one are two.
  const own = (): void => leave();
  leavers.add(own);
  return () => void leavers.delete(own);
}

/**
 * Aborts `controller` with `signal`, now or later; returns what ends that. Unlike `AbortSignal.any`, whose signals a
 * long-lived one may keep for as long as it lives itself, it leaves nothing with `signal` once it has ended.
 */
export function follow(controller: AbortController, signal: AbortSignal | undefined): () => void {
  if (signal === undefined) return () => undefined;
  const abort = (): void => controller.abort(signal.reason);
  if (signal.aborted) abort();
  return onAbort(signal, abort);
}

function listen(signal: AbortSignal): Set<() => void> {
  const leavers = new Set<() => void>();
  const abort = (): void => {
    for (const leave of leavers) leave();
    leavers.clear();
  };
  signal.addEventListener('abort', abort, { once: true });
  waiting.set(signal, leavers);
  return leavers;
}
