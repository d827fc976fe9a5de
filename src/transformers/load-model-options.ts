/** Options for loading a model with transformers.js. */
import { integerFrom, jsonObject, type OptionRules, object, refuseOptions } from '../format/option-rules.ts';
import { type EngineOptions, engineRules } from '../runtime/engine/engine-options.ts';
import { type TransformersModule, transformersModule } from './package.ts';

/** Options of `loadModel`. */
export interface LoadModelOptions extends EngineOptions {
  /** Tokens available to prompt and response together. Default: the model's training context, at most 8192. */
  readonly contextSize?: number | undefined;
  /** What computes, as transformers.js names it: `wasm`, `webgpu`, `cpu`. Default: transformers.js's own. */
  readonly device?: string | Readonly<Record<string, string>> | undefined;
  /** The type of the weights, as transformers.js names it: `q4`, `fp16`. Default: transformers.js's own. */
  readonly dtype?: string | Readonly<Record<string, string>> | undefined;
  /**
   * Further options of `from_pretrained`, for tokenizer and model: `revision`, `progress_callback`, `cache_dir`,
   * `local_files_only`, `session_options`.
   */
  readonly pretrained?: Readonly<Record<string, unknown>> | undefined;
  /** The module, where it is loaded from elsewhere. Default: `@huggingface/transformers` is imported. */
  readonly transformers?: TransformersModule | undefined;
}

const named = {
  expected: 'a string, or an object with a string for each file of the model',
  allows: (value: unknown) => (typeof value === 'string' && value !== '') || jsonObject.allows(value),
};

/** Rules for the options of `loadModel`. */
export const loadRules: OptionRules<LoadModelOptions> = {
  ...engineRules,
  contextSize: integerFrom(1, 2 ** 31 - 1),
  device: named,
  dtype: named,
  pretrained: object,
  transformers: transformersModule,
};

/** Options that come too late for a loaded model. Throws `UnsupportedOptionError`. */
export function refuseLoading(options: LoadModelOptions): void {
  const reason = 'the model is loaded already';
  refuseOptions(options, { device: reason, dtype: reason, pretrained: reason });
}
