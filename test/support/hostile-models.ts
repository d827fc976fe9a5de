/** Model files that lie: each kind is one lie in an otherwise honest file, or one place where it was cut. */
import {
  array,
  entry,
  float32,
  type GgufParts,
  ggufBytes,
  headerBytes,
  text,
  tinyParts,
  types,
  uint32,
  uint64,
  withEntries,
  withoutEntry,
  withTensor,
} from './gguf-parts.ts';

/** A hostile file, or several that lie in one folder; the first is the one to load. */
export interface HostileModel {
  readonly name: string;
  readonly files: Readonly<Record<string, Buffer>>;
}

const template = '{% for message in messages %}{{ message.role }}: {{ message.content }}\n{% endfor %}';

/** The file that the kinds are made from: it loads. */
export const honest = tinyParts(template);

const largest = 2n ** 64n - 1n;
const first = 0;
const last = honest.tensors.length - 1;

function one(name: string, bytes: Buffer): HostileModel {
  return { name, files: { 'model.gguf': bytes } };
}

function lie(name: string, parts: GgufParts): HostileModel {
  return one(name, ggufBytes(parts));
}

/** A number where the file has another. */
function number(key: string, value: number): HostileModel {
  return lie(`${key} is ${value}`, withEntries(honest, entry(key, types.uint32, uint32(value))));
}

function raw(name: string, key: string, type: number, value: Buffer): HostileModel {
  return lie(name, withEntries(honest, entry(key, type, value)));
}

function preambles(): HostileModel[] {
  const zeros = Buffer.alloc(24);
  return [
    one('an empty file', Buffer.alloc(0)),
    one('three bytes', Buffer.from('GGU')),
    one('the magic number alone', Buffer.from('GGUF')),
    one('a web page', Buffer.from('<!DOCTYPE html><title>Sign in</title>')),
    one('zeros', Buffer.alloc(4096)),
    one('the magic number and zeros', Buffer.concat([Buffer.from('GGUF'), uint32(3), zeros])),
    lie('the magic number reversed', { ...honest, magic: Buffer.from('FUGG') }),
    ...[0, 1, 2 ** 24 * 3, 4, 2 ** 32 - 1].map((version) =>
      lie(`version ${version}`, { ...honest, version }),
    ),
  ];
}

function cuts(): HostileModel[] {
  const bytes = ggufBytes(honest);
  const header = headerBytes(honest).length;
  const places = [10, 23, 24, 30, 60, 90, Math.floor(header / 2), header - 300, header - 12, header - 1];
  const weights = [header + 1, Math.floor((header + bytes.length) / 2), bytes.length - 1];
  return [...places, ...weights].map((at) => one(`cut after ${at} bytes`, bytes.subarray(0, at)));
}

function counts(): HostileModel[] {
  const { length } = honest.tensors;
  const entries = honest.entries.length;
  return [
    ...[largest, 2n ** 63n, 2n ** 32n, 200_001n, BigInt(length + 1), BigInt(length - 1), 0n].map(
      (tensorCount) => lie(`${tensorCount} tensors declared`, { ...honest, tensorCount }),
    ),
    ...[largest, 2n ** 63n, 2n ** 32n, BigInt(entries + 1), BigInt(entries - 1), 0n].map((entryCount) =>
      lie(`${entryCount} metadata entries declared`, { ...honest, entryCount }),
    ),
  ];
}

function strings(): HostileModel[] {
  const key = (name: string, bytes: Buffer): HostileModel =>
    lie(name, {
      ...honest,
      entries: [{ key: bytes, type: types.uint32, value: uint32(1) }, ...honest.entries],
    });
  return [
    ...[largest, 2n ** 63n, 2n ** 31n, 20_000_000n].map((length) =>
      key(`a key of ${length} bytes declared`, text('a', length)),
    ),
    ...[largest, 2n ** 62n, 2n ** 32n, 1_000_000n].map((length) =>
      raw(`a value of ${length} bytes declared`, 'general.name', types.string, text('a', length)),
    ),
    key('a key of 100,000 bytes', text('k'.repeat(100_000))),
    key('an empty key', text('')),
    key('a key with zero bytes', text('a\0b')),
    key('a key that is no UTF-8', text(Buffer.from([0xff, 0xfe, 0xc0]))),
    key('a key called __proto__', text('__proto__')),
    key('a key called constructor', text('constructor')),
    lie('a key twice', { ...honest, entries: [...honest.entries, ...honest.entries.slice(0, 1)] }),
    raw(
      'a template of 12 million characters',
      'tokenizer.chat_template',
      types.string,
      text('a'.repeat(12e6)),
    ),
    raw('a template of 500,000 characters', 'tokenizer.chat_template', types.string, text('a'.repeat(5e5))),
  ];
}

function arrays(): HostileModel[] {
  const nested = (depth: number): Buffer =>
    depth === 0 ? array(types.uint8, []) : array(types.array, [nested(depth - 1)]);
  const put = (name: string, value: Buffer): HostileModel => raw(name, 'general.tags', types.array, value);
  return [
    ...[largest, 2n ** 61n, 2n ** 32n, 1_000_001n, 100_000n].map((count) =>
      put(`an array of ${count} numbers declared`, array(types.uint32, [], count)),
    ),
    ...[largest, 2n ** 40n].map((count) =>
      put(`an array of ${count} texts declared`, array(types.string, [], count)),
    ),
    ...[1, 5, 1000].map((depth) => put(`arrays nested ${depth} deep`, nested(depth))),
    put('an array of 500,000 arrays', array(types.array, Array(500_000).fill(array(types.uint8, [])))),
    put('an array of a type that there is not', array(99, [])),
    put('900,000 empty texts', array(types.string, Array(900_000).fill(text('')))),
    ...[13, 99, 2 ** 32 - 1].map((type) => raw(`a value of type ${type}`, 'general.name', type, text('a'))),
  ];
}

function tensors(): HostileModel[] {
  const at = (name: string, index: number, change: Parameters<typeof withTensor>[2]): HostileModel =>
    lie(name, withTensor(honest, index, change));
  const size = BigInt(honest.data.length);
  return [
    ...[0, 5, 8, 9, 2 ** 32 - 1].map((declaredDimensions) =>
      at(`a tensor of ${declaredDimensions} dimensions declared`, first, { declaredDimensions }),
    ),
    ...[0n, 1n, 2n ** 32n, 2n ** 63n, largest].map((side) =>
      at(`a tensor with a side of ${side}`, first, { dimensions: [32n, side] }),
    ),
    at('a tensor whose size overflows', first, { dimensions: [2n ** 32n, 2n ** 32n] }),
    at('a tensor of four long sides', first, { dimensions: Array(4).fill(2n ** 31n) }),
    ...[4, 31, 99, 2 ** 32 - 1].map((type) => at(`a tensor of type ${type}`, last, { type })),
    at('a tensor of a type of half the size', first, { type: 1 }),
    at('a tensor of blocks that its rows do not fill', last, { type: 12 }),
    ...[1n, 16n, size - 32n, size, size * 2n, 2n ** 63n, largest].map((offset) =>
      at(`the last tensor at ${offset}`, last, { offset }),
    ),
    at('two tensors at one place', last, { offset: 0n }),
    at('two tensors of one name', last, { name: honest.tensors[0]?.name ?? text('') }),
    at('a tensor without a name', last, { name: text('') }),
    at('a tensor with a name of 100 bytes', last, { name: text('n'.repeat(100)) }),
    at('a tensor with a name of 2^63 bytes declared', last, { name: text('n', 2n ** 63n) }),
    lie('no tensors', { ...honest, tensors: [], data: Buffer.alloc(0) }),
    lie('no output tensor', { ...honest, tensors: honest.tensors.filter((_, index) => index !== 1) }),
    ...[0, 1, 3, 2 ** 31].map((value) => number('general.alignment', value)),
    raw('an alignment that is a text', 'general.alignment', types.string, text('32')),
    raw('an alignment of 64 bits', 'general.alignment', types.uint64, uint64(2n ** 62n)),
  ];
}

function splits(): HostileModel[] {
  const parts = (count: number, no = 0, total = 24): GgufParts =>
    withEntries(
      honest,
      entry('split.count', types.uint32, uint32(count)),
      entry('split.no', types.uint32, uint32(no)),
      entry('split.tensors.count', types.uint32, uint32(total)),
    );
  const pair = (name: string, sibling: Buffer | null, declared = 2): HostileModel => ({
    name,
    files: {
      'model-00001-of-00002.gguf': ggufBytes(parts(declared)),
      ...(sibling === null ? {} : { 'model-00002-of-00002.gguf': sibling }),
    },
  });
  return [
    ...[2, 1001, 65_535, 2 ** 32 - 1].map((count) => lie(`one file of ${count} declared`, parts(count))),
    lie('the third of two files', parts(2, 2)),
    raw('a number of files that is a text', 'split.count', types.string, text('9')),
    raw('a number of files that is a fraction', 'split.count', types.float32, float32(2.5)),
    pair('the other file is not there', null),
    pair('the other file is garbage', Buffer.from('no model')),
    pair('the other file is cut', ggufBytes(parts(2, 1)).subarray(0, 200)),
    pair('the other file says that it is the first', ggufBytes(parts(2, 0))),
    pair('the other file has the same tensors', ggufBytes(parts(2, 1))),
    pair('the other file says three', ggufBytes(parts(3, 1))),
    pair('the name says two and the file a thousand', ggufBytes(parts(1000, 1)), 1000),
  ];
}

function vocabularies(): HostileModel[] {
  const key = (name: string): string => `tokenizer.ggml.${name}`;
  const tokens = (count: number): Buffer[] => Array.from({ length: count }, (_, id) => text(`t${id}`));
  return [
    ...['model', 'tokens', 'scores', 'token_type'].map((name) =>
      lie(`no ${key(name)}`, withoutEntry(honest, key(name))),
    ),
    raw('a vocabulary without tokens', key('tokens'), types.array, array(types.string, [])),
    raw('a vocabulary of numbers', key('tokens'), types.array, array(types.uint32, [uint32(1)])),
    raw('fewer tokens than weights', key('tokens'), types.array, array(types.string, tokens(100))),
    raw('more tokens than weights', key('tokens'), types.array, array(types.string, tokens(1000))),
    raw(
      'tokens that are all the same',
      key('tokens'),
      types.array,
      array(types.string, Array(259).fill(text('a'))),
    ),
    raw('tokens that are empty', key('tokens'), types.array, array(types.string, Array(259).fill(text('')))),
    raw('tokens that are a text', key('tokens'), types.string, text('a')),
    raw('a single score', key('scores'), types.array, array(types.float32, [float32(1)])),
    raw('scores that are texts', key('scores'), types.array, array(types.string, tokens(259))),
    raw('a single token type', key('token_type'), types.array, array(types.int32, [uint32(1)])),
    raw(
      'token types that are bytes',
      key('token_type'),
      types.array,
      array(types.uint8, [Buffer.alloc(259)], 259n),
    ),
    raw('token types that are texts', key('token_type'), types.array, array(types.string, tokens(259))),
    raw('a tokenizer of no known kind', key('model'), types.string, text('\u001b[31m')),
    raw('a tokenizer with merges and none there', key('model'), types.string, text('gpt2')),
    ...['bos_token_id', 'eos_token_id', 'unknown_token_id', 'eot_token_id'].flatMap((name) =>
      [259, 2 ** 31, 2 ** 32 - 1].map((value) => number(key(name), value)),
    ),
  ];
}

function hyperparameters(): HostileModel[] {
  const keys = [
    'block_count',
    'embedding_length',
    'feed_forward_length',
    'context_length',
    'attention.head_count',
    'attention.head_count_kv',
    'rope.dimension_count',
  ];
  return [
    ...keys.flatMap((name) => [0, 3, 2 ** 31, 2 ** 32 - 1].map((value) => number(`llama.${name}`, value))),
    ...keys.map((name) => lie(`no llama.${name}`, withoutEntry(honest, `llama.${name}`))),
    ...keys.map((name) => raw(`llama.${name} is a text`, `llama.${name}`, types.string, text('1'))),
    ...[
      'expert_count',
      'expert_used_count',
      'vocab_size',
      'attention.key_length',
      'attention.sliding_window',
    ].flatMap((name) => [0, 7, 2 ** 31].map((value) => number(`llama.${name}`, value))),
    lie('no architecture', withoutEntry(honest, 'general.architecture')),
    ...['', 'nothing', 'clip', '\u001b]0;title\u0007'].map((name) =>
      raw(`the architecture ${JSON.stringify(name)}`, 'general.architecture', types.string, text(name)),
    ),
    raw(
      'an epsilon that is no number',
      'llama.attention.layer_norm_rms_epsilon',
      types.float32,
      float32(Number.NaN),
    ),
  ];
}

/** Every kind. */
export function hostileModels(): readonly HostileModel[] {
  const groups = [preambles, cuts, counts, strings, arrays, tensors, splits, vocabularies, hyperparameters];
  return groups.flatMap((make) => make());
}

/**
 * The honest file with a few bytes of its header changed: flipped, replaced by extremes, or a stretch moved. The
 * same `seed` gives the same file.
 */
export function mutatedModel(seed: number): HostileModel {
  const bytes = Buffer.from(ggufBytes(honest));
  const header = headerBytes(honest).length;
  let state = seed * 2_654_435_761 + 1;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  for (let change = 0; change <= random(4); change++) {
    const at = random(header);
    const kind = random(4);
    if (kind === 0) bytes[at] = (bytes[at] ?? 0) ^ (1 << random(8));
    else if (kind === 1) bytes[at] = [0, 1, 127, 128, 255][random(5)] ?? 0;
    else if (kind === 2) bytes.fill(random(2) * 255, at, Math.min(header, at + 8));
    else bytes.copy(bytes, at, random(header), header);
  }
  return one(`mutant ${seed}`, bytes);
}
