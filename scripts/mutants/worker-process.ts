/** A worker process: started when it is needed, killed when a mutant never ends, started again. */
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { TestAnswer, TestRequest } from './worker.ts';

/** How a worker is set up. `bail` is the number of failures that end a run; 0 runs all tests. */
export interface WorkerSetup {
  readonly bail: number;
  /** Where tests note the places that they evaluate, and the mutants that they notice; none without a file. */
  readonly notes?: string;
  /** The file that says which mutants they look for. */
  readonly wanted?: string;
  readonly seed: string;
}

/** The processor time that processes have had, and whether all of them wait. */
export interface Activity {
  readonly seconds: number;
  readonly isIdle: boolean;
}

export class WorkerProcess {
  private child: ChildProcess | null = null;

  constructor(private readonly setup: WorkerSetup) {}

  /** Runs tests; null when they do not end within `limit` ms of clock time, or the process ends. */
  async run(request: TestRequest, limit: number): Promise<TestAnswer | null> {
    const child = await this.started();
    if (child === null) return null;
    child.send(request);
    const waiting = new AbortController();
    const answer = await Promise.race([
      once(child, 'message', waiting).then(([message]) => message as TestAnswer),
      once(child, 'exit', waiting).then(() => null),
      setTimeout(limit, null, waiting),
    ]).finally(() => waiting.abort());
    if (answer === null) await this.stop();
    return answer;
  }

  /** What the process and those that it started are at. */
  activity(): Activity {
    const group = this.child?.pid;
    const lines = execFileSync('ps', ['-A', '-o', 'pgid=,stat=,time='], { encoding: 'utf8' }).split('\n');
    const own = lines.map((line) => line.trim().split(/\s+/)).filter(([of]) => Number(of) === group);
    return {
      seconds: own.reduce((sum, [, , time = '']) => sum + secondsOf(time), 0),
      isIdle: own.every(([, state = '']) => !/^[RD]/.test(state)),
    };
  }

  /** Ends the process and those that it started. */
  async stop(): Promise<void> {
    const { child } = this;
    this.child = null;
    if (child?.pid === undefined || child.exitCode !== null) return;
    const ended = once(child, 'exit');
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      child.kill('SIGKILL');
    }
    await ended;
  }

  /** The process, ready; null if it was stopped before it was. */
  private async started(): Promise<ChildProcess | null> {
    if (this.child !== null) return this.child;
    const { bail, notes = '', wanted = '', seed } = this.setup;
    const child = fork(path.join(import.meta.dirname, 'worker.ts'), {
      execArgv: ['--import', 'tsx', '--conditions=idiolect:source'],
      // A group of its own, so that its workers can be ended with it.
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
      env: {
        ...process.env,
        MUTANT_BAIL: String(bail),
        MUTANT_HITS: notes,
        MUTANTS_WANTED: wanted,
        SEED: seed,
      },
    });
    this.child = child;
    let said = '';
    child.stderr?.on('data', (data: Buffer) => {
      said = (said + data.toString()).slice(-4000);
    });
    const isReady = await Promise.race([
      once(child, 'message').then(() => true),
      once(child, 'exit').then(() => false),
    ]);
    if (isReady) return child;
    if (this.child !== child) return null;
    throw new Error(`no test can be run: ${said}`);
  }
}

/** Of `1:02:03`, `2:03.45` or `1-02:03:04`. */
function secondsOf(time: string): number {
  const [clock = '', days = '0'] = time.split('-').reverse();
  return clock.split(':').reduce((sum, part) => 60 * sum + Number(part), 0) + 86_400 * Number(days);
}
