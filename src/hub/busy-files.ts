/** Renames and removes files that a virus scanner or an indexer may have just opened, which stops both on Windows. */
import fs from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from '../format/error-class.ts';

/** How to rename, for tests. */
interface Renaming {
  readonly rename?: (from: string, to: string) => Promise<void>;
  readonly platform?: NodeJS.Platform;
}

/** How to remove, for tests. */
interface Removing {
  readonly remove?: (place: string) => Promise<void>;
  readonly platform?: NodeJS.Platform;
}

/** Where nothing has the file open, these mean that it is not allowed. */
const passing = new Set(['EPERM', 'EBUSY', 'EACCES', 'ENOTEMPTY']);
/** Milliseconds before each further attempt, two seconds in all. */
const pauses = [10, 30, 60, 100, 200, 400, 1200];

/** Renames `from` to `to`; on Windows, tries again for two seconds. Throws the error of the last attempt. */
export function renameFile(
  from: string,
  to: string,
  { rename = fs.rename, platform = process.platform }: Renaming = {},
): Promise<void> {
  return untilFree(() => rename(from, to), platform);
}

/** Removes a file, if it is there; on Windows, tries again for two seconds. Throws the error of the last attempt. */
export function removeFile(
  file: string,
  { remove = (place) => fs.rm(place, { force: true }), platform = process.platform }: Removing = {},
): Promise<void> {
  return untilFree(() => remove(file), platform);
}

/** The same for a folder with all that is in it. */
export function removeFolder(
  folder: string,
  {
    remove = (place) => fs.rm(place, { recursive: true, force: true }),
    platform = process.platform,
  }: Removing = {},
): Promise<void> {
  return untilFree(() => remove(folder), platform);
}

async function untilFree(act: () => Promise<void>, platform: NodeJS.Platform): Promise<void> {
  for (const pause of platform === 'win32' ? pauses : []) {
    try {
      await act();
      return;
    } catch (error) {
      if (!passing.has(codeOf(error) ?? '')) throw error;
      await sleep(pause);
    }
  }
  await act();
}
