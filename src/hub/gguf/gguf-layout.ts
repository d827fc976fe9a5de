/**
 * The positions of everything in the header of a GGUF file. Values are decoded on demand only: for a vocabulary of
 * 262,000 tokens, only the lengths are read. Every count and length is checked against the available bytes before it
 * is used.
 */
import { ModelFileError } from '../../format/errors.ts';
import { foreignReason } from './foreign-file.ts';
import type { TextSpans } from './text-table.ts';

/** GGUF's types of values other than numbers. */
const stringType = 8;
const arrayType = 9;
const boolType = 7;

/** Bytes of a number, by its type: uint8, int8, uint16, int16, uint32, int32, float32, bool, uint64, int64, float64. */
const widths: ReadonlyMap<number, number> = new Map([
  [0, 1],
  [1, 1],
  [2, 2],
  [3, 2],
  [4, 4],
  [5, 4],
  [6, 4],
  [boolType, 1],
  [10, 8],
  [11, 8],
  [12, 8],
]);

/** Far more than real models have (a few thousand), and still harmless. */
const maxTensors = 200_000;
const maxEntries = 20_000;
/** The limit of the specification. */
const maxKeyLength = 65_535;
const maxDimensions = 4;

/** The position of a value: `start` is its first byte after the type, or that of an array's first item. */
interface Value {
  readonly type: number;
  readonly start: number;
  /** The first byte after it. */
  readonly end: number;
  /** For an array; `null` for a single value. */
  readonly items: { readonly type: number; readonly count: number } | null;
}

/** A value as in the file. */
interface RawValue extends Pick<Value, 'type' | 'items'> {
  readonly bytes: Uint8Array;
}

/** The declaration of one tensor. */
export interface TensorInfo {
  readonly name: string;
  readonly sides: readonly bigint[];
  /** The `ggml_type` of `ggml.h`. */
  readonly type: number;
  /** From the beginning of the weights, in bytes. */
  readonly offset: bigint;
}

/** A scanned header. */
export interface GgufLayout {
  readonly metadata: GgufMetadata;
  readonly tensors: readonly TensorInfo[];
  /** Whether counts have eight bytes, and all numbers the order of the usual processors. */
  readonly isUsual: boolean;
  /** The first byte after the header. */
  readonly headerEnd: number;
  /** Where the weights begin. */
  readonly dataOffset: number;
}

/** The header is incomplete; `until` is the minimum number of bytes needed. */
export class MoreBytesNeeded extends Error {
  readonly until: number;
  constructor(until: number) {
    super(`${until} bytes are needed`);
    this.until = until;
  }
}

/**
 * Scans the beginning of a file. Throws `MoreBytesNeeded`, and `ModelFileError` with the name `file` if it is not a
 * GGUF header, or declares more than any model has.
 */
export function scanGguf(bytes: Uint8Array, file: string): GgufLayout {
  const cursor = openCursor(bytes, file);
  const tensorCount = cursor.count('tensors', maxTensors);
  const entryCount = cursor.count('metadata entries', maxEntries);
  const values = new Map<string, Value>();
  for (let index = 0; index < entryCount; index++) {
    const key = readKey(cursor);
    if (values.has(key)) throw cursor.refuse('its header names a key twice');
    values.set(key, readValue(cursor, key));
  }
  const tensors = Array.from({ length: tensorCount }, () => readTensor(cursor));
  const metadata = new GgufMetadata(values, cursor);
  const headerEnd = cursor.position;
  const alignment = alignmentOf(metadata, cursor);
  const { isUsual } = cursor;
  return { metadata, tensors, isUsual, headerEnd, dataOffset: Math.ceil(headerEnd / alignment) * alignment };
}

/** Reads the magic number and version, which determine the notation of the rest. */
function openCursor(bytes: Uint8Array, file: string): Cursor {
  if (new TextDecoder('latin1').decode(bytes.subarray(0, 4)) !== 'GGUF')
    throw new ModelFileError({ file, reason: foreignReason(bytes) });
  if (bytes.length < 8) throw new MoreBytesNeeded(8);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const littleEndian = (view.getUint32(4, true) & 0xffff) !== 0;
  const version = view.getUint32(4, littleEndian);
  if (version >= 1 && version <= 3) return new Cursor(bytes, { file, littleEndian, version });
  throw new ModelFileError({ file, reason: `has version ${version} of GGUF; versions 1 to 3 are known` });
}

/** Keys are ASCII by the specification, and engines turn their parts into nested objects. */
function readKey(cursor: Cursor): string {
  const length = cursor.size();
  if (length > maxKeyLength) throw cursor.refuse('its header has a key that is longer than any');
  const key = cursor.text(length);
  if (/^[\x21-\x7e]+$/.test(key) && !key.split('.').includes('__proto__')) return key;
  throw cursor.refuse(`its header has a key that is not a name: ${JSON.stringify(key.slice(0, 80))}`);
}

function readValue(cursor: Cursor, key: string): Value {
  const type = cursor.uint32();
  if (type !== arrayType) {
    const start = cursor.position;
    skipItems(cursor, key, type, 1);
    return { type, start, end: cursor.position, items: null };
  }
  const items = { type: cursor.uint32(), count: cursor.size() };
  const start = cursor.position;
  skipItems(cursor, key, items.type, items.count);
  return { type, start, end: cursor.position, items };
}

/** The specification has arrays of arrays, but no model and no engine does. */
function skipItems(cursor: Cursor, key: string, type: number, count: number): void {
  const width = widths.get(type);
  if (width !== undefined) {
    cursor.skip(count * width);
    return;
  }
  if (type !== stringType)
    throw cursor.refuse(`its header gives ${key} the type ${type}, which values do not have`);
  // Each has a length, so a wrong count is detected before the first one is read.
  cursor.require(count * cursor.sizeWidth);
  cursor.skipTexts(count);
}

function readTensor(cursor: Cursor): TensorInfo {
  const name = cursor.text(cursor.size());
  const dimensions = cursor.uint32();
  if (dimensions > maxDimensions) throw cursor.refuse(`its header has a tensor of ${dimensions} dimensions`);
  const sides = Array.from({ length: dimensions }, () => cursor.wideSize());
  return { name, sides, type: cursor.uint32(), offset: cursor.uint64() };
}

function alignmentOf(metadata: GgufMetadata, cursor: Cursor): number {
  if (!metadata.has('general.alignment')) return 32;
  const alignment = metadata.number('general.alignment') ?? 0;
  // A power of two, as in ggml, and at least what ggml requires for memory-mapped weights.
  if (alignment >= 32 && alignment <= 65_536 && Number.isInteger(Math.log2(alignment))) return alignment;
  throw cursor.refuse('has an alignment (general.alignment) that is not a power of two from 32 to 65536');
}

/** The metadata of a file; values are decoded on demand. */
export class GgufMetadata {
  readonly #values: ReadonlyMap<string, Value>;
  readonly #cursor: Cursor;

  constructor(values: ReadonlyMap<string, Value>, cursor: Cursor) {
    this.#values = values;
    this.#cursor = cursor;
  }

  has(key: string): boolean {
    return this.#values.has(key);
  }

  /** All values by key, each with its bytes as in the file; those of a text begin with its length. */
  raw(): ReadonlyMap<string, RawValue> {
    const bytesOf = ({ start, end }: Value) => this.#cursor.at(start).bytes(end - start);
    return new Map(Array.from(this.#values, ([key, value]) => [key, { ...value, bytes: bytesOf(value) }]));
  }

  /** A text; `null` if there is none. */
  text(key: string): string | null {
    const value = this.#values.get(key);
    if (value?.type !== stringType) return null;
    const cursor = this.#cursor.at(value.start);
    return cursor.text(cursor.size());
  }

  /** Length of a text in bytes; `null` if there is none. */
  textLength(key: string): number | null {
    const value = this.#values.get(key);
    return value?.type === stringType ? this.#cursor.at(value.start).size() : null;
  }

  /** A whole number that JavaScript can represent; `null` if there is none. */
  number(key: string): number | null {
    const value = this.#values.get(key);
    if (value === undefined || value.items !== null || value.type === boolType) return null;
    const number = this.#cursor.at(value.start).number(value.type);
    return Number.isSafeInteger(number) ? number : null;
  }

  /** Type and number of an array's items; `null` if there is no array. */
  array(key: string): { readonly type: number; readonly count: number } | null {
    return this.#values.get(key)?.items ?? null;
  }

  /** Where the items of a string array lie; `null` if there is no such array. */
  textSpans(key: string): TextSpans | null {
    const value = this.#values.get(key);
    if (value?.items?.type !== stringType) return null;
    const cursor = this.#cursor.at(value.start);
    const starts = new Uint32Array(value.items.count);
    const ends = new Uint32Array(value.items.count);
    for (let index = 0; index < starts.length; index += 1) {
      const length = cursor.size();
      starts[index] = cursor.position - value.start;
      ends[index] = cursor.position - value.start + length;
      cursor.skip(length);
    }
    return { bytes: this.#cursor.at(value.start).bytes(value.end - value.start), starts, ends };
  }

  /** Where an array of whole numbers has one of `wanted`. */
  indicesOf(key: string, wanted: readonly number[]): readonly number[] {
    const value = this.#values.get(key);
    const width = widths.get(value?.items?.type ?? stringType);
    if (value?.items == null || width === undefined) return [];
    const cursor = this.#cursor.at(value.start);
    const found: number[] = [];
    for (let index = 0; index < value.items.count; index++) {
      if (wanted.includes(cursor.number(value.items.type))) found.push(index);
      cursor.skip(width);
    }
    return found;
  }

  /** The texts at these indices of a string array, in one pass. */
  textsAt(key: string, indices: readonly number[]): ReadonlyMap<number, string> {
    const value = this.#values.get(key);
    const found = new Map<number, string>();
    if (value?.items?.type !== stringType) return found;
    const wanted = new Set(indices);
    const last = Math.min(
      value.items.count - 1,
      indices.reduce((most, index) => Math.max(most, index), -1),
    );
    const cursor = this.#cursor.at(value.start);
    for (let index = 0; index <= last; index++) {
      const length = cursor.size();
      if (wanted.has(index)) found.set(index, cursor.text(length));
      else cursor.skip(length);
    }
    return found;
  }
}

/** The notation of numbers in a file. */
interface NumberLayout {
  readonly file: string;
  readonly littleEndian: boolean;
  readonly version: number;
}

/** A reading position in the bytes. */
class Cursor {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #notation: NumberLayout;
  /** Bytes of a count or a length: fewer in version 1. */
  readonly sizeWidth: 4 | 8;
  position = 8;

  constructor(bytes: Uint8Array, notation: NumberLayout) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.#notation = notation;
    this.sizeWidth = notation.version === 1 ? 4 : 8;
  }

  get isUsual(): boolean {
    return this.#notation.littleEndian && this.sizeWidth === 8;
  }

  at(position: number): Cursor {
    const cursor = new Cursor(this.#bytes, this.#notation);
    cursor.position = position;
    return cursor;
  }

  refuse(reason: string): ModelFileError {
    return new ModelFileError({ file: this.#notation.file, reason });
  }

  require(length: number): void {
    const until = this.position + length;
    if (until > this.#bytes.length) throw new MoreBytesNeeded(until);
  }

  skip(length: number): void {
    this.require(length);
    this.position += length;
  }

  /** Skips so many texts, each after its length, without a call for each: vocabularies have hundreds of thousands. */
  skipTexts(count: number): void {
    const { littleEndian } = this.#notation;
    const isWide = this.sizeWidth === 8;
    const [low, high] = isWide && !littleEndian ? [4, 0] : [0, 4];
    const last = this.#bytes.length - this.sizeWidth;
    let { position } = this;
    for (let index = 0; index < count; index++) {
      if (position > last) throw new MoreBytesNeeded(position + this.sizeWidth);
      const length = this.#view.getUint32(position + low, littleEndian);
      const rest = isWide ? this.#view.getUint32(position + high, littleEndian) * 2 ** 32 : 0;
      position += this.sizeWidth + rest + length;
    }
    this.position = position;
    this.require(0);
  }

  uint32(): number {
    this.skip(4);
    return this.#view.getUint32(this.position - 4, this.#notation.littleEndian);
  }

  uint64(): bigint {
    this.skip(8);
    return this.#view.getBigUint64(this.position - 8, this.#notation.littleEndian);
  }

  /** An exact count or length; `size` is rounded beyond 2^53, which no file reaches. */
  wideSize(): bigint {
    return this.sizeWidth === 4 ? BigInt(this.uint32()) : this.uint64();
  }

  size(): number {
    if (this.sizeWidth === 4) return this.uint32();
    // Without arrays: a vocabulary has hundreds of thousands of lengths.
    const first = this.uint32();
    const second = this.uint32();
    return this.#notation.littleEndian ? second * 2 ** 32 + first : first * 2 ** 32 + second;
  }

  count(what: string, allowed: number): number {
    const count = this.wideSize();
    if (count <= BigInt(allowed)) return Number(count);
    throw this.refuse(`declares ${count} ${what}: it is broken or hostile`);
  }

  bytes(length: number): Uint8Array {
    this.skip(length);
    return this.#bytes.subarray(this.position - length, this.position);
  }

  text(length: number): string {
    return new TextDecoder().decode(this.bytes(length));
  }

  /** A single number of a type in `widths`; NaN for other types. */
  number(type: number): number {
    const { littleEndian } = this.#notation;
    const at = this.position;
    switch (type) {
      case 0:
        return this.#view.getUint8(at);
      case 1:
        return this.#view.getInt8(at);
      case 2:
        return this.#view.getUint16(at, littleEndian);
      case 3:
        return this.#view.getInt16(at, littleEndian);
      case 4:
        return this.#view.getUint32(at, littleEndian);
      case 5:
        return this.#view.getInt32(at, littleEndian);
      case 6:
        return this.#view.getFloat32(at, littleEndian);
      case 10:
        return Number(this.#view.getBigUint64(at, littleEndian));
      case 11:
        return Number(this.#view.getBigInt64(at, littleEndian));
      case 12:
        return this.#view.getFloat64(at, littleEndian);
      default:
        return Number.NaN;
    }
  }
}
