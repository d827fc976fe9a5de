/** Options from outside the type checker: one that is wrong must not become a run without an end, or another run. */
import {
  boolean,
  integerFrom,
  isRecord,
  type OptionRule,
  type OptionRules,
  oneOf,
  readOptions,
  string,
} from '../../format/option-rules.ts';
import { chatRules, modules } from '../chat/check-chat-options.ts';
import type { LoadModelOptions } from './load-model-options.ts';
import type { PrepareOptions } from './prepare.ts';

const largest = 2 ** 31 - 1;
/** LLAMA_MAX_SEQ of llama.cpp. */
const mostSequences = 256;

const llama: OptionRule = {
  expected: "what node-llama-cpp's getLlama() returns",
  allows: (value) => isRecord(value) && typeof value.loadModel === 'function',
};

const loadRules: OptionRules<LoadModelOptions> = {
  modules,
  chatTemplate: string,
  requireTools: boolean,
  contextSize: integerFrom(1, largest),
  sequences: integerFrom(1, mostSequences),
  threads: integerFrom(0, largest),
  checkpointMemory: integerFrom(0, Number.MAX_SAFE_INTEGER),
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
