/** Slows processes down: stops them for a share of each period, whatever they do in any of their threads. */
import { execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** Milliseconds of one turn of stopping and going on. */
const period = 40;

/** Processes that are slowed down. */
export interface SlowedDown {
  /** Lets them go on. Returns for which share of the time they were in fact stopped. */
  end(): Promise<number>;
}

/**
 * Lets these processes run before all others of the machine, which may be busy: by `chrt` of util-linux, as root. Without
 * either, they run as others do, and it says so.
 */
export function putFirst(pids: readonly number[], priority: number): boolean {
  try {
    for (const pid of pids)
      execFileSync('chrt', ['--all-tasks', '--rr', '--pid', String(priority), String(pid)], {
        stdio: 'ignore',
      });
    return true;
  } catch {
    return false;
  }
}

/** Stops the processes of these ids for this share of the time, by a process of its own, until `end` is called. */
export function slowDown(pids: readonly number[], share: number): SlowedDown {
  const child = fork(fileURLToPath(import.meta.url), [String(share), ...pids.map(String)]);
  putFirst(child.pid === undefined ? [] : [child.pid], 2);
  return {
    async end() {
      const told = once(child, 'message');
      child.send('end');
      const [stopped] = await told;
      child.disconnect();
      return Number(stopped);
    },
  };
}

/** The other process. It ends with the one that started it, at the latest, and lets all go on. */
async function stopAndGo(share: number, pids: readonly number[]): Promise<void> {
  let isOver = false;
  process.once('message', () => {
    isOver = true;
  });
  process.once('disconnect', () => {
    isOver = true;
  });
  const signal = (name: 'SIGSTOP' | 'SIGCONT') => {
    for (const pid of pids) process.kill(pid, name);
  };
  const until = (time: number) =>
    new Promise((resolve) => setTimeout(resolve, Math.max(0, time - performance.now())));
  const began = performance.now();
  let stopped = 0;
  for (let turn = 0; !isOver; turn += 1) {
    const from = performance.now();
    signal('SIGSTOP');
    await until(began + (turn + share) * period);
    signal('SIGCONT');
    stopped += performance.now() - from;
    await until(began + (turn + 1) * period);
  }
  process.send?.(stopped / (performance.now() - began));
}

const [, file = '', share = '', ...pids] = process.argv;
if (file === fileURLToPath(import.meta.url)) await stopAndGo(Number(share), pids.map(Number));
