/** The bytes of a request's body, with limits on their number and on the time that they take. */
import { constants } from 'node:buffer';
import { RequestError } from '../errors.ts';

/** What a body may take. */
export interface BodyLimits {
  readonly maxBodyBytes: number;
  readonly bodyTimeoutMs: number;
}

/** Bytes that a body has to bring in a second while others wait until it is read. */
const leastPerSecond = 128 << 10;
/** Seconds in a row in which it may bring less: one alone may be a pause of this process. */
const slowSeconds = 2;

/** Bytes in memory that is given back at once: a collector would leave it until the next bodies have as much again. */
export interface BodyBytes {
  readonly bytes: Buffer;
  /** Empties `bytes`. */
  release(): void;
}

/** Bytes of pieces that may wait for the collector. */
const piecesLeft = 4 << 20;
/** Reserved memory from which on V8 collects its youngest objects, as pieces are: more than twice its semi-space. */
const youngBytes = 33 << 20;

/** Throws `RequestError` if it is too large, late, or slow although others wait for its end. */
export async function readBodyBytes(
  { headers, body }: Request,
  { maxBodyBytes, bodyTimeoutMs }: BodyLimits,
  othersWait: () => boolean = () => false,
): Promise<BodyBytes> {
  // What is longer would be no text of JavaScript.
  const most = Math.min(maxBodyBytes, constants.MAX_STRING_LENGTH);
  const announced = Number(headers.get('content-length') ?? 0);
  if (announced > most) throw tooLarge(most);
  const memory = new BodyMemory(announced, most);
  const reader = body?.getReader();
  if (reader === undefined) return memory;
  const timers: NodeJS.Timeout[] = [];
  const late = new Promise<never>((_, reject) => {
    const error = timeout(`the body did not arrive within ${bodyTimeoutMs} ms`);
    timers.push(
      setTimeout(() => reject(error), bodyTimeoutMs),
      watchPace(memory, othersWait, reject),
    );
  });
  try {
    await Promise.race([fill(memory, reader), late]);
    return memory;
  } catch (error) {
    memory.release();
    throw error;
  } finally {
    for (const timer of timers) clearTimeout(timer);
  }
}

/** Rejects once the body has been slow, with others waiting, for too long. */
function watchPace(
  memory: BodyMemory,
  othersWait: () => boolean,
  reject: (error: RequestError) => void,
): NodeJS.Timeout {
  let [before, slow] = [0, 0];
  return setInterval(() => {
    const isSlow = memory.length - before < leastPerSecond && othersWait();
    before = memory.length;
    slow = isSlow ? slow + 1 : 0;
    if (slow === slowSeconds)
      reject(timeout(`the body arrives with less than ${leastPerSecond} bytes in a second, and others wait`));
  }, 1000);
}

function timeout(reason: string): RequestError {
  return new RequestError({ status: 408, reasonCode: 'request_timeout', param: null, reason });
}

async function fill(
  memory: BodyMemory,
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
): Promise<void> {
  for (let pieces = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return;
    if (!memory.add(value)) {
      // Errors after the end of interest are ignored.
      reader.cancel().catch(() => undefined);
      throw tooLarge(memory.most);
    }
    pieces += value.length;
    if (pieces < piecesLeft) continue;
    pieces = 0;
    collectPieces();
  }
}

/**
 * Makes V8 look for garbage: it counts what is reserved as if it were taken, and looks into its youngest objects when
 * enough was. Nobody writes to it, so it takes no memory. No specification says any of this, and nothing but memory
 * depends on it: a V8 that counts otherwise leaves the pieces until it collects by itself. They cannot be given back
 * here, since they are the stream's, and may be parts of buffers that others read.
 */
function collectPieces(): void {
  new ArrayBuffer(youngBytes, { maxByteLength: youngBytes });
}

class BodyMemory implements BodyBytes {
  readonly most: number;
  readonly #buffer: ArrayBuffer;
  #length = 0;
  #isReleased = false;

  /** `expected`: bytes that are announced. */
  constructor(expected: number, most: number) {
    this.most = most;
    this.#buffer = new ArrayBuffer(expected, { maxByteLength: expected === 0 ? most : expected });
  }

  /** Bytes that have arrived. */
  get length(): number {
    return this.#length;
  }

  get bytes(): Buffer {
    return Buffer.from(this.#buffer, 0, this.#length);
  }

  /** Adds a piece if there is room for it, and somebody reads on. */
  add(piece: Uint8Array): boolean {
    const length = this.#length + piece.length;
    const { maxByteLength } = this.#buffer;
    if (this.#isReleased || length > maxByteLength) return false;
    if (length > this.#buffer.byteLength)
      this.#buffer.resize(Math.min(maxByteLength, Math.max(length, 2 * this.#length)));
    new Uint8Array(this.#buffer).set(piece, this.#length);
    this.#length = length;
    return true;
  }

  release(): void {
    this.#isReleased = true;
    this.#length = 0;
    this.#buffer.resize(0);
  }
}

function tooLarge(most: number): RequestError {
  const reason = `the body has more than ${most} bytes`;
  return new RequestError({ status: 413, reasonCode: 'request_too_large', param: null, reason });
}
