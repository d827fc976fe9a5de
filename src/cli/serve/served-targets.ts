/** The models of `idiolect serve`, by name. */
import path from 'node:path';
import { UnsupportedOptionError } from '../../format/errors.ts';
import type { ModelEntry } from '../../serve/index.ts';
import { locateEmbeddings, locateTarget, type TargetOptions } from '../model-target.ts';

/** `name=target`, or a target from which the name is derived. */
export interface NamedTarget {
  readonly name: string;
  /** A file, a model on the Hub, an address, or those of several servers of one model. */
  readonly target: string | readonly string[];
  /** Its own, which precede those of all. Default: none. */
  readonly options?: Partial<TargetOptions>;
}

/** A model that can be opened, and the number of its servers; 0 for a model in this process. */
export interface LocatedEntry extends ModelEntry {
  readonly servers: number;
}

/** Reads one argument. Throws `UnsupportedOptionError` for an empty name. */
export function readTarget(argument: string): NamedTarget {
  const [, name, target] = /^([^=/\\]*)=(.+)$/s.exec(argument) ?? [];
  if (name === undefined || target === undefined) return { name: targetName(argument), target: argument };
  if (name === '') throw new UnsupportedOptionError({ option: argument, reason: 'the name is empty' });
  return { name, target };
}

/** Several servers of one model, under its own name. */
export function readUpstreams(addresses: readonly string[], name = addresses.join()): NamedTarget {
  return { name, target: addresses };
}

/** `qwen3` for `qwen3.gguf`; models on the Hub keep their names, and servers name theirs when they are asked. */
function targetName(target: string): string {
  return /\.gguf$/i.test(target) ? path.basename(target).replace(/\.gguf$/i, '') : target;
}

/**
 * Finds all of them, so that errors are reported before the first request; they are opened later. Servers are asked at
 * once for the name of their model, unless it was given.
 */
export async function locateAll(
  targets: readonly NamedTarget[],
  options: TargetOptions,
): Promise<readonly LocatedEntry[]> {
  const entries: LocatedEntry[] = [];
  for (const { name, target, options: own } of targets) {
    const merged = { ...options, ...own };
    const locate = merged.embeddings === true ? locateEmbeddings : locateTarget;
    entries.push(await entryOf(name, await locate(target, merged), name === [target].flat().join()));
  }
  return entries;
}

async function entryOf(
  name: string,
  located: Omit<LocatedEntry, 'name'>,
  isUnnamed: boolean,
): Promise<LocatedEntry> {
  if (located.servers === 0 || !isUnnamed) return { ...located, name };
  const model = await located.open();
  return { ...located, name: model.name, open: async () => model };
}
