/** GGUF files taken apart, so that a test can lie in any of their parts: a tiny Llama, and how it is written. */

/** A metadata entry as it lies in a file: `value` is everything after the type. */
export interface Entry {
  readonly key: Buffer;
  readonly type: number;
  readonly value: Buffer;
}

/** What a file says of one tensor. */
export interface TensorInfo {
  readonly name: Buffer;
  readonly dimensions: readonly bigint[];
  /** Number of dimensions as declared. Default: as many as there are. */
  readonly declaredDimensions?: number;
  readonly type: number;
  readonly offset: bigint;
}

/** A whole file. Counts are those of the lists, unless they are given. */
export interface GgufParts {
  readonly magic: Buffer;
  readonly version: number;
  readonly tensorCount?: bigint;
  readonly entryCount?: bigint;
  readonly entries: readonly Entry[];
  readonly tensors: readonly TensorInfo[];
  readonly data: Buffer;
}

export const types = { uint8: 0, uint32: 4, int32: 5, float32: 6, bool: 7, string: 8, array: 9, uint64: 10 };

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
}

export function uint64(value: number | bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt.asUintN(64, BigInt(value)));
  return bytes;
}

export function float32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
}

/** A string as GGUF writes it, with another length where one is declared. */
export function text(value: string | Buffer, declared?: bigint): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([uint64(declared ?? BigInt(bytes.length)), bytes]);
}

/** An array, with another count where one is declared. */
export function array(type: number, items: readonly Buffer[], declared?: bigint): Buffer {
  return Buffer.concat([uint32(type), uint64(declared ?? BigInt(items.length)), ...items]);
}

export function entry(key: string, type: number, value: Buffer): Entry {
  return { key: text(key), type, value };
}

/** The bytes of the header, up to where the padding before the weights begins. */
export function headerBytes(parts: GgufParts): Buffer {
  return Buffer.concat([
    parts.magic,
    uint32(parts.version),
    uint64(parts.tensorCount ?? BigInt(parts.tensors.length)),
    uint64(parts.entryCount ?? BigInt(parts.entries.length)),
    ...parts.entries.flatMap(({ key, type, value }) => [key, uint32(type), value]),
    ...parts.tensors.flatMap(tensorInfo),
  ]);
}

function tensorInfo({ name, dimensions, declaredDimensions, type, offset }: TensorInfo): Buffer[] {
  const count = uint32(declaredDimensions ?? dimensions.length);
  return [name, count, ...dimensions.map(uint64), uint32(type), uint64(offset)];
}

/** The bytes of the file. */
export function ggufBytes(parts: GgufParts): Buffer {
  const header = headerBytes(parts);
  return Buffer.concat([header, Buffer.alloc((32 - (header.length % 32)) % 32), parts.data]);
}

/** The parts with entries replaced by those of the same key, or added. */
export function withEntries(parts: GgufParts, ...entries: readonly Entry[]): GgufParts {
  const replaced = parts.entries.map((old) => entries.find(({ key }) => key.equals(old.key)) ?? old);
  const added = entries.filter(({ key }) => !parts.entries.some((old) => old.key.equals(key)));
  return { ...parts, entries: [...replaced, ...added] };
}

/** The parts without the entry of that key. */
export function withoutEntry(parts: GgufParts, key: string): GgufParts {
  return { ...parts, entries: parts.entries.filter((each) => !each.key.equals(text(key))) };
}

/** The parts with another tensor in place of the one at `index`. */
export function withTensor(parts: GgufParts, index: number, change: Partial<TensorInfo>): GgufParts {
  const tensors = parts.tensors.map((tensor, at) => (at === index ? { ...tensor, ...change } : tensor));
  return { ...parts, tensors };
}

const width = 32;
const hidden = 32;
const tokens = ['<unk>', '<s>', '</s>', ...Array.from({ length: 256 }, (_, byte) => byteToken(byte))];

function byteToken(byte: number): string {
  return `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`;
}

/** A Llama of one layer with a vocabulary of bytes: every engine loads it, and it writes noise. */
export function tinyParts(chatTemplate: string): GgufParts {
  const data: Buffer[] = [];
  const tensors: TensorInfo[] = [];
  let offset = 0;
  for (const [name, ...dimensions] of shapes) {
    const length = dimensions.reduce((product, size) => product * size, 4);
    tensors.push({ name: text(name), dimensions: dimensions.map(BigInt), type: 0, offset: BigInt(offset) });
    data.push(weights(length));
    offset += length;
  }
  return {
    magic: Buffer.from('GGUF'),
    version: 3,
    entries: tinyEntries(chatTemplate),
    tensors,
    data: Buffer.concat(data),
  };
}

/** All lengths are multiples of 32 bytes, so that nothing lies between the tensors. */
const shapes: readonly (readonly [name: string, ...dimensions: number[]])[] = [
  ['token_embd.weight', width, tokens.length],
  ['output_norm.weight', width],
  ['output.weight', width, tokens.length],
  ['blk.0.attn_norm.weight', width],
  ['blk.0.attn_q.weight', width, width],
  ['blk.0.attn_k.weight', width, width],
  ['blk.0.attn_v.weight', width, width],
  ['blk.0.attn_output.weight', width, width],
  ['blk.0.ffn_norm.weight', width],
  ['blk.0.ffn_gate.weight', width, hidden],
  ['blk.0.ffn_down.weight', hidden, width],
  ['blk.0.ffn_up.weight', width, hidden],
];

function weights(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; at += 4) bytes.writeFloatLE(Math.sin(at) / 4, at);
  return bytes;
}

function tinyEntries(chatTemplate: string): readonly Entry[] {
  const number = (key: string, value: number): Entry => entry(key, types.uint32, uint32(value));
  const kinds = tokens.map((_, id) => (id === 0 ? 2 : id < 3 ? 3 : 6));
  return [
    entry('general.architecture', types.string, text('llama')),
    entry('general.name', types.string, text('tiny')),
    number('llama.context_length', 512),
    number('llama.embedding_length', width),
    number('llama.block_count', 1),
    number('llama.feed_forward_length', hidden),
    number('llama.attention.head_count', 2),
    number('llama.attention.head_count_kv', 2),
    number('llama.rope.dimension_count', width / 2),
    entry('llama.attention.layer_norm_rms_epsilon', types.float32, float32(1e-5)),
    entry('tokenizer.ggml.model', types.string, text('llama')),
    entry(
      'tokenizer.ggml.tokens',
      types.array,
      array(
        types.string,
        tokens.map((each) => text(each)),
      ),
    ),
    entry(
      'tokenizer.ggml.scores',
      types.array,
      array(
        types.float32,
        tokens.map(() => float32(0)),
      ),
    ),
    entry('tokenizer.ggml.token_type', types.array, array(types.int32, kinds.map(uint32))),
    number('tokenizer.ggml.bos_token_id', 1),
    number('tokenizer.ggml.eos_token_id', 2),
    entry('tokenizer.chat_template', types.string, text(chatTemplate)),
  ];
}
