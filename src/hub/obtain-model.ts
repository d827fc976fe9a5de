/** Obtains a model by any name: a local file, or a model on the Hub. */
import fs from 'node:fs/promises';
import { ModelFileError } from '../format/errors.ts';
import { checkOptions, type OptionRules, orNull, requireOption, string } from '../format/option-rules.ts';
import { defaultCacheFolder, fileSize } from './cache.ts';
import { type CachedModel, findCachedModel } from './cached-models.ts';
import { HubOfflineError, HubUnavailableError } from './errors.ts';
import { createHub, type HubOptions } from './hub-client.ts';
import {
  inspectFile,
  inspectRemote,
  type ModelCard,
  type ObserveCapabilities,
  requireToolSupport,
} from './inspect-model.ts';
import { folderReason, localPath, missingReason } from './local-file.ts';
import { observeTemplate } from './observe-template.ts';
import { type PullOptions, pullModel, pullRules } from './pull-model.ts';
import { looksLikeReference, type ModelReference, parseModelReference } from './reference.ts';
import { resolveModel } from './resolve-model.ts';

/** Options of `inspectModel`; those of `obtainModel` are allowed, too. */
export interface InspectOptions extends HubOptions {
  /** Which file of a repository. */
  readonly file?: string | null;
  /** How the capabilities of a chat template are determined. Default: by rendering it with sample conversations. */
  readonly observe?: ObserveCapabilities;
  /** Folder of the cache, used if the Hub cannot be contacted. Default: the one shared by the Hub's tools. */
  readonly cache?: string;
}

/** So that the same options can be passed to both functions. */
const inspectRules: OptionRules<InspectOptions & PullOptions> = { ...pullRules, file: orNull(string) };

/**
 * The card of a model, without downloading it. If the Hub is down or must not be contacted, the card of the cached
 * model. Throws `ModelFileError` if there is neither such a file nor such a name, and the errors of the Hub.
 */
export async function inspectModel(target: string, options: InspectOptions = {}): Promise<ModelCard> {
  requireOption('target', target, string);
  checkOptions(options, inspectRules);
  const observe = options.observe ?? observeTemplate;
  const reference = await readTarget(target);
  if (typeof reference === 'string') return inspectFile(reference, observe);
  const wanted = { ...reference, file: options.file ?? reference.file };
  try {
    const hub = createHub(options);
    return await inspectRemote(hub, await resolveModel(hub, wanted), observe);
  } catch (error) {
    const cached = await cachedInstead(error, wanted, options.cache);
    return inspectFile(cached.files[0], observe);
  }
}

/**
 * The cached model, if `error` means that the Hub is down or must not be contacted. Throws `error` otherwise, or if
 * nothing is cached.
 */
export async function cachedInstead(
  error: unknown,
  wanted: ModelReference,
  cache = defaultCacheFolder(),
): Promise<CachedModel> {
  if (!(error instanceof HubOfflineError || error instanceof HubUnavailableError)) throw error;
  const cached = await findCachedModel(cache, wanted);
  if (cached === null) throw error;
  return cached;
}

/** Options of `obtainModel`: those of `pullModel`. */
export type ObtainOptions = PullOptions;

/** A model that can be loaded. */
export interface ObtainedModel {
  /** Path of the file to load. */
  readonly file: string;
  readonly card: ModelCard;
}

/**
 * Ensures that a model is on this disk: a file is used as it is, a model on the Hub comes from the cache or else from
 * `pullModel`. Cached models are used without contacting the Hub. A model that cannot call tools is rejected with
 * `ToolsUnsupportedError`, unless `requireTools` is false.
 */
export async function obtainModel(target: string, options: ObtainOptions = {}): Promise<ObtainedModel> {
  requireOption('target', target, string);
  checkOptions(options, pullRules);
  const reference = await readTarget(target);
  const cache = options.cache ?? defaultCacheFolder();
  const file =
    typeof reference === 'string' ? reference : (await findCachedModel(cache, reference))?.files[0];
  if (file === undefined) {
    const { files, card } = await pullModel(target, options);
    return { file: files[0], card };
  }
  const card = await inspectFile(file, options.observe ?? observeTemplate);
  if (options.requireTools ?? true) requireToolSupport(card);
  return { file, card };
}

/** The path of a local file, or the reference of a model on the Hub. */
async function readTarget(target: string): Promise<string | ModelReference> {
  const file = localPath(target);
  if ((await fileSize(file)) !== null) return file;
  if (looksLikeReference(target)) return parseModelReference(target);
  const isFolder = await fs.stat(file).then(
    (found) => found.isDirectory(),
    () => false,
  );
  const reason = isFolder ? folderReason : missingReason(target);
  throw new ModelFileError({ file: target, reason });
}
