/** The models of `idiolect serve`, by name. */
import path from 'node:path';
import { UnsupportedOptionError } from '../../format/errors.ts';
import type { ModelEntry } from '../../serve/index.ts';
import { type LocatedTarget, locateTarget, type TargetOptions } from '../model-target.ts';

/** `name=target`, or a target from which the name is derived. */
export interface NamedTarget {
  readonly name: string;
  readonly target: string;
  /** Its own, which precede those of all. Default: none. */
  readonly options?: Partial<TargetOptions>;
}

/** Reads one argument. Throws `UnsupportedOptionError` for an empty name. */
export function readTarget(argument: string): NamedTarget {
  const [, name, target] = /^([^=/\\]*)=(.+)$/s.exec(argument) ?? [];
  if (name === undefined || target === undefined) return { name: targetName(argument), target: argument };
  if (name === '') throw new UnsupportedOptionError({ option: argument, reason: 'the name is empty' });
  return { name, target };
}

/** `qwen3` for `qwen3.gguf`; models on the Hub and servers keep their names. */
function targetName(target: string): string {
  return /\.gguf$/i.test(target) ? path.basename(target).replace(/\.gguf$/i, '') : target;
}

/** Finds all of them, so that errors are reported before the first request; they are opened later. */
export async function locateAll(
  targets: readonly NamedTarget[],
  options: TargetOptions,
): Promise<readonly ModelEntry[]> {
  const entries: ModelEntry[] = [];
  for (const { name, target, options: own } of targets)
    entries.push(entryOf(name, await locateTarget(target, { ...options, ...own })));
  return entries;
}

function entryOf(name: string, { bytes, open }: LocatedTarget): ModelEntry {
  return { name, bytes, open };
}
