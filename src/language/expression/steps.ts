/** Splits long work into steps, so that the event loop can run in between. */
import { soon } from './next-turn.ts';

/** Work that yields wherever it may be paused or abandoned, and returns its result. */
export type Steps<Result> = Generator<void, Result, void>;

/** Milliseconds that all work may take before the event loop has its turn. */
const turnMs = 10;

/** When the present turn began; `null` if nothing was done in it yet. */
let begun: number | null = null;
/** Who waits for a later turn, in order. */
const waiting: (() => void)[] = [];

/** Runs all steps synchronously. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/**
 * Runs all steps, yielding to the event loop every 10 ms; whoever does this shares them. If `signal` aborts, throws its
 * reason and the work rolls back.
 */
export async function finishInTurns<Result>(steps: Steps<Result>, signal?: AbortSignal): Promise<Result> {
  // Whose turn it is takes a step, however late: on a machine with too much to do, nobody would get on otherwise.
  let isItsTurn = false;
  try {
    for (;;) {
      signal?.throwIfAborted();
      isItsTurn ||= begun === null;
      begun ??= beginTurn();
      if (!isItsTurn && performance.now() - begun >= turnMs) {
        await new Promise<void>((resolve) => waiting.push(resolve));
        isItsTurn = true;
        continue;
      }
      isItsTurn = false;
      const step = steps.next();
      if (step.done === true) return step.value;
    }
  } finally {
    // Does nothing if the generator has finished.
    steps.return(undefined as never);
  }
}

/** Runs the first step at once, whoever waits, and all others in turns: for work that is seldom more than one step. */
export async function startAndFinishInTurns<Result>(
  steps: Steps<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  const first = steps.next();
  return first.done === true ? first.value : await finishInTurns(steps, signal);
}

/** Waits for a later turn of the event loop, if the present one has taken its time. */
export function giveWay(): Promise<void> {
  return finishInTurns(pause());
}

function* pause(): Steps<void> {
  yield;
}

/** The next turn is that of one who waits: all of them together would take as long as there are many. */
function beginTurn(): number {
  soon(() => {
    const next = waiting.shift();
    begun = next === undefined ? null : beginTurn();
    next?.();
  });
  return performance.now();
}
