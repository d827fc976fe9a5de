/** Makes a model of anything that evaluates one in this process. */
import {
  callback,
  isRecord,
  type OptionRule,
  readOptions,
  requireOption,
} from '../../format/option-rules.ts';
import { GrammarCache } from '../chat/grammar-cache.ts';
import { ConnectedEngine } from './connected-engine.ts';
import type { Engine } from './engine.ts';
import type { EngineModel } from './engine-model.ts';
import { type EngineOptions, engineRules } from './engine-options.ts';
import { openTemplates } from './open-templates.ts';
import { warmEngine } from './prepare.ts';

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
