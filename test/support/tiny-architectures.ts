/** Small models of architectures that keep their past in other ways: recurrent, hybrid, with a sliding window. */

import type { VocabularyChoice } from '../../examples/support/small-models.ts';
import type { GgufTensor, GgufValue } from '../../src/testing/gguf-types.ts';
import { ggufTypes, RawArray } from '../../src/testing/gguf-types.ts';
import { float32Value, uint32Value, writeGguf } from '../../src/testing/gguf-writer.ts';
import { modelMetadata } from '../../src/testing/tiny-model.ts';
import { loadVocabulary } from './small-vocabulary.ts';

/** How a model keeps its past. */
export type Past = 'recurrent' | 'hybrid' | 'sliding-window';

const width = 8;
const inner = 16;

/** The bytes of a model with random weights. */
export async function tinyArchitecture(
  past: Past,
  options: VocabularyChoice & { readonly chatTemplate: string },
): Promise<Uint8Array> {
  const { markers: _, controls: __, ...rest } = options;
  const vocabulary = await loadVocabulary(options);
  const { architecture, keys, tensors } = architectures[past];
  const matrix = seededMatrix();
  return writeGguf(modelMetadata(architecture, keys, { ...rest, vocabulary }), [
    matrix('token_embd.weight', [width, vocabulary.size]),
    ...tensors(matrix),
  ]);
}

type Matrix = (name: string, shape: readonly number[], value?: number) => GgufTensor;

interface Architecture {
  readonly architecture: string;
  readonly keys: readonly (readonly [string, GgufValue])[];
  readonly tensors: (matrix: Matrix) => readonly GgufTensor[];
}

const shared: readonly (readonly [string, GgufValue])[] = [
  ['embedding_length', uint32Value(width)],
  ['attention.layer_norm_rms_epsilon', float32Value(1e-5)],
  ['attention.layer_norm_epsilon', float32Value(1e-5)],
  ['rope.dimension_count', uint32Value(width)],
];

const architectures: Readonly<Record<Past, Architecture>> = {
  recurrent: {
    architecture: 'mamba',
    keys: [
      ...shared,
      ['block_count', uint32Value(1)],
      ['feed_forward_length', uint32Value(0)],
      ['attention.head_count', uint32Value(0)],
      ['ssm.conv_kernel', uint32Value(4)],
      ['ssm.inner_size', uint32Value(inner)],
      ['ssm.state_size', uint32Value(4)],
      ['ssm.time_step_rank', uint32Value(2)],
    ],
    tensors: (matrix) => [
      matrix('output_norm.weight', [width], 1),
      matrix('blk.0.attn_norm.weight', [width], 1),
      matrix('blk.0.ssm_in.weight', [width, 2 * inner]),
      matrix('blk.0.ssm_conv1d.weight', [4, inner]),
      matrix('blk.0.ssm_conv1d.bias', [inner], 0),
      matrix('blk.0.ssm_x.weight', [inner, 2 + 2 * 4]),
      matrix('blk.0.ssm_dt.weight', [2, inner]),
      matrix('blk.0.ssm_dt.bias', [inner], 0),
      matrix('blk.0.ssm_a', [4, inner], -1),
      matrix('blk.0.ssm_d', [inner], 1),
      matrix('blk.0.ssm_out.weight', [inner, width]),
    ],
  },
  hybrid: {
    architecture: 'lfm2',
    keys: [
      ...shared,
      ['block_count', uint32Value(2)],
      ['feed_forward_length', uint32Value(inner)],
      ['attention.head_count', uint32Value(1)],
      [
        'attention.head_count_kv',
        {
          type: ggufTypes.ARRAY,
          subType: ggufTypes.INT32,
          value: new RawArray(2, new Uint8Array(Int32Array.of(0, 1).buffer)),
        },
      ],
      ['shortconv.l_cache', uint32Value(3)],
    ],
    tensors: (matrix) => [
      matrix('token_embd_norm.weight', [width], 1),
      ...feedForward(matrix, 0),
      ...feedForward(matrix, 1),
      matrix('blk.0.shortconv.conv.weight', [3, width]),
      matrix('blk.0.shortconv.in_proj.weight', [width, 3 * width]),
      matrix('blk.0.shortconv.out_proj.weight', [width, width]),
      ...attention(matrix, 1),
      matrix('blk.1.attn_q_norm.weight', [width], 1),
      matrix('blk.1.attn_k_norm.weight', [width], 1),
    ],
  },
  'sliding-window': {
    architecture: 'cohere2',
    keys: [
      ...shared,
      ['block_count', uint32Value(4)],
      ['feed_forward_length', uint32Value(inner)],
      ['attention.head_count', uint32Value(1)],
      ['attention.head_count_kv', uint32Value(1)],
      ['attention.sliding_window', uint32Value(64)],
      ['logit_scale', float32Value(1)],
    ],
    tensors: (matrix) => [
      matrix('output_norm.weight', [width], 1),
      ...[0, 1, 2, 3].flatMap((layer) => [
        ...attention(matrix, layer),
        ...feedForward(matrix, layer).filter(({ name }) => !name.includes('ffn_norm')),
      ]),
    ],
  },
};

function attention(matrix: Matrix, layer: number): GgufTensor[] {
  return ['q', 'k', 'v', 'output'].map((part) => matrix(`blk.${layer}.attn_${part}.weight`, [width, width]));
}

/** With the norms of both halves of a layer. */
function feedForward(matrix: Matrix, layer: number): GgufTensor[] {
  return [
    matrix(`blk.${layer}.attn_norm.weight`, [width], 1),
    matrix(`blk.${layer}.ffn_norm.weight`, [width], 1),
    matrix(`blk.${layer}.ffn_gate.weight`, [width, inner]),
    matrix(`blk.${layer}.ffn_up.weight`, [width, inner]),
    matrix(`blk.${layer}.ffn_down.weight`, [inner, width]),
  ];
}

/** Makes tensors of one value, or of noise that is the same each time. */
function seededMatrix(): Matrix {
  let state = 1;
  const noise = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 0x80000000 - 1;
  };
  return (name, shape, value) => ({
    name,
    shape,
    data: Float32Array.from({ length: shape.reduce((size, each) => size * each, 1) }, () => value ?? noise()),
  });
}
