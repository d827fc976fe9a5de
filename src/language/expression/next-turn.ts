/** Later in the same process or page, after everything else that is due. */

/**
 * Calls back after a turn of the event loop: that of this process, whatever a test puts in its place later. Where there
 * is `setImmediate`, because timers that are due run in one turn; in a page by a message, because timers that follow one
 * another wait for 4 ms each.
 */
export const soon: (call: () => void) => unknown =
  globalThis.setImmediate ??
  (typeof MessageChannel === 'function' ? byMessage(MessageChannel) : globalThis.setTimeout);

/** A channel for each call, so that none is left open when the last one has come back. */
function byMessage(Channel: typeof MessageChannel): (call: () => void) => void {
  return (call) => {
    const { port1, port2 } = new Channel();
    port1.addEventListener('message', () => {
      port1.close();
      call();
    });
    port1.start();
    port2.postMessage(null);
  };
}

/** Lets everything else happen that is due. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => soon(resolve));
}
