/** One file of a model, from the Hub into the cache: claimed, downloaded, verified, moved into place. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { blobFile, fileSize, quarantine } from './cache.ts';
import { withClaim } from './claim.ts';
import { hashFile } from './content-hash.ts';
import { downloadFile } from './download-file.ts';
import { ChecksumMismatchError, DiskFullError } from './errors.ts';
import { openPartialFile, type PartialFileLayout, removePartialFile } from './partial-file.ts';
import type { RemoteFile } from './resolve-model.ts';

/** How files are fetched. */
export interface FetchBlobOptions {
  /** Folder of the cache. */
  readonly cache: string;
  readonly model: string;
  readonly fetch: typeof fetch;
  readonly connections: number;
  /** Bytes per chunk: what is fetched again at most, per connection, after a break. */
  readonly chunkSize: number;
  readonly stallMs: number;
  readonly retryMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Told what happens, and how many bytes it concerns. */
  readonly onStep: (step: FetchStep) => void;
}

/** What happens to a file. Bytes of `resumed` and `received` together add up to its size. */
export type FetchStep =
  | { readonly type: 'cached' }
  | { readonly type: 'waiting' }
  | { readonly type: 'resumed'; readonly bytes: number }
  | { readonly type: 'received'; readonly bytes: number }
  | { readonly type: 'verified'; readonly bytes: number };

/**
 * Makes sure that the file lies in the cache, and returns where. Throws `ChecksumMismatchError` after
 * quarantining wrong bytes, `DiskFullError` before fetching any, and the errors of `downloadFile`.
 */
export async function fetchBlob(file: RemoteFile, options: FetchBlobOptions): Promise<string> {
  const blob = blobFile(options.cache, options.model, file.hash);
  const inPlace = async (): Promise<boolean> => (await fileSize(blob)) === file.size;
  const cached = (): void => options.onStep({ type: 'cached' });
  if ((await inPlace()) && !(await hasRemains(blob))) {
    cached();
    return blob;
  }
  const layout = { file: `${blob}.idiolect`, size: file.size, chunkSize: options.chunkSize };
  const claim = { signal: options.signal, onWait: () => options.onStep({ type: 'waiting' }) };
  await withClaim(path.dirname(blob), file.hash.value, claim, async (signal) => {
    // Another process may have finished it while we waited.
    if (await inPlace()) cached();
    else await fetchClaimed(file, blob, layout, { ...options, signal });
    await removePartialFile(layout);
  });
  return blob;
}

/** Whether a download that was killed at its very end, or one that runs, left something next to the blob. */
async function hasRemains(blob: string): Promise<boolean> {
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
  await verify(file, layout, options);
  await fs.rename(layout.file, blob);
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

/** Throws `DiskFullError` when `needed` bytes do not fit in `folder`. */
export async function checkSpace(folder: string, needed: number): Promise<void> {
  const { bavail, bsize } = await fs.statfs(folder);
  const free = bavail * bsize;
  if (needed > free) throw new DiskFullError({ folder, needed, free });
}

async function verify(
  file: RemoteFile,
  layout: PartialFileLayout,
  options: FetchBlobOptions & { readonly signal: AbortSignal },
): Promise<void> {
  const onBytes = (bytes: number): void => options.onStep({ type: 'verified', bytes });
  const actual = await hashFile(layout.file, file.hash.algorithm, { signal: options.signal, onBytes });
  if (actual === file.hash.value) return;
  const facts = { expected: file.hash.value, actual };
  const note = { ...facts, file: file.path, url: file.url, reason: `the ${file.hash.algorithm} is wrong` };
  const quarantined = await quarantine(options.cache, options.model, layout.file, note);
  await removePartialFile(layout);
  throw new ChecksumMismatchError({ ...facts, fileName: file.path, quarantined });
}
