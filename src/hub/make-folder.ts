/** Creates folders. */
import fs from 'node:fs/promises';
import path from 'node:path';

/**
 * Creates `folder` and its missing parents. Node's `recursive` never returns on file systems that deny the existence
 * of existing folders, such as `/proc`; this throws the file system's error.
 */
export async function makeFolder(folder: string): Promise<void> {
  if (await isFolder(folder)) return;
  const place = path.resolve(folder);
  const parent = path.dirname(place);
  if (parent !== place && !(await isFolder(parent))) await makeFolder(parent);
  await fs.mkdir(folder).catch(async (error: unknown) => {
    // Another process may have created it.
    if (!(await isFolder(folder))) throw error;
  });
}

async function isFolder(place: string): Promise<boolean> {
  const there = await fs.stat(place).catch(() => null);
  return there?.isDirectory() === true;
}
