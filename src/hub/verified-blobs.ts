/**
 * Records which blobs of the cache were hashed, so that 40 GB are read once and not at every pull. A note has the
 * blob's size, inode and time of change: every write changes at least one of them.
 */
import fs from 'node:fs/promises';
import path from 'node:path';
import { modelFolder } from './cache.ts';
import type { ContentHash } from './content-hash.ts';
import { makeFolder } from './make-folder.ts';
import { renameFile } from './rename-file.ts';

/** Whether the bytes at `blob` are known to have this hash and are unchanged since. */
export async function isRemembered(
  cache: string,
  model: string,
  hash: ContentHash,
  blob: string,
): Promise<boolean> {
  const note = await fs.readFile(noteFile(cache, model, hash), 'utf8').catch(() => null);
  return note !== null && note === (await tracesOf(blob));
}

/** Records that the bytes at `blob` have this hash. */
export async function rememberHash(
  cache: string,
  model: string,
  hash: ContentHash,
  blob: string,
): Promise<void> {
  const note = noteFile(cache, model, hash);
  await makeFolder(path.dirname(note));
  const aside = `${note}.${process.pid}`;
  await fs.writeFile(aside, await tracesOf(blob));
  await renameFile(aside, note);
}

function noteFile(cache: string, model: string, hash: ContentHash): string {
  return path.join(modelFolder(cache, model), 'verified', hash.value);
}

async function tracesOf(blob: string): Promise<string> {
  const { size, ino, mtimeNs, ctimeNs } = await fs.stat(blob, { bigint: true });
  return `size ${size}, inode ${ino}, modified ${mtimeNs}, changed ${ctimeNs}\n`;
}
