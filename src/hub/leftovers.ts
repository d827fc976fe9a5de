/** What processes that were killed have left on the disk. */
import fs from 'node:fs';
import path from 'node:path';

/**
 * Removes the files and folders of `folder` whose process is gone; `ownerOf` reads its id from their names. Those of
 * somebody else stay: in `/tmp`, anybody may have left some.
 */
export function removeLeftovers(folder: string, ownerOf: (name: string) => string | undefined): void {
  for (const name of fs.readdirSync(folder)) {
    const owner = ownerOf(name);
    if (owner !== undefined && !isRunning(Number(owner))) removeIfAllowed(path.join(folder, name));
  }
}

function removeIfAllowed(file: string): void {
  try {
    fs.rmSync(file, { recursive: true, force: true });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'EPERM' && code !== 'EACCES') throw error;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // A process of somebody else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
