/**
 * Runs before each test file: notes which mutants' places its tests evaluate, into the file that `MUTANT_HITS` names, as
 * lines of JSON.
 */
import fs from 'node:fs';
import { afterAll, beforeAll, expect } from 'vitest';

declare global {
  /** The numbers of the places evaluated since the test file began. */
  var mutants: Set<string> | undefined;
}

/** What one test file evaluated. */
export interface Hits {
  readonly test: string;
  readonly places: readonly string[];
}

const file = process.env.MUTANT_HITS;
if (file !== undefined && file !== '') {
  // Places that importing the sources evaluates belong to the first file of a process: the runner knows them by that.
  globalThis.mutants ??= new Set();
  beforeAll(() => {
    globalThis.mutants = new Set();
  });
  afterAll(() => {
    const hits: Hits = { test: expect.getState().testPath ?? '', places: [...(globalThis.mutants ?? [])] };
    fs.appendFileSync(file, `${JSON.stringify(hits)}\n`);
  });
}
