/** An engine of random weights: noise under any template, out of which a grammar makes valid calls. */
import { readOptions } from '../format/option-rules.ts';
import type { Engine } from '../runtime/engine/engine.ts';
import { specialsOf, type TinyEngineOptions, tinyEngineRules } from './engine-options.ts';
import { FileEngine, loadFile } from './evaluator/file-engine.ts';
import { tinyModel } from './tiny-model.ts';
import { toyTemplates } from './toy/templates.ts';
import { vocabularyWith } from './toy/vocabulary.ts';

const defaultContextSize = 8192;

/** `tinyModel` as an engine in plain JavaScript, with the toy's tokens. Throws `UnsupportedOptionError`. */
export function tinyEngine(given: TinyEngineOptions = {}): Engine {
  const options = readOptions(given, tinyEngineRules);
  const { format = 'json', seed = 1, name = 'tiny', contextSize = defaultContextSize } = options;
  const { chatTemplate = toyTemplates[format] } = options;
  const vocabulary = vocabularyWith(specialsOf(options));
  const file = tinyModel({ vocabulary, chatTemplate, seed, name, contextLength: contextSize });
  return new FileEngine(loadFile(file));
}
