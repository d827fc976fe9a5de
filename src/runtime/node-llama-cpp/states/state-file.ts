/**
 * The file of a saved state: a header of ours, and what llama.cpp wrote. llama.cpp reads a state of another model as
 * it comes, which can end the process, so that nothing reaches it that the header does not vouch for: the model, the
 * engine's version, the number of tokens, every byte. A hash finds damage and mistakes; it is a signature only
 * with a secret, because anyone who can write a state can write its hash, too.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { StateFileError } from '../../../format/errors.ts';
import { parseObject } from '../../../format/json-values.ts';

/** The first bytes of the file; the number is the version of its header. */
const magic = 'idiolect state 2\n';
/** Bytes of the header, magic included. */
const headerSize = 1024;
const chunkSize = 1 << 20;
/** llama.cpp's `LLAMA_STATE_SEQ_MAGIC`. */
const engineMagic = 0x67677371;

/** What a state was made with; one that was made with anything else is refused. */
export interface StateOrigin {
  /** Hash that stands for the model's files and adapters. */
  readonly model: string;
  /** Versions of node-llama-cpp and llama.cpp. */
  readonly engine: string;
  /** How many sequences its context had: with attention, llama.cpp reads a state only into as many. */
  readonly sequences: number;
  /** What the file is signed with; `null` for no signature. */
  readonly secret: string | null;
}

interface Digest {
  update(bytes: string | Uint8Array): unknown;
  digest(encoding: 'hex'): string;
}

interface Header extends Omit<StateOrigin, 'secret'> {
  /** How many tokens have been evaluated. */
  readonly tokens: number;
  /** Size of what llama.cpp wrote. */
  readonly bytes: number;
  /** A secret went into the hash. */
  readonly sealed: boolean;
  /** SHA-256 of what stands above and of what llama.cpp wrote; of the secret too, as HMAC. */
  readonly hash: string;
}

/** What may be loaded. */
export interface StateLimits extends StateOrigin {
  /** Tokens that a sequence holds. */
  readonly mostTokens: number;
  readonly vocabularySize: number;
}

/**
 * Writes a state of `tokens` tokens to `file`, which is replaced at once and as a whole; `save` lets the engine write
 * to a path. Returns the file's size in bytes. Throws `StateFileError` where it cannot be written.
 */
export async function writeStateFile(
  file: string,
  origin: StateOrigin & { readonly tokens: number },
  save: (payload: string) => Promise<unknown>,
): Promise<number> {
  return inFolder(path.dirname(path.resolve(file)), file, async (folder) => {
    const [payload, whole] = [path.join(folder, 'payload'), path.join(folder, 'state')];
    await save(payload);
    const written = await copy(payload, 0, whole, headerSize, hashOf(origin));
    const { model, engine, sequences, tokens, secret } = origin;
    const header = { model, engine, sequences, tokens, sealed: secret !== null, ...written };
    const target = await fs.open(whole, 'r+');
    try {
      await target.write(headerBytes(header), 0, headerSize, 0);
      await target.sync();
    } finally {
      await target.close();
    }
    await fs.rename(whole, file);
    return headerSize + written.bytes;
  });
}

/**
 * Hands the state in `file` to `load`, as a path for the engine and the tokens that it holds, once everything is
 * checked. Throws `StateFileError` before that for what is not a state, is damaged, or was made with something else.
 */
export async function readStateFile<Result>(
  file: string,
  limits: StateLimits,
  load: (payload: string, tokens: readonly number[]) => Promise<Result>,
): Promise<Result> {
  const header = await readHeader(file);
  requireFit(file, header, limits);
  // A copy in a folder that nobody else may open: what was checked is what the engine gets.
  return inFolder(os.tmpdir(), file, async (folder) => {
    const payload = path.join(folder, 'payload');
    const { tokens } = header;
    const { bytes, hash } = await copy(file, headerSize, payload, 0, hashOf({ ...limits, tokens }));
    if (bytes !== header.bytes || !isEqual(hash, header.hash)) throw damaged(file);
    return load(payload, await readTokens(file, payload, header, limits));
  });
}

/** Begun with what the header says. */
function hashOf(origin: StateOrigin & { readonly tokens: number }): Digest {
  const { model, engine, sequences, tokens, secret } = origin;
  const digest: Digest = secret === null ? createHash('sha256') : createHmac('sha256', secret);
  digest.update(JSON.stringify([model, engine, sequences, tokens]));
  return digest;
}

function isEqual(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

function headerBytes(header: Header): Uint8Array {
  const text = `${magic}${JSON.stringify(header)}`;
  return Buffer.from(`${text.padEnd(headerSize - 1)}\n`, 'latin1');
}

async function readHeader(file: string): Promise<Header> {
  const { text, size } = await readStart(file);
  if (!text.startsWith(magic)) {
    throw new StateFileError({ file, reason: 'is not a state saved by this version' });
  }
  const header = parse(text.slice(magic.length));
  if (header === null || header.bytes !== size - headerSize) throw damaged(file);
  return header;
}

async function readStart(file: string): Promise<{ readonly text: string; readonly size: number }> {
  // A pipe or a device would block the open, so its kind is asked for first.
  const stats = await fs.stat(file).catch(() => null);
  if (stats?.isFile() !== true) throw new StateFileError({ file, reason: 'no such file' });
  const source = await fs.open(file, 'r').catch((cause: unknown) => {
    throw new StateFileError({ file, reason: 'cannot be opened', cause });
  });
  try {
    const bytes = Buffer.alloc(headerSize);
    const { bytesRead } = await source.read(bytes, 0, headerSize, 0);
    return { text: bytes.toString('latin1', 0, bytesRead), size: (await source.stat()).size };
  } finally {
    await source.close();
  }
}

/** `null` for what is not a header. */
function parse(json: string): Header | null {
  const value = parseObject(json);
  if (value === null) return null;
  const { model, engine, sequences, tokens, bytes, hash, sealed } = value;
  if (typeof model !== 'string' || typeof engine !== 'string' || typeof hash !== 'string') return null;
  if (!isCount(sequences) || !isCount(tokens) || !isCount(bytes)) return null;
  if (typeof sealed !== 'boolean' || !isAscii(hash)) return null;
  return { model, engine, sequences, tokens, bytes, hash, sealed };
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

function requireFit(file: string, header: Header, limits: StateLimits): void {
  const { model, engine, sequences, tokens, sealed } = header;
  if (sealed !== (limits.secret !== null)) {
    const reason = sealed
      ? 'was saved with a secret; give it'
      : 'was saved without a secret, and is not signed';
    throw new StateFileError({ file, reason });
  }
  if (model !== limits.model) {
    const reason = 'is the state of another model, or of other adapters; load the one that it was saved with';
    throw new StateFileError({ file, reason });
  }
  if (engine !== limits.engine) {
    const reason = `was saved by ${quoted(engine)}, and this is ${quoted(limits.engine)}; evaluate the conversation again`;
    throw new StateFileError({ file, reason });
  }
  if (sequences !== limits.sequences) {
    const reason = `was saved with sequences: ${sequences}, and this model has sequences: ${limits.sequences}; load it with as many`;
    throw new StateFileError({ file, reason });
  }
  if (tokens > limits.mostTokens) {
    const reason = `holds ${tokens} tokens, and the context has room for ${limits.mostTokens}; load the model with a larger contextSize`;
    throw new StateFileError({ file, reason });
  }
}

/** What a file says of itself may be anything. */
function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}

/** The tokens with which llama.cpp's part begins: magic number, version, count, tokens, 32 bits each. */
async function readTokens(
  file: string,
  payload: string,
  { tokens: count }: Header,
  { vocabularySize }: StateLimits,
): Promise<readonly number[]> {
  const source = await fs.open(payload, 'r');
  try {
    const bytes = Buffer.alloc(4 * (3 + count));
    const { bytesRead } = await source.read(bytes, 0, bytes.length, 0);
    if (bytesRead < bytes.length) throw damaged(file);
    const words = Array.from({ length: 3 + count }, (_, index) => bytes.readUInt32LE(4 * index));
    const [first, , declared, ...tokens] = words;
    if (first !== engineMagic || declared !== count) throw damaged(file);
    if (tokens.some((token) => token >= vocabularySize)) throw damaged(file);
    return tokens;
  } finally {
    await source.close();
  }
}

function damaged(file: string): StateFileError {
  return new StateFileError({
    file,
    reason: 'is damaged, was cut short, or signed with another secret; evaluate the conversation again',
  });
}

/** Copies `source` from a place on to a place in `target`, which is made. */
async function copy(
  source: string,
  from: number,
  target: string,
  to: number,
  digest: Digest,
): Promise<Pick<Header, 'bytes' | 'hash'>> {
  const [input, output] = [await fs.open(source, 'r'), await fs.open(target, 'wx', 0o600)];
  try {
    const chunk = Buffer.alloc(chunkSize);
    let bytes = 0;
    while (true) {
      const { bytesRead } = await input.read(chunk, 0, chunkSize, from + bytes);
      if (bytesRead === 0) return { bytes, hash: digest.digest('hex') };
      const read = chunk.subarray(0, bytesRead);
      digest.update(read);
      await output.write(read, 0, bytesRead, to + bytes);
      bytes += bytesRead;
    }
  } finally {
    await input.close();
    await output.close();
  }
}

/** Does `work` in a folder of its own; what the file system refuses is told as an error of `file`. */
async function inFolder<Result>(
  parent: string,
  file: string,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  let folder: string | null = null;
  try {
    folder = await fs.mkdtemp(path.join(parent, '.idiolect-state-'));
    return await work(folder);
  } catch (cause) {
    if (!isSystemError(cause)) throw cause;
    throw new StateFileError({ file, reason: `cannot be read or written: ${cause.message}`, cause });
  } finally {
    if (folder !== null) await fs.rm(folder, { recursive: true, force: true });
  }
}

function isSystemError(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error;
}
