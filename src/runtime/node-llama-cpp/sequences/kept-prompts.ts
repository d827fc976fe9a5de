/**
 * Prompts that made room for others: a conversation whose sequence another one took goes on where it was. The engine
 * writes the state of a sequence only to a file, so these lie in a private folder, in memory (`/dev/shm`) where the
 * system has such a place with enough room.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { makePrivateFolder } from '../private-folder.ts';
import { sharedLength } from './shared-prefix.ts';

/** What of the engine's sequence this needs. */
interface SavedSequence {
  /** The tokens that its state holds. */
  readonly contextTokens: readonly number[];
  saveStateToFile(file: string): Promise<{ readonly fileSize: number }>;
  loadStateFromFile(file: string, options: { readonly acceptRisk: true }): Promise<unknown>;
  clearHistory(): Promise<void>;
}

/** A kept prompt. */
export interface KeptPrompt {
  readonly tokens: readonly number[];
  readonly file: string;
  readonly bytes: number;
}

const prefix = 'idiolect-prompts-';
const memory = '/dev/shm';

/** The kept prompts of one context. */
export class KeptPrompts {
  readonly #most: number;
  /** In order of their last use. */
  readonly #kept = new Set<KeptPrompt>();
  #folder: string | null = null;
  #bytes = 0;
  #count = 0;

  /** `most`: bytes of all of them together; 0 keeps none. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Keeps what `sequence` holds. It may fail, on a full disk for example: then nothing is kept. */
  async keep(sequence: SavedSequence): Promise<void> {
    if (this.#most === 0) return;
    const tokens = [...sequence.contextTokens];
    this.#folder ??= makeFolder(this.#most);
    this.#count += 1;
    const file = path.join(this.#folder, String(this.#count));
    try {
      const { fileSize: bytes } = await sequence.saveStateToFile(file);
      for (const kept of this.#kept)
        if (sharedLength(kept.tokens, tokens) === kept.tokens.length) this.#drop(kept);
      this.#kept.add({ tokens, file, bytes });
      this.#bytes += bytes;
    } catch {
      fs.rmSync(file, { force: true });
    }
    for (const oldest of this.#kept) {
      if (this.#bytes <= this.#most) return;
      this.#drop(oldest);
    }
  }

  /** The one that shares most with `prompt`. */
  best(prompt: readonly number[]): { readonly kept: KeptPrompt; readonly length: number } | null {
    let best: { readonly kept: KeptPrompt; readonly length: number } | null = null;
    for (const kept of this.#kept) {
      const length = sharedLength(kept.tokens, prompt);
      if (length > (best?.length ?? 0)) best = { kept, length };
    }
    return best;
  }

  /** Moves it to `sequence`; if the engine refuses it, the sequence is empty. */
  async restore(kept: KeptPrompt, sequence: SavedSequence): Promise<void> {
    // Nobody else may take it meanwhile.
    this.#forget(kept);
    try {
      await sequence.clearHistory();
      await sequence.loadStateFromFile(kept.file, { acceptRisk: true });
    } catch {
      await sequence.clearHistory();
    } finally {
      fs.rmSync(kept.file, { force: true });
    }
  }

  /** Removes all of them. */
  close(): void {
    this.#kept.clear();
    this.#bytes = 0;
    if (this.#folder !== null) removeFolder(this.#folder);
    this.#folder = null;
  }

  #drop(kept: KeptPrompt): void {
    this.#forget(kept);
    fs.rmSync(kept.file, { force: true });
  }

  #forget(kept: KeptPrompt): void {
    if (this.#kept.delete(kept)) this.#bytes -= kept.bytes;
  }
}

const folders = new Set<string>();

function makeFolder(most: number): string {
  const parent = hasRoom(most) ? memory : os.tmpdir();
  const folder = makePrivateFolder(parent, prefix);
  if (folders.size === 0) process.once('exit', removeAll);
  folders.add(folder);
  return folder;
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
