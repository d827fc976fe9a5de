/** A text that a model has read: its tokens, their keys and values, and what it says comes next. */
import { DecodingError } from '../format/errors.ts';
import type { ModelTensor, TensorsByName, Transformers } from './package.ts';

/** Tokens of one pass: between two of them a response can be aborted. */
export const tokensPerPass = 512;

/** What evaluates. */
export interface Evaluation {
  readonly transformers: Transformers;
  /** One pass of the model. */
  readonly forward: (inputs: object) => Promise<TensorsByName>;
  /** Tokens of the vocabulary; a model may have logits for more. */
  readonly size: number;
}

/** Evaluates only what is new of each text that it is asked about. */
export class EvaluatedText {
  readonly #evaluation: Evaluation;
  #tokens: readonly number[] = [];
  #cache: TensorsByName = {};
  #logits = new Float32Array(0);

  constructor(evaluation: Evaluation) {
    this.#evaluation = evaluation;
  }

  /** How many tokens of `text` need no evaluation. */
  reusable(text: readonly number[]): number {
    const shared = sharedLength(this.#tokens, text);
    return shared === this.#tokens.length || this.#isCuttable() ? shared : 0;
  }

  /** The logits after `text`, which is not empty. The array is the caller's. */
  async logitsAfter(text: readonly number[], passed: () => void): Promise<Float32Array> {
    await this.read(text, passed);
    return this.#logits.slice();
  }

  /** Evaluates `text`; tokens after it are forgotten. `passed` is called after each pass. */
  async read(text: readonly number[], passed: (evaluated: number) => void): Promise<void> {
    const shared = sharedLength(this.#tokens, text);
    if (shared === text.length && shared === this.#tokens.length) return;
    // The logits are those after the last token, so that one is evaluated in any case.
    this.#keep(Math.min(shared, text.length - 1));
    while (this.#tokens.length < text.length) {
      await this.#evaluate(text.slice(this.#tokens.length, this.#tokens.length + tokensPerPass));
      passed(this.#tokens.length);
    }
  }

  /** Frees what is on a GPU. */
  dispose(): void {
    this.#replace({});
    this.#tokens = [];
  }

  async #evaluate(tokens: readonly number[]): Promise<void> {
    const { transformers, forward, size } = this.#evaluation;
    const { Tensor, DynamicCache } = transformers;
    const integers = (numbers: readonly number[], dims: readonly number[]): ModelTensor =>
      new Tensor('int64', BigInt64Array.from(numbers, BigInt), dims);
    const length = this.#tokens.length + tokens.length;
    const outputs = await forward({
      input_ids: integers(tokens, [1, tokens.length]),
      attention_mask: integers(new Array<number>(length).fill(1), [1, length]),
      // Models without this input have logits for all tokens.
      num_logits_to_keep: integers([1], []),
      ...(this.#tokens.length === 0 ? {} : { past_key_values: new DynamicCache(this.#cache) }),
    });
    this.#replace(cacheIn(outputs));
    this.#tokens = [...this.#tokens, ...tokens];
    this.#logits = lastLogits(outputs).slice(0, size);
  }

  /** Keeps the first `length` tokens; none where a cache cannot be cut. */
  #keep(length: number): void {
    if (length === this.#tokens.length) return;
    if (length === 0 || !this.#isCuttable()) {
      this.dispose();
      return;
    }
    const { Tensor } = this.#evaluation.transformers;
    const entries = Object.entries(this.#cache).map(([name, tensor]) => [name, cut(tensor, length, Tensor)]);
    this.#cache = Object.fromEntries(entries);
    this.#tokens = this.#tokens.slice(0, length);
  }

  /** Whether the cache has a row for each token: not the state of a convolution, nor a window, nor one on a GPU. */
  #isCuttable(): boolean {
    return Object.entries(this.#cache).every(
      ([name, { dims, location }]) =>
        name.startsWith(attention) &&
        location === 'cpu' &&
        dims.length === 4 &&
        dims[2] === this.#tokens.length,
    );
  }

  #replace(cache: TensorsByName): void {
    const kept = new Set(Object.values(cache));
    for (const tensor of Object.values(this.#cache))
      if (tensor.location !== 'cpu' && !kept.has(tensor)) tensor.dispose();
    this.#cache = cache;
  }
}

const attention = 'past_key_values.';

/** The cache that a pass leaves, by the names under which the next one takes it. */
function cacheIn(outputs: TensorsByName): TensorsByName {
  const entries = Object.entries(outputs)
    .filter(([name]) => name.startsWith('present'))
    .map(([name, tensor]) => [name.replace(/^present\./, attention).replace(/^present_/, 'past_'), tensor]);
  if (entries.length > 0) return Object.fromEntries(entries);
  const reason = 'the model has no key-value cache (outputs named present.*); export it with one';
  throw new DecodingError({ reason, text: '' });
}

/** The logits after the last token. */
function lastLogits({ logits }: TensorsByName): Float32Array {
  if (logits === undefined) throw new DecodingError({ reason: 'the model has no output logits', text: '' });
  const [, rows = 1] = logits.dims;
  const last = logits.type === 'float32' ? logits : logits.slice(null, [rows - 1, rows], null).to('float32');
  const { data } = last;
  if (!(data instanceof Float32Array))
    throw new DecodingError({ reason: 'the logits are no 32-bit floats', text: '' });
  return data.subarray(data.length - (last.dims[2] ?? 0));
}

/** The first `length` rows of each head. The numbers of `tensor` are overwritten. */
function cut(tensor: ModelTensor, length: number, Tensor: Transformers['Tensor']): ModelTensor {
  const [batch = 1, heads = 1, rows = 1, width = 1] = tensor.dims;
  const { data, type } = tensor;
  for (let head = 0; head < batch * heads; head += 1) {
    const start = head * rows * width;
    data.copyWithin(head * length * width, start, start + length * width);
  }
  return new Tensor(type, data.slice(0, batch * heads * length * width), [batch, heads, length, width]);
}

function sharedLength(one: readonly number[], other: readonly number[]): number {
  const different = one.findIndex((token, index) => token !== other[index]);
  return different < 0 ? one.length : different;
}
