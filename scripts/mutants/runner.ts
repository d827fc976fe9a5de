/**
 * Runs each test as it is, and then again with each mutant whose place it evaluates, until a test notices the mutant. The
 * sources are loaded once: their text holds all mutants, of which `globalThis.mutant` names the one that takes effect.
 */
import fs from 'node:fs';
import { expect, type RunnerTestCase, TestRunner } from 'vitest';

declare global {
  /** The name of the mutant that takes effect. */
  var mutant: string | undefined;
}

/** A mutant is about to be tried with a test that takes at most `limit` ms of processor time, or was noticed by one of a test file. */
export type Note =
  | { readonly tried: string; readonly test: string; readonly limit: number }
  | { readonly killed: string; readonly test: string };

/** What a run looks for: the names of mutants, for how long each may meet tests, in ms, and how many tests of one suite. */
export interface Wanted {
  readonly mutants: readonly string[];
  readonly time: number;
  readonly testsOfSuite: number | null;
}

const { MUTANT_HITS: notes = '', MUTANTS_WANTED: wantedFile = '' } = process.env;
const wanted = JSON.parse(fs.readFileSync(wantedFile, 'utf8')) as Wanted;
const open = new Set(wanted.mutants);

/** What a test evaluates, and how often; more often than `most`, it runs on without end. */
class Evaluated extends Set<string> {
  count = 0;

  constructor(private readonly most = Number.POSITIVE_INFINITY) {
    super();
  }

  override add(place: string): this {
    this.count += 1;
    if (this.count > this.most) throw new RangeError('the test runs on without end');
    return this.most === Number.POSITIVE_INFINITY ? super.add(place) : this;
  }
}

/** How long each mutant has met tests, in ms. */
const spent = new Map<string, number>();
/** How many tests of a suite, or of one title, each mutant has met. */
const met = new Map<string, number>();

export default class MutantRunner extends TestRunner {
  async runTask(test: RunnerTestCase): Promise<void> {
    const run = TestRunner.getTestFn(test);
    const before = globalThis.mutants;
    const places = new Evaluated();
    globalThis.mutants = places;
    const start = performance.now();
    try {
      await run();
    } finally {
      for (const place of places) before?.add(place);
      globalThis.mutants = before;
    }
    const end = performance.now();
    if (test.fails !== true && test.concurrent !== true) await tryAll(test, run, places, end - start);
    globalThis.mutantTime = (globalThis.mutantTime ?? 0) + performance.now() - end;
  }
}

/** Runs a test, which takes `time` ms as it is, with each mutant that is still open. */
async function tryAll(
  test: RunnerTestCase,
  run: () => unknown,
  places: Evaluated,
  time: number,
): Promise<void> {
  const { assertionCalls } = expect.getState();
  const noting = globalThis.mutants;
  for (const place of places) {
    const already = spent.get(place) ?? 0;
    if (!open.has(place) || already + time > wanted.time || hasMetEnough(place, test)) continue;
    spent.set(place, already + time);
    note({ tried: place, test: test.file.filepath, limit: 5000 + 20 * time });
    if (await passes(run, new Evaluated(1_000_000 + 20 * places.count), place)) continue;
    // Only a test that passes as it is, also after the mutant, has noticed it.
    if (!(await passes(run, new Evaluated()))) break;
    open.delete(place);
    note({ killed: place, test: test.file.filepath });
  }
  globalThis.mutants = noting;
  expect.setState({ assertionCalls });
}

/** Whether a mutant has met so many tests of the same suite or title that others of them would hardly notice it. */
function hasMetEnough(place: string, { name, suite, file }: RunnerTestCase): boolean {
  const most = wanted.testsOfSuite ?? Number.POSITIVE_INFINITY;
  const keys = [`${place} ${name}`, `${place} ${(suite ?? file).id}`];
  if (keys.some((key) => (met.get(key) ?? 0) >= most)) return true;
  for (const key of keys) met.set(key, (met.get(key) ?? 0) + 1);
  return false;
}

async function passes(run: () => unknown, places: Evaluated, mutant?: string): Promise<boolean> {
  globalThis.mutants = places;
  globalThis.mutant = mutant;
  try {
    await run();
    return true;
  } catch {
    return false;
  } finally {
    globalThis.mutant = undefined;
  }
}

function note(what: Note): void {
  fs.appendFileSync(notes, `${JSON.stringify(what)}\n`);
}
