/** Temporary folders of this process; those of processes that were killed are removed. */
import fs from 'node:fs';
import path from 'node:path';

/** Creates a folder in `parent`, after it has removed those of the same `prefix` whose process is gone. */
export function makePrivateFolder(parent: string, prefix: string): string {
  for (const name of fs.readdirSync(parent)) {
    const owner = name.startsWith(prefix) ? /^(\d+)-/.exec(name.slice(prefix.length))?.[1] : undefined;
    if (owner !== undefined && !isRunning(Number(owner)))
      fs.rmSync(path.join(parent, name), { recursive: true, force: true });
  }
  return fs.mkdtempSync(path.join(parent, `${prefix}${process.pid}-`));
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // A process of somebody else.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
