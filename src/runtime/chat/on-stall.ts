/**
 * Waits that only the surrounding program can end: for a response to be read further, or for a tool to return. Such a
 * wait does not keep the process alive, so Node would exit silently and successfully. Before that happens, the waits
 * fail.
 */

/** The part of Node's `process` that is needed; a page in a browser does not end by itself. */
interface EndingProcess {
  prependListener(event: 'beforeExit', listener: () => void): void;
  off(event: 'beforeExit', listener: () => void): void;
}

const waiting = new Set<() => void>();
let isFailing = false;

/**
 * Calls `fail` once if the process is about to exit because nothing is pending; returns a function that cancels this.
 */
export function onStall(fail: () => void): () => void {
  // A separate function, so that two callers may pass the same one.
  const own = (): void => fail();
  // Prepended, because an engine may dispose of all models in a listener of its own (`outlive-stalls.ts`).
  if (waiting.size === 0) endingProcess()?.prependListener('beforeExit', failAll);
  waiting.add(own);
  return () => {
    if (waiting.delete(own) && waiting.size === 0) endingProcess()?.off('beforeExit', failAll);
  };
}

/** All waits fail at once: if the first does not start anything, there is no second event. */
function failAll(): void {
  const stalled = [...waiting];
  waiting.clear();
  endingProcess()?.off('beforeExit', failAll);
  isFailing = stalled.length > 0;
  // The other listeners of the event are called first.
  queueMicrotask(() => {
    isFailing = false;
  });
  for (const fail of stalled) fail();
}

/** Whether waits have just failed, so that the process may go on although its `beforeExit` is being handled. */
export function isStalling(): boolean {
  return isFailing;
}

function endingProcess(): EndingProcess | undefined {
  const found: unknown = Reflect.get(globalThis, 'process');
  return isEndingProcess(found) ? found : undefined;
}

function isEndingProcess(value: unknown): value is EndingProcess {
  return typeof value === 'object' && value !== null && 'prependListener' in value && 'off' in value;
}
