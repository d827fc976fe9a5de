/**
 * A model of two megabytes that calls tools: unlike `tinyModel` it is trained, for a small world of twelve tools. Its
 * card describes what it knows; `scripts/toy` trained it.
 */
import { ModelFileError, UnsupportedOptionError } from '../../format/errors.ts';
import type { GgufTensor, GgufValue } from '../gguf-types.ts';
import { float32Value, uint32Value, writeGguf } from '../gguf-writer.ts';
import { fromHalf } from '../half-float.ts';
import { modelMetadata } from '../tiny-model.ts';
import { type ToyFormat, toyTemplates } from './templates.ts';
import { toyVocabulary } from './vocabulary.ts';

const width = 128;
const layers = 4;
const heads = 4;
const headWidth = 32;
const hiddenWidth = 384;

/**
 * The toy as the bytes of a GGUF file of the architecture `qwen3`. `format`: how its chat template writes thoughts and
 * calls, with the same weights: `json` (in tags, like Qwen3), `tags` (a tag for every argument, like Qwen3-Coder),
 * `channels` (like gpt-oss). Throws `UnsupportedOptionError` for another format.
 */
export async function toyModel(format: ToyFormat = 'json'): Promise<Uint8Array<ArrayBuffer>> {
  if (!Object.hasOwn(toyTemplates, format)) {
    const reason = `must be one of ${Object.keys(toyTemplates).join(', ')}`;
    throw new UnsupportedOptionError({ option: 'format', reason });
  }
  const { weights } = await import('./weights.ts');
  return toyFile(format, bytesOf(weights));
}

/** Newer engines of JavaScript have a function for it. */
const byteArrays: typeof Uint8Array & { fromBase64?(text: string): Uint8Array } = Uint8Array;

/** By the engine if it can, otherwise in a loop: `Uint8Array.from` takes fifty times as long for two megabytes. */
function bytesOf(base64: string): Uint8Array {
  if (byteArrays.fromBase64 !== undefined) return byteArrays.fromBase64(base64);
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index += 1) bytes[index] = text.charCodeAt(index);
  return bytes;
}

/** The file with other weights: 16-bit floats, little endian, one tensor after the other. */
export function toyFile(format: ToyFormat, weights: Uint8Array): Uint8Array<ArrayBuffer> {
  const vocabulary = toyVocabulary(format);
  const options = { vocabulary, chatTemplate: toyTemplates[format], name: 'toy', contextLength: 4096 };
  return writeGguf(modelMetadata('qwen3', qwenKeys, options), readTensors(vocabulary.size, weights));
}

const qwenKeys: readonly (readonly [string, GgufValue])[] = [
  ['block_count', uint32Value(layers)],
  ['embedding_length', uint32Value(width)],
  ['feed_forward_length', uint32Value(hiddenWidth)],
  ['attention.head_count', uint32Value(heads)],
  ['attention.head_count_kv', uint32Value(heads)],
  ['attention.key_length', uint32Value(headWidth)],
  ['attention.value_length', uint32Value(headWidth)],
  ['attention.layer_norm_rms_epsilon', float32Value(1e-6)],
  ['rope.freq_base', float32Value(1e6)],
];

/** Names and shapes (GGUF's order) of all tensors, in the order of the weights. */
export function tensorShapes(vocabularySize: number): readonly (readonly [string, readonly number[]])[] {
  const attention = heads * headWidth;
  const layer: readonly (readonly [string, readonly number[]])[] = [
    ['attn_norm', [width]],
    ['attn_q', [width, attention]],
    ['attn_k', [width, attention]],
    ['attn_v', [width, attention]],
    ['attn_output', [attention, width]],
    ['attn_q_norm', [headWidth]],
    ['attn_k_norm', [headWidth]],
    ['ffn_norm', [width]],
    ['ffn_gate', [width, hiddenWidth]],
    ['ffn_up', [width, hiddenWidth]],
    ['ffn_down', [hiddenWidth, width]],
  ];
  const blocks = Array.from({ length: layers }, (_, index) =>
    layer.map(([name, shape]) => [`blk.${index}.${name}.weight`, shape] as const),
  );
  return [['token_embd.weight', [width, vocabularySize]], ...blocks.flat(), ['output_norm.weight', [width]]];
}

function readTensors(vocabularySize: number, weights: Uint8Array): GgufTensor[] {
  const halves = new Uint16Array(new Uint8Array(weights).buffer);
  let at = 0;
  const tensors = tensorShapes(vocabularySize).map(([name, shape]) => {
    const size = shape.reduce((product, each) => product * each, 1);
    const data = halves.subarray(at, at + size);
    at += size;
    // The engine only reads norms as 32-bit floats.
    return {
      name,
      shape,
      data: shape.length === 1 ? Float32Array.from(data, (bits) => fromHalf(bits)) : data,
    };
  });
  if (at === halves.length) return tensors;
  throw new ModelFileError({
    file: 'the weights',
    reason: `holds ${halves.length} numbers in place of ${at}`,
  });
}
