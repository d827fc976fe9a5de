/** Work in small steps, so that others can have their turn between two of them. */

/** Yields where it may be stopped, for a while or for good; returns what it has made. */
export type Steps<Result> = Generator<void, Result, void>;

/** Milliseconds after which whatever else waits has its turn. */
const longestTurn = 10;

/** All steps at once. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/**
 * All steps, in turns of 10 ms. Between them the event loop goes on, and the signal is looked at: throws its
 * reason, and the work takes back what it has begun.
 */
export async function finishInTurns<Result>(steps: Steps<Result>, signal?: AbortSignal): Promise<Result> {
  let turn = performance.now();
  try {
    for (;;) {
      signal?.throwIfAborted();
      const step = steps.next();
      if (step.done === true) return step.value;
      if (performance.now() - turn < longestTurn) continue;
      await new Promise((resolve) => setTimeout(resolve));
      turn = performance.now();
    }
  } finally {
    // After the end, this does nothing.
    steps.return(undefined as never);
  }
}
