/** Renames files where a virus scanner or an indexer may have just opened them. */
import fs from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from '../format/error-class.ts';

/** How to rename, for tests. */
interface Renaming {
  readonly rename?: (from: string, to: string) => Promise<void>;
  readonly platform?: NodeJS.Platform;
}

/** On Windows, a file that is open cannot be renamed; elsewhere these codes mean that it is not allowed. */
const passing = new Set(['EPERM', 'EBUSY', 'EACCES']);
/** Milliseconds before each further attempt, two seconds in all. */
const pauses = [10, 30, 60, 100, 200, 400, 1200];

/** Renames `from` to `to`; on Windows, tries again for two seconds. Throws the error of the last attempt. */
export async function renameFile(
  from: string,
  to: string,
  { rename = fs.rename, platform = process.platform }: Renaming = {},
): Promise<void> {
  for (const pause of platform === 'win32' ? pauses : []) {
    try {
      await rename(from, to);
      return;
    } catch (error) {
      if (!passing.has(codeOf(error) ?? '')) throw error;
      await sleep(pause);
    }
  }
  await rename(from, to);
}
