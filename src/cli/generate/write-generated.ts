/** Writes generated modules to disk: each folder atomically, and an index of all of them. */
import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { UnsupportedOptionError } from '../../format/errors.ts';
import type { ImportExtension } from '../../generate/emit-module.ts';
import { emitRegistry, type RegistryEntry } from '../../generate/emit-registry.ts';
import { removeFolder, renameFile } from '../../hub/busy-files.ts';
import { removeLeftovers } from '../../hub/leftovers.ts';
import { makeFolder } from '../../hub/make-folder.ts';

/** A folder to write: its name, and its files by name. */
interface FolderFiles {
  readonly name: string;
  readonly files: ReadonlyMap<string, string>;
}

/** How files are written. */
interface WriteOptions {
  /** Of imports between them. Default: `js`. */
  readonly extension?: ImportExtension;
  /** Whether files that were changed by hand are replaced. Default: false. */
  readonly force?: boolean;
}

/**
 * Writes `out/<name>/` for each folder, and `out/index.ts`, which lists every module in `out`. Only files of an
 * earlier run are replaced: other files and folders are kept, as are generated files that were changed since and would
 * be the same; these are returned. Throws `UnsupportedOptionError`, before anything is written, if a file that was
 * changed would be another now (a folder must not mix two templates), or if something else, a symbolic link or a pipe is
 * in the way.
 */
export async function writeGenerated(
  out: string,
  folders: readonly FolderFiles[],
  { extension = 'js', force = false }: WriteOptions = {},
): Promise<readonly string[]> {
  await refuseForeign(out, await isFolderOrFree(out));
  await makeFolder(out).catch(refuseFolder);
  const index = path.join(out, 'index.ts');
  const record = path.join(out, recordName);
  for (const file of [index, record]) await refuseUnless('file', file);
  await refuseForeign(index, await isOwn(index));
  for (const { name, files } of folders) {
    const folder = path.join(out, name);
    await restore(folder);
    await refuseUnless('folder', folder);
    for (const file of files.keys()) await refuseUnless('file', path.join(folder, file));
    await refuseForeign(folder, await isOwnFolder(folder));
  }
  const known = await readRecord(record);
  clearAsides(out, new Set(['index.ts', recordName, ...known.keys(), ...folders.map(({ name }) => name)]));
  const kept = await buildAllAside(out, folders, known, force);
  for (const { name } of folders) await moveIntoPlace(path.join(out, name));
  for (const { name, files } of folders) known.set(name, hashesOf(files));
  const there = await listFiles(out);
  for (const name of known.keys()) if (!there.includes(name)) known.delete(name);
  await replaceFile(record, `${JSON.stringify(Object.fromEntries([...known].sort()), null, 2)}\n`);
  await replaceFile(index, emitRegistry(await readEntries(out), extension));
  return kept;
}

/** The record of the last run: the hashes of its files, by folder. */
const recordName = '.idiolect.json';

type Hashes = Readonly<Record<string, string>>;

async function readRecord(file: string): Promise<Map<string, Hashes>> {
  const text = await readText(file);
  if (text === null) return new Map();
  try {
    return new Map(Object.entries(JSON.parse(text) ?? {}));
  } catch {
    throw new UnsupportedOptionError({
      option: '--out',
      reason: `${file} is not JSON: restore or delete it`,
    });
  }
}

function hashesOf(files: FolderFiles['files']): Hashes {
  return Object.fromEntries([...files].map(([name, content]) => [name, hashOf(content)]));
}

function hashOf(content: string): string {
  return createHash('sha256').update(withLineFeeds(content)).digest('hex');
}

/** A checkout on Windows may have replaced the line ends, which changes nothing. */
function withLineFeeds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** The differences between `out` and what would be written, one line each; empty if there are none. */
export async function compareGenerated(
  out: string,
  folders: readonly FolderFiles[],
  extension: ImportExtension = 'js',
): Promise<string[]> {
  const differences: string[] = [];
  const known = await readRecord(path.join(out, recordName));
  for (const { name, files } of folders) {
    const folder = path.join(out, name);
    const there = await listFiles(folder);
    const before = known.get(name);
    for (const file of there) {
      const isOld = before === undefined || Object.hasOwn(before, file);
      if (isOld && !files.has(file)) differences.push(`${path.join(folder, file)} is no longer generated`);
    }
    for (const [file, content] of files) {
      const found = there.includes(file) ? await readText(path.join(folder, file)) : null;
      if (found === null) differences.push(`${path.join(folder, file)} is missing`);
      else if (withLineFeeds(found) !== content) differences.push(`${path.join(folder, file)} differs`);
    }
  }
  const index = path.join(out, 'index.ts');
  const registry = emitRegistry(await readEntries(out), extension);
  if (withLineFeeds((await readText(index)) ?? '') !== registry) differences.push(`${index} differs`);
  return differences;
}

/** All folders or none. Returns the files that were changed by hand. */
async function buildAllAside(
  out: string,
  folders: readonly FolderFiles[],
  known: ReadonlyMap<string, Hashes>,
  force: boolean,
): Promise<readonly string[]> {
  const kept: string[] = [];
  try {
    for (const { name, files } of folders) {
      kept.push(...(await buildAside(path.join(out, name), files, known.get(name) ?? null, force)));
    }
    return kept;
  } catch (error) {
    const asides = folders.map(({ name }) => asideOf(path.join(out, name)));
    for (const aside of asides) await removeFolder(aside);
    throw error;
  }
}

/** Builds the folder next to its target, so that a crash never leaves it half written; files of others are copied. */
async function buildAside(
  folder: string,
  files: FolderFiles['files'],
  known: Hashes | null,
  force: boolean,
): Promise<readonly string[]> {
  const building = asideOf(folder);
  await removeFolder(building);
  await fs.mkdir(building);
  for (const [name, content] of files) await fs.writeFile(path.join(building, name), content);
  const kept: string[] = [];
  for (const name of await listFiles(folder)) {
    const place = path.join(folder, name);
    const owner = await ownerOf(place, name, files, known);
    const content = files.get(name);
    const isReplaced = force && owner === 'both' && content !== undefined;
    if (owner === 'tool' || isReplaced) continue;
    if (owner === 'both' && content !== undefined && hashOf(content) !== known?.[name]) refuseChanged(place);
    await fs
      .cp(place, path.join(building, name), { recursive: true, verbatimSymlinks: true })
      .catch((error: Error) => refuseUncopied(place, error));
    if (files.has(name) || owner === 'both') kept.push(place);
  }
  return kept;
}

/** The owner of a file; `both`: generated, and changed since. */
async function ownerOf(
  place: string,
  name: string,
  files: FolderFiles['files'],
  known: Hashes | null,
): Promise<'tool' | 'person' | 'both'> {
  const stats = await fs.lstat(place);
  if (!stats.isFile()) return 'person';
  const hash = hashOf(await fs.readFile(place, 'utf8'));
  const content = files.get(name);
  if (content !== undefined && hash === hashOf(content)) return 'tool';
  // Without a record, a folder with our index counts as ours, as far as it is rewritten.
  if (known === null) return content === undefined ? 'person' : 'tool';
  const recorded = Object.hasOwn(known, name) ? known[name] : undefined;
  if (recorded === undefined) return 'person';
  return recorded === hash ? 'tool' : 'both';
}

/** A crash between the two steps leaves the old folder complete, where `restore` finds it. */
async function moveIntoPlace(folder: string): Promise<void> {
  const old = `${folder}${oldEnding}`;
  await removeFolder(old);
  await renameFile(folder, old).catch(ignoreMissing);
  await renameFile(asideOf(folder), folder);
  await removeFolder(old);
}

const oldEnding = '.new-before';

async function restore(folder: string): Promise<void> {
  if ((await fs.lstat(folder).catch(() => null)) !== null) return;
  await renameFile(`${folder}${oldEnding}`, folder).catch(ignoreMissing);
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

async function replaceFile(file: string, content: string): Promise<void> {
  const aside = asideOf(file);
  await fs.writeFile(aside, content);
  await renameFile(aside, file);
}

/** Nothing may be there, or the right kind: opening a pipe would block. */
async function refuseUnless(kind: 'file' | 'folder', place: string): Promise<void> {
  const there = await fs.lstat(place).catch(() => null);
  if (there === null || (kind === 'file' ? there.isFile() : there.isDirectory())) return;
  const found = there.isSymbolicLink() ? 'a symbolic link, which is not written through' : `not a ${kind}`;
  throw new UnsupportedOptionError({ option: '--out', reason: `${place} is ${found}; nothing was written` });
}

function asideOf(folder: string): string {
  return `${folder}.new-${process.pid}`;
}

/** Removes what a run that was killed has built aside of these files and folders. */
function clearAsides(out: string, names: ReadonlySet<string>): void {
  removeLeftovers(out, (each) => {
    const [, name = '', owner] = /^(.*)\.new-(\d+)$/.exec(each) ?? [];
    return names.has(name) ? owner : undefined;
  });
}

async function refuseForeign(place: string, isOwn: boolean): Promise<void> {
  if (isOwn) return;
  const reason = `${place} exists and was not generated; nothing was written. Choose another folder or name`;
  throw new UnsupportedOptionError({ option: '--out', reason });
}

function refuseChanged(place: string): never {
  const reason = `${place} was changed by hand, and would be written differently now; nothing was written. Keep the change elsewhere and delete the file, or replace it with --force`;
  throw new UnsupportedOptionError({ option: '--out', reason });
}

function refuseUncopied(place: string, { message }: Error): never {
  const reason = `${place} cannot be kept, because it cannot be copied (${message}); nothing was written`;
  throw new UnsupportedOptionError({ option: '--out', reason });
}

function refuseFolder(error: NodeJS.ErrnoException): never {
  const reason = error.code === 'EEXIST' ? `${error.path} is a file` : `it cannot be made: ${error.message}`;
  throw new UnsupportedOptionError({ option: '--out', reason });
}

/** Also `true` if it does not exist. */
async function isOwn(file: string): Promise<boolean> {
  const text = await readText(file);
  return text === null || /^(\/\/ WARNING.*\r?\n)*\/\/ Generated by idiolect /.test(text);
}

async function isFolderOrFree(place: string): Promise<boolean> {
  const there = await fs.stat(place).catch(() => null);
  return there === null || there.isDirectory();
}

async function isOwnFolder(folder: string): Promise<boolean> {
  const exists = await fs.stat(folder).catch(() => null);
  if (exists === null) return true;
  const files = await listFiles(folder);
  if (!files.includes('index.ts')) return exists.isDirectory() && files.length === 0;
  return isOwn(path.join(folder, 'index.ts'));
}

async function listFiles(folder: string): Promise<string[]> {
  return fs.readdir(folder).catch(() => []);
}

async function readText(file: string): Promise<string | null> {
  return fs.readFile(file, 'utf8').catch(() => null);
}

async function readEntries(out: string): Promise<RegistryEntry[]> {
  const entries: RegistryEntry[] = [];
  const items = await fs.readdir(out, { withFileTypes: true }).catch(() => []);
  for (const item of items) {
    if (!item.isDirectory() || item.name.includes('.new-')) continue;
    const format = await readFormat(path.join(out, item.name, 'format.json'));
    if (typeof format?.templateSha256 === 'string') {
      entries.push({ name: item.name, templateSha256: format.templateSha256 });
    }
  }
  return entries;
}

async function readFormat(file: string): Promise<{ readonly templateSha256?: unknown } | null> {
  try {
    return JSON.parse(await fs.readFile(file, 'utf8'));
  } catch {
    return null; // not a generated file
  }
}
