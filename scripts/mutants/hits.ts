/**
 * Runs before each test file: notes which mutants' places its tests evaluate, into the file that `MUTANT_HITS` names, as
 * lines of JSON.
 */
import fs from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect } from 'vitest';

declare global {
  /** The names of the places evaluated since the test file began. */
  var mutants: Set<string> | undefined;
  /** How long the tests of the file ran with mutants, in ms. */
  var mutantTime: number | undefined;
}

/** What one test file evaluated, and how long its tests ran as they are, in ms. */
export interface Hits {
  readonly test: string;
  readonly places: readonly string[];
  readonly time: number;
}

// That a property fails is enough: nobody reads with what.
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true });

const file = process.env.MUTANT_HITS;
if (file !== undefined && file !== '') {
  // Places that importing the sources evaluates belong to the first file of a process: the runner knows them by that.
  globalThis.mutants ??= new Set();
  let start = 0;
  beforeAll(() => {
    start = performance.now();
    globalThis.mutants = new Set();
    globalThis.mutantTime = 0;
  });
  afterAll(() => {
    const { mutants = [], mutantTime = 0 } = globalThis;
    const time = performance.now() - start - mutantTime;
    const hits: Hits = { test: expect.getState().testPath ?? '', places: [...mutants], time };
    fs.appendFileSync(file, `${JSON.stringify(hits)}\n`);
  });
}
