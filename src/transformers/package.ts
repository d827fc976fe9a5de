/** What is used of `@huggingface/transformers`: typed here, so that this package builds without it. */
import { UnsupportedOptionError } from '../format/errors.ts';
import { isRecord, type OptionRule, requireOption } from '../format/option-rules.ts';

/** The module `@huggingface/transformers`, as `import *` gives it. */
export interface TransformersModule {
  readonly AutoTokenizer: object;
  readonly AutoModelForCausalLM: object;
  readonly Tensor: object;
  readonly DynamicCache: object;
}

/** A model and its tokenizer, such as a pipeline for `text-generation`. */
export interface LoadedPair {
  readonly model: object;
  readonly tokenizer: object;
}

/** The module, with what is used of its classes. */
export interface Transformers {
  readonly AutoTokenizer: { from_pretrained(name: string, options: object): Promise<PretrainedTokenizer> };
  readonly AutoModelForCausalLM: { from_pretrained(name: string, options: object): Promise<CausalModel> };
  readonly Tensor: new (type: string, data: NumberArray, dims: readonly number[]) => ModelTensor;
  readonly DynamicCache: new (entries: TensorsByName) => object;
}

/** Tensors by the names of a model's inputs or outputs. */
export type TensorsByName = Readonly<Record<string, ModelTensor>>;

/** Numbers of any type. */
interface NumberArray {
  readonly length: number;
  copyWithin(target: number, start: number, end: number): unknown;
  slice(start: number, end?: number): NumberArray;
}

/** An array of any number of dimensions. */
export interface ModelTensor {
  readonly type: string;
  readonly dims: readonly number[];
  /** `cpu`, or where else its numbers are: there they have to be disposed of. */
  readonly location: string;
  readonly data: NumberArray;
  to(type: 'float32'): ModelTensor;
  /** A part of it, by a range for each dimension. */
  slice(...ranges: readonly (readonly [number, number] | null)[]): ModelTensor;
  dispose(): void;
}

/** A loaded model. */
export interface CausalModel {
  readonly config: object;
  readonly generation_config?: object | null;
  forward(inputs: object): Promise<TensorsByName>;
  dispose(): Promise<unknown>;
}

/** A loaded tokenizer. */
export interface PretrainedTokenizer {
  /** `tokenizer.json`. */
  readonly _tokenizerJSON: object;
  readonly bos_token?: string | null;
  readonly eos_token?: string | null;
  /** The source of one template, or of several by name. */
  readonly chat_template?: unknown;
  encode(text: string, options: { readonly add_special_tokens: boolean }): readonly number[];
}

const parts = ['AutoTokenizer', 'AutoModelForCausalLM', 'Tensor', 'DynamicCache'];

/** Allows the module, of a version that has all of its parts. */
export const transformersModule: OptionRule = {
  expected: `the module @huggingface/transformers, 4.3 or newer, with ${parts.join(', ')}`,
  allows: (value) => isRecord(value) && parts.every((name) => typeof value[name] === 'function'),
};

/** Allows a loaded model with its tokenizer; a pipeline is a function. */
export const loadedPair: OptionRule = {
  expected: 'the name of a model, or a loaded { model, tokenizer } of transformers.js',
  allows: (value) => {
    const { model, tokenizer } = Object(value) as Partial<LoadedPair>;
    return has(model, 'forward') && has(tokenizer, 'encode') && '_tokenizerJSON' in Object(tokenizer);
  },
};

function has(value: unknown, method: string): boolean {
  return typeof Object(value)[method] === 'function';
}

/** The given module, or the one that is installed. Throws `UnsupportedOptionError` if there is none that will do. */
export async function openTransformers(given: TransformersModule | undefined): Promise<Transformers> {
  const found: unknown = given ?? (await importInstalled());
  requireOption('transformers', found, transformersModule);
  return found as Transformers;
}

async function importInstalled(): Promise<unknown> {
  try {
    return await import('@huggingface/transformers');
  } catch (cause) {
    const reason = `@huggingface/transformers cannot be imported (${String(cause)}): install it, or pass the module that you import`;
    throw new UnsupportedOptionError({ option: 'transformers', reason, cause });
  }
}
