/** What processes that were killed have left on the disk. */
import fs from 'node:fs';
import path from 'node:path';

/** Removes the files and folders of `folder` whose process is gone; `ownerOf` reads its id from their names. */
export function removeLeftovers(folder: string, ownerOf: (name: string) => string | undefined): void {
  for (const name of fs.readdirSync(folder)) {
    const owner = ownerOf(name);
    if (owner !== undefined && !isRunning(Number(owner)))
      fs.rmSync(path.join(folder, name), { recursive: true, force: true });
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
