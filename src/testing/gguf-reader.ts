/**
 * Reads the metadata of a GGUF file so that it can be written again byte for byte: arrays keep their bytes. (Readers
 * that decode every text lose those that are not valid UTF-8, and byte order marks; a vocabulary copied through them
 * has duplicate tokens, and does not load.)
 */
import { ModelFileError } from '../format/errors.ts';
import type { GgufMetadata, GgufTensor, GgufValue } from './gguf-types.ts';
import { ggufAlignment, ggufMagic, ggufTypes, RawArray } from './gguf-types.ts';

const headerLength = 24;
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** A file whole. */
export interface GgufFile {
  readonly metadata: GgufMetadata;
  readonly tensors: ReadonlyMap<string, GgufTensor>;
}

/** Metadata of the GGUF file (version 2 or 3) in `bytes`. Throws `ModelFileError` for other or incomplete data. */
export function readGgufMetadata(bytes: Uint8Array): GgufMetadata {
  const reader = new ByteReader(bytes);
  return readMetadata(reader, readHeader(reader).values);
}

/** The file in `bytes`. Throws `ModelFileError` for other data, and for tensors that are neither F32 nor F16. */
export function readGguf(bytes: Uint8Array): GgufFile {
  const reader = new ByteReader(bytes);
  const { tensors, values } = readHeader(reader);
  const metadata = readMetadata(reader, values);
  const infos = Array.from({ length: tensors }, () => readTensorInfo(reader));
  const alignment = numberIn(metadata, 'general.alignment') ?? ggufAlignment;
  const start = Math.ceil(reader.position / alignment) * alignment;
  const read = infos.map((info) => [info.name, readTensor(bytes, start, info)] as const);
  return { metadata, tensors: new Map(read) };
}

function readHeader(reader: ByteReader): { readonly tensors: number; readonly values: number } {
  const header = reader.view(headerLength);
  if (header.getUint32(0, true) !== ggufMagic) throw unreadable('is not a GGUF file');
  return { tensors: Number(header.getBigUint64(8, true)), values: Number(header.getBigUint64(16, true)) };
}

function readMetadata(reader: ByteReader, count: number): GgufMetadata {
  const metadata = new Map<string, GgufValue>();
  for (let index = 0; index < count; index++) {
    const key = decoder.decode(reader.string());
    metadata.set(key, readValue(reader, reader.uint32()));
  }
  return metadata;
}

/** Where a tensor is, counted from the first one. */
interface TensorInfo {
  readonly name: string;
  readonly shape: readonly number[];
  readonly type: number;
  readonly offset: number;
}

function readTensorInfo(reader: ByteReader): TensorInfo {
  const name = decoder.decode(reader.string());
  const shape = Array.from({ length: reader.uint32() }, () => reader.uint64());
  return { name, shape, type: reader.uint32(), offset: reader.uint64() };
}

/** The numbers are copied, because those of a file need not lie where an array may begin. */
function readTensor(bytes: Uint8Array, start: number, { name, shape, type, offset }: TensorInfo): GgufTensor {
  if (type > 1) throw unreadable(`has the tensor ${name} in the type ${type}; only F32 and F16 are read`);
  const size = shape.reduce((product, each) => product * each, 1) * (type === 0 ? 4 : 2);
  const from = start + offset;
  if (from + size > bytes.length) throw unreadable('is cut short');
  const { buffer } = bytes.slice(from, from + size);
  return { name, shape, data: type === 0 ? new Float32Array(buffer) : new Uint16Array(buffer) };
}

/** The error about `bytes`, which have no file name. */
export function unreadable(reason: string): ModelFileError {
  return new ModelFileError({ file: 'the file', reason });
}

/** The number at `key`, whether it was read or is to be written; `undefined` if there is none. */
export function numberIn(metadata: GgufMetadata, key: string): number | undefined {
  const { type, value } = metadata.get(key) ?? {};
  if (typeof value === 'number') return value;
  if (!(value instanceof RawArray)) return undefined;
  const view = new DataView(value.bytes.buffer, value.bytes.byteOffset, value.bytes.byteLength);
  if (type === ggufTypes.UINT32) return view.getUint32(0, true);
  if (type === ggufTypes.INT32) return view.getInt32(0, true);
  return type === ggufTypes.FLOAT32 ? view.getFloat32(0, true) : undefined;
}

/** The texts of an array of strings, decoded. */
export function decodeStrings(array: RawArray): string[] {
  const reader = new ByteReader(array.bytes);
  return Array.from({ length: array.count }, () => decoder.decode(reader.string()));
}

/** The string array with some items, by index, replaced. */
export function replaceStrings(array: RawArray, texts: ReadonlyMap<number, string>): RawArray {
  const reader = new ByteReader(array.bytes);
  const pieces: Uint8Array[] = [];
  let kept = 0;
  for (let index = 0; index < array.count; index++) {
    const start = reader.position;
    reader.string();
    const text = texts.get(index);
    if (text === undefined) continue;
    pieces.push(array.bytes.subarray(kept, start), lengthAndBytes(text));
    kept = reader.position;
  }
  pieces.push(array.bytes.subarray(kept));
  return new RawArray(array.count, concatenate(pieces));
}

/** The numbers of an array of 32-bit integers. */
export function decodeInt32s(array: RawArray): Int32Array {
  return new Int32Array(new Uint8Array(array.bytes).buffer, 0, array.count);
}

function lengthAndBytes(text: string): Uint8Array {
  const encoded = new TextEncoder().encode(text);
  const out = new Uint8Array(8 + encoded.length);
  new DataView(out.buffer).setBigUint64(0, BigInt(encoded.length), true);
  out.set(encoded, 8);
  return out;
}

function concatenate(pieces: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(pieces.reduce((total, piece) => total + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    out.set(piece, at);
    at += piece.length;
  }
  return out;
}

function readValue(reader: ByteReader, type: number): GgufValue {
  if (type === ggufTypes.STRING) return { type, value: decoder.decode(reader.string()) };
  if (type !== ggufTypes.ARRAY) return { type, value: new RawArray(1, reader.take(sizeOf(type))) };
  const subType: number = reader.uint32();
  const count = reader.uint64();
  const start = reader.position;
  if (subType === ggufTypes.STRING) for (let index = 0; index < count; index++) reader.string();
  else reader.take(count * sizeOf(subType));
  return { type, subType, value: new RawArray(count, reader.slice(start)) };
}

function sizeOf(type: number): number {
  switch (type) {
    case ggufTypes.UINT8:
    case ggufTypes.INT8:
    case ggufTypes.BOOL:
      return 1;
    case ggufTypes.UINT16:
    case ggufTypes.INT16:
      return 2;
    case ggufTypes.UINT32:
    case ggufTypes.INT32:
    case ggufTypes.FLOAT32:
      return 4;
    case ggufTypes.UINT64:
    case ggufTypes.INT64:
    case ggufTypes.FLOAT64:
      return 8;
    default:
      throw unreadable(`holds a value of GGUF type ${type}, which there is not`);
  }
}

class ByteReader {
  readonly #bytes: Uint8Array;
  position = 0;
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }
  /** A view of the next `length` bytes, which are consumed. */
  view(length: number): DataView {
    const bytes = this.take(length);
    return new DataView(bytes.buffer, bytes.byteOffset, length);
  }
  uint32(): number {
    return this.view(4).getUint32(0, true);
  }
  uint64(): number {
    return Number(this.view(8).getBigUint64(0, true));
  }
  string(): Uint8Array {
    return this.take(this.uint64());
  }
  take(length: number): Uint8Array {
    const start = this.position;
    this.position += length;
    if (this.position > this.#bytes.length) throw unreadable('is cut short, or is not a GGUF file');
    return this.slice(start);
  }
  slice(start: number): Uint8Array {
    return this.#bytes.subarray(start, this.position);
  }
}
