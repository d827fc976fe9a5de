/**
 * Model files of a few megabytes for tests and demonstrations: a real tokenizer, a chat template, and random weights.
 * They load and sample like any other model; their output is noise.
 */
import { bytes, readOptions, requireOption } from '../format/option-rules.ts';
import { decodeInt32s, decodeStrings, readGgufMetadata, replaceStrings, unreadable } from './gguf-reader.ts';
import type { GgufMetadata, GgufTensor, GgufValue } from './gguf-types.ts';
import { RawArray } from './gguf-types.ts';
import { float32Value, stringValue, uint32Value, writeGguf } from './gguf-writer.ts';
import {
  type ModelFileOptions,
  type RenamedToken,
  renamedTokens,
  type TinyModelOptions,
  tinyRules,
  type Vocabulary,
  vocabularyRule,
} from './model-file-options.ts';

const width = 8;
const hiddenWidth = 16;
/** Standard deviation of the logits, so that sampling at temperature 1 is varied but not uniform. */
const logitSpread = 3;

/**
 * Extracts the tokenizer from the bytes of a GGUF file. `rename` gives tokens new texts, by id: a vocabulary file
 * often has padding where chat models have their markers. Throws `ModelFileError` if the file cannot be read or has no
 * tokenizer, `UnsupportedOptionError` for anything but the bytes of a file.
 */
export function vocabularyOf(
  file: Uint8Array,
  rename: ReadonlyMap<number, RenamedToken> = new Map(),
): Vocabulary {
  requireOption('file', file, bytes);
  requireOption('rename', rename, renamedTokens);
  const metadata = new Map<string, GgufValue>();
  for (const [key, value] of readGgufMetadata(file)) {
    if (key.startsWith('tokenizer.') && !key.startsWith('tokenizer.chat_template')) metadata.set(key, value);
  }
  const texts = new Map([...rename].map(([id, { text }]) => [id, text]));
  const tokens = replaceStrings(arrayAt(metadata, tokensKey), texts);
  const types = decodeInt32s(arrayAt(metadata, typesKey));
  for (const [id, { role }] of rename) types[id] = role === 'control' ? controlType : userDefinedType;
  replaceArray(metadata, tokensKey, tokens);
  replaceArray(metadata, typesKey, new RawArray(types.length, new Uint8Array(types.buffer)));
  return { metadata, size: tokens.count };
}

/** The text of every token, by id. */
export function tokenTexts(vocabulary: Vocabulary): string[] {
  requireOption('vocabulary', vocabulary, vocabularyRule);
  return decodeStrings(arrayAt(vocabulary.metadata, tokensKey));
}

/** Ids of tokens that are neither control tokens nor bytes, the last one first: candidates for markers. */
export function replaceableTokens(vocabulary: Vocabulary): number[] {
  requireOption('vocabulary', vocabulary, vocabularyRule);
  const ids = [...decodeInt32s(arrayAt(vocabulary.metadata, typesKey))].flatMap((type, id) =>
    type === normalType || type === userDefinedType || type === unusedType ? [id] : [],
  );
  return ids.reverse();
}

const tokensKey = 'tokenizer.ggml.tokens';
const typesKey = 'tokenizer.ggml.token_type';

/**
 * A model of the `llama` architecture with one layer and random weights, as the bytes of a GGUF file. Throws
 * `UnsupportedOptionError` for an invalid option.
 */
export function tinyModel(given: TinyModelOptions): Uint8Array<ArrayBuffer> {
  const options = readOptions(given, tinyRules);
  requireOption('vocabulary', options.vocabulary, vocabularyRule);
  const random = gaussian(options.seed ?? 1);
  const size = options.vocabulary.size;
  const matrix = (name: string, shape: readonly number[], scale: number): GgufTensor => ({
    name,
    shape,
    data: Float32Array.from({ length: product(shape) }, () => random() * scale),
  });
  const ones = (name: string): GgufTensor => ({
    name,
    shape: [width],
    data: new Float32Array(width).fill(1),
  });
  const square = [width, width];
  return writeGguf(modelMetadata('llama', llamaKeys, options), [
    matrix('token_embd.weight', [width, size], 1),
    ones('output_norm.weight'),
    matrix('output.weight', [width, size], logitSpread / Math.sqrt(width)),
    ones('blk.0.attn_norm.weight'),
    ...['q', 'k', 'v', 'output'].map((part) => matrix(`blk.0.attn_${part}.weight`, square, 0.5)),
    ones('blk.0.ffn_norm.weight'),
    ...['gate', 'up'].map((part) => matrix(`blk.0.ffn_${part}.weight`, [width, hiddenWidth], 0.5)),
    matrix('blk.0.ffn_down.weight', [hiddenWidth, width], 0.5),
  ]);
}

const llamaKeys: readonly (readonly [string, GgufValue])[] = [
  ['block_count', uint32Value(1)],
  ['embedding_length', uint32Value(width)],
  ['feed_forward_length', uint32Value(hiddenWidth)],
  ['attention.head_count', uint32Value(1)],
  ['attention.head_count_kv', uint32Value(1)],
  ['attention.layer_norm_rms_epsilon', float32Value(1e-5)],
  ['rope.dimension_count', uint32Value(width)],
];

/** The metadata of a model file: architecture, tokenizer, templates. */
export function modelMetadata(
  architecture: string,
  keys: readonly (readonly [string, GgufValue])[],
  { vocabulary, chatTemplate, toolUseTemplate, name = 'tiny', contextLength = 8192 }: ModelFileOptions,
): GgufMetadata {
  const metadata = new Map<string, GgufValue>([
    ['general.architecture', stringValue(architecture)],
    ['general.name', stringValue(name)],
    [`${architecture}.context_length`, uint32Value(contextLength)],
    [`${architecture}.vocab_size`, uint32Value(vocabulary.size)],
    ...keys.map(([key, value]) => [`${architecture}.${key}`, value] as const),
    ...vocabulary.metadata,
  ]);
  if (chatTemplate !== undefined) metadata.set('tokenizer.chat_template', stringValue(chatTemplate));
  if (toolUseTemplate !== undefined) {
    metadata.set('tokenizer.chat_template.tool_use', stringValue(toolUseTemplate));
  }
  return metadata;
}

/** Values of `tokenizer.ggml.token_type`. */
const normalType = 1;
const controlType = 3;
const userDefinedType = 4;
const unusedType = 5;

function arrayAt(metadata: GgufMetadata, key: string): RawArray {
  const value = metadata.get(key)?.value;
  if (!(value instanceof RawArray)) throw unreadable(`holds no tokenizer (${key})`);
  return value;
}

function replaceArray(metadata: Map<string, GgufValue>, key: string, value: RawArray): void {
  const old = metadata.get(key);
  if (old !== undefined) metadata.set(key, { ...old, value });
}

function product(shape: readonly number[]): number {
  return shape.reduce((total, size) => total * size, 1);
}

/** Normally distributed numbers, reproducible by seed (a sum of uniform ones is close enough here). */
function gaussian(seed: number): () => number {
  let state = seed >>> 0 || 1;
  const uniform = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 0x100000000;
  };
  return () => (uniform() + uniform() + uniform() + uniform() - 2) * Math.sqrt(3);
}
