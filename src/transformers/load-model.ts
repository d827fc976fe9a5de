/** Loads a model with transformers.js, and determines the format of its responses. */
import { ModelFileError } from '../format/errors.ts';
import { isRecord, readOptions, requireOption, withoutUndefined } from '../format/option-rules.ts';
import { connectEngine } from '../runtime/engine/connect-engine.ts';
import type { EngineModel } from '../runtime/engine/engine-model.ts';
import { type LoadModelOptions, loadRules, refuseLoading } from './load-model-options.ts';
import {
  type CausalModel,
  type LoadedPair,
  loadedPair,
  openTransformers,
  type PretrainedTokenizer,
  type Transformers,
} from './package.ts';
import { readTokenizer } from './read-tokenizer.ts';
import { TransformersEngine, type TransformersFacts } from './transformers-engine.ts';

const defaultContextSize = 8192;

/**
 * Loads the ONNX model of this name on the Hub, or in this folder, or takes one that is loaded: `{ model, tokenizer }`,
 * or a pipeline for `text-generation`, which it then owns. Throws `ModelFileError` if its tokenizer cannot be used or
 * it has no chat template; `ToolsUnsupportedError` if the template does not support tools and `requireTools` is not
 * `false`; `TemplateError` and `AnalysisError` if the template cannot be analysed; `UnsupportedOptionError` for an
 * invalid option, and where transformers.js is not installed; the errors of transformers.js if it cannot load it.
 */
export async function loadModel(
  source: string | LoadedPair,
  given: LoadModelOptions = {},
): Promise<EngineModel> {
  const options = readOptions(given, loadRules);
  if (typeof source !== 'string') {
    requireOption('model', source, loadedPair);
    refuseLoading(options);
  }
  const transformers = await openTransformers(options.transformers);
  const pair = typeof source === 'string' ? await load(source, transformers, options) : (source as Pair);
  const name = typeof source === 'string' ? source : nameOf(pair.model);
  const { modules, chatTemplate, requireTools, toolFormat, lateEnforcement } = options;
  const chosen = { modules, chatTemplate, requireTools, toolFormat, lateEnforcement };
  try {
    const engine = new TransformersEngine(factsOf(name, pair, transformers, options));
    return await connectEngine(engine, chosen);
  } catch (error) {
    if (typeof source === 'string') await pair.model.dispose();
    throw error;
  }
}

function nameOf({ config }: CausalModel): string {
  const { _name_or_path: name } = config as { readonly _name_or_path?: unknown };
  return typeof name === 'string' && name !== '' ? name : 'a model of transformers.js';
}

interface Pair {
  readonly model: CausalModel;
  readonly tokenizer: PretrainedTokenizer;
}

async function load(
  name: string,
  { AutoTokenizer, AutoModelForCausalLM }: Transformers,
  { device, dtype, pretrained = {} }: LoadModelOptions,
): Promise<Pair> {
  const tokenizer = await AutoTokenizer.from_pretrained(name, pretrained);
  const given = { ...pretrained, ...withoutUndefined({ device, dtype }) };
  return { tokenizer, model: await AutoModelForCausalLM.from_pretrained(name, given) };
}

function factsOf(
  model: string,
  { model: causal, tokenizer }: Pair,
  transformers: Transformers,
  { contextSize, chatTemplate }: LoadModelOptions,
): TransformersFacts {
  return {
    transformers,
    causal,
    model,
    tokenizer: readTokenizer(model, tokenizer, causal),
    ...templatesOf(model, tokenizer, chatTemplate),
    contextSize: contextSize ?? Math.min(trainedSize(causal.config), defaultContextSize),
  };
}

/** The context with which a model was trained; those that also see have one for their texts. */
function trainedSize(config: object): number {
  const { max_position_embeddings: size, text_config: text } = config as Readonly<Record<string, unknown>>;
  if (typeof size === 'number' && size > 0) return size;
  return isRecord(text) ? trainedSize(text) : defaultContextSize;
}

function templatesOf(
  model: string,
  { chat_template: own }: PretrainedTokenizer,
  given: string | undefined,
): Pick<TransformersFacts, 'chatTemplate' | 'toolUseTemplate'> {
  const named: Readonly<Record<string, unknown>> = isRecord(own) ? own : { default: own };
  const plain = given ?? named.default ?? named.tool_use;
  const toolUse = given ?? named.tool_use ?? plain;
  if (typeof plain === 'string' && typeof toolUse === 'string')
    return { chatTemplate: plain, toolUseTemplate: toolUse };
  throw new ModelFileError({
    file: model,
    reason: 'it holds no chat template, as base models have none; give that of a model like it: chatTemplate',
  });
}
