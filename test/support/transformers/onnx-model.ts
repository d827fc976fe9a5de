/** A small model as ONNX, in the form in which models are exported for transformers.js. */
import type { LayerWeights, ModelWeights } from '../../../src/testing/evaluator/model-weights.ts';
import type { Matrix } from '../../../src/testing/evaluator/vectors.ts';
import { ElementType, OnnxWriter } from './onnx-writer.ts';

/** The model in `weights`, whose heads have keys of their own, as the bytes of `onnx/model.onnx`. */
export function onnxModel(weights: ModelWeights): Uint8Array {
  const { shape, embedding, layers, outputNorm, output } = weights;
  if (shape.keyHeads !== shape.heads || shape.pairs !== 'halves')
    throw new RangeError('only models such as the toy are written');
  const graph = new OnnxWriter();
  const { float, int64 } = ElementType;
  const cached = (length: string): readonly (number | string)[] => [
    'batch_size',
    shape.heads,
    length,
    shape.headWidth,
  ];
  graph.declare('input', 'input_ids', int64, ['batch_size', 'sequence_length']);
  graph.declare('input', 'attention_mask', int64, ['batch_size', 'total_sequence_length']);
  graph.declare('input', 'position_ids', int64, ['batch_size', 'sequence_length']);
  graph.declare('output', 'logits', float, ['batch_size', 'sequence_length', output.outputs]);
  for (const index of layers.keys()) {
    for (const part of ['key', 'value']) {
      graph.declare('input', `past_key_values.${index}.${part}`, float, cached('past_sequence_length'));
      graph.declare('output', `present.${index}.${part}`, float, cached('total_sequence_length'));
    }
  }
  const writer = new LayerWriter(graph, weights);
  const table = graph.constant([embedding.outputs, embedding.inputs], embedding.weights);
  let residual = graph.node('Gather', [table, 'input_ids'], { axis: 0 });
  for (const [index, layer] of layers.entries()) residual = writer.layer(layer, index, residual);
  writer.multiply(output, writer.normalise(residual, outputNorm), 'logits');
  return graph.bytes();
}

/** Writes layers that have positions and their mask in common. */
class LayerWriter {
  readonly #graph: OnnxWriter;
  readonly #weights: ModelWeights;
  readonly #positions: string;
  readonly #cosine: string;
  readonly #sine: string;

  constructor(graph: OnnxWriter, weights: ModelWeights) {
    this.#graph = graph;
    this.#weights = weights;
    const { frequencies } = weights.shape;
    // [batch, 1, sequence, 1]
    const axes = graph.constant([2], [1, 3]);
    this.#positions = graph.node('Unsqueeze', ['position_ids', axes]);
    const numbers = graph.node('Cast', [this.#positions], { to: ElementType.float });
    const angles = graph.node('Mul', [numbers, graph.constant([frequencies.length], frequencies)]);
    this.#cosine = graph.node('Cos', [angles]);
    this.#sine = graph.node('Sin', [angles]);
  }

  layer(layer: LayerWeights, index: number, residual: string): string {
    const graph = this.#graph;
    const normal = this.normalise(residual, layer.attentionNorm);
    const query = this.#turned(this.#heads(layer.query, normal, layer.queryNorm));
    const key = this.#turned(this.#heads(layer.key, normal, layer.keyNorm));
    const value = this.#heads(layer.value, normal, null);
    const attended = this.#attended(query, this.#kept(index, 'key', key), this.#kept(index, 'value', value));
    const after = graph.node('Add', [residual, this.multiply(layer.attention, attended)]);
    const hidden = this.normalise(after, layer.hiddenNorm);
    const gate = this.multiply(layer.gate, hidden);
    const open = graph.node('Mul', [gate, graph.node('Sigmoid', [gate])]);
    const inner = graph.node('Mul', [open, this.multiply(layer.up, hidden)]);
    return graph.node('Add', [after, this.multiply(layer.down, inner)]);
  }

  multiply({ inputs, outputs, weights }: Matrix, input: string, output?: string): string {
    const turned = Float32Array.from(
      weights,
      (_, at) => weights[(at % outputs) * inputs + Math.floor(at / outputs)] ?? 0,
    );
    return this.#graph.node('MatMul', [input, this.#graph.constant([inputs, outputs], turned)], {}, output);
  }

  normalise(input: string, scale: Float32Array): string {
    const graph = this.#graph;
    const squares = graph.node('ReduceMean', [graph.node('Mul', [input, input])], { axes: [-1] });
    const epsilon = graph.constant([1], Float32Array.of(this.#weights.shape.epsilon));
    const root = graph.node('Sqrt', [graph.node('Add', [squares, epsilon])]);
    return graph.node('Mul', [graph.node('Div', [input, root]), graph.constant([scale.length], scale)]);
  }

  /** [batch, heads, sequence, width] */
  #heads(matrix: Matrix, input: string, norm: Float32Array | null): string {
    const { heads, headWidth } = this.#weights.shape;
    const shape = this.#graph.constant([4], [0, 0, heads, headWidth]);
    const split = this.#graph.node('Reshape', [this.multiply(matrix, input), shape]);
    const normal = norm === null ? split : this.normalise(split, norm);
    return this.#graph.node('Transpose', [normal], { perm: [0, 2, 1, 3] });
  }

  /** Rotary positions. */
  #turned(input: string): string {
    const graph = this.#graph;
    const { headWidth } = this.#weights.shape;
    const part = (start: number, end: number): string =>
      graph.node('Slice', [input, ...[start, end, 3].map((at) => graph.constant([1], [at]))]);
    const [first, second] = [part(0, headWidth / 2), part(headWidth / 2, headWidth)];
    const times = (one: string, other: string): string => graph.node('Mul', [one, other]);
    const turned = [
      graph.node('Sub', [times(first, this.#cosine), times(second, this.#sine)]),
      graph.node('Add', [times(first, this.#sine), times(second, this.#cosine)]),
    ];
    return graph.node('Concat', turned, { axis: 3 });
  }

  /** What is known of the text so far, with what is new. */
  #kept(index: number, part: string, added: string): string {
    const past = `past_key_values.${index}.${part}`;
    return this.#graph.node('Concat', [past, added], { axis: 2 }, `present.${index}.${part}`);
  }

  #attended(query: string, key: string, value: string): string {
    const graph = this.#graph;
    const { heads, headWidth } = this.#weights.shape;
    const products = graph.node('MatMul', [query, graph.node('Transpose', [key], { perm: [0, 1, 3, 2] })]);
    const scale = graph.constant([1], Float32Array.of(1 / Math.sqrt(headWidth)));
    const scores = graph.node('Where', [
      this.#isPast(key),
      graph.node('Mul', [products, scale]),
      graph.constant([1], Float32Array.of(-1e9)),
    ]);
    const summed = graph.node('MatMul', [graph.node('Softmax', [scores], { axis: -1 }), value]);
    const together = graph.node('Transpose', [summed], { perm: [0, 2, 1, 3] });
    return graph.node('Reshape', [together, graph.constant([3], [0, 0, heads * headWidth])]);
  }

  /** Which keys are of tokens up to each position. */
  #isPast(key: string): string {
    const graph = this.#graph;
    const total = graph.node('Gather', [graph.node('Shape', [key]), graph.constant([], [2])], { axis: 0 });
    const places = graph.node('Range', [graph.constant([], [0]), total, graph.constant([], [1])]);
    return graph.node('LessOrEqual', [places, this.#positions]);
  }
}
