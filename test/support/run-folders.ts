/**
 * Where the files of a test run are: below two folders named after its process. The run removes them at its end; what
 * a run left that was killed, the next one removes.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

process.env.TEST_RUN ??= String(process.pid);
const run = process.env.TEST_RUN;

const cache = path.join(import.meta.dirname, '../../.cache');
/** Bundled scripts: within the repository, so that packages are found from there. */
export const scriptFolder = path.join(cache, `scripts-${run}`);

/** Of the machine. Kept, because the run has one of its own further down. */
process.env.TEST_TEMPORARY ??= os.tmpdir();
const temporary = path.join(process.env.TEST_TEMPORARY, `idiolect-tests-${run}`);

/** Makes a folder for temporary files of its own, and `os.tmpdir()` be that, here and in processes that are started. */
export function useTemporaryFolder(): void {
  fs.mkdirSync(temporary, { recursive: true });
  // The names of Unix and of Windows.
  for (const name of ['TMPDIR', 'TEMP', 'TMP']) process.env[name] = temporary;
  process.env.XDG_CACHE_HOME = path.join(temporary, 'cache');
}

/** Removes what other runs have left. */
export function setup(): void {
  removeLeftovers(cache, /^scripts-(\d+)$/);
  removeLeftovers(path.dirname(temporary), /^idiolect-tests-(\d+)$/);
}

/** Removes what the run has made. */
export function teardown(): void {
  for (const folder of [scriptFolder, temporary]) fs.rmSync(folder, { recursive: true, force: true });
}

/** Removes the folders in `parent` that are named after a process which has ended. */
export function removeLeftovers(parent: string, named: RegExp): void {
  if (!fs.existsSync(parent)) return;
  for (const name of fs.readdirSync(parent)) {
    const id = named.exec(name)?.[1];
    if (id === undefined || isRunning(Number(id))) continue;
    fs.rmSync(path.join(parent, name), { recursive: true, force: true });
  }
}

function isRunning(id: number): boolean {
  try {
    process.kill(id, 0);
    return true;
  } catch (error) {
    // Somebody else's runs, too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
