/** Tests leave nothing behind them: not in the machine's folder for temporary files, and not where they were killed. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { removeLeftovers } from '../support/run-folders.ts';

it('temporary files are below a folder of the run', () => {
  expect(path.basename(os.tmpdir())).toBe(`idiolect-tests-${process.env.TEST_RUN}`);
});

it('folders of runs that have ended are removed, and no others', () => {
  const parent = fs.mkdtempSync(path.join(os.tmpdir(), 'runs-'));
  // No process has a number as high.
  const names = [`run-${2 ** 30}`, `run-${process.pid}`, 'run-', 'other-1', `run-${2 ** 30}-more`];
  for (const name of names) fs.mkdirSync(path.join(parent, name, 'inside'), { recursive: true });
  removeLeftovers(parent, /^run-(\d+)$/);
  expect(fs.readdirSync(parent).sort()).toEqual(names.slice(1).sort());
  removeLeftovers(path.join(parent, 'nowhere'), /^run-(\d+)$/);
});
