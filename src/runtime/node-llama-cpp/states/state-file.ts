/**
 * The file of a saved state: our header, then what llama.cpp wrote. llama.cpp reads a state of another model without
 * checks, which can end the process, so it only gets data that the header vouches for: the model, the engine's
 * version, the number of tokens, every byte. A hash detects damage and mistakes; it is a signature only with a secret,
 * because whoever writes a state can write its hash, too.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { IdiolectError, StateFileError } from '../../../format/errors.ts';
import { parseObject } from '../../../format/json-values.ts';
import { renameFile } from '../../../hub/busy-files.ts';
import { makePrivateFolder } from '../private-folder.ts';

/** The first bytes of the file; the number is the version of the header. */
const magic = 'idiolect state 2\n';
/** Size of the header, including the magic bytes. */
const headerSize = 1024;
const chunkSize = 1 << 20;
/** Bytes of the largest models' keys and values for one token; those of 65B without shared heads are 2.6 MB. */
const maxTokenBytes = 1 << 22;
/** llama.cpp's `LLAMA_STATE_SEQ_MAGIC`. */
const engineMagic = 0x67677371;

/** The origin of a state; a state of any other origin is refused. */
export interface StateOrigin {
  /** Hash that identifies the model's files and adapters. */
  readonly model: string;
  /** Versions of node-llama-cpp and llama.cpp. */
  readonly engine: string;
  /** Number of sequences of its context: with attention, llama.cpp reads a state only into as many. */
  readonly sequences: number;
  /** The secret of the signature; `null` for none. */
  readonly secret: string | null;
}

interface Digest {
  update(bytes: string | Uint8Array): unknown;
  digest(encoding: 'hex'): string;
}

interface StateHeader extends Omit<StateOrigin, 'secret'> {
  /** Number of evaluated tokens. */
  readonly tokens: number;
  /** Size of llama.cpp's part. */
  readonly bytes: number;
  /** Whether the hash includes a secret. */
  readonly sealed: boolean;
  /** SHA-256 of the above and of llama.cpp's part; with a secret, an HMAC. */
  readonly hash: string;
}

/** Limits for loading. */
interface StateLimits extends StateOrigin {
  /** Maximum tokens of a sequence. */
  readonly maxTokens: number;
  readonly vocabularySize: number;
  /** Size of the model, which no recurrent state exceeds. */
  readonly modelBytes: number;
}

/**
 * Writes a state of `tokens` tokens to `file`, atomically; `save` lets the engine write to a path. Returns the file's
 * size in bytes. Throws `StateFileError` if it cannot be written.
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
    await renameFile(whole, file);
    return headerSize + written.bytes;
  });
}

/**
 * Verifies the state in `file` and passes it to `load`, as a path for the engine and the tokens in it. Throws
 * `StateFileError` if the file is not a state, is damaged, or has another origin.
 */
export async function readStateFile<Result>(
  file: string,
  limits: StateLimits,
  load: (payload: string, tokens: readonly number[]) => Promise<Result>,
): Promise<Result> {
  const header = await readHeader(file);
  requireFit(file, header, limits);
  // A copy in a private folder: the engine gets exactly what was verified.
  return inFolder(os.tmpdir(), file, async (folder) => {
    const payload = path.join(folder, 'payload');
    const { tokens } = header;
    const { bytes, hash } = await copy(file, headerSize, payload, 0, hashOf({ ...limits, tokens }));
    if (bytes !== header.bytes || !isEqual(hash, header.hash)) throw damaged(file);
    return load(payload, await readTokens(file, payload, header, limits));
  });
}

/** A hash of the header's facts, to be updated with llama.cpp's part. */
function hashOf(origin: StateOrigin & { readonly tokens: number }): Digest {
  const { model, engine, sequences, tokens, secret } = origin;
  const digest: Digest = secret === null ? createHash('sha256') : createHmac('sha256', secret);
  digest.update(JSON.stringify([model, engine, sequences, tokens]));
  return digest;
}

function isEqual(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

function headerBytes(header: StateHeader): Uint8Array {
  const text = `${magic}${JSON.stringify(header)}`;
  return Buffer.from(`${text.padEnd(headerSize - 1)}\n`, 'latin1');
}

async function readHeader(file: string): Promise<StateHeader> {
  const { text, size } = await readStart(file);
  if (!text.startsWith(magic)) {
    throw new StateFileError({ file, reason: 'is not a state saved by this version' });
  }
  const header = parse(text.slice(magic.length));
  if (header === null || header.bytes !== size - headerSize) throw damaged(file);
  return header;
}

async function readStart(file: string): Promise<{ readonly text: string; readonly size: number }> {
  // Opening a pipe or a device would block, so the kind of file is checked first.
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

/** `null` if it is not a header. */
function parse(json: string): StateHeader | null {
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

function requireFit(file: string, header: StateHeader, limits: StateLimits): void {
  const { model, engine, sequences, tokens, bytes, sealed } = header;
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
  // Before the file is copied: its size may be a lie about a file full of holes.
  if (bytes > tokens * maxTokenBytes + limits.modelBytes) throw damaged(file);
  if (tokens > limits.maxTokens) {
    const reason = `holds ${tokens} tokens, and the context has room for ${limits.maxTokens}; load the model with a larger contextSize`;
    throw new StateFileError({ file, reason });
  }
}

/** Text from a file may contain anything. */
function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 100));
}

/** The tokens at the beginning of llama.cpp's part: magic number, version, count, tokens, 32 bits each. */
async function readTokens(
  file: string,
  payload: string,
  { tokens: count }: StateHeader,
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

/** Copies `source`, from an offset on, to an offset in `target`, which is created. */
async function copy(
  source: string,
  from: number,
  target: string,
  to: number,
  digest: Digest,
): Promise<Pick<StateHeader, 'bytes' | 'hash'>> {
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

/** Runs `work` in a temporary folder; errors of the file system, and those of the engine that writes there, become errors about `file`. */
async function inFolder<Result>(
  parent: string,
  file: string,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  let folder: string | null = null;
  try {
    folder = makePrivateFolder(parent, '.idiolect-state-');
    return await work(folder);
  } catch (cause) {
    if (cause instanceof IdiolectError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new StateFileError({ file, reason: `cannot be read or written: ${why}`, cause });
  } finally {
    if (folder !== null) await fs.rm(folder, { recursive: true, force: true });
  }
}
