/**
 * One run of the tests with all mutants at once: what each test file evaluates, and which mutants its tests notice. A
 * mutant that makes a test run on without end counts as noticed, and the run begins again without it.
 */
import fs from 'node:fs';
import path from 'node:path';
import picocolors from 'picocolors';
import type { Hits } from './hits.ts';
import { root } from './records.ts';
import type { Note, Wanted } from './runner.ts';
import { WorkerProcess } from './worker-process.ts';

/** The names of the places that a test file evaluates, and how long its tests take, in ms. */
export type Reach = Readonly<Record<string, Pick<Hits, 'places' | 'time'>>>;

/** The tests to run, in order, on sources whose text holds the mutants. */
export interface Together {
  readonly files: Readonly<Record<string, string>>;
  readonly tests: readonly string[];
  readonly wanted: Wanted;
  readonly seed: string;
  /** When the run ends at the latest, with what it has found: as `Date.now()`. */
  readonly end: number;
}

/** What a run has found. `kills`: the test file that noticed a mutant, by its name; `tried`: those that a file met. */
export interface Met {
  readonly reach: Reach;
  readonly kills: ReadonlyMap<string, string>;
  readonly tried: ReadonlyMap<string, ReadonlySet<string>>;
}

const folder = path.join(root, '.cache/mutants');
const [notes, wantedFile] = ['notes.jsonl', 'wanted.json'].map((name) =>
  path.join(folder, `${process.pid}-${name}`),
) as [string, string];

/** Runs the tests. */
export async function runTogether({ files, tests, wanted, seed, end }: Together): Promise<Met> {
  const reach: Record<string, Reach[string]> = {};
  const kills = new Map<string, string>();
  const tried = new Map<string, Set<string>>();
  fs.mkdirSync(folder, { recursive: true });
  for (let left = tests; left.length > 0 && Date.now() < end; ) {
    const mutants = wanted.mutants.filter((mutant) => !kills.has(mutant));
    fs.writeFileSync(wantedFile, JSON.stringify({ ...wanted, mutants }));
    fs.writeFileSync(notes, '');
    const worker = new WorkerProcess({ bail: 0, notes, wanted: wantedFile, seed });
    const stall = new StallWatch(worker);
    const watch = setInterval(() => {
      if (stall.look() !== null || Date.now() > end) void worker.stop();
    }, 1000);
    const answer = await worker.run({ files, tests: left }, 3_600_000).finally(() => clearInterval(watch));
    const stalled = answer === null ? stall.found : null;
    await worker.stop();
    for (const note of notesOf()) {
      if ('places' in note) reach[path.relative(root, note.test)] = note;
      if ('tried' in note) {
        const file = path.relative(root, note.test);
        tried.set(file, (tried.get(file) ?? new Set()).add(note.tried));
      }
      if ('killed' in note) kills.set(note.killed, path.relative(root, note.test));
    }
    if (stalled !== null) kills.set(stalled.tried, path.relative(root, stalled.test));
    if (answer?.failed) tell(`${answer.failed} fails without a mutant, or after some: it tells nothing`);
    if (answer === null && stalled === null) tell('the tests did not end');
    left = stalled === null ? [] : left.filter((test) => !Object.hasOwn(reach, test));
  }
  for (const file of [notes, wantedFile]) fs.rmSync(file, { force: true });
  return { reach, kills, tried };
}

function tell(text: string): void {
  console.error(picocolors.yellow(text));
}

function notesOf(): readonly (Note | Hits)[] {
  const lines = fs.readFileSync(notes, 'utf8').split('\n');
  return lines.filter((line) => line.endsWith('}')).map((line) => JSON.parse(line) as Note | Hits);
}

/**
 * Looks for a mutant with which a test computes, or waits for nothing, for longer than it may. A machine that is busy
 * makes none.
 */
class StallWatch {
  #changed = 0;
  #before = 0;
  /** Looks at which everything waited. */
  #idle = 0;
  found: Extract<Note, { readonly tried: string }> | null = null;

  constructor(private readonly worker: WorkerProcess) {}

  /** Once a second. */
  look(): StallWatch['found'] {
    const { seconds, isIdle } = this.worker.activity();
    const { mtimeMs } = fs.statSync(notes);
    if (mtimeMs !== this.#changed) [this.#changed, this.#before, this.#idle] = [mtimeMs, seconds, 0];
    if (isIdle) this.#idle += 1;
    const last = notesOf().at(-1);
    const spent = 1000 * Math.max(seconds - this.#before, this.#idle);
    if (last !== undefined && 'tried' in last && spent > last.limit) this.found = last;
    return this.found;
  }
}
