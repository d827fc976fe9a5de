/** The toy as an engine in plain JavaScript. */
import { readOptions } from '../../format/option-rules.ts';
import type { Engine } from '../../runtime/engine/engine.ts';
import { toyEngineRules } from '../engine-options.ts';
import {
  FileEngine,
  type JavaScriptEngineOptions,
  type LoadedFile,
  loadFile,
} from '../evaluator/file-engine.ts';
import type { ToyFormat } from './templates.ts';
import { toyModel } from './toy-model.ts';

const loaded = new Map<ToyFormat, Promise<LoadedFile>>();

/**
 * The toy, evaluated without a file or an addon; what it writes is what node-llama-cpp makes of `toyModel`. The
 * weights are read once. Throws `UnsupportedOptionError` for another format or option.
 */
export async function toyEngine(
  format: ToyFormat = 'json',
  given: JavaScriptEngineOptions = {},
): Promise<Engine> {
  const options = readOptions(given, toyEngineRules);
  const file = loaded.get(format) ?? toyModel(format).then(loadFile);
  loaded.set(format, file);
  return new FileEngine(await file, options);
}
