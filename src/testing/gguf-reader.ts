/**
 * Reads the metadata of a GGUF file so that it can be written again byte for byte: arrays keep their bytes. (Readers
 * that decode every text lose those that are not valid UTF-8, and byte order marks; a vocabulary copied through them
 * has duplicate tokens, and does not load.)
 */
import { ModelFileError } from '../format/errors.ts';
import { type GgufLayout, MoreBytesNeeded, scanGguf, type TensorInfo } from '../hub/gguf/gguf-layout.ts';
import { type GgufMetadata, type GgufTensor, type GgufValue, ggufTypes, RawArray } from './gguf-types.ts';

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
/** Bytes of the length in front of a text. */
const lengthBytes = 8;

/** A file whole. */
export interface GgufFile {
  readonly metadata: GgufMetadata;
  readonly tensors: ReadonlyMap<string, GgufTensor>;
}

/** Metadata of the GGUF file (version 2 or 3) in `bytes`. Throws `ModelFileError` for other or incomplete data. */
export function readGgufMetadata(bytes: Uint8Array): GgufMetadata {
  return metadataOf(scan(bytes));
}

/** The file in `bytes`. Throws `ModelFileError` for other data, and for tensors that are neither F32 nor F16. */
export function readGguf(bytes: Uint8Array): GgufFile {
  const layout = scan(bytes);
  const read = layout.tensors.map((info) => [info.name, readTensor(bytes, layout, info)] as const);
  return { metadata: metadataOf(layout), tensors: new Map(read) };
}

function scan(bytes: Uint8Array): GgufLayout {
  try {
    const layout = scanGguf(bytes, unnamed);
    if (layout.isUsual) return layout;
  } catch (error) {
    if (!(error instanceof MoreBytesNeeded)) throw error;
    throw unreadable('is cut short');
  }
  throw unreadable('is of version 1 of GGUF, or big-endian; neither is read here');
}

function metadataOf({ metadata }: GgufLayout): GgufMetadata {
  return new Map(
    Array.from(metadata.raw(), ([key, { type, items, bytes }]): [string, GgufValue] => {
      if (type === ggufTypes.STRING)
        return [key, { type, value: decoder.decode(bytes.subarray(lengthBytes)) }];
      const value = new RawArray(items?.count ?? 1, bytes);
      return [key, { type, value, ...(items === null ? {} : { subType: items.type }) }];
    }),
  );
}

/** The numbers are copied, because those of a file need not lie where an array may begin. */
function readTensor(
  bytes: Uint8Array,
  { dataOffset }: GgufLayout,
  { name, sides, type, offset }: TensorInfo,
): GgufTensor {
  if (type > 1) throw unreadable(`has the tensor ${name} in the type ${type}; only F32 and F16 are read`);
  const shape = sides.map(Number);
  const size = shape.reduce((product, each) => product * each, 1) * (type === 0 ? 4 : 2);
  const from = dataOffset + Number(offset);
  if (from + size > bytes.length) throw unreadable('is cut short');
  const { buffer } = bytes.slice(from, from + size);
  return { name, shape, data: type === 0 ? new Float32Array(buffer) : new Uint16Array(buffer) };
}

/** What the bytes of a file are called, which have no name. */
const unnamed = 'the file';

/** The error about `bytes`, which have no file name. */
export function unreadable(reason: string): ModelFileError {
  return new ModelFileError({ file: unnamed, reason });
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
  return Array.from(stringsIn(array), ([start, end]) => decoder.decode(array.bytes.subarray(start, end)));
}

/** The string array with some items, by index, replaced. */
export function replaceStrings(array: RawArray, texts: ReadonlyMap<number, string>): RawArray {
  const pieces: Uint8Array[] = [];
  let kept = 0;
  for (const [index, [start, end]] of Array.from(stringsIn(array)).entries()) {
    const text = texts.get(index);
    if (text === undefined) continue;
    pieces.push(array.bytes.subarray(kept, start - lengthBytes), lengthAndBytes(text));
    kept = end;
  }
  pieces.push(array.bytes.subarray(kept));
  return new RawArray(array.count, concatenate(pieces));
}

/** Where each text of an array of strings begins and ends. */
function* stringsIn({ bytes, count }: RawArray): Generator<readonly [start: number, end: number]> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let end = 0;
  for (let index = 0; index < count; index++) {
    const start = end + lengthBytes;
    end = start + Number(view.getBigUint64(end, true));
    yield [start, end];
  }
}

/** The numbers of an array of 32-bit integers. */
export function decodeInt32s(array: RawArray): Int32Array {
  return new Int32Array(new Uint8Array(array.bytes).buffer, 0, array.count);
}

function lengthAndBytes(text: string): Uint8Array {
  const encoded = new TextEncoder().encode(text);
  const out = new Uint8Array(lengthBytes + encoded.length);
  new DataView(out.buffer).setBigUint64(0, BigInt(encoded.length), true);
  out.set(encoded, lengthBytes);
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
