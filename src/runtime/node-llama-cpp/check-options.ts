/** Options from outside the type checker: one that is wrong must not become a run without an end, or another run. */
import {
  anyText,
  isRecord,
  type OptionRule,
  type OptionRules,
  oneOf,
  readOptions,
  truth,
  wholeNumberFrom,
} from '../../format/option-rules.ts';
import { chatRules, modules } from '../chat/check-chat-options.ts';
import type { LoadModelOptions } from './load-model.ts';
import type { PrepareOptions } from './prepare.ts';

const largest = 2 ** 31 - 1;
/** LLAMA_MAX_SEQ of llama.cpp. */
const mostSequences = 256;

const llama: OptionRule = {
  wanted: "what node-llama-cpp's getLlama() returns",
  allows: (value) => isRecord(value) && typeof value.loadModel === 'function',
};

const loadRules: OptionRules<LoadModelOptions> = {
  modules,
  chatTemplate: anyText,
  requireTools: truth,
  contextSize: wholeNumberFrom(1, largest),
  sequences: wholeNumberFrom(1, mostSequences),
  threads: wholeNumberFrom(0, largest),
  gpu: oneOf('auto', false),
  llama,
};

/** Options of a model, `null` taken as absent. Throws `UnsupportedOptionError` for the first that is not as its type says. */
export function checkLoadOptions(given: LoadModelOptions): LoadModelOptions {
  return readOptions(given, loadRules);
}

/** The same for chats that are prepared: nothing has to be given. */
export function checkPrepareOptions(given: PrepareOptions): PrepareOptions {
  return readOptions(given, chatRules);
}
