/**
 * Schemas that another thread compiles: what takes longer than a moment is not compiled where all clients wait for it.
 */
import type { ChatFormat } from '../../format/chat-format.ts';
import type { PlainGrammarOptions } from '../../grammar/grammar-options.ts';
import { minSteps, type SchemaStore } from '../../grammar/stored-schemas.ts';

/** What a grammar depends on, as data that can be sent. */
export interface GrammarJob {
  readonly format: ChatFormat;
  readonly options: PlainGrammarOptions;
}

/** What compiling a grammar has stored, by name; `null` for what it has compiled and not stored. */
export type CompiledAhead = readonly (readonly [name: string, text: string | null])[];

/** Compiles the schemas of a grammar elsewhere. Throws `GrammarError` if that takes too much, and the signal's reason. */
export type CompileAhead = (job: GrammarJob, signal: AbortSignal | undefined) => Promise<CompiledAhead>;

/** Characters of the texts that are kept. */
const maxKept = 64_000_000;
/** What a name takes by itself. */
const nameSize = 100;

/** Holds what was compiled elsewhere; the rest may take a few steps here. */
export class AheadStore implements SchemaStore {
  readonly digest: (text: string) => string;
  readonly #other: SchemaStore | null;
  readonly #kept = new Map<string, string | null>();
  #size = 0;
  #isUnlimited = false;

  /** `other`: a store that is asked, too, and gets what is new. */
  constructor(digest: (text: string) => string, other: SchemaStore | null) {
    this.digest = digest;
    this.#other = other;
  }

  read(name: string): string | null {
    return this.#kept.get(name) ?? this.#other?.read(name) ?? null;
  }

  write(name: string, text: string): void {
    this.#other?.write(name, text);
  }

  limit(name: string): number | undefined {
    return this.#isUnlimited || this.#kept.has(name) ? undefined : minSteps;
  }

  /** Runs what cannot wait: it compiles whatever it needs. */
  unlimited<Result>(run: () => Result): Result {
    this.#isUnlimited = true;
    try {
      return run();
    } finally {
      this.#isUnlimited = false;
    }
  }

  /** Adds what was compiled elsewhere; the oldest leaves. */
  add(compiled: CompiledAhead): void {
    for (const [name, text] of compiled) {
      if (text !== null) this.#other?.write(name, text);
      this.#forget(name);
      this.#kept.set(name, text);
      this.#size += nameSize + (text?.length ?? 0);
    }
    for (const name of this.#kept.keys()) {
      if (this.#size <= maxKept) return;
      this.#forget(name);
    }
  }

  #forget(name: string): void {
    const text = this.#kept.get(name);
    if (text === undefined) return;
    this.#kept.delete(name);
    this.#size -= nameSize + (text?.length ?? 0);
  }
}

/** Notes what is compiled, and keeps what took long. */
export class RecordingStore implements SchemaStore {
  readonly digest: (text: string) => string;
  readonly keepsRefusals = true;
  readonly #compiled = new Map<string, string | null>();

  constructor(digest: (text: string) => string) {
    this.digest = digest;
  }

  /** What was compiled so far. */
  get compiled(): CompiledAhead {
    return [...this.#compiled];
  }

  read(name: string): string | null {
    this.#compiled.set(name, null);
    return null;
  }

  write(name: string, text: string): void {
    this.#compiled.set(name, text);
  }
}
