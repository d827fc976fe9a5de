/**
 * The cache folder that the Hub's tools share, so that a model is on the disk once:
 *
 *     models--owner--name/
 *       blobs/⟨hash⟩                    the bytes
 *       snapshots/⟨commit⟩/⟨path⟩       links to them, under the names of that commit
 *       refs/main                       the commit that a revision was last seen at
 *
 * Ours alone, and unknown to other tools: `blobs/⟨hash⟩.idiolect`, a partial download with its record
 * (`partial-file.ts`), `blobs/⟨hash⟩.….claim` while one runs, and `quarantine/` with corrupt files.
 */
import fs from 'node:fs/promises';
import path from 'node:path';
import { getHFHubCachePath, getRepoFolderName } from '@huggingface/hub';
import type { ContentHash } from './content-hash.ts';

/** Folder of the cache: `HF_HUB_CACHE`, `HF_HOME/hub`, or `~/.cache/huggingface/hub`. */
export function defaultCacheFolder(): string {
  return getHFHubCachePath();
}

/** Folder of one model in the cache. */
export function modelFolder(cache: string, model: string): string {
  return path.join(cache, getRepoFolderName({ type: 'model', name: model }));
}

/** Where bytes with this hash lie. */
export function blobFile(cache: string, model: string, hash: ContentHash): string {
  return path.join(modelFolder(cache, model), 'blobs', hash.value);
}

/** Where a file of a commit is found under its own name. */
export function snapshotFile(cache: string, model: string, commit: string, file: string): string {
  return path.join(modelFolder(cache, model), 'snapshots', commit, ...file.split('/'));
}

/** Size of the file at `file`, links followed; `null` when there is none. */
export async function fileSize(file: string): Promise<number | null> {
  const stats = await fs.stat(file).catch(() => null);
  return stats?.isFile() ? stats.size : null;
}

/** Makes `link` lead to `blob`: by a relative link, or by a hard link or copy where links are not allowed. */
export async function linkSnapshot(blob: string, link: string): Promise<void> {
  await fs.mkdir(path.dirname(link), { recursive: true });
  const target = path.relative(path.dirname(link), blob);
  if ((await fs.readlink(link).catch(() => null)) === target) return;
  // Made aside and moved into place, so that at no moment the name is missing or half made.
  const aside = `${link}.${process.pid}.new`;
  await fs.rm(aside, { force: true });
  await fs.symlink(target, aside).catch(() => fs.link(blob, aside).catch(() => fs.copyFile(blob, aside)));
  await fs.rename(aside, link);
}

/** Remembers which commit a revision was seen at. */
export async function writeRef(
  cache: string,
  model: string,
  revision: string,
  commit: string,
): Promise<void> {
  if (revision === commit) return;
  const file = path.join(modelFolder(cache, model), 'refs', ...revision.split('/'));
  await fs.mkdir(path.dirname(file), { recursive: true });
  const aside = `${file}.${process.pid}.new`;
  await fs.writeFile(aside, commit);
  await fs.rename(aside, file);
}

/** Facts about a corrupt file, kept beside it. */
export interface QuarantineNote {
  readonly file: string;
  readonly url: string;
  readonly expected: string;
  readonly actual: string;
  readonly reason: string;
}

/** Moves a corrupt file out of the way, with a note why; returns where to. */
export async function quarantine(
  cache: string,
  model: string,
  corrupt: string,
  note: QuarantineNote,
): Promise<string> {
  const folder = path.join(modelFolder(cache, model), 'quarantine');
  await fs.mkdir(folder, { recursive: true });
  // One per hash: the bytes of a second failure replace those of the first.
  const target = path.join(folder, `${note.expected}.gguf.corrupt`);
  await fs.rename(corrupt, target);
  const facts = { ...note, date: new Date().toISOString() };
  await fs.writeFile(`${target}.json`, `${JSON.stringify(facts, null, 2)}\n`);
  return target;
}
