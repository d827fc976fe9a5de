/** Writes GGUF files, version 3, little endian: metadata and tensors only. Does not need Node. */
import { UnsupportedOptionError } from '../format/errors.ts';
import { isRecord, type OptionRule, requireOption } from '../format/option-rules.ts';
import {
  ggufAlignment as alignment,
  type GgufMetadata,
  type GgufTensor,
  type GgufValue,
  ggufMagic,
  ggufTypes,
  RawArray,
} from './gguf-types.ts';

const metadataMap: OptionRule = {
  expected: 'a Map of values with their GGUF types',
  allows: (value) => value instanceof Map && [...value.values()].every(isTypedValue),
};

const tensorList: OptionRule = {
  expected: 'an array of tensors ({ name, shape, data })',
  allows: (value) => Array.isArray(value) && value.every(isTensor),
};

function isTypedValue(value: unknown): boolean {
  return isRecord(value) && typeof value.type === 'number';
}

function isTensor(value: unknown): boolean {
  if (!isRecord(value) || typeof value.name !== 'string' || !Array.isArray(value.shape)) return false;
  const { shape, data } = value;
  return (
    shape.every((size) => Number.isSafeInteger(size)) &&
    (data instanceof Float32Array || data instanceof Uint16Array)
  );
}

const version = 3;

/** A string as a GGUF value. */
export function stringValue(value: string): GgufValue {
  return { type: ggufTypes.STRING, value };
}

/** An unsigned 32-bit number as a GGUF value. */
export function uint32Value(value: number): GgufValue {
  return { type: ggufTypes.UINT32, value };
}

/** A 32-bit float as a GGUF value. */
export function float32Value(value: number): GgufValue {
  return { type: ggufTypes.FLOAT32, value };
}

/**
 * The bytes of a GGUF file. Throws `UnsupportedOptionError` for invalid metadata and tensors, and for a value that
 * does not fit its type.
 */
export function writeGguf(metadata: GgufMetadata, tensors: readonly GgufTensor[]): Uint8Array<ArrayBuffer> {
  requireOption('metadata', metadata, metadataMap);
  requireOption('tensors', tensors, tensorList);
  const out = new ByteWriter();
  out.uint32(ggufMagic);
  out.uint32(version);
  out.uint64(tensors.length);
  out.uint64(metadata.size);
  for (const [key, value] of metadata) {
    out.string(key);
    out.uint32(value.type);
    writeValue(out, key, value);
  }
  writeTensorInfos(out, tensors);
  for (const { data } of tensors) {
    out.align(alignment);
    out.bytes(new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
  }
  return out.finish();
}

function writeTensorInfos(out: ByteWriter, tensors: readonly GgufTensor[]): void {
  let offset = 0;
  for (const { name, shape, data } of tensors) {
    out.string(name);
    out.uint32(shape.length);
    for (const size of shape) out.uint64(size);
    out.uint32(data instanceof Float32Array ? 0 : 1);
    out.uint64(offset);
    offset += Math.ceil(data.byteLength / alignment) * alignment;
  }
}

function writeValue(out: ByteWriter, key: string, { type, subType, value }: GgufValue): void {
  if (type === ggufTypes.ARRAY) writeArray(out, key, subType, value);
  else if (value instanceof RawArray) out.bytes(value.bytes);
  else if (type === ggufTypes.STRING && typeof value === 'string') out.string(value);
  else if (type === ggufTypes.UINT32 && typeof value === 'number') out.uint32(value);
  else if (type === ggufTypes.INT32 && typeof value === 'number') out.int32(value);
  else if (type === ggufTypes.BOOL && typeof value === 'boolean') out.bytes(Uint8Array.of(value ? 1 : 0));
  else if (type === ggufTypes.FLOAT32 && typeof value === 'number') out.float32(value);
  else {
    const reason = `a GGUF value of type ${type} cannot be ${typeof value}`;
    throw new UnsupportedOptionError({ option: key, reason });
  }
}

function writeArray(out: ByteWriter, key: string, subType: number | undefined, value: unknown): void {
  if (subType === undefined || !(value instanceof RawArray || Array.isArray(value))) {
    const reason = 'a GGUF array needs its items as a list or as bytes, and their type';
    throw new UnsupportedOptionError({ option: key, reason });
  }
  out.uint32(subType);
  if (value instanceof RawArray) {
    out.uint64(value.count);
    out.bytes(value.bytes);
    return;
  }
  out.uint64(value.length);
  for (const item of value) writeValue(out, key, { type: subType, value: item });
}

/** A growing byte array, with GGUF's number formats. */
class ByteWriter {
  #buffer = new Uint8Array(1 << 16);
  #length = 0;
  readonly #encoder = new TextEncoder();

  /** Appends `count` zero bytes and returns a view of them. */
  #reserve(count: number): DataView {
    const at = this.#length;
    this.#length += count;
    if (this.#length > this.#buffer.length) {
      const grown = new Uint8Array(Math.max(this.#length, this.#buffer.length * 2));
      grown.set(this.#buffer.subarray(0, at));
      this.#buffer = grown;
    }
    return new DataView(this.#buffer.buffer, at, count);
  }

  uint32(value: number): void {
    this.#reserve(4).setUint32(0, value, true);
  }

  int32(value: number): void {
    this.#reserve(4).setInt32(0, value, true);
  }

  uint64(value: number | bigint): void {
    this.#reserve(8).setBigUint64(0, BigInt(value), true);
  }

  float32(value: number): void {
    this.#reserve(4).setFloat32(0, value, true);
  }

  string(text: string): void {
    const encoded = this.#encoder.encode(text);
    this.uint64(encoded.length);
    this.bytes(encoded);
  }

  bytes(bytes: Uint8Array): void {
    const at = this.#length;
    this.#reserve(bytes.length);
    this.#buffer.set(bytes, at);
  }

  align(size: number): void {
    this.#reserve((size - (this.#length % size)) % size);
  }

  finish(): Uint8Array<ArrayBuffer> {
    this.align(alignment);
    return this.#buffer.slice(0, this.#length);
  }
}
