/** `GGUF`, the first four bytes of a file. */
export const ggufMagic = 0x46554747;

/** Tensors begin at multiples of this many bytes, if the file does not say otherwise. */
export const ggufAlignment = 32;

/** GGUF's types of metadata values, as in the specification. */
export const ggufTypes = {
  UINT8: 0,
  INT8: 1,
  UINT16: 2,
  INT16: 3,
  UINT32: 4,
  INT32: 5,
  FLOAT32: 6,
  BOOL: 7,
  STRING: 8,
  ARRAY: 9,
  UINT64: 10,
  INT64: 11,
  FLOAT64: 12,
} as const;

/** The items of an array, as in a file. */
export class RawArray {
  readonly count: number;
  readonly bytes: Uint8Array;
  constructor(count: number, bytes: Uint8Array) {
    this.count = count;
    this.bytes = bytes;
  }
}

/**
 * One metadata value with the number of its GGUF type: 4 unsigned 32-bit, 5 signed 32-bit, 6 32-bit float, 7 boolean,
 * 8 string, 9 array, whose items have the type `subType`. A `RawArray` has the value's bytes as in a file (also of a
 * single number, then with a count of 1).
 */
export interface GgufValue {
  readonly type: number;
  readonly subType?: number | undefined;
  readonly value: unknown;
}

/** Metadata, in the order of writing. */
export type GgufMetadata = ReadonlyMap<string, GgufValue>;

/** One tensor. */
export interface GgufTensor {
  readonly name: string;
  /** Sizes in GGUF's order, fastest-varying dimension first. */
  readonly shape: readonly number[];
  /** `Float32Array` is written as F32; `Uint16Array` has the bits of F16. */
  readonly data: Float32Array | Uint16Array;
}
