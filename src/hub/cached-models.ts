/** Lists, finds and removes models in the cache. */

import fs from 'node:fs/promises';
import path from 'node:path';
import { addToGroup } from '../format/groups.ts';
import { requireOption, string } from '../format/option-rules.ts';
import { removeFile, removeFolder } from './busy-files.ts';
import { modelFolder, requireCache } from './cache.ts';
import { chooseModel, groupModels, type ModelFiles } from './choose-file.ts';
import { hashFile } from './content-hash.ts';
import { FileNotFoundError, ModelNotCachedError } from './errors.ts';
import { cachedModels, readReference } from './hub-rules.ts';
import { trialFile } from './local-file.ts';
import type { ModelReference } from './reference.ts';

/** A model in the cache: one file or all of its shards, in one commit. */
export interface CachedModel {
  /** `owner/name`. */
  readonly model: string;
  readonly commit: string;
  /** Branches and tags last seen at this commit. */
  readonly revisions: readonly string[];
  /** Path in the repository of the file, or of its first shard. */
  readonly name: string;
  readonly quantization: string | null;
  /** Paths on this disk; load the first one. */
  readonly files: readonly [string, ...string[]];
  /** Bytes, following links. */
  readonly size: number;
  /** When it was downloaded. */
  readonly modified: Date;
}

/** Bytes in the cache that belong to no model: an interrupted download, or a corrupt file. */
export interface CachedRemnant {
  readonly model: string;
  readonly file: string;
  /** Bytes on the disk. */
  readonly size: number;
}

/** The contents of the cache. */
export interface CacheContents {
  readonly models: readonly CachedModel[];
  /** Interrupted downloads, which can be resumed. */
  readonly partials: readonly CachedRemnant[];
  /** Files with a wrong hash, each with a note. */
  readonly quarantined: readonly CachedRemnant[];
}

/** A file of a snapshot whose blob exists. */
interface SnapshotEntry {
  /** As in the repository, with slashes. */
  readonly path: string;
  readonly file: string;
  readonly size: number;
  readonly modified: Date;
}

/**
 * Lists the GGUF models in the cache, whichever tool downloaded them. Written here because the Hub's own
 * `scanCacheDir` ignores subfolders, where large models have their shards, and gives up on a whole model because of
 * one dangling link. Throws `UnsupportedOptionError` if `cache` is not a folder.
 */
export async function listCachedModels(cache: string): Promise<CacheContents> {
  await requireCache(cache);
  const folders = await names(cache);
  const contents = await Promise.all(
    folders.flatMap((folder) => {
      const model = modelOfFolder(folder);
      return model === null ? [] : [listModel(path.join(cache, folder), model)];
    }),
  );
  return {
    models: contents.flatMap(({ models }) => models),
    partials: contents.flatMap(({ partials }) => partials),
    quarantined: contents.flatMap(({ quarantined }) => quarantined),
  };
}

/**
 * Finds a model in the cache without asking the Hub; `null` if there is none. Throws `AmbiguousFileError` if several
 * match, `UnsupportedOptionError` if `cache` is not a folder.
 */
export async function findCachedModel(cache: string, reference: ModelReference): Promise<CachedModel | null> {
  await requireCache(cache);
  requireOption('reference', reference, readReference);
  const { models } = await listModel(modelFolder(cache, reference.model), reference.model);
  const revision = reference.revision ?? 'main';
  const seen = models.filter(({ commit, revisions }) => commit === revision || revisions.includes(revision));
  if (seen.length === 0) return null;
  const files = seen.flatMap((model) => model.files.map((file) => ({ path: file, model })));
  const named = files.map(({ path: file, model }) => ({ path: repositoryPath(file, model), model }));
  try {
    return chooseModel(named, reference).chosen.files[0].model;
  } catch (error) {
    // A file that is not here may be on the Hub; only the user can choose among several.
    if (error instanceof FileNotFoundError) return null;
    throw error;
  }
}

/** The result of `removeCachedModels`. */
export interface Removed {
  readonly files: readonly string[];
  /** Bytes freed. */
  readonly freed: number;
}

/**
 * Removes cached models of one repository, and blobs without a remaining name. Results of `idiolect try` go with their
 * model, files of other kinds are kept; with the last model, interrupted downloads and quarantined files are removed,
 * too. Throws `ModelNotCachedError` if nothing of the repository is cached.
 */
export async function removeCachedModels(
  cache: string,
  model: string,
  chosen: readonly CachedModel[],
): Promise<Removed> {
  await requireCache(cache);
  requireOption('model', model, string);
  requireOption('chosen', chosen, cachedModels);
  const folder = modelFolder(cache, model);
  const files = chosen.flatMap((each) => each.files);
  const place = await fs.realpath(folder).catch(() => {
    throw new ModelNotCachedError({ model, wanted: null, available: [] });
  });
  const blobs = new Set<string>();
  for (const file of files) {
    const blob = await blobOf(file, path.join(place, 'blobs'));
    if (blob !== null) blobs.add(blob);
  }
  let freed = 0;
  for (const file of files) {
    freed += await removeName(file);
    await removeFile(trialFile(file));
  }
  freed += await removeUnreferenced(folder, blobs);
  freed += await removeUnused(folder);
  return { files, freed };
}

async function listModel(folder: string, model: string): Promise<CacheContents> {
  const refs = await readRefs(folder);
  const models: CachedModel[] = [];
  for (const commit of await names(path.join(folder, 'snapshots'))) {
    const entries = await snapshotEntries(path.join(folder, 'snapshots', commit));
    for (const found of groupModels(entries).models) {
      models.push(describe(found, { model, commit, revisions: refs.get(commit) ?? [] }));
    }
  }
  const partials = await listLeftovers(path.join(folder, 'blobs'), '.idiolect', model);
  const quarantined = await listLeftovers(path.join(folder, 'quarantine'), '.corrupt', model);
  return { models, partials, quarantined };
}

function describe(
  found: ModelFiles<SnapshotEntry>,
  facts: Pick<CachedModel, 'model' | 'commit' | 'revisions'>,
): CachedModel {
  const [first, ...rest] = found.files;
  return {
    ...facts,
    name: found.name,
    quantization: found.quantization,
    files: [first.file, ...rest.map(({ file }) => file)],
    size: found.files.reduce((sum, { size }) => sum + size, 0),
    modified: new Date(Math.max(...found.files.map(({ modified }) => modified.getTime()))),
  };
}

/** The path in the repository of a file of a cached model. */
function repositoryPath(file: string, model: CachedModel): string {
  const first = model.files[0].split(path.sep).join('/');
  const folder = first.slice(0, first.length - model.name.length);
  return file.split(path.sep).join('/').slice(folder.length);
}

/** `owner/name` of a folder of the cache; `null` for folders of other kinds. */
function modelOfFolder(folder: string): string | null {
  const match = /^models--([^/\\](?:(?!--)[^/\\])*)--([^/\\]+)$/.exec(folder);
  return match === null ? null : `${match[1]}/${match[2]}`;
}

async function names(folder: string): Promise<string[]> {
  return (await fs.readdir(folder).catch(() => [])).sort();
}

/** All paths below `folder`, relative to it, with slashes; empty if there is no such folder. */
async function namesBelow(folder: string): Promise<string[]> {
  const below = await fs.readdir(folder, { recursive: true }).catch(() => []);
  return below.map((name) => name.split(path.sep).join('/')).sort();
}

async function snapshotEntries(folder: string): Promise<SnapshotEntry[]> {
  const entries: SnapshotEntry[] = [];
  for (const name of await namesBelow(folder)) {
    const file = path.join(folder, name);
    const stats = /\.gguf$/i.test(name) ? await fs.stat(file).catch(() => null) : null;
    if (stats?.isFile()) entries.push({ path: name, file, size: stats.size, modified: stats.mtime });
  }
  return entries;
}

/** Revisions by the commit at which they were seen. */
async function readRefs(folder: string): Promise<ReadonlyMap<string, readonly string[]>> {
  const byCommit = new Map<string, string[]>();
  for (const name of await namesBelow(path.join(folder, 'refs'))) {
    const commit = await fs.readFile(path.join(folder, 'refs', name), 'utf8').catch(() => null);
    if (commit !== null) addToGroup(byCommit, commit.trim(), name);
  }
  return byCommit;
}

async function listLeftovers(folder: string, ending: string, model: string): Promise<CachedRemnant[]> {
  const leftovers: CachedRemnant[] = [];
  for (const name of await names(folder)) {
    const file = path.join(folder, name);
    const stats = name.endsWith(ending) ? await fs.stat(file).catch(() => null) : null;
    if (stats !== null) leftovers.push({ model, file, size: stats.blocks * 512 });
  }
  return leftovers;
}

/** Removes a name of a file; returns the freed bytes, which are none while the file has another name. */
async function removeName(file: string): Promise<number> {
  const stats = await fs.lstat(file).catch(() => null);
  await removeFile(file);
  return stats?.isFile() && stats.nlink === 1 ? stats.size : 0;
}

/**
 * The blob that a file of a snapshot has its bytes from; `null` if it is not among `blobs`. Where links are not
 * allowed, the file is the blob under another name (a hard link), or a copy of it.
 */
async function blobOf(file: string, blobs: string): Promise<string | null> {
  const target = await fs.realpath(file);
  if (path.dirname(target) === blobs) return target;
  // A link to another folder was made by a user who wants to keep the file.
  if ((await fs.lstat(file)).isSymbolicLink()) return null;
  const own = await fs.stat(file, { bigint: true });
  const copied: string[] = [];
  for (const name of await names(blobs)) {
    const blob = path.join(blobs, name);
    const stats = await fs.stat(blob, { bigint: true }).catch(() => null);
    if (stats?.ino === own.ino && stats.dev === own.dev) return blob;
    if (stats?.size === own.size && /^(?:[\da-f]{40}|[\da-f]{64})$/.test(name)) copied.push(name);
  }
  for (const name of copied)
    if ((await hashFile(file, name.length === 64 ? 'sha256' : 'git-sha1')) === name)
      return path.join(blobs, name);
  return null;
}

/** Removes those of `blobs` that are no file of a snapshot, by a link of either kind; returns the freed bytes. */
async function removeUnreferenced(folder: string, blobs: ReadonlySet<string>): Promise<number> {
  const snapshots = path.join(folder, 'snapshots');
  const referenced = new Set<string | null>();
  for (const name of await namesBelow(snapshots))
    referenced.add(await identityOf(path.join(snapshots, name)));
  let freed = 0;
  for (const blob of blobs) if (!referenced.has(await identityOf(blob))) freed += await removeName(blob);
  return freed;
}

/** The same for all names of a file; `null` if there is none. */
async function identityOf(file: string): Promise<string | null> {
  const stats = await fs.stat(file, { bigint: true }).catch(() => null);
  return stats === null ? null : `${stats.dev} ${stats.ino}`;
}

/** If no file has a name any more, removes the whole folder; returns the freed bytes. */
async function removeUnused(folder: string): Promise<number> {
  const snapshots = path.join(folder, 'snapshots');
  const left = await fs.readdir(snapshots, { recursive: true, withFileTypes: true }).catch(() => []);
  if (left.some((entry) => !entry.isDirectory())) return 0;
  let freed = 0;
  for (const name of await namesBelow(folder)) {
    const stats = await fs.lstat(path.join(folder, name));
    if (stats.isFile()) freed += stats.blocks * 512;
  }
  await removeFolder(folder);
  return freed;
}
