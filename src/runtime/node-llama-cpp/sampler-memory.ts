/**
 * node-llama-cpp gives each evaluation a list of all tokens (1.8 MB for 150,000) that only the garbage collector frees,
 * and does not tell V8 of it: with a small heap, a server grew by 3 MB per request. Buffers of the same size tell V8.
 * They can be resized: such ones are only reserved, and take no memory as long as nobody writes to them. Others come
 * from the process's heap, which fills them with zeros.
 */

/** A token, its logit and its probability. */
const bytesPerToken = 12;
/** Buffers that are held, as old as most evaluations become. */
const held = 32;

/** The lists of one model's evaluations. */
export class SamplerMemory {
  readonly #bytes: number;
  readonly #buffers: ArrayBuffer[] = [];

  constructor(vocabularySize: number) {
    this.#bytes = vocabularySize * bytesPerToken;
  }

  /** An evaluation begins. */
  note(): void {
    this.#buffers.push(new ArrayBuffer(this.#bytes, { maxByteLength: this.#bytes }));
    if (this.#buffers.length > held) this.#buffers.shift();
  }
}
