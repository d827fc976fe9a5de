/** What attention has seen: the keys and values of all tokens evaluated so far. */

/** The keys and values of one layer, a row for each token. */
export interface LayerMemory {
  keys: Float32Array;
  values: Float32Array;
}

const firstRows = 256;

/** The memory of one text. */
export class KeyValues {
  readonly layers: readonly LayerMemory[];
  readonly #width: number;
  #capacity: number;

  /** `width`: numbers in a row of keys, and of values. */
  constructor(layers: number, width: number) {
    this.#width = width;
    this.#capacity = firstRows;
    this.layers = Array.from({ length: layers }, () => ({
      keys: new Float32Array(firstRows * width),
      values: new Float32Array(firstRows * width),
    }));
  }

  /** Makes room for `rows` rows. */
  reserve(rows: number): void {
    if (rows <= this.#capacity) return;
    while (this.#capacity < rows) this.#capacity *= 2;
    for (const layer of this.layers) {
      layer.keys = this.#grown(layer.keys);
      layer.values = this.#grown(layer.values);
    }
  }

  /** A second memory, of the first `rows` tokens. */
  copy(rows: number): KeyValues {
    const copied = new KeyValues(this.layers.length, this.#width);
    copied.reserve(rows);
    for (const [index, { keys, values }] of this.layers.entries()) {
      copied.layers[index]?.keys.set(keys.subarray(0, rows * this.#width));
      copied.layers[index]?.values.set(values.subarray(0, rows * this.#width));
    }
    return copied;
  }

  #grown(rows: Float32Array): Float32Array {
    const larger = new Float32Array(this.#capacity * this.#width);
    larger.set(rows);
    return larger;
  }
}
