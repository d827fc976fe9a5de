/** SHA-256 (FIPS 180-4) in TypeScript: synchronous, and for browsers as well as Node. */

const roundConstants = Uint32Array.from(firstPrimes(64), (prime) => fraction(Math.cbrt(prime)));
const initialState = Uint32Array.from(firstPrimes(8), (prime) => fraction(Math.sqrt(prime)));

/** The SHA-256 of a text's UTF-8 bytes, in lower-case hexadecimal digits. */
export function sha256(text: string): string {
  const message = pad(new TextEncoder().encode(text));
  const state = Uint32Array.from(initialState);
  const schedule = new Uint32Array(64);
  for (let block = 0; block < message.byteLength; block += 64) {
    expandBlock(new DataView(message.buffer, block, 64), schedule);
    compress(state, schedule);
  }
  return Array.from(state, (word) => word.toString(16).padStart(8, '0')).join('');
}

function firstPrimes(count: number): readonly number[] {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < count; candidate++) {
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  }
  return primes;
}

/** The first 32 bits of the fraction. */
function fraction(value: number): number {
  return Math.floor((value - Math.floor(value)) * 2 ** 32);
}

function pad(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(padded.length - 4, bytes.length * 8);
  return padded;
}

function rotate(word: number, by: number): number {
  return (word >>> by) | (word << (32 - by));
}

function expandBlock(block: DataView, schedule: Uint32Array): void {
  for (let index = 0; index < 16; index++) schedule[index] = block.getUint32(index * 4);
  for (let index = 16; index < 64; index++) {
    const early = schedule[index - 15] ?? 0;
    const late = schedule[index - 2] ?? 0;
    const low = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const high = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    schedule[index] = (schedule[index - 16] ?? 0) + low + (schedule[index - 7] ?? 0) + high;
  }
}

function compress(state: Uint32Array, schedule: Uint32Array): void {
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (const [index, constant] of roundConstants.entries()) {
    const high = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const chosen = (e & f) ^ (~e & g);
    const first = (h + high + chosen + constant + (schedule[index] ?? 0)) | 0;
    const low = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + low + majority) | 0];
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) {
    state[index] = (state[index] ?? 0) + word;
  }
}
