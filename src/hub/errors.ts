/** What can go wrong between a model's name and its bytes: one class per thing that a caller would do differently. */
import { IdiolectError } from '../format/errors.ts';

/** What a person typed is no model reference. */
export class ModelReferenceError extends IdiolectError {
  readonly code = 'model-reference';
  readonly reference: string;
  constructor(facts: { reference: string; reason: string }) {
    super(
      `${JSON.stringify(facts.reference)} is no model of the Hub: ${facts.reason} (write owner/name, owner/name:Q5_K_M or owner/name@revision)`,
    );
    this.reference = facts.reference;
  }
}

/** The model is gated and no token was given. */
export class GatedModelError extends IdiolectError {
  readonly code = 'gated-model';
  readonly model: string;
  /** Where the licence can be accepted. */
  readonly page: string;
  constructor(facts: { model: string; page: string }) {
    super(
      `${facts.model} is gated: accept its terms at ${facts.page}, then log in with \`hf auth login\`, or set HF_TOKEN to an access token of your account`,
    );
    this.model = facts.model;
    this.page = facts.page;
  }
}

/** A valid token, but its account has not (yet) been granted access to the gated model. */
export class LicenceNotAcceptedError extends IdiolectError {
  readonly code = 'licence-not-accepted';
  readonly model: string;
  readonly page: string;
  constructor(facts: { model: string; page: string }) {
    super(
      `${facts.model} is gated and the account of your token has no access: accept its terms at ${facts.page} and try again`,
    );
    this.model = facts.model;
    this.page = facts.page;
  }
}

/** The Hub refuses the token: it is wrong, expired, or lacks the right to read this model. */
export class HubUnauthorizedError extends IdiolectError {
  readonly code = 'hub-unauthorized';
  readonly model: string;
  readonly status: number;
  constructor(facts: { model: string; status: number }) {
    super(
      `the Hub refuses the access token (HF_TOKEN, or that of \`hf auth login\`) for ${facts.model} (status ${facts.status}): check that it is valid and may read this model`,
    );
    this.model = facts.model;
    this.status = facts.status;
  }
}

/** There is no such model, or it is private and cannot be seen. */
export class ModelNotFoundError extends IdiolectError {
  readonly code = 'model-not-found';
  readonly model: string;
  constructor(facts: { model: string; hasToken: boolean }) {
    super(
      facts.hasToken
        ? `there is no model ${facts.model} that the account of your token may see: check the spelling`
        : `there is no public model ${facts.model}: check the spelling, or set HF_TOKEN if it is private`,
    );
    this.model = facts.model;
  }
}

/** The model has no such branch, tag or commit. */
export class RevisionNotFoundError extends IdiolectError {
  readonly code = 'revision-not-found';
  readonly model: string;
  readonly revision: string;
  constructor(facts: { model: string; revision: string }) {
    super(
      `${facts.model} has no revision ${JSON.stringify(facts.revision)}: leave it out for the newest version`,
    );
    this.model = facts.model;
    this.revision = facts.revision;
  }
}

/** Too many requests. `waitSeconds` is how long the Hub asks to wait, where it says so. */
export class RateLimitedError extends IdiolectError {
  readonly code = 'rate-limited';
  readonly waitSeconds: number | null;
  constructor(facts: { waitSeconds: number | null }) {
    const wait = facts.waitSeconds === null ? 'a while' : `${facts.waitSeconds} s`;
    super(`the Hub asks to slow down: try again in ${wait} (with HF_TOKEN set, limits are higher)`);
    this.waitSeconds = facts.waitSeconds;
  }
}

/** The Hub cannot be reached, or does not answer as the Hub does. Trying again may help. */
export class HubUnavailableError extends IdiolectError {
  readonly code = 'hub-unavailable';
  /** Host that was asked. */
  readonly host: string;
  readonly reason: string;
  constructor(facts: { host: string; reason: string; cause?: unknown }) {
    super(`${facts.host}: ${facts.reason}`, { cause: facts.cause });
    this.host = facts.host;
    this.reason = facts.reason;
  }
}

/** A redirect that is not followed: facts from another host, or an unprotected connection. */
export class UnsafeRedirectError extends IdiolectError {
  readonly code = 'unsafe-redirect';
  readonly from: string;
  readonly to: string;
  constructor(facts: { from: string; to: string; reason: string }) {
    super(`${facts.from} redirects to ${facts.to}, which is not followed: ${facts.reason}`);
    this.from = facts.from;
    this.to = facts.to;
  }
}

/** The repository holds no GGUF model. */
export class NoGgufError extends IdiolectError {
  readonly code = 'no-gguf';
  readonly model: string;
  /** GGUF files that are there but are no models by themselves: projectors, drafts, incomplete shards. */
  readonly passedOver: readonly string[];
  constructor(facts: { model: string; passedOver: readonly string[] }) {
    const rest = facts.passedOver.length === 0 ? '' : ` (passed over: ${facts.passedOver.join(', ')})`;
    super(
      `${facts.model} holds no GGUF model${rest}: look for a repository of the same name that ends in -GGUF`,
    );
    this.model = facts.model;
    this.passedOver = facts.passedOver;
  }
}

/** The asked file or quantisation is not among the model's files. */
export class FileNotFoundError extends IdiolectError {
  readonly code = 'file-not-found';
  readonly model: string;
  readonly wanted: string;
  readonly available: readonly string[];
  constructor(facts: { model: string; wanted: string; available: readonly string[] }) {
    super(`${facts.model} has no ${facts.wanted}; it has ${facts.available.join(', ') || 'no GGUF files'}`);
    this.model = facts.model;
    this.wanted = facts.wanted;
    this.available = facts.available;
  }
}

/** Several files would do, and nothing says which one is meant. */
export class AmbiguousFileError extends IdiolectError {
  readonly code = 'ambiguous-file';
  readonly model: string;
  readonly candidates: readonly string[];
  constructor(facts: { model: string; candidates: readonly string[] }) {
    super(`${facts.model} has several models: choose one with --file: ${facts.candidates.join(', ')}`);
    this.model = facts.model;
    this.candidates = facts.candidates;
  }
}

/** A repository names a file in a way that could write outside its folder. */
export class UnsafeFileNameError extends IdiolectError {
  readonly code = 'unsafe-file-name';
  readonly model: string;
  readonly fileName: string;
  constructor(facts: { model: string; fileName: string }) {
    super(
      `${facts.model} names a file ${JSON.stringify(facts.fileName)}, which could write outside its folder: do not use this repository`,
    );
    this.model = facts.model;
    this.fileName = facts.fileName;
  }
}

/** A file of the Hub without a hash of its content, which therefore cannot be verified. */
export class UnverifiableFileError extends IdiolectError {
  readonly code = 'unverifiable-file';
  readonly fileName: string;
  constructor(facts: { fileName: string }) {
    super(`the Hub tells no hash of ${facts.fileName}, so it cannot be verified and is not downloaded`);
    this.fileName = facts.fileName;
  }
}

/** The downloaded bytes are not those that the Hub's hash promises. */
export class ChecksumMismatchError extends IdiolectError {
  readonly code = 'checksum-mismatch';
  readonly fileName: string;
  readonly expected: string;
  readonly actual: string;
  /** Where the wrong bytes were put. */
  readonly quarantined: string;
  constructor(facts: { fileName: string; expected: string; actual: string; quarantined: string }) {
    super(
      `${facts.fileName} is corrupt: its hash is ${facts.actual}, the Hub promises ${facts.expected}; the bytes are kept in ${facts.quarantined}; pull again to fetch it anew`,
    );
    this.fileName = facts.fileName;
    this.expected = facts.expected;
    this.actual = facts.actual;
    this.quarantined = facts.quarantined;
  }
}

/** The connection broke, stalled or sent other than the asked bytes, more often than we try again. */
export class DownloadInterruptedError extends IdiolectError {
  readonly code = 'download-interrupted';
  readonly fileName: string;
  readonly reason: string;
  constructor(facts: { fileName: string; reason: string; cause?: unknown }) {
    super(
      `the download of ${facts.fileName} broke off: ${facts.reason}; pull again to go on where it stopped`,
      { cause: facts.cause },
    );
    this.fileName = facts.fileName;
    this.reason = facts.reason;
  }
}

/** There is not enough room for the model. */
export class DiskFullError extends IdiolectError {
  readonly code = 'disk-full';
  readonly folder: string;
  /** Bytes still to be written, and bytes that are free; `null` where the disk filled up on the way. */
  readonly needed: number | null;
  readonly free: number | null;
  constructor(facts: { folder: string; needed: number | null; free: number | null; cause?: unknown }) {
    const figures =
      facts.needed === null || facts.free === null
        ? ''
        : ` (${facts.needed} bytes are needed, ${facts.free} are free)`;
    super(`${facts.folder} has no room for the model${figures}: free some space or set HF_HOME elsewhere`, {
      cause: facts.cause,
    });
    this.folder = facts.folder;
    this.needed = facts.needed;
    this.free = facts.free;
  }
}

/** The file is a GGUF file, but not a language model: a projector, an adapter, a matrix. */
export class NotAModelError extends IdiolectError {
  readonly code = 'not-a-model';
  readonly file: string;
  readonly kind: string;
  constructor(facts: { file: string; kind: string }) {
    super(
      `${facts.file} is no language model but ${facts.kind}: choose another file of the repository with --file`,
    );
    this.file = facts.file;
    this.kind = facts.kind;
  }
}

/** The cache holds no such model. */
export class ModelNotCachedError extends IdiolectError {
  readonly code = 'model-not-cached';
  readonly model: string;
  /** What of that model it does hold. */
  readonly available: readonly string[];
  constructor(facts: { model: string; wanted: string | null; available: readonly string[] }) {
    const what = facts.wanted === null ? facts.model : `${facts.wanted} of ${facts.model}`;
    const rest = facts.available.length === 0 ? '' : ` (it holds ${facts.available.join(', ')})`;
    super(`the cache does not hold ${what}${rest}: see \`idiolect list\``);
    this.model = facts.model;
    this.available = facts.available;
  }
}
