/** Splits long work into steps, so that the event loop can run in between. */

/** Work that yields wherever it may be paused or abandoned, and returns its result. */
export type Steps<Result> = Generator<void, Result, void>;

/** Milliseconds to work before yielding to the event loop. */
const maxTurnMs = 10;

/** Runs all steps synchronously. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/**
 * Runs all steps, yielding to the event loop every 10 ms. If `signal` aborts, throws its reason and the work rolls
 * back.
 */
export async function finishInTurns<Result>(steps: Steps<Result>, signal?: AbortSignal): Promise<Result> {
  let turn = performance.now();
  try {
    for (;;) {
      signal?.throwIfAborted();
      const step = steps.next();
      if (step.done === true) return step.value;
      if (performance.now() - turn < maxTurnMs) continue;
      await new Promise((resolve) => setTimeout(resolve));
      turn = performance.now();
    }
  } finally {
    // Does nothing if the generator has finished.
    steps.return(undefined as never);
  }
}
