/**
 * transformers.js without its package: the parts that `idiolect/transformers` uses, over the forward pass in plain
 * JavaScript. It insists on what an ONNX model insists on: shapes, and tensors that nobody has disposed of.
 */

import type { TransformersModule } from '../../../src/runtime/transformers/index.ts';
import type { LoadedFile } from '../../../src/testing/evaluator/file-engine.ts';
import { KeyValues } from '../../../src/testing/evaluator/key-values.ts';
import { Transformer } from '../../../src/testing/evaluator/transformer.ts';
import { filesOf } from './model-files.ts';

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

type Numbers = Float32Array | BigInt64Array;

/** A stand-in whose models are all this one. */
export function standIn(
  file: LoadedFile,
  { location = 'cpu', allLogits = false }: StandInOptions = {},
): StandIn {
  const passes: number[] = [];
  const loaded: object[] = [];
  const onGpu = new Set<object>();
  let disposed = false;

  class Tensor {
    readonly type: string;
    readonly dims: readonly number[];
    readonly location: string;
    readonly #data: Numbers;

    constructor(type: string, data: Numbers, dims: readonly number[], where = 'cpu') {
      const size = dims.reduce((product, each) => product * each, 1);
      if (data.length !== size)
        throw new RangeError(`${data.length} numbers in a tensor of ${dims.join(' × ')}`);
      this.type = type;
      this.dims = dims;
      this.location = where;
      this.#data = data;
      if (where !== 'cpu') onGpu.add(this);
    }

    get data(): Numbers {
      if (this.location !== 'cpu') throw new Error('the numbers are not on the processor');
      return this.#data;
    }

    /** The numbers, wherever they are. */
    read(): Numbers {
      if (this.location !== 'cpu' && !onGpu.has(this)) throw new Error('the tensor is disposed of');
      return this.#data;
    }

    dispose(): void {
      if (!onGpu.delete(this)) throw new Error('nothing to dispose of');
    }
  }

  class DynamicCache {
    constructor(entries: Readonly<Record<string, Tensor>>) {
      Object.assign(this, entries);
    }
  }

  const model = new Transformer(file.weights);
  const { keyHeads, headWidth } = file.weights.shape;

  /** `[1, heads, tokens, width]` from rows of tokens, and back. */
  const toTensor = (rows: Float32Array, length: number): Tensor => {
    const data = new Float32Array(length * keyHeads * headWidth);
    eachRow(length, (row, head) => {
      const from = (row * keyHeads + head) * headWidth;
      data.set(rows.subarray(from, from + headWidth), (head * length + row) * headWidth);
    });
    return new Tensor('float32', data, [1, keyHeads, length, headWidth], location);
  };
  const toRows = (tensor: Tensor | undefined, length: number, rows: Float32Array): void => {
    const data = tensor?.read();
    if (!(data instanceof Float32Array) || tensor?.dims[2] !== length)
      throw new RangeError(`keys and values of ${tensor?.dims[2]} tokens, in place of ${length}`);
    eachRow(length, (row, head) => {
      const from = (head * length + row) * headWidth;
      rows.set(data.subarray(from, from + headWidth), (row * keyHeads + head) * headWidth);
    });
  };
  const eachRow = (length: number, visit: (row: number, head: number) => void): void => {
    for (let row = 0; row < length; row += 1) for (let head = 0; head < keyHeads; head += 1) visit(row, head);
  };

  const forward = async (inputs: Readonly<Record<string, Tensor>>): Promise<Record<string, Tensor>> => {
    await new Promise((resolve) => setImmediate(resolve));
    if (disposed) throw new Error('the session is released');
    const { input_ids, attention_mask, past_key_values: cache } = inputs;
    const tokens = Array.from(input_ids?.data ?? [], Number);
    const past = (attention_mask?.dims[1] ?? 0) - tokens.length;
    const entries = new Map<string, Tensor>(Object.entries(cache ?? {}));
    const memory = new KeyValues(file.weights.layers.length, keyHeads * headWidth);
    memory.reserve(past);
    if (past > 0)
      for (const [index, { keys, values }] of memory.layers.entries()) {
        toRows(entries.get(`past_key_values.${index}.key`), past, keys);
        toRows(entries.get(`past_key_values.${index}.value`), past, values);
      }
    passes.push(tokens.length);
    const wanted = allLogits ? tokens.map((token) => [token]) : [tokens];
    const logits: number[] = [];
    let position = past;
    for (const part of wanted) {
      for (const _ of model.evaluate(part, memory, position));
      position += part.length;
      for (const logit of model.logits()) logits.push(logit);
    }
    const presents = memory.layers.flatMap(({ keys, values }, index) => [
      [`present.${index}.key`, toTensor(keys, position)] as const,
      [`present.${index}.value`, toTensor(values, position)] as const,
    ]);
    const rows = wanted.length;
    return {
      logits: new Tensor('float32', Float32Array.from(logits), [1, rows, logits.length / rows]),
      ...Object.fromEntries(presents),
    };
  };

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
  const causal = {
    config: files['config.json'],
    generation_config: files['generation_config.json'],
    forward,
    dispose: async () => {
      disposed = true;
    },
  };
  const from = <Value>(value: Value) =>
    Object.assign(() => undefined, {
      from_pretrained: async (_: string, options: object) => {
        loaded.push(options);
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
    passes,
    onGpu,
    loaded,
    get disposed() {
      return disposed;
    },
  };
}
