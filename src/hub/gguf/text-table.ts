/** Finds texts that come twice, or come at all, among a hundred thousand that are not decoded. */

/** Where a list of texts lies in `bytes`: text n from `starts[n]` to `ends[n]`. */
export interface TextSpans {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

const free = -1;
/** Another one in each process, so that no file can be made of texts that collide. */
const seed = Math.floor(Math.random() * 2 ** 32);

/** A hash table of texts by their bytes (FNV-1a, linear probing). */
export class TextTable {
  readonly #spans: TextSpans;
  /** Numbers of texts. */
  readonly #slots: Int32Array;
  /** How many texts, apart from empty ones, came before. */
  readonly repeated: number = 0;

  constructor(spans: TextSpans) {
    const { bytes, starts, ends } = spans;
    this.#spans = spans;
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * starts.length + 2))).fill(free);
    for (let index = 0; index < starts.length; index += 1) {
      const [start, end] = [starts[index] ?? 0, ends[index] ?? 0];
      const slot = this.#slotOf(bytes, start, end);
      if (this.#slots[slot] === free) this.#slots[slot] = index;
      else if (end > start) this.repeated += 1;
    }
  }

  /** Whether `text` is among them. */
  has(text: Uint8Array): boolean {
    return this.#slots[this.#slotOf(text, 0, text.length)] !== free;
  }

  /** The slot of a text, or the free one where it would be. */
  #slotOf(from: Uint8Array, start: number, end: number): number {
    let hash = seed;
    for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (from[at] ?? 0), 16777619);
    const last = this.#slots.length - 1;
    let slot = (hash ^ (hash >>> 15)) & last;
    for (;;) {
      const index = this.#slots[slot] ?? free;
      if (index === free || this.#isAt(index, from, start, end)) return slot;
      slot = (slot + 1) & last;
    }
  }

  #isAt(index: number, from: Uint8Array, start: number, end: number): boolean {
    const { bytes, starts, ends } = this.#spans;
    const own = starts[index] ?? 0;
    if ((ends[index] ?? 0) - own !== end - start) return false;
    for (let at = start; at < end; at += 1) if (bytes[own + at - start] !== from[at]) return false;
    return true;
  }
}
