/** Temporary folders of this process; those of processes that were killed are removed. */
import fs from 'node:fs';
import path from 'node:path';
import { removeLeftovers } from '../../hub/leftovers.ts';

/** Creates a folder in `parent`, after it has removed those of the same `prefix` whose process is gone. */
export function makePrivateFolder(parent: string, prefix: string): string {
  removeLeftovers(parent, (name) =>
    name.startsWith(prefix) ? /^(\d+)-/.exec(name.slice(prefix.length))?.[1] : undefined,
  );
  return fs.mkdtempSync(path.join(parent, `${prefix}${process.pid}-`));
}
