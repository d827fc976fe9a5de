/** Compiles costly schemas in a thread of this process, one request after the other. */
import fs from 'node:fs';
import { Worker } from 'node:worker_threads';
import { GrammarError } from '../../../format/errors.ts';
import { untilAborted } from '../../../format/on-abort.ts';
import type { CompileAhead, CompiledAhead, GrammarJob } from '../../chat/ahead-store.ts';

/** Milliseconds that one request may take. */
const maxMs = 120_000;
/** Milliseconds without a request after which the thread ends, and its memory is free. */
const idleMs = 10_000;
/** Megabytes that the thread may take. */
const maxOldGenerationSizeMb = 512;

let shared: CompileAhead | null | undefined;

/** Compiles in a thread of all models of this process; `null` where its program is missing (`threadFile`). */
export function sharedThread(): CompileAhead | null {
  if (shared !== undefined) return shared;
  const file = threadFile();
  shared = file === null ? null : compileIn(file);
  return shared;
}

/** Compiles in the thread whose program is `file`. */
export function compileIn(file: URL): CompileAhead {
  const thread = new SchemaThread(file);
  // One at a time: others get their turn, and not their memory.
  let last: Promise<unknown> = Promise.resolve();
  return async (job, signal) => {
    const turn = last.then(() => {
      signal?.throwIfAborted();
      return thread.run(job);
    });
    last = turn.catch(() => undefined);
    return untilAborted(turn, signal);
  };
}

class SchemaThread {
  readonly #file: URL;
  #worker: Worker | null = null;
  #idle: NodeJS.Timeout | undefined;
  /** Of the request that runs. */
  #settle: {
    readonly resolve: (compiled: CompiledAhead) => void;
    readonly reject: (reason: Error) => void;
  } | null = null;

  constructor(file: URL) {
    this.#file = file;
  }

  async run(job: GrammarJob): Promise<CompiledAhead> {
    clearTimeout(this.#idle);
    const worker = this.#worker ?? this.#start();
    worker.ref();
    let late: NodeJS.Timeout | undefined;
    try {
      return await new Promise<CompiledAhead>((resolve, reject) => {
        this.#settle = { resolve, reject };
        late = setTimeout(() => reject(tooComplex(`more than ${maxMs / 1000} s`)), maxMs);
        worker.postMessage(job);
      });
    } catch (error) {
      this.#end();
      throw error;
    } finally {
      clearTimeout(late);
      this.#settle = null;
      // The thread keeps no process alive.
      worker.unref();
      this.#idle = setTimeout(() => this.#end(), idleMs).unref();
    }
  }

  #start(): Worker {
    const worker = new Worker(this.#file, { resourceLimits: { maxOldGenerationSizeMb } });
    this.#worker = worker;
    worker.on('message', (compiled: CompiledAhead) => this.#settle?.resolve(compiled));
    const fail = (what: string): void => {
      if (this.#worker === worker) this.#settle?.reject(tooComplex(what));
    };
    worker.on('error', ({ message }) => fail(message)).on('exit', () => fail('its thread ended'));
    return worker;
  }

  #end(): void {
    const worker = this.#worker;
    this.#worker = null;
    void worker?.terminate();
  }
}

function tooComplex(what: string): GrammarError {
  return new GrammarError({
    reason: `the schemas of this request take too much to compile (${what}); use fewer or simpler ones`,
  });
}

const folder = '/dist/src/';

/**
 * The program of the thread, next to this module or where the build puts it; `null` where there is none, as where the
 * sources run or an application is bundled: schemas are then compiled in turns with everything else.
 */
export function threadFile(here: string = import.meta.url): URL | null {
  const built = here.lastIndexOf(folder);
  const places = ['./schema-worker.js'].map((name) => new URL(name, here));
  if (built >= 0)
    places.push(
      new URL('./runtime/node-llama-cpp/ahead/schema-worker.js', here.slice(0, built + folder.length)),
    );
  return places.find((place) => place.protocol === 'file:' && fs.existsSync(place)) ?? null;
}
