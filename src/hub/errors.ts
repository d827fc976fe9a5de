/** Errors between a model's name and its bytes: one class for each way in which a caller would react. */
import { errorClass } from '../format/error-class.ts';

/** A text that is not a model reference. */
export class ModelReferenceError extends errorClass(
  'model-reference',
  (facts: { readonly reference: string; readonly reason: string }) =>
    `${JSON.stringify(facts.reference)} is not the name of a model on the Hub: ${facts.reason} (write owner/name, owner/name:Q5_K_M or owner/name@revision)`,
) {}

/** The model is gated, and no token was given. */
export class GatedModelError extends errorClass(
  'gated-model',
  (facts: {
    readonly model: string;
    /** Where the licence can be accepted. */
    readonly page: string;
  }) =>
    `${facts.model} is gated: accept its terms at ${facts.page}, then log in with \`hf auth login\`, or set HF_TOKEN to an access token of your account`,
) {}

/** A valid token, but its account has not (yet) been granted access to the gated model. */
export class LicenceNotAcceptedError extends errorClass(
  'licence-not-accepted',
  (facts: { readonly model: string; readonly page: string }) =>
    `${facts.model} is gated and the account of your token has no access: accept its terms at ${facts.page} and try again`,
) {}

/** The Hub rejects the token: it is wrong, expired, or may not read this model. */
export class HubUnauthorizedError extends errorClass(
  'hub-unauthorized',
  (facts: { readonly model: string; readonly status: number }) =>
    `the Hub refuses the access token (HF_TOKEN, or that of \`hf auth login\`) for ${facts.model} (status ${facts.status}): check that it is valid and may read this model`,
) {}

/** There is no such model, or it is private. */
export class ModelNotFoundError extends errorClass(
  'model-not-found',
  (facts: {
    readonly model: string;
    /** Whether an access token was sent. */
    readonly hasToken: boolean;
  }) =>
    facts.hasToken
      ? `there is no model ${facts.model} that the account of your token may see: check the spelling`
      : `there is no public model ${facts.model}: check the spelling, or set HF_TOKEN if it is private`,
) {}

/** The model has no such branch, tag or commit. */
export class RevisionNotFoundError extends errorClass(
  'revision-not-found',
  (facts: { readonly model: string; readonly revision: string }) =>
    `${facts.model} has no revision ${JSON.stringify(facts.revision)}: leave it out for the newest version`,
) {}

/** Too many requests. */
export class RateLimitedError extends errorClass(
  'rate-limited',
  (facts: {
    /** How long the Hub asks to wait; `null` if unknown. */
    readonly waitSeconds: number | null;
  }) =>
    `the Hub asks to slow down: try again in ${facts.waitSeconds === null ? 'a while' : `${facts.waitSeconds} s`} (with HF_TOKEN set, limits are higher)`,
) {}

/** The Hub cannot be reached, or something else answers. A retry may help. */
export class HubUnavailableError extends errorClass(
  'hub-unavailable',
  (facts: {
    /** The host of the request. */
    readonly host: string;
    readonly reason: string;
  }) => `${facts.host}: ${facts.reason}`,
) {}

/** `HF_HUB_OFFLINE` is set, so the Hub is not contacted. */
export class HubOfflineError extends errorClass(
  'hub-offline',
  (facts: { readonly host: string }) =>
    `${facts.host} is not asked, because HF_HUB_OFFLINE is set: unset it, or use what is here (idiolect list)`,
) {}

/** A redirect that is not followed: to another host for metadata, or to an unprotected connection. */
export class UnsafeRedirectError extends errorClass(
  'unsafe-redirect',
  (facts: { readonly from: string; readonly to: string; readonly reason: string }) =>
    `${facts.from} redirects to ${facts.to}, which is not followed: ${facts.reason}`,
) {}

/** The repository has no GGUF model. */
export class NoGgufError extends errorClass(
  'no-gguf',
  ({
    model,
    passedOver,
  }: {
    readonly model: string;
    /** GGUF files that are not models by themselves: projectors, drafts, incomplete shards. */
    readonly passedOver: readonly string[];
  }) => {
    const rest = passedOver.length === 0 ? '' : ` (passed over: ${passedOver.join(', ')})`;
    return `${model} holds no GGUF model${rest}: look for a repository of the same name that ends in -GGUF`;
  },
) {}

/** The requested file or quantisation is not among the model's files. */
export class FileNotFoundError extends errorClass(
  'file-not-found',
  (facts: { readonly model: string; readonly wanted: string; readonly available: readonly string[] }) =>
    `${facts.model} has no ${facts.wanted}; it has ${facts.available.join(', ') || 'no GGUF files'}`,
) {}

/** Several files match, and none is preferred. */
export class AmbiguousFileError extends errorClass(
  'ambiguous-file',
  (facts: { readonly model: string; readonly candidates: readonly string[] }) =>
    `${facts.model} has several models: choose one with --file: ${facts.candidates.join(', ')}`,
) {}

/** A repository names a file in a way that could write outside its folder. */
export class UnsafeFileNameError extends errorClass(
  'unsafe-file-name',
  (facts: { readonly model: string; readonly fileName: string }) =>
    `${facts.model} names a file ${JSON.stringify(facts.fileName)}, which could write outside its folder: do not use this repository`,
) {}

/** A file of the Hub without a content hash, so it cannot be verified. */
export class UnverifiableFileError extends errorClass(
  'unverifiable-file',
  (facts: { readonly fileName: string }) =>
    `the Hub tells no hash of ${facts.fileName}, so it cannot be verified and is not downloaded`,
) {}

/** The downloaded bytes do not have the Hub's hash. */
export class ChecksumMismatchError extends errorClass(
  'checksum-mismatch',
  (facts: {
    readonly fileName: string;
    readonly expected: string;
    readonly actual: string;
    /** The path of the wrong bytes. */
    readonly quarantined: string;
  }) =>
    `${facts.fileName} is corrupt: its hash is ${facts.actual}, the Hub promises ${facts.expected}; the bytes are kept in ${facts.quarantined}; pull again to fetch it anew`,
) {}

/** The connection failed, stalled or sent wrong bytes more often than is retried. */
export class DownloadInterruptedError extends errorClass(
  'download-interrupted',
  (facts: { readonly fileName: string; readonly reason: string }) =>
    `the download of ${facts.fileName} broke off: ${facts.reason}; pull again to continue where it stopped`,
) {}

/** Not enough disk space for the model. */
export class DiskFullError extends errorClass(
  'disk-full',
  ({
    folder,
    needed,
    free,
  }: {
    readonly folder: string;
    /** Bytes still to be written; `null` if the disk filled up during the download. */
    readonly needed: number | null;
    /** Free bytes; `null` if the disk filled up during the download. */
    readonly free: number | null;
  }) => {
    const sizes = needed === null || free === null ? '' : ` (${needed} bytes are needed, ${free} are free)`;
    return `${folder} has no room for the model${sizes}: free some space or set HF_HOME elsewhere`;
  },
) {}

/** The file is a GGUF file, but not a language model: a projector, an adapter, a matrix. */
export class NotAModelError extends errorClass(
  'not-a-model',
  (facts: { readonly file: string; readonly kind: string }) =>
    `${facts.file} is not a language model but ${facts.kind}: choose another file of the repository with --file`,
) {}

/** The cache has no such model. */
export class ModelNotCachedError extends errorClass(
  'model-not-cached',
  ({
    model,
    wanted,
    available,
  }: {
    readonly model: string;
    /** The requested file or quantisation; `null` for any. */
    readonly wanted: string | null;
    /** What the cache has of that model. */
    readonly available: readonly string[];
  }) => {
    const what = wanted === null ? model : `${wanted} of ${model}`;
    const rest = available.length === 0 ? '' : `, which holds ${available.join(', ')}`;
    return `${what} is not in the cache${rest}; \`idiolect list\` shows what is`;
  },
) {}
