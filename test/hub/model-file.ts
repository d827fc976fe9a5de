/** Small GGUF files for the tests of headers and downloads: honest by default, broken where asked. */

/** A metadata value: text, a whole number (uint32), or a list of either. */
export type MetadataValue = string | number | readonly string[] | readonly number[];

/** What the file holds; everything has a default that makes an honest file. */
export interface ModelFile {
  readonly metadata?: Readonly<Record<string, MetadataValue>>;
  /** Keys and values written after `metadata`, in which keys may repeat. */
  readonly moreMetadata?: readonly (readonly [string, MetadataValue])[];
  /** Weights of the one tensor, in bytes. Default 64; `null` writes no tensor. */
  readonly weights?: Uint8Array | null;
  readonly version?: number;
  /** Counts as the header declares them, where they shall be lies. */
  readonly declaredTensors?: bigint;
  readonly declaredEntries?: bigint;
}

/** The bytes of a GGUF file with one tensor of 8-bit integers. */
export function modelFile(model: ModelFile = {}): Buffer {
  const entries = [
    ...Object.entries({ 'general.architecture': 'llama', ...model.metadata }),
    ...(model.moreMetadata ?? []),
  ];
  const weights = model.weights === undefined ? new Uint8Array(64) : model.weights;
  const header = Buffer.concat([
    Buffer.from('GGUF'),
    uint32(model.version ?? 3),
    uint64(model.declaredTensors ?? (weights === null ? 0n : 1n)),
    uint64(model.declaredEntries ?? BigInt(entries.length)),
    ...entries.map(([key, value]) => Buffer.concat([text(key), typedValue(value)])),
    weights === null ? Buffer.alloc(0) : tensorInfo('weights', weights.length),
  ]);
  const padding = Buffer.alloc((32 - (header.length % 32)) % 32);
  return Buffer.concat([header, padding, weights ?? Buffer.alloc(0)]);
}

function typedValue(value: MetadataValue): Buffer {
  if (typeof value === 'string') return Buffer.concat([uint32(8), text(value)]);
  if (typeof value === 'number') return Buffer.concat([uint32(4), uint32(value)]);
  const items = value.map((item) => (typeof item === 'string' ? text(item) : uint32(item)));
  const itemType = typeof value[0] === 'string' ? 8 : 4;
  return Buffer.concat([uint32(9), uint32(itemType), uint64(BigInt(value.length)), ...items]);
}

function tensorInfo(name: string, length: number): Buffer {
  const int8 = 24;
  return Buffer.concat([text(name), uint32(1), uint64(BigInt(length)), uint32(int8), uint64(0n)]);
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([uint64(BigInt(bytes.length)), bytes]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function uint64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
}
