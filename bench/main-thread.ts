/** How long the main thread computes without a turn of its event loop. Linux only: `/proc` says what other processes do not take. */
import { readFileSync } from 'node:fs';

/** Milliseconds of processor time of the main thread. */
export function mainThread(): number {
  return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}

/** Microseconds of the clock that profiles use. */
function clock(): number {
  return Number(process.hrtime.bigint()) / 1000;
}

/** A turn of the event loop: its processor time in milliseconds, and where it lies on the clock. */
export interface Turn {
  readonly cost: number;
  readonly start: number;
  readonly end: number;
  /** Milliseconds on the clock of whichever turn took longest there. */
  readonly waited: number;
}

/** Runs until stopped: the longest turn of the event loop. */
export function watchTurns(): () => Turn {
  let longest: Omit<Turn, 'waited'> = { cost: 0, start: 0, end: 0 };
  let waited = 0;
  let [before, start] = [mainThread(), clock()];
  let running = true;
  const turn = (): void => {
    const [now, end] = [mainThread(), clock()];
    if (now - before > longest.cost) longest = { cost: now - before, start, end };
    waited = Math.max(waited, (end - start) / 1000);
    [before, start] = [now, end];
    if (running) setTimeout(turn, 1);
  };
  setTimeout(turn, 1);
  return () => {
    turn();
    running = false;
    return { ...longest, waited };
  };
}
