/**
 * transformers.js without its package: the parts that `idiolect/transformers` uses, over the forward pass in plain
 * JavaScript. It insists on what an ONNX model insists on: shapes, and tensors that nobody has disposed of.
 */

import type { LoadedFile } from '../../../src/testing/evaluator/file-engine.ts';
import { KeyValues } from '../../../src/testing/evaluator/key-values.ts';
import type { ModelWeights } from '../../../src/testing/evaluator/model-weights.ts';
import { Transformer } from '../../../src/testing/evaluator/transformer.ts';
import type { TransformersModule } from '../../../src/transformers/index.ts';
import { filesOf } from './model-files.ts';
import { DynamicCache, type StandInTensor, type TensorClass, tensorClass } from './stand-in-tensors.ts';

/** How a stand-in differs from a model on the processor. */
export interface StandInOptions {
  /** Where keys and values are. Default: `cpu`. */
  readonly location?: 'cpu' | 'gpu-buffer';
  /** Whether all logits are returned, as by models without `num_logits_to_keep`. Default: false. */
  readonly allLogits?: boolean;
}

/** The module, and what became of its models. */
export interface StandIn {
  readonly transformers: TransformersModule;
  /** Tokens of each pass so far. */
  readonly passes: readonly number[];
  /** Tensors on the GPU that nobody has disposed of. */
  readonly onGpu: ReadonlySet<object>;
  /** Options of `from_pretrained`. */
  readonly loaded: readonly object[];
  readonly disposed: boolean;
}

/** A stand-in whose models are all this one. */
export function standIn(file: LoadedFile, options: StandInOptions = {}): StandIn {
  const loaded: object[] = [];
  const onGpu = new Set<object>();
  const Tensor = tensorClass(onGpu);
  const files = filesOf(file);
  const { eos_token, chat_template } = files['tokenizer_config.json'];
  const tokenizer = {
    _tokenizerJSON: files['tokenizer.json'],
    bos_token: null,
    eos_token,
    chat_template,
    // Added tokens are found in any text.
    encode: (text: string) => file.tokenizer.tokenize(text, true),
  };
  const model = new StandInModel(file.weights, Tensor, options);
  const causal = Object.assign(model, {
    config: files['config.json'],
    generation_config: files['generation_config.json'],
  });
  const from = (value: object): object =>
    Object.assign(() => undefined, {
      from_pretrained: async (_: string, given: object) => {
        loaded.push(given);
        return value;
      },
    });
  return {
    transformers: {
      AutoTokenizer: from(tokenizer),
      AutoModelForCausalLM: from(causal),
      Tensor,
      DynamicCache,
    },
    passes: model.passes,
    onGpu,
    loaded,
    get disposed() {
      return model.disposed;
    },
  };
}

class StandInModel {
  readonly passes: number[] = [];
  disposed = false;
  readonly #weights: ModelWeights;
  readonly #model: Transformer;
  readonly #Tensor: TensorClass;
  readonly #options: StandInOptions;

  constructor(weights: ModelWeights, Tensor: TensorClass, options: StandInOptions) {
    this.#weights = weights;
    this.#model = new Transformer(weights);
    this.#Tensor = Tensor;
    this.#options = options;
  }

  async forward(inputs: Readonly<Record<string, StandInTensor>>): Promise<Record<string, StandInTensor>> {
    await new Promise((resolve) => setImmediate(resolve));
    if (this.disposed) throw new Error('the session is released');
    const { input_ids, attention_mask, past_key_values: cache } = inputs;
    const tokens = Array.from(input_ids?.data ?? [], Number);
    const past = (attention_mask?.dims[1] ?? 0) - tokens.length;
    const memory = this.#memoryOf(new Map(Object.entries(cache ?? {})), past);
    this.passes.push(tokens.length);
    const logits = this.#evaluate(tokens, memory, past);
    const presents = memory.layers.flatMap(({ keys, values }, index) => [
      [`present.${index}.key`, this.#toTensor(keys, past + tokens.length)] as const,
      [`present.${index}.value`, this.#toTensor(values, past + tokens.length)] as const,
    ]);
    return { logits, ...Object.fromEntries(presents) };
  }

  async dispose(): Promise<void> {
    this.disposed = true;
  }

  #evaluate(tokens: readonly number[], memory: KeyValues, past: number): StandInTensor {
    const parts = this.#options.allLogits === true ? tokens.map((token) => [token]) : [tokens];
    const { outputs: width } = this.#weights.output;
    const logits = new Float32Array(parts.length * width);
    let position = past;
    for (const [row, part] of parts.entries()) {
      for (const _ of this.#model.evaluate(part, memory, position));
      position += part.length;
      logits.set(this.#model.logits(), row * width);
    }
    return new this.#Tensor('float32', logits, [1, parts.length, width]);
  }

  #memoryOf(cache: ReadonlyMap<string, StandInTensor>, length: number): KeyValues {
    const { keyHeads, headWidth } = this.#weights.shape;
    const memory = new KeyValues(this.#weights.layers.length, keyHeads * headWidth);
    memory.reserve(length);
    if (length > 0)
      for (const [index, { keys, values }] of memory.layers.entries()) {
        this.#toRows(cache.get(`past_key_values.${index}.key`), length, keys);
        this.#toRows(cache.get(`past_key_values.${index}.value`), length, values);
      }
    return memory;
  }

  /** `[1, heads, tokens, width]` from rows of tokens. */
  #toTensor(rows: Float32Array, length: number): StandInTensor {
    const { keyHeads, headWidth } = this.#weights.shape;
    const data = new Float32Array(length * keyHeads * headWidth);
    this.#eachStretch(length, (inRows, inTensor) =>
      data.set(rows.subarray(inRows, inRows + headWidth), inTensor),
    );
    return new this.#Tensor('float32', data, [1, keyHeads, length, headWidth], this.#options.location);
  }

  #toRows(tensor: StandInTensor | undefined, length: number, rows: Float32Array): void {
    const { headWidth } = this.#weights.shape;
    const data = tensor?.read();
    if (!(data instanceof Float32Array) || tensor?.dims[2] !== length)
      throw new RangeError(`keys and values of ${tensor?.dims[2]} tokens, in place of ${length}`);
    this.#eachStretch(length, (inRows, inTensor) =>
      rows.set(data.subarray(inTensor, inTensor + headWidth), inRows),
    );
  }

  /** Where the numbers of each token and head begin. */
  #eachStretch(length: number, visit: (inRows: number, inTensor: number) => void): void {
    const { keyHeads, headWidth } = this.#weights.shape;
    for (let row = 0; row < length; row += 1)
      for (let head = 0; head < keyHeads; head += 1)
        visit((row * keyHeads + head) * headWidth, (head * length + row) * headWidth);
  }
}
