/**
 * What is known of a model's vocabulary, kept from one process to the next: the engine's answers about each token, and
 * the tokens sorted. A file is named by a hash of all that the model's header says about tokens:
 *
 *     mark, numbers of ids, tokens, bytes of texts and of `engine`, the longest token   32 bits each
 *     SHA-256 of these numbers, the name and what follows   32 bytes
 *     ids, starts              32 bits each
 *     types, bytes, `engine`   8 bits each
 *
 * Numbers are in the processor's order; with another one, the mark is another. A file that is damaged, of another
 * engine or of another version of this is made again.
 */
import { createHash, randomUUID } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { codeOf } from '../../../format/error-class.ts';
import type { GgufMetadata } from '../../../hub/gguf/gguf-layout.ts';
import { removeLeftovers } from '../../../hub/leftovers.ts';
import type { TokenIndex } from '../../../language/matcher/token-index.ts';

/** A vocabulary, as an engine knows it. */
interface KnownTokens {
  /** The engine, with its version. */
  readonly engine: string;
  /** Its answers about each token, as `tokenizer.ts` packs them. */
  readonly types: Uint8Array;
  readonly index: TokenIndex;
}

/** Where an engine finds and keeps what it knows of a vocabulary. */
export interface TokenStore {
  readonly known: Omit<KnownTokens, 'engine'> | null;
  keep(known: Omit<KnownTokens, 'engine'>): void;
}

const mark = 0x1d10_c701;
const numbers = 6;
const headLength = 4 * numbers + 32;
/** Smaller vocabularies are sorted as fast as they are read. */
const fewTokens = 16_384;
/** Far more than any vocabulary takes. */
const maxLength = 1 << 26;
/** The latest ones; each takes 3 MB for 150,000 tokens. */
const maxFiles = 16;

/** The file of one vocabulary in a folder. */
export class VocabularyFile {
  readonly #folder: string;
  #name: string | null = null;
  #known: KnownTokens | null = null;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Looks for what is known of the vocabulary of this header; whether there is anything. */
  find(metadata: GgufMetadata): boolean {
    if ((metadata.array('tokenizer.ggml.tokens')?.count ?? 0) < fewTokens) return false;
    this.#name = nameOf(metadata);
    this.#known = readTokens(path.join(this.#folder, `${this.#name}.tokens`), this.#name);
    return this.#known !== null;
  }

  /** What `engine` knows of it. */
  of(engine: string): TokenStore {
    const known = this.#known?.engine === engine ? this.#known : null;
    return { known, keep: (tokens) => this.#write({ ...tokens, engine }) };
  }

  /** Written atomically, since processes share the folder. If that fails, the next process only loses time. */
  #write(known: KnownTokens): void {
    if (this.#name === null) return;
    const file = path.join(this.#folder, `${this.#name}.tokens`);
    const part = `${file}.${process.pid}-${randomUUID()}.part`;
    try {
      fs.mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      fs.writeFileSync(part, writeTokens(known, this.#name), { mode: 0o600 });
      fs.renameSync(part, file);
      removeOld(this.#folder);
    } catch (error) {
      if (codeOf(error) === null) throw error;
    }
  }
}

/** A hash of everything that an engine's answers and the bytes of tokens depend on. */
function nameOf(metadata: GgufMetadata): string {
  const hash = createHash('sha256');
  for (const [key, { type, items, bytes }] of metadata.raw()) {
    if (!/^(?:tokenizer\.(?!chat_template)|general\.(?:architecture|name)$)/.test(key)) continue;
    hash.update(`${key} ${type} ${items?.type} ${items?.count} ${bytes.length}\n`).update(bytes);
  }
  return hash.digest('hex');
}

function writeTokens({ engine, types, index }: KnownTokens, name: string): Uint8Array {
  const { ids, starts, bytes } = index;
  const words = Buffer.from(engine);
  const parts = [ids, starts, types, bytes, words].map((each) =>
    Buffer.from(each.buffer, each.byteOffset, each.byteLength),
  );
  const body = Buffer.concat(parts);
  const head = Uint32Array.of(mark, ids.length, types.length, bytes.length, words.length, index.longest);
  return Buffer.concat([Buffer.from(head.buffer), digestOf(head, name, body), body]);
}

/** `null` if there is no such file, or it is not what was written. */
function readTokens(file: string, name: string): KnownTokens | null {
  try {
    if (fs.statSync(file).size > maxLength) return null;
    const all = fs.readFileSync(file);
    return parseTokens(all.buffer.slice(all.byteOffset, all.byteOffset + all.length), name);
  } catch (error) {
    if (codeOf(error) === null) throw error;
    return null;
  }
}

function parseTokens(file: ArrayBuffer, name: string): KnownTokens | null {
  if (file.byteLength < headLength) return null;
  const head = new Uint32Array(file, 0, numbers);
  const [found, idCount = 0, count = 0, byteCount = 0, engineLength = 0, longest = 0] = head;
  const startsAt = headLength + 4 * idCount;
  const typesAt = startsAt + 4 * (count + 1);
  const bytesAt = typesAt + count;
  const engineAt = bytesAt + byteCount;
  if (found !== mark || file.byteLength !== engineAt + engineLength) return null;
  const digest = Buffer.from(file, head.byteLength, 32);
  if (!digest.equals(digestOf(head, name, new Uint8Array(file, headLength)))) return null;
  const ids = new Uint32Array(file, headLength, idCount);
  const starts = new Uint32Array(file, startsAt, count + 1);
  const index = { ids, starts, bytes: new Uint8Array(file, bytesAt, byteCount), longest };
  const engine = Buffer.from(file, engineAt, engineLength).toString();
  return { engine, types: new Uint8Array(file, typesAt, count), index };
}

function digestOf(head: Uint32Array, name: string, body: Uint8Array): Buffer {
  return createHash('sha256').update(head).update(name).update(body).digest();
}

/** Removes all but the latest files, and what processes that were killed have left. */
function removeOld(folder: string): void {
  removeLeftovers(folder, (name) => /\.(\d+)-[-\da-f]+\.part$/.exec(name)?.[1]);
  const files = fs.readdirSync(folder).filter((name) => name.endsWith('.tokens'));
  const written = files.map((name) => {
    const file = path.join(folder, name);
    return { file, at: fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0 };
  });
  const old = written.toSorted((a, b) => b.at - a.at).slice(maxFiles);
  for (const { file } of old) fs.rmSync(file, { force: true });
}
