/** Fetches one file of a model from the Hub into the cache: claim, download, verify, move into place. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { renameFile } from './busy-files.ts';
import { blobFile, fileSize, modelFolder, quarantine } from './cache.ts';
import { withClaim } from './claim.ts';
import { type ContentHash, hashFile } from './content-hash.ts';
import { downloadFile } from './download-file.ts';
import { ChecksumMismatchError, DiskFullError } from './errors.ts';
import { makeFolder } from './make-folder.ts';
import { openPartialFile, type PartialFileLayout, removePartialFile } from './partial-file.ts';
import type { RemoteFile } from './resolve-model.ts';

/** How files are fetched. */
export interface FetchBlobOptions {
  /** Folder of the cache. */
  readonly cache: string;
  readonly model: string;
  readonly fetch: typeof fetch;
  readonly connections: number;
  /** Bytes per chunk: the most that is fetched again, per connection, after a failure. */
  readonly chunkSize: number;
  readonly stallMs: number;
  readonly retryMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Called with each step, and the bytes concerned. */
  readonly onStep: (step: FetchStep) => void;
}

/** A step for a file. The bytes of `resumed` and `received` add up to its size. */
export type FetchStep =
  /** It was cached; its hash was computed now, or is known from before for unchanged bytes. */
  | { readonly type: 'cached'; readonly hash: 'computed' | 'remembered' }
  | { readonly type: 'waiting' }
  | { readonly type: 'resumed'; readonly bytes: number }
  | { readonly type: 'received'; readonly bytes: number }
  | { readonly type: 'verified'; readonly bytes: number };

/**
 * Ensures that the file is in the cache, and returns its path. Throws `ChecksumMismatchError` after quarantining wrong
 * bytes, `DiskFullError` before fetching any, and the errors of `downloadFile`.
 */
export async function fetchBlob(file: RemoteFile, options: FetchBlobOptions): Promise<string> {
  const blob = blobFile(options.cache, options.model, file.hash);
  const inPlace = async (): Promise<boolean> => (await fileSize(blob)) === file.size;
  if ((await inPlace()) && !(await hasLeftovers(blob))) {
    options.onStep({ type: 'cached', hash: await checkCached(file, blob, options) });
    return blob;
  }
  const layout = { file: `${blob}.idiolect`, size: file.size, chunkSize: options.chunkSize };
  const claim = { signal: options.signal, onWait: () => options.onStep({ type: 'waiting' }) };
  await withClaim(path.dirname(blob), file.hash.value, claim, async (signal) => {
    // Another process may have finished it in the meantime.
    if (await inPlace()) {
      options.onStep({ type: 'cached', hash: await checkCached(file, blob, { ...options, signal }) });
    } else await fetchClaimed(file, blob, layout, { ...options, signal });
    await removePartialFile(layout);
  });
  return blob;
}

/** A blob in the cache may contain anything; if it was hashed before, there is a note. */
async function checkCached(
  file: RemoteFile,
  blob: string,
  options: FetchBlobOptions,
): Promise<'computed' | 'remembered'> {
  if (await isRemembered(options.cache, options.model, file.hash, blob)) return 'remembered';
  await verify(file, blob, options);
  await rememberHash(options.cache, options.model, file.hash, blob);
  return 'computed';
}

/** Whether a download that was killed at its very end, or a running one, left something next to the blob. */
async function hasLeftovers(blob: string): Promise<boolean> {
  const names = await fs.readdir(path.dirname(blob));
  return names.some((name) => name.startsWith(`${path.basename(blob)}.`));
}

async function fetchClaimed(
  file: RemoteFile,
  blob: string,
  layout: PartialFileLayout,
  options: FetchBlobOptions & { readonly signal: AbortSignal },
): Promise<void> {
  await fetchMissing(file, layout, options);
  try {
    await verify(file, layout.file, options);
  } catch (error) {
    if (error instanceof ChecksumMismatchError) await removePartialFile(layout);
    throw error;
  }
  await renameFile(layout.file, blob);
  await rememberHash(options.cache, options.model, file.hash, blob);
}

async function fetchMissing(
  file: RemoteFile,
  layout: PartialFileLayout,
  options: FetchBlobOptions & { readonly signal: AbortSignal },
): Promise<void> {
  const partial = await openPartialFile(layout);
  try {
    const done = partial.doneBytes();
    options.onStep({ type: 'resumed', bytes: done });
    await checkSpace(path.dirname(layout.file), file.size - done);
    await downloadFile(partial, {
      ...options,
      name: file.path,
      url: file.url,
      size: file.size,
      onBytes: (bytes) => options.onStep({ type: 'received', bytes }),
    });
  } finally {
    await partial.close();
  }
}

/** Throws `DiskFullError` if `needed` bytes do not fit in `folder`. */
export async function checkSpace(folder: string, needed: number): Promise<void> {
  const { bavail, bsize } = await fs.statfs(folder);
  const free = bavail * bsize;
  if (needed > free) throw new DiskFullError({ folder, needed, free });
}

/** Throws `ChecksumMismatchError` after moving wrong bytes away. */
async function verify(file: RemoteFile, place: string, options: FetchBlobOptions): Promise<void> {
  const onBytes = (bytes: number): void => options.onStep({ type: 'verified', bytes });
  const actual = await hashFile(place, file.hash.algorithm, { signal: options.signal, onBytes });
  if (actual === file.hash.value) return;
  const facts = { expected: file.hash.value, actual };
  const note = { ...facts, file: file.path, url: file.url, reason: `the ${file.hash.algorithm} is wrong` };
  const quarantined = await quarantine(options.cache, options.model, place, note);
  throw new ChecksumMismatchError({ ...facts, fileName: file.path, quarantined });
}

/** Whether the bytes at `blob` are known to have this hash and are unchanged since. */
async function isRemembered(cache: string, model: string, hash: ContentHash, blob: string): Promise<boolean> {
  const note = await fs.readFile(noteFile(cache, model, hash), 'utf8').catch(() => null);
  return note !== null && note === (await tracesOf(blob));
}

/**
 * Records that the bytes at `blob` have this hash, so that 40 GB are read once and not at every pull. A note has the
 * blob's size, inode and time of change: every write changes at least one of them.
 */
async function rememberHash(cache: string, model: string, hash: ContentHash, blob: string): Promise<void> {
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
