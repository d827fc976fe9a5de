/** Hashes of files, as on the Hub. */
import { createHash } from 'node:crypto';
import fs from 'node:fs';

/** The expected hash of a file. */
export interface ContentHash {
  /** `sha256` of the bytes for large files; `git-sha1`, git's object id, for small ones stored in git. */
  readonly algorithm: 'sha256' | 'git-sha1';
  /** Lower-case hexadecimal. */
  readonly value: string;
}

/** Options of `hashFile`. */
interface HashFileOptions {
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of bytes read since the last call. */
  readonly onBytes?: ((count: number) => void) | undefined;
}

/** The hash of a local file, hexadecimal. */
export async function hashFile(
  file: string,
  algorithm: ContentHash['algorithm'],
  options: HashFileOptions = {},
): Promise<string> {
  const hash = createHash(algorithm === 'sha256' ? 'sha256' : 'sha1');
  if (algorithm === 'git-sha1') hash.update(`blob ${(await fs.promises.stat(file)).size}\0`);
  for await (const bytes of fs.createReadStream(file, { highWaterMark: 1 << 20 })) {
    options.signal?.throwIfAborted();
    hash.update(bytes);
    options.onBytes?.(bytes.length);
  }
  return hash.digest('hex');
}
