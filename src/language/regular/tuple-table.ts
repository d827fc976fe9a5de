/** Numbers tuples of integers in order of first occurrence; equal tuples get equal numbers. */

/** Numbers tuples. Stores only integers, so that many tuples take little memory. */
export class TupleTable {
  #values: Int32Array = new Int32Array(1024);
  #ends: Int32Array = new Int32Array(256);
  /** Open addressing: the number of a tuple plus one, or 0. */
  #slots: Int32Array = new Int32Array(512);
  #size = 0;

  /** Number of distinct tuples. */
  get size(): number {
    return this.#size;
  }

  /** The number of the first `length` values of `tuple`; a new tuple gets number `size`. */
  number(tuple: Int32Array, length = tuple.length): number {
    const mask = this.#slots.length - 1;
    for (let slot = hash(tuple, 0, length) & mask; ; slot = (slot + 1) & mask) {
      const found = (this.#slots[slot] ?? 0) - 1;
      if (found >= 0) {
        if (this.#equals(found, tuple, length)) return found;
        continue;
      }
      this.#slots[slot] = this.#size + 1;
      return this.#append(tuple, length);
    }
  }

  /** Length of tuple `number`. */
  length(number: number): number {
    return (this.#ends[number] ?? 0) - this.#startOf(number);
  }

  /** Value `at` of tuple `number`. */
  value(number: number, at: number): number {
    return this.#values[this.#startOf(number) + at] ?? 0;
  }

  #startOf(number: number): number {
    return number === 0 ? 0 : (this.#ends[number - 1] ?? 0);
  }

  #equals(number: number, tuple: Int32Array, length: number): boolean {
    const start = this.#startOf(number);
    if ((this.#ends[number] ?? 0) - start !== length) return false;
    for (let at = 0; at < length; at += 1) if (this.#values[start + at] !== tuple[at]) return false;
    return true;
  }

  #append(tuple: Int32Array, length: number): number {
    const number = this.#size;
    const start = this.#startOf(number);
    if (start + length > this.#values.length) this.#values = grown(this.#values, start + length);
    if (number === this.#ends.length) this.#ends = grown(this.#ends, number + 1);
    for (let at = 0; at < length; at += 1) this.#values[start + at] = tuple[at] ?? 0;
    this.#ends[number] = start + length;
    this.#size += 1;
    if (this.#size * 2 > this.#slots.length) this.#rehash();
    return number;
  }

  #rehash(): void {
    const slots = new Int32Array(this.#slots.length * 4);
    const mask = slots.length - 1;
    for (let number = 0; number < this.#size; number += 1) {
      let slot = hash(this.#values, this.#startOf(number), this.#ends[number] ?? 0) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = number + 1;
    }
    this.#slots = slots;
  }
}

function hash(values: Int32Array, start: number, end: number): number {
  let mixed = end - start;
  for (let at = start; at < end; at += 1) {
    mixed = Math.imul(mixed ^ (values[at] ?? 0), 0x9e3779b1);
    mixed ^= mixed >>> 15;
  }
  return mixed;
}

function grown(array: Int32Array, least: number): Int32Array {
  const larger = new Int32Array(Math.max(2 * array.length, least));
  larger.set(array);
  return larger;
}
