/** The weights of a model file, in the form in which they are multiplied. */
import type { GgufFile } from '../gguf-reader.ts';
import { numberIn, unreadable } from '../gguf-reader.ts';
import { fromHalf } from '../half-float.ts';
import type { Matrix } from './vectors.ts';

/** Sizes of a model. */
export interface ModelShape {
  readonly width: number;
  readonly heads: number;
  /** Heads of keys and values, each shared by as many heads of queries. */
  readonly keyHeads: number;
  readonly headWidth: number;
  readonly contextLength: number;
  /** Added to the mean square when normalising. */
  readonly epsilon: number;
  /** Angle per position of each pair of a head's numbers. */
  readonly frequencies: Float32Array;
  /** Which numbers of a head make a pair: each with its neighbour, or with the one half a head away. */
  readonly pairs: 'neighbours' | 'halves';
}

/** One layer. */
export interface LayerWeights {
  readonly attentionNorm: Float32Array;
  readonly query: Matrix;
  readonly key: Matrix;
  readonly value: Matrix;
  readonly attention: Matrix;
  /** Norms of each head; `null` where the architecture has none. */
  readonly queryNorm: Float32Array | null;
  readonly keyNorm: Float32Array | null;
  readonly hiddenNorm: Float32Array;
  readonly gate: Matrix;
  readonly up: Matrix;
  readonly down: Matrix;
}

/** A model. */
export interface ModelWeights {
  readonly shape: ModelShape;
  readonly embedding: Matrix;
  readonly layers: readonly LayerWeights[];
  readonly outputNorm: Float32Array;
  readonly output: Matrix;
}

/** How the architectures that are evaluated here differ. */
const architectures: Readonly<Record<string, Pick<ModelShape, 'pairs'>>> = {
  llama: { pairs: 'neighbours' },
  qwen3: { pairs: 'halves' },
};

/** The weights in `file`. Throws `ModelFileError` for another architecture, and where a tensor is missing. */
export function readWeights(file: GgufFile): ModelWeights {
  const matrix = (name: string): Matrix => readMatrix(file, name);
  const numbers = (name: string): Float32Array => matrix(name).weights;
  const shape = readShape(file);
  const layers = Array.from({ length: sizeOf(file, 'block_count') }, (_, index): LayerWeights => {
    const part = (name: string): string => `blk.${index}.${name}`;
    const norm = (name: string) => (file.tensors.has(`${part(name)}.weight`) ? numbers(part(name)) : null);
    return {
      attentionNorm: numbers(part('attn_norm')),
      query: matrix(part('attn_q')),
      key: matrix(part('attn_k')),
      value: matrix(part('attn_v')),
      attention: matrix(part('attn_output')),
      queryNorm: norm('attn_q_norm'),
      keyNorm: norm('attn_k_norm'),
      hiddenNorm: numbers(part('ffn_norm')),
      gate: matrix(part('ffn_gate')),
      up: matrix(part('ffn_up')),
      down: matrix(part('ffn_down')),
    };
  });
  const embedding = matrix('token_embd');
  const output = file.tensors.has('output.weight') ? matrix('output') : embedding;
  return { shape, embedding, layers, outputNorm: numbers('output_norm'), output };
}

function readShape(file: GgufFile): ModelShape {
  const name = architectureOf(file);
  const kind = architectures[name];
  if (kind === undefined) {
    const known = Object.keys(architectures).join(', ');
    throw unreadable(`is of the architecture ${name}; in JavaScript ${known} are evaluated`);
  }
  const width = sizeOf(file, 'embedding_length');
  const heads = sizeOf(file, 'attention.head_count');
  const headWidth = numberOf(file, 'attention.key_length') ?? width / heads;
  return {
    ...kind,
    width,
    heads,
    keyHeads: numberOf(file, 'attention.head_count_kv') ?? heads,
    headWidth,
    contextLength: sizeOf(file, 'context_length'),
    epsilon: numberOf(file, 'attention.layer_norm_rms_epsilon') ?? 0,
    frequencies: frequenciesOf(file, headWidth),
  };
}

/** The angles of `rope.freq_base`, divided by the factors that the file may have. */
function frequenciesOf(file: GgufFile, headWidth: number): Float32Array {
  const base = numberOf(file, 'rope.freq_base') ?? 10_000;
  const turned = numberOf(file, 'rope.dimension_count') ?? headWidth;
  const factors = file.tensors.has('rope_freqs.weight') ? readMatrix(file, 'rope_freqs').weights : null;
  return Float32Array.from(
    { length: turned / 2 },
    (_, pair) => base ** ((-2 * pair) / turned) / (factors?.[pair] ?? 1),
  );
}

function readMatrix({ tensors }: GgufFile, name: string): Matrix {
  const tensor = tensors.get(`${name}.weight`);
  if (tensor === undefined) throw unreadable(`has no tensor ${name}.weight`);
  const { data, shape } = tensor;
  const weights = data instanceof Float32Array ? data : fromHalves(data);
  return { inputs: shape[0] ?? 0, outputs: shape[1] ?? 1, weights };
}

/** In a loop, which takes a tenth of the time of `Float32Array.from`. */
function fromHalves(data: Uint16Array): Float32Array {
  const numbers = new Float32Array(data.length);
  for (let index = 0; index < data.length; index += 1) numbers[index] = halves[data[index] ?? 0] ?? 0;
  return numbers;
}

/** The numbers of all 16-bit floats. */
const halves = allHalves();

function allHalves(): Float32Array {
  const numbers = new Float32Array(0x10000);
  for (let bits = 0; bits < numbers.length; bits += 1) numbers[bits] = fromHalf(bits);
  return numbers;
}

function architectureOf({ metadata }: GgufFile): string {
  const value = metadata.get('general.architecture')?.value;
  return typeof value === 'string' ? value : 'unknown';
}

function numberOf(file: GgufFile, key: string): number | undefined {
  return numberIn(file.metadata, `${architectureOf(file)}.${key}`);
}

function sizeOf(file: GgufFile, key: string): number {
  const size = numberOf(file, key);
  if (size === undefined || size <= 0) throw unreadable(`does not say ${architectureOf(file)}.${key}`);
  return size;
}
