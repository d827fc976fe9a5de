/** Downloads a model from the Hub: resolve, inspect, reject or fetch, verify, move into place. */
import fs from 'node:fs/promises';
import path from 'node:path';
import {
  boolean,
  callback,
  checkOptions,
  integerFrom,
  maxTimer,
  type OptionRules,
  requireOption,
  string,
} from '../format/option-rules.ts';
import {
  blobFile,
  defaultCacheFolder,
  fileSize,
  linkSnapshot,
  modelFolder,
  requireCache,
  snapshotFile,
  writeRef,
} from './cache.ts';
import { checkSpace, type FetchBlobOptions, type FetchStep, fetchBlob } from './fetch-blob.ts';
import { createHub, type Hub, type HubOptions, hubRules } from './hub-client.ts';
import { modelReference } from './hub-rules.ts';
import {
  inspectRemote,
  type ModelCard,
  type ObserveCapabilities,
  requireToolSupport,
} from './inspect-model.ts';
import { makeFolder } from './make-folder.ts';
import { observeTemplate } from './observe-template.ts';
import { type ModelReference, parseModelReference } from './reference.ts';
import { type RemoteFile, type ResolvedModel, resolveModel } from './resolve-model.ts';

/** Options of `pullModel`. */
export interface PullOptions extends HubOptions {
  /** How the capabilities of a chat template are determined. Default: by rendering it with sample conversations. */
  readonly observe?: ObserveCapabilities;
  /** Rejects models that cannot call tools. Default true. */
  readonly requireTools?: boolean;
  /** Folder of the cache. Default: the one shared by the Hub's tools. */
  readonly cache?: string;
  /** Parallel connections. Default 4. */
  readonly connections?: number;
  /** Bytes per chunk. Default 8 MiB. If it changed, a partial download starts over. */
  readonly chunkSize?: number;
  /** Milliseconds without data after which a connection is dropped. Default 30,000. */
  readonly stallMs?: number;
  /** Pause before the first retry of a broken connection, in milliseconds. Default 500. */
  readonly retryMs?: number;
  /** Called with the events, in order. */
  readonly onEvent?: (event: PullEvent) => void;
}

const milliseconds = integerFrom(0, maxTimer);

/** Rules for the options of `pullModel` and `obtainModel`. */
export const pullRules: OptionRules<PullOptions> = {
  ...hubRules,
  observe: callback,
  requireTools: boolean,
  cache: string,
  connections: integerFrom(1, 256),
  chunkSize: integerFrom(1, Number.MAX_SAFE_INTEGER),
  stallMs: milliseconds,
  retryMs: milliseconds,
  onEvent: callback,
};

/** An event of a pull. */
export type PullEvent =
  | { readonly type: 'resolved'; readonly resolved: ResolvedModel }
  | { readonly type: 'inspected'; readonly card: ModelCard }
  | { readonly type: 'file'; readonly file: RemoteFile; readonly step: FetchStep }
  /** The disk allows no links, so the file is there twice: under its hash, and at `path`. */
  | { readonly type: 'copied'; readonly file: RemoteFile; readonly path: string };

/** A model on the disk. */
export interface PulledModel {
  readonly resolved: ResolvedModel;
  readonly card: ModelCard;
  /** Paths of the model's files; load the first one. */
  readonly files: readonly [string, ...string[]];
  /**
   * How the files were verified against the Hub's hashes: `computed` during this pull, or for at least one file
   * `remembered` from an earlier one, since when it was unchanged.
   */
  readonly hashes: 'computed' | 'remembered';
}

/**
 * Downloads a model, unless it is cached. Nothing is downloaded before its header has shown that it can call tools.
 * Throws the errors of this folder's `errors.ts`, `ModelFileError` and `ToolsUnsupportedError`;
 * `UnsupportedOptionError` for an invalid option.
 */
export async function pullModel(
  reference: string | ModelReference,
  options: PullOptions = {},
): Promise<PulledModel> {
  requireOption('reference', reference, modelReference);
  checkOptions(options, pullRules);
  const wanted = typeof reference === 'string' ? parseModelReference(reference) : reference;
  try {
    return await lookAndFetch(wanted, options);
  } catch (error) {
    // Errors caused by the abort are not errors of the Hub.
    options.signal?.throwIfAborted();
    throw error;
  }
}

async function lookAndFetch(wanted: ModelReference, options: PullOptions): Promise<PulledModel> {
  const hub = createHub(options);
  await requireCache(options.cache ?? defaultCacheFolder());
  const resolved = await resolveModel(hub, wanted);
  options.onEvent?.({ type: 'resolved', resolved });
  const card = await inspectRemote(hub, resolved, options.observe ?? observeTemplate);
  options.onEvent?.({ type: 'inspected', card });
  if (options.requireTools ?? true) requireToolSupport(card);
  return { resolved, card, ...(await fetchFiles(hub, resolved, options)) };
}

async function fetchFiles(
  hub: Hub,
  resolved: ResolvedModel,
  options: PullOptions,
): Promise<Pick<PulledModel, 'files' | 'hashes'>> {
  const cache = options.cache ?? defaultCacheFolder();
  const { model, revision, commit, choice } = resolved;
  await checkSpaceForAll(cache, model, choice.chosen.files);
  const place = { cache, model, signal: options.signal };
  let hashes: PulledModel['hashes'] = 'computed';
  const fetchFile = async (file: RemoteFile): Promise<string> => {
    const onStep = (step: FetchStep): void => {
      if (step.type === 'cached' && step.hash === 'remembered') hashes = step.hash;
      options.onEvent?.({ type: 'file', file, step });
    };
    const blob = await fetchBlob(file, { ...fetchOptions(hub, resolved, cache, options), onStep });
    const name = snapshotFile(cache, model, commit, file.path);
    const kind = await linkSnapshot(blob, name, place);
    if (kind === 'copy') options.onEvent?.({ type: 'copied', file, path: name });
    return name;
  };
  const [first, ...rest] = choice.chosen.files;
  const files: [string, ...string[]] = [await fetchFile(first)];
  // One file after the other; within each, connections are parallel.
  for (const file of rest) files.push(await fetchFile(file));
  await writeRef(revision, commit, place);
  return { files, hashes };
}

function fetchOptions(
  hub: Hub,
  { model, revision }: ResolvedModel,
  cache: string,
  options: PullOptions,
): Omit<FetchBlobOptions, 'onStep'> {
  return {
    cache,
    model,
    fetch: hub.fileFetch({ model, revision }),
    connections: options.connections ?? 4,
    chunkSize: options.chunkSize ?? 8 * 1024 * 1024,
    stallMs: options.stallMs ?? 30_000,
    retryMs: options.retryMs ?? 500,
    signal: options.signal,
  };
}

/** All shards must fit, not only the next one. Interrupted downloads are counted per file later. */
async function checkSpaceForAll(cache: string, model: string, files: readonly RemoteFile[]): Promise<void> {
  const blobs = path.join(modelFolder(cache, model), 'blobs');
  await makeFolder(blobs);
  let needed = 0;
  for (const file of files) {
    const blob = blobFile(cache, model, file.hash);
    const there = (await fileSize(blob)) === file.size ? file.size : await allocatedBytes(`${blob}.idiolect`);
    needed += Math.max(0, file.size - there);
  }
  await checkSpace(blobs, needed);
}

/** Bytes that a file really takes on the disk, because partial files are sparse. */
async function allocatedBytes(file: string): Promise<number> {
  const stats = await fs.stat(file).catch(() => null);
  return (stats?.blocks ?? 0) * 512;
}
