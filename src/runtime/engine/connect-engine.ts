/** Makes a model of anything that evaluates one in this process. */
import type { ModelFacts } from '../../analysis/probes/probing.ts';
import {
  callback,
  isRecord,
  type OptionRule,
  readOptions,
  requireOption,
} from '../../format/option-rules.ts';
import { GrammarCache } from '../chat/grammar-cache.ts';
import { TemplateCache, withToolFormat } from '../chat/learned-template.ts';
import type { ChatEngine } from './chat.ts';
import type { Engine, EngineTokenizer } from './engine.ts';
import { ConnectedEngine, type EngineModel } from './engine-model.ts';
import { type EngineOptions, engineRules } from './engine-options.ts';
import { warmUp } from './prepare.ts';

const engines: OptionRule = {
  expected: 'an engine, with open(), tokenizer, chatTemplate and contextSize',
  allows: (value) =>
    isRecord(value) &&
    callback.allows(value.open) &&
    isRecord(value.tokenizer) &&
    typeof value.chatTemplate === 'string' &&
    typeof value.contextSize === 'number',
};

/**
 * A model that chats through `engine`, which it owns: its `dispose` is the engine's. Throws `UnsupportedOptionError` for
 * an invalid engine or option; `ToolsUnsupportedError` if the template does not support tools and `requireTools` is not
 * `false`; `TemplateError` and `AnalysisError` if the template cannot be analysed.
 */
export async function connectEngine(engine: Engine, given: EngineOptions = {}): Promise<EngineModel> {
  requireOption('engine', engine, engines);
  const options = readOptions(given, engineRules);
  const templates = await openTemplates(engine, options);
  return new ConnectedEngine(await warmEngine({ engine, templates, grammars: new GrammarCache() }, options));
}

/** The templates of an engine's model. Throws `ToolsUnsupportedError` and `TemplateError`. */
export async function openTemplates(
  { model, chatTemplate: own, toolUseTemplate, tokenizer }: TemplateOrigin,
  { chatTemplate: given, modules: known = [], requireTools, toolFormat }: EngineOptions,
): Promise<TemplateCache> {
  const { bosToken = '', eosToken = '' } = tokenizer;
  const sources = { name: model, default: given ?? own, toolUse: given ?? toolUseTemplate ?? own };
  const wrapped = withToolFormat(sources, toolFormat);
  const templates = await TemplateCache.open(wrapped, { bosToken, eosToken }, known, () =>
    factsOf(tokenizer),
  );
  if (requireTools !== false) templates.requireTools();
  return templates;
}

/** What a vocabulary says about the model's format. */
function factsOf(tokenizer: EngineTokenizer): ModelFacts {
  const isAdded = (token: number): boolean => ['control', 'user-defined'].includes(tokenizer.typeOf(token));
  return {
    addedTokens: tokenizer.texts.filter((text, token) => text !== '' && isAdded(token)),
    endTokens: tokenizer.texts.filter((text, token) => text !== '' && tokenizer.endsGeneration(token)),
  };
}

/** What templates are read from. */
type TemplateOrigin = Pick<Engine, 'model' | 'chatTemplate' | 'toolUseTemplate' | 'tokenizer'>;

/** Prepares for the first chat, unless it has to analyse the template: that takes longer, and may never be needed. */
export async function warmEngine(shared: ChatEngine, { requireTools }: EngineOptions): Promise<ChatEngine> {
  if (requireTools !== false && shared.templates.knowsTools) await warmUp(shared);
  return shared;
}
