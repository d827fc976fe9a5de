/**
 * Waits that only the program around a chat can end: for a response that is not read on, for a tool that does not
 * return. Nothing of them keeps a process alive, so that Node would end it without a word, and with success. It
 * tells so before, and each such wait fails then.
 */

/** The part of Node's `process` that is needed; a page in a browser does not end by itself. */
interface EndingProcess {
  prependListener(event: 'beforeExit', listener: () => void): void;
  off(event: 'beforeExit', listener: () => void): void;
}

const waiting = new Set<() => void>();

/** Calls `fail` once where the process is about to end as nothing else is going on; returns what takes that back. */
export function onStall(fail: () => void): () => void {
  // A function of its own, so that two who pass the same one are two.
  const own = (): void => fail();
  // First, as the engine disposes of all models then.
  if (waiting.size === 0) endingProcess()?.prependListener('beforeExit', failAll);
  waiting.add(own);
  return () => {
    if (waiting.delete(own) && waiting.size === 0) endingProcess()?.off('beforeExit', failAll);
  };
}

/** All of them: if the first does not go on with something, there is no second time. */
function failAll(): void {
  const stalled = [...waiting];
  waiting.clear();
  endingProcess()?.off('beforeExit', failAll);
  for (const fail of stalled) fail();
}

function endingProcess(): EndingProcess | undefined {
  const found: unknown = Reflect.get(globalThis, 'process');
  return isEndingProcess(found) ? found : undefined;
}

function isEndingProcess(value: unknown): value is EndingProcess {
  return typeof value === 'object' && value !== null && 'prependListener' in value && 'off' in value;
}
