/** Slows processes down: stops them for a share of each period, whatever they do in any of their threads. */
import { once } from 'node:events';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

/** Milliseconds of one turn of stopping and going on. */
const period = 40;

/** What the thread is told, and what it tells in shared memory: whether to end, and how long it stopped, of how long. */
interface Told {
  readonly pids: readonly number[];
  readonly share: number;
  readonly ending: Int32Array;
  readonly times: Float64Array;
}

/** Processes that are slowed down. */
export interface SlowedDown {
  /** Lets them go on. Returns for which share of the time they were in fact stopped. */
  end(): Promise<number>;
}

/** Stops the processes of these ids for this share of the time, by a thread of its own, until `end` is called. */
export function slowDown(pids: readonly number[], share: number): SlowedDown {
  const ending = new Int32Array(new SharedArrayBuffer(4));
  const times = new Float64Array(new SharedArrayBuffer(16));
  const told: Told = { pids, share, ending, times };
  const thread = new Worker(new URL(import.meta.url), { workerData: told });
  const exit = once(thread, 'exit');
  return {
    async end() {
      Atomics.store(ending, 0, 1);
      Atomics.notify(ending, 0);
      await exit;
      const [stopped = 0, whole = 1] = times;
      return stopped / whole;
    },
  };
}

function stopAndGo({ pids, share, ending, times }: Told): void {
  const isEnding = (milliseconds: number) => Atomics.wait(ending, 0, 0, milliseconds) !== 'timed-out';
  const signal = (name: 'SIGSTOP' | 'SIGCONT') => {
    for (const pid of pids) process.kill(pid, name);
  };
  const began = performance.now();
  for (let isOver = false; !isOver; ) {
    const from = performance.now();
    signal('SIGSTOP');
    isOver = isEnding(period * share);
    signal('SIGCONT');
    times[0] = (times[0] ?? 0) + performance.now() - from;
    isOver ||= isEnding(period * (1 - share));
  }
  times[1] = performance.now() - began;
}

if (!isMainThread) stopAndGo(workerData as Told);
