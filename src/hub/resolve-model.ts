/** Resolves a model's name to exact files: commit, file, size and hash. */
import { type ListFileEntry, listFiles, modelInfo } from '@huggingface/hub';
import { IdiolectError } from '../format/errors.ts';
import { chooseModel, type FileChoice } from './choose-file.ts';
import type { ContentHash } from './content-hash.ts';
import {
  GatedModelError,
  HubUnavailableError,
  UnsafeFileNameError,
  UnverifiableFileError,
} from './errors.ts';
import type { Hub } from './hub-client.ts';
import type { ModelReference } from './reference.ts';

/** A file of a model, and its expected hash. */
export interface RemoteFile {
  /** Path in the repository, with slashes; safe to join to a folder. */
  readonly path: string;
  /** Bytes. */
  readonly size: number;
  readonly hash: ContentHash;
  /** Its address: on the Hub's host, by commit. */
  readonly url: string;
}

/** A resolved model: all further steps concern exactly these bytes. */
export interface ResolvedModel {
  /** `owner/name` as the Hub spells it. */
  readonly model: string;
  /** The requested revision; `main` if none was. */
  readonly revision: string;
  readonly commit: string;
  readonly gated: boolean;
  readonly choice: FileChoice<RemoteFile>;
}

/** More files than any repository of models has, against endless listings. */
const maxFiles = 50_000;

/**
 * Asks the Hub for the model and chooses its files. Throws the typed errors of `errors.ts`; a gated model without a
 * token fails here, before anything else is requested.
 */
export async function resolveModel(hub: Hub, reference: ModelReference): Promise<ResolvedModel> {
  const subject = { model: reference.model, revision: reference.revision };
  const request = hub.apiFetch(subject);
  const info = await unlessMalformed(hub, () =>
    modelInfo({
      name: reference.model,
      revision: reference.revision ?? 'main',
      additionalFields: ['sha'],
      hubUrl: hub.endpoint,
      fetch: request,
    }),
  );
  if (info.gated && !hub.hasToken) {
    throw new GatedModelError({ model: reference.model, page: hub.page(reference.model) });
  }
  const commit = hexadecimal(hub, info.sha, 40);
  const entries = await unlessMalformed(hub, () => listAll(hub, reference.model, commit, request));
  const files = entries.map((entry) => remoteFile(hub, reference.model, commit, entry));
  return {
    model: reference.model,
    revision: reference.revision ?? 'main',
    commit,
    gated: Boolean(info.gated),
    choice: requireHashes(chooseModel(files, reference)),
  };
}

async function listAll(
  hub: Hub,
  model: string,
  commit: string,
  request: typeof fetch,
): Promise<ListFileEntry[]> {
  const listing = { repo: { type: 'model', name: model }, revision: commit, recursive: true } as const;
  const entries: ListFileEntry[] = [];
  let seen = 0;
  for await (const entry of listFiles({ ...listing, hubUrl: hub.endpoint, fetch: request })) {
    if (++seen > maxFiles) throw new TypeError(`more than ${maxFiles} files`);
    // The Hub may return anything as a path.
    const isNamed = typeof entry.path === 'string' && /\.gguf$/i.test(entry.path);
    if (entry.type === 'file' && isNamed) entries.push(entry);
  }
  return entries;
}

type UncheckedFile = Omit<RemoteFile, 'hash'> & { readonly hash: ContentHash | null };

function remoteFile(hub: Hub, model: string, commit: string, entry: ListFileEntry): UncheckedFile {
  const { path } = entry;
  checkFileName(model, path);
  const size = entry.lfs?.size ?? entry.size;
  if (!Number.isSafeInteger(size) || size < 0) throw unexpected(hub, `gives no size of ${path}`);
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  return { path, size, hash: hashOf(entry), url: `${hub.endpoint}/${model}/resolve/${commit}/${encoded}` };
}

function hashOf(entry: ListFileEntry): ContentHash | null {
  const sha256 = /^(?:sha256:)?([0-9a-f]{64})$/.exec(entry.lfs?.oid ?? '')?.[1];
  if (sha256 !== undefined) return { algorithm: 'sha256', value: sha256 };
  const sha1 = entry.lfs === undefined ? /^[0-9a-f]{40}$/.exec(entry.oid ?? '')?.[0] : undefined;
  return sha1 === undefined ? null : { algorithm: 'git-sha1', value: sha1 };
}

/** A file that cannot be verified must not be chosen; other files do not matter. */
function requireHashes(choice: FileChoice<UncheckedFile>): FileChoice<RemoteFile> {
  const verified = (file: UncheckedFile): RemoteFile => {
    if (file.hash === null) throw new UnverifiableFileError({ fileName: file.path });
    return { ...file, hash: file.hash };
  };
  const [first, ...rest] = choice.chosen.files;
  return { ...choice, chosen: { ...choice.chosen, files: [verified(first), ...rest.map(verified)] } };
}

/**
 * Throws unless the path stays inside its folder on every platform: relative, without `..`, backslashes, drive
 * letters, control characters, halves of characters, or Windows' device names.
 */
function checkFileName(model: string, path: string): void {
  const device = /^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³])(?:\.|$)/i;
  const safe = path
    .split('/')
    .every(
      (part) => /^[^\p{Cc}\p{Cs}<>:"|?*\\]+$/u.test(part) && !/^\.+$|[. ]$/.test(part) && !device.test(part),
    );
  if (!safe || path.length > 512) throw new UnsafeFileNameError({ model, fileName: path });
}

function hexadecimal(hub: Hub, value: unknown, length: number): string {
  if (typeof value === 'string' && value.length === length && /^[0-9a-f]+$/.test(value)) return value;
  throw unexpected(hub, 'gives no commit of the model');
}

function unexpected(hub: Hub, reason: string, cause?: unknown): HubUnavailableError {
  return new HubUnavailableError({ host: new URL(hub.endpoint).host, reason, cause });
}

/** An answer that is not JSON, or not of the Hub's shape, is an error of the Hub. */
async function unlessMalformed<T>(hub: Hub, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    if (cause instanceof IdiolectError) throw cause;
    throw unexpected(hub, 'does not answer as the Hub does', cause);
  }
}
