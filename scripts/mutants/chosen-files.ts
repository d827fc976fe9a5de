/** Which sources are changed: those that were named, or the central ones, and which of them belong to a shard. */
import fs from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { mutantsOf } from './mutations.ts';
import { root, sourceOf } from './records.ts';

/** How many files are central. */
export const centralCount = 40;
/** A file with fewer mutants has no score worth a comparison. */
const fewestMutants = 25;

/** A source, and how much of the rest depends on what it decides. */
export interface Weighed {
  readonly file: string;
  readonly room: string;
  /** How many files of `src` import it. */
  readonly importers: number;
  /** How many mutants it has: a measure of how much it decides. */
  readonly mutants: number;
}

/** All sources by path. */
export function allSources(): readonly string[] {
  return fs
    .readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((file) => `src/${file}`)
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .sort();
}

/** The files of `src` that were named, or are in the folders named; all without a name. Throws `Error` if there is none. */
export function namedSources(names: readonly string[]): readonly string[] {
  const within = allSources().filter(
    (file) => names.length === 0 || names.some((name) => file === name || file.startsWith(`${name}/`)),
  );
  if (within.length === 0) throw new Error(`no source file is named ${names.join(', ')}`);
  return within;
}

/**
 * The central files. A file weighs as much as the number of its importers times that of its mutants. Each room with a file
 * of 25 mutants or more gives its weightiest one; the rest of the forty are the weightiest of all.
 */
export function centralSources(weighed: readonly Weighed[] = weigh(allSources())): readonly string[] {
  const large = [...weighed.filter(({ mutants }) => mutants >= fewestMutants)].sort(
    (a, b) => weightOf(b) - weightOf(a) || (a.file < b.file ? -1 : 1),
  );
  const firsts = large.filter((each) => large.find(({ room }) => room === each.room) === each);
  const chosen = [...new Set([...firsts, ...large])].slice(0, Math.max(centralCount, firsts.length));
  return chosen.map(({ file }) => file).sort();
}

/** One of `parts` shards, from the first on: every so-manieth file. */
export function shardOf(files: readonly string[], shard: string): readonly string[] {
  const [part = 1, parts = 1] = shard.split('/').map(Number);
  return files.filter((_, place) => place % parts === part - 1);
}

/** The room of a source: its folder in `src`; those of the runtime are rooms of their own. */
export function roomOf(file: string): string {
  const [, room = '', next] = file.split('/');
  return next === undefined || next.endsWith('.ts') ? room : room === 'runtime' ? `runtime/${next}` : room;
}

function weigh(files: readonly string[]): readonly Weighed[] {
  const importers = new Map<string, number>();
  for (const file of files)
    for (const imported of new Set(importsOf(file)))
      importers.set(imported, (importers.get(imported) ?? 0) + 1);
  return files.map((file) => ({
    file,
    room: roomOf(file),
    importers: importers.get(file) ?? 0,
    mutants: mutantsOf(file, sourceOf(file)).length,
  }));
}

/** The sources that a file imports, types included. */
function importsOf(file: string): readonly string[] {
  const { importedFiles } = ts.preProcessFile(sourceOf(file), true, true);
  return importedFiles
    .filter(({ fileName }) => fileName.startsWith('.'))
    .map(({ fileName }) => path.posix.join(path.posix.dirname(file), fileName));
}

function weightOf({ importers, mutants }: Weighed): number {
  return importers * mutants;
}
