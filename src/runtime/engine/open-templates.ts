/** The templates of an engine's model. */
import type { ModelFacts } from '../../analysis/probes/probing.ts';
import { TemplateCache, withToolFormat } from '../chat/learned-template.ts';
import type { Engine, EngineTokenizer } from './engine.ts';
import { typedTokenizer } from './engine-failure.ts';
import type { EngineOptions } from './engine-options.ts';

/** Reads them, each with its format. Throws `ToolsUnsupportedError` and `TemplateError`. */
export async function openTemplates(
  { model, chatTemplate: own, toolUseTemplate, tokenizer }: TemplateOrigin,
  { chatTemplate: given, modules: known = [], requireTools, toolFormat }: EngineOptions,
): Promise<TemplateCache> {
  const { bosToken = '', eosToken = '' } = tokenizer;
  const sources = { name: model, default: given ?? own, toolUse: given ?? toolUseTemplate ?? own };
  const wrapped = await withToolFormat(sources, toolFormat);
  const templates = await TemplateCache.open(wrapped, { bosToken, eosToken }, known, () =>
    factsOf(tokenizer),
  );
  if (requireTools !== false) templates.requireTools();
  return templates;
}

/** What a vocabulary says about the model's format. */
export function factsOf(asked: EngineTokenizer): ModelFacts {
  const tokenizer = typedTokenizer(asked);
  const isAdded = (token: number): boolean => {
    const type = tokenizer.typeOf(token);
    return type === 'control' || type === 'user-defined';
  };
  return {
    addedTokens: tokenizer.texts.filter((text, token) => text !== '' && isAdded(token)),
    endTokens: tokenizer.texts.filter((text, token) => text !== '' && tokenizer.endsGeneration(token)),
  };
}

/** What templates are read from. */
type TemplateOrigin = Pick<Engine, 'model' | 'chatTemplate' | 'toolUseTemplate' | 'tokenizer'>;
