/** Small models for search with random weights, which look at all of a text at once. */
import { type GgufTensor, type GgufValue, ggufTypes } from '../../src/testing/gguf-types.ts';
import { float32Value, uint32Value, writeGguf } from '../../src/testing/gguf-writer.ts';
import { modelMetadata } from '../../src/testing/tiny-model.ts';
import { loadVocabulary } from './small-vocabulary.ts';

const width = 8;
const inner = 16;
export const contextLength = 64;

/** The bytes of a model that embeds texts, or of one that ranks documents. */
export async function tinyBert(ranks: boolean): Promise<Uint8Array> {
  const vocabulary = await loadVocabulary({ vocabulary: 'bert-bge' });
  let seed = 1;
  const random = (): number => {
    seed = (seed * 16_807) % 2_147_483_647;
    return seed / 2_147_483_647 - 0.5;
  };
  const matrix = (name: string, ...shape: readonly number[]): GgufTensor => ({
    name,
    shape,
    data: Float32Array.from({ length: shape.reduce((one, other) => one * other) }, random),
  });
  const linear = (name: string, from: number, to: number) => [
    matrix(`${name}.weight`, from, to),
    matrix(`${name}.bias`, to),
  ];
  const norm = (name: string) => [matrix(`${name}.weight`, width), matrix(`${name}.bias`, width)];
  return writeGguf(modelMetadata('bert', keysOf(ranks), { vocabulary, contextLength }), [
    matrix('token_embd.weight', width, vocabulary.size),
    matrix('token_types.weight', width, 2),
    matrix('position_embd.weight', width, contextLength),
    ...norm('token_embd_norm'),
    ...['q', 'k', 'v', 'output'].flatMap((part) => linear(`blk.0.attn_${part}`, width, width)),
    ...norm('blk.0.attn_output_norm'),
    ...linear('blk.0.ffn_up', width, inner),
    ...linear('blk.0.ffn_down', inner, width),
    ...norm('blk.0.layer_output_norm'),
    ...(ranks ? [...linear('cls', width, width), ...linear('cls.output', width, 1)] : []),
  ]);
}

function keysOf(ranks: boolean): readonly (readonly [string, GgufValue])[] {
  return [
    ['block_count', uint32Value(1)],
    ['embedding_length', uint32Value(width)],
    ['feed_forward_length', uint32Value(inner)],
    ['attention.head_count', uint32Value(1)],
    ['attention.layer_norm_epsilon', float32Value(1e-5)],
    ['attention.causal', { type: ggufTypes.BOOL, value: false }],
    // Mean, and rank.
    ['pooling_type', uint32Value(ranks ? 4 : 1)],
  ];
}
