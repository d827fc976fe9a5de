/** Makes folders. */
import fs from 'node:fs/promises';
import path from 'node:path';

/**
 * Makes `folder` and what is missing above it. Node's own `recursive` never comes back where a file system
 * says of a folder that is there that it is not, as `/proc` does; this throws what the file system said.
 */
export async function makeFolder(folder: string): Promise<void> {
  if (await isFolder(folder)) return;
  const place = path.resolve(folder);
  const parent = path.dirname(place);
  if (parent !== place && !(await isFolder(parent))) await makeFolder(parent);
  await fs.mkdir(folder).catch(async (error: unknown) => {
    // Another process may have been faster.
    if (!(await isFolder(folder))) throw error;
  });
}

async function isFolder(place: string): Promise<boolean> {
  const there = await fs.stat(place).catch(() => null);
  return there?.isDirectory() === true;
}
