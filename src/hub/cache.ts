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
import { removeFile, renameFile } from './busy-files.ts';
import { withClaim } from './claim.ts';
import type { ContentHash } from './content-hash.ts';
import { makeFolder } from './make-folder.ts';

/** Folder of the cache: `HF_HUB_CACHE`, `HF_HOME/hub`, or `~/.cache/huggingface/hub`. */
export function defaultCacheFolder(): string {
  return getHFHubCachePath();
}

/** Throws `UnsupportedOptionError` if this cannot be a cache, such as a file. A folder need not exist yet. */
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

/** The path of the blob with this hash. */
export function blobFile(cache: string, model: string, hash: ContentHash): string {
  return path.join(modelFolder(cache, model), 'blobs', hash.value);
}

/** The path of a file of a commit under its own name. */
export function snapshotFile(cache: string, model: string, commit: string, file: string): string {
  return path.join(modelFolder(cache, model), 'snapshots', commit, ...file.split('/'));
}

/** Size of the file at `file`, following links; `null` if there is none. */
export async function fileSize(file: string): Promise<number | null> {
  const stats = await fs.stat(file).catch(() => null);
  return stats?.isFile() ? stats.size : null;
}

/** How a name of a file came about. */
type NameKind = 'link' | 'copy';

/**
 * Makes `link` point to `blob`: as a relative link or, if links are not allowed, a hard link or a copy, which takes as
 * much of the disk again.
 */
export async function linkSnapshot(blob: string, link: string, place: NamePlace): Promise<NameKind> {
  const target = path.relative(path.dirname(link), blob);
  let kind: NameKind = 'link';
  const copy = async (aside: string): Promise<void> => {
    kind = 'copy';
    await fs.copyFile(blob, aside);
  };
  await giveName(place, async (aside) => {
    if ((await fs.readlink(link).catch(() => null)) === target) return;
    await moveIntoPlace(aside, link, () =>
      fs.symlink(target, aside).catch(() => fs.link(blob, aside).catch(() => copy(aside))),
    );
  });
  return kind;
}

/** Records at which commit a revision was seen. */
export async function writeRef(revision: string, commit: string, place: NamePlace): Promise<void> {
  if (revision === commit) return;
  const file = path.join(modelFolder(place.cache, place.model), 'refs', ...revision.split('/'));
  await giveName(place, (aside) => moveIntoPlace(aside, file, () => fs.writeFile(aside, commit)));
}

/** The model whose names are created, and how to stop waiting for another process. */
interface NamePlace {
  readonly cache: string;
  readonly model: string;
  readonly signal?: AbortSignal | undefined;
}

/** Only one process at a time creates names, so that leftovers of a killed one are found and removed. */
async function giveName(
  { cache, model, signal }: NamePlace,
  give: (aside: string) => Promise<void>,
): Promise<void> {
  const folder = modelFolder(cache, model);
  const aside = path.join(folder, 'names.new');
  await withClaim(folder, 'names', { signal }, async () => {
    await removeFile(aside);
    await give(aside);
  });
}

/** Creates a file aside and moves it into place, so that the name is never missing or half written. */
async function moveIntoPlace(aside: string, place: string, make: () => Promise<void>): Promise<void> {
  await makeFolder(path.dirname(place));
  await make();
  await renameFile(aside, place);
}

/** Facts about a corrupt file, stored next to it. */
interface QuarantineNote {
  readonly file: string;
  readonly url: string;
  readonly expected: string;
  readonly actual: string;
  readonly reason: string;
}

/** Moves a corrupt file to quarantine, with a note; returns its path. */
export async function quarantine(
  cache: string,
  model: string,
  corrupt: string,
  note: QuarantineNote,
): Promise<string> {
  const folder = path.join(modelFolder(cache, model), 'quarantine');
  await makeFolder(folder);
  // One per hash: a second failure replaces the first.
  const target = path.join(folder, `${note.expected}.gguf.corrupt`);
  await renameFile(corrupt, target);
  const facts = { ...note, date: new Date().toISOString() };
  await fs.writeFile(`${target}.json`, `${JSON.stringify(facts, null, 2)}\n`);
  return target;
}
