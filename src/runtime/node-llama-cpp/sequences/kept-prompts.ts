/**
 * Prompts that made room for others: a conversation whose sequence another one took goes on where it was. The engine
 * writes the state of a sequence only to a file, so these lie in a private folder, in memory (`/dev/shm`) where the
 * system has such a place with enough room.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { makePrivateFolder } from '../private-folder.ts';
import { leastShared, sharedLength } from './shared-prefix.ts';

/** What of the engine's sequence this needs. */
interface SavedSequence {
  /** The tokens that its state holds. */
  readonly contextTokens: readonly number[];
  saveStateToFile(file: string): Promise<{ readonly fileSize: number }>;
  loadStateFromFile(file: string, options: { readonly acceptRisk: true }): Promise<unknown>;
  clearHistory(): Promise<void>;
}

/** A kept prompt. */
interface KeptPrompt {
  readonly tokens: readonly number[];
  readonly file: string;
  /** Bytes of the file; 0 if it could not be written. */
  readonly written: Promise<number>;
}

const prefix = 'idiolect-prompts-';
const memory = '/dev/shm';

/** The kept prompts of one context. */
export class KeptPrompts {
  readonly #most: number;
  /** With their bytes, 0 while they are written; in order of their last use. */
  readonly #kept = new Map<KeptPrompt, number>();
  /** How many sequences are being given what one holds: it stays until then. */
  readonly #readers = new Map<KeptPrompt, number>();
  #folder: string | null = null;
  #count = 0;

  /** `most`: bytes of all of them together; 0 keeps none. */
  constructor(most: number) {
    this.#most = most;
  }

  /**
   * Keeps what `sequence` holds, and lists it before it is written: its conversation may go on meanwhile. It may fail, on
   * a full disk for example: then nothing is kept.
   */
  async keep(sequence: SavedSequence): Promise<void> {
    if (this.#most === 0) return;
    const folder = this.#folder ?? makeFolder(this.#most);
    if (folder === null) return;
    this.#folder = folder;
    this.#count += 1;
    const file = path.join(folder, String(this.#count));
    const tokens = [...sequence.contextTokens];
    const written = sequence.saveStateToFile(file).then(
      ({ fileSize }) => fileSize,
      () => 0,
    );
    const kept = { tokens, file, written };
    this.#kept.set(kept, 0);
    const bytes = await written;
    if (bytes === 0) this.#drop(kept);
    else if (this.#kept.has(kept)) this.#makeRoom(kept, bytes);
  }

  /** Drops what `kept` holds, too, and the oldest until all have room. */
  #makeRoom(kept: KeptPrompt, bytes: number): void {
    for (const other of this.#kept.keys())
      if (other !== kept && sharedLength(other.tokens, kept.tokens) === other.tokens.length)
        this.#drop(other);
    this.#kept.set(kept, bytes);
    let all = [...this.#kept.values()].reduce((sum, each) => sum + each, 0);
    for (const [oldest, size] of this.#kept) {
      if (all <= this.#most) return;
      this.#drop(oldest);
      all -= size;
    }
  }

  /** The one that shares most with `prompt`. */
  best(prompt: readonly number[]): { readonly kept: KeptPrompt; readonly length: number } | null {
    let best: { readonly kept: KeptPrompt; readonly length: number } | null = null;
    for (const kept of this.#kept.keys()) {
      const length = sharedLength(kept.tokens, prompt);
      if (length > (best?.length ?? 0)) best = { kept, length };
    }
    return best;
  }

  /**
   * Copies it to `sequence`, which will go on after `length` of its tokens; one that holds little more than these is
   * forgotten then. Until it is copied, others find it here. If the engine refuses it, the sequence is empty.
   */
  async restore(kept: KeptPrompt, sequence: SavedSequence, length: number): Promise<void> {
    this.#touch(kept);
    this.#readers.set(kept, (this.#readers.get(kept) ?? 0) + 1);
    try {
      if ((await kept.written) === 0) return;
      await sequence.clearHistory();
      await sequence.loadStateFromFile(kept.file, { acceptRisk: true });
    } catch {
      await sequence.clearHistory();
    } finally {
      const readers = (this.#readers.get(kept) ?? 1) - 1;
      this.#readers.set(kept, readers);
      if (readers === 0) this.#readers.delete(kept);
      if (readers === 0 && kept.tokens.length - length < leastShared) this.#drop(kept);
    }
  }

  /** It is the last one used. */
  #touch(kept: KeptPrompt): void {
    const bytes = this.#kept.get(kept);
    if (bytes === undefined) return;
    this.#kept.delete(kept);
    this.#kept.set(kept, bytes);
  }

  /** Removes all of them. */
  close(): void {
    this.#kept.clear();
    if (this.#folder !== null) removeFolder(this.#folder);
    this.#folder = null;
  }

  #drop(kept: KeptPrompt): void {
    this.#kept.delete(kept);
    remove(kept);
  }
}

/** Now, and again once it is written. */
function remove({ file, written }: KeptPrompt): void {
  const now = (): void => fs.rmSync(file, { force: true });
  now();
  void written.then(now);
}

const folders = new Set<string>();

/** `null` if there is no place for one: in a container, none may be written to. */
function makeFolder(most: number): string | null {
  const folder = (hasRoom(most) ? privateFolder(memory) : null) ?? privateFolder(os.tmpdir());
  if (folder === null) return null;
  if (folders.size === 0) process.once('exit', removeAll);
  folders.add(folder);
  return folder;
}

function privateFolder(parent: string): string | null {
  try {
    return makePrivateFolder(parent, prefix);
  } catch {
    return null;
  }
}

function removeAll(): void {
  for (const folder of folders) fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

function removeFolder(folder: string): void {
  folders.delete(folder);
  fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  if (folders.size === 0) process.off('exit', removeAll);
}

/** A container's `/dev/shm` may be small. */
function hasRoom(most: number): boolean {
  try {
    const { bavail, bsize } = fs.statfsSync(memory);
    return bavail * bsize > 2 * most;
  } catch {
    return false;
  }
}
