/**
 * The cache folder that the Hub's tools share, so that a model is on the disk once:
 *
 *     models--owner--name/
 *       blobs/⟨hash⟩                    the bytes
 *       snapshots/⟨commit⟩/⟨path⟩       links to them, under the names of that commit
 *       refs/main                       the commit that a revision was last seen at
 *
 * Ours alone, and unknown to other tools: `blobs/⟨hash⟩.idiolect`, a partial download with its record
 * (`partial-file.ts`), `blobs/⟨hash⟩.….claim` while one runs, `names.….claim` and `names.new` while names
 * are given, `quarantine/` with corrupt files, and `verified/` with a note for each blob that was hashed.
 */
import fs from 'node:fs/promises';
import path from 'node:path';
import { getHFHubCachePath, getRepoFolderName } from '@huggingface/hub';
import { UnsupportedOptionError } from '../format/errors.ts';
import { requireOption, string } from '../format/option-rules.ts';
import { withClaim } from './claim.ts';
import type { ContentHash } from './content-hash.ts';
import { makeFolder } from './make-folder.ts';

/** Folder of the cache: `HF_HUB_CACHE`, `HF_HOME/hub`, or `~/.cache/huggingface/hub`. */
export function defaultCacheFolder(): string {
  return getHFHubCachePath();
}

/**
 * Throws `UnsupportedOptionError` for what can be no cache: a file is not an empty folder. A folder that is not
 * there yet is one.
 */
export async function requireCache(cache: string): Promise<void> {
  requireOption('cache', cache, string);
  const stats = await fs.stat(cache).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new UnsupportedOptionError({ option: 'cache', reason: `${cache} cannot be read (${error.code})` });
  });
  if (stats === null || stats.isDirectory()) return;
  throw new UnsupportedOptionError({ option: 'cache', reason: `${cache} is a file; give a folder` });
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
export async function linkSnapshot(blob: string, link: string, place: NamePlace): Promise<void> {
  const target = path.relative(path.dirname(link), blob);
  await giveName(place, async (aside) => {
    if ((await fs.readlink(link).catch(() => null)) === target) return;
    await moveIntoPlace(aside, link, () =>
      fs.symlink(target, aside).catch(() => fs.link(blob, aside).catch(() => fs.copyFile(blob, aside))),
    );
  });
}

/** Remembers which commit a revision was seen at. */
export async function writeRef(revision: string, commit: string, place: NamePlace): Promise<void> {
  if (revision === commit) return;
  const file = path.join(modelFolder(place.cache, place.model), 'refs', ...revision.split('/'));
  await giveName(place, (aside) => moveIntoPlace(aside, file, () => fs.writeFile(aside, commit)));
}

/** Whose names are given, and what stops the waiting for another process that gives some. */
export interface NamePlace {
  readonly cache: string;
  readonly model: string;
  readonly signal?: AbortSignal | undefined;
}

/** One process at a time gives names, so that what a killed one left aside is found and removed. */
async function giveName(
  { cache, model, signal }: NamePlace,
  give: (aside: string) => Promise<void>,
): Promise<void> {
  const folder = modelFolder(cache, model);
  const aside = path.join(folder, 'names.new');
  await withClaim(folder, 'names', { signal }, async () => {
    await fs.rm(aside, { force: true });
    await give(aside);
  });
}

/** Makes a file aside and moves it into place: at no moment is the name missing or half made. */
async function moveIntoPlace(aside: string, place: string, make: () => Promise<void>): Promise<void> {
  await makeFolder(path.dirname(place));
  await make();
  await fs.rename(aside, place);
}

/** Facts about a corrupt file, kept next to it. */
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
  await makeFolder(folder);
  // One per hash: the bytes of a second failure replace those of the first.
  const target = path.join(folder, `${note.expected}.gguf.corrupt`);
  await fs.rename(corrupt, target);
  const facts = { ...note, date: new Date().toISOString() };
  await fs.writeFile(`${target}.json`, `${JSON.stringify(facts, null, 2)}\n`);
  return target;
}
