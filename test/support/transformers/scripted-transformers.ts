/**
 * A scripted engine as a model of transformers.js: it answers passes with logits, and keeps its text where models keep
 * keys and values. Tensors and tokenizer are those of the package where it is installed, else of the stand-in.
 */
import { modules } from '../../../generated/index.ts';
import type { InsistingEngine } from '../../../scripts/judge-models/insisting/insisting-model.ts';
import type { EngineModel } from '../../../src/runtime/engine/index.ts';
import { loadModel, type TransformersModule } from '../../../src/transformers/index.ts';
import type { PretrainedTokenizer } from '../../../src/transformers/package.ts';
import { importInstalled, installedFolder, writeModel } from './installed.ts';
import { tokenizerFiles } from './model-files.ts';
import { DynamicCache, type StandInTensor, type TensorClass, tensorClass } from './stand-in-tensors.ts';

/** The model, which does what the engine is told. */
export async function connectTransformers(engine: InsistingEngine): Promise<EngineModel> {
  const { contextSize } = engine;
  const { transformers, tokenizer } = await (installedFolder === undefined ? standIn : installed)(engine);
  const model = new ScriptedCausalModel(engine, transformers.Tensor as TensorClass);
  return loadModel({ model, tokenizer }, { transformers, modules, requireTools: false, contextSize });
}

interface Parts {
  readonly transformers: TransformersModule;
  readonly tokenizer: PretrainedTokenizer;
}

async function installed({ model, chatTemplate, tokenizer }: InsistingEngine): Promise<Parts> {
  const transformers = await importInstalled();
  const folder = writeModel(`scripted-${model}`, {
    ...tokenizerFiles(tokenizer, chatTemplate),
    'config.json': { model_type: 'qwen3' },
  });
  return { transformers, tokenizer: await transformers.AutoTokenizer.from_pretrained(folder) };
}

async function standIn({ chatTemplate, tokenizer }: InsistingEngine): Promise<Parts> {
  const files = tokenizerFiles(tokenizer, chatTemplate);
  const unused = (): void => undefined;
  return {
    transformers: {
      ...{ AutoTokenizer: unused, AutoModelForCausalLM: unused },
      ...{ Tensor: tensorClass(new Set()), DynamicCache },
    },
    tokenizer: {
      _tokenizerJSON: files['tokenizer.json'],
      ...files['tokenizer_config.json'],
      encode: (text) => tokenizer.tokenize(text, true),
    },
  };
}

type Tensors = Readonly<Record<string, StandInTensor>>;

interface Inputs {
  readonly input_ids: StandInTensor;
  readonly attention_mask: StandInTensor;
  readonly past_key_values?: Tensors;
}

class ScriptedCausalModel {
  readonly config = { model_type: 'qwen3' };
  readonly generation_config: object;
  readonly #engine: InsistingEngine;
  readonly #Tensor: TensorClass;

  constructor(engine: InsistingEngine, Tensor: TensorClass) {
    this.#engine = engine;
    this.#Tensor = Tensor;
    this.generation_config = tokenizerFiles(engine.tokenizer, '')['generation_config.json'];
  }

  async forward({ input_ids, attention_mask, past_key_values: cache }: Inputs): Promise<Tensors> {
    const past = cache?.['past_key_values.0.key']?.data ?? [];
    const tokens = [...Array.from(past, Number), ...Array.from(input_ids.data, Number)];
    if (tokens.length !== attention_mask.dims[1])
      throw new RangeError(`a cache of ${past.length} tokens, for a mask of ${attention_mask.dims[1]}`);
    const logits = this.#engine.logitsAfter(tokens);
    return {
      logits: new this.#Tensor('float32', logits, [1, 1, logits.length]),
      'present.0.key': new this.#Tensor('float32', Float32Array.from(tokens), [1, 1, tokens.length, 1]),
    };
  }

  async dispose(): Promise<void> {
    await this.#engine.dispose();
  }
}
