/** Options from outside the type checker: one that is wrong must not become a run without an end, or another run. */

import {
  abortSignal,
  callback,
  checkOption,
  isRecord,
  jsonRecord,
  list,
  numberFrom,
  type OptionRule,
  type OptionRules,
  oneOf,
  readOptions,
  texts,
  truth,
  wholeNumberFrom,
} from '../../format/option-rules.ts';
import { grammarRules } from '../../grammar/grammar-rules.ts';
import type { ChatOptions } from './chat-options.ts';
import type { RunToolsOptions } from './run-tools.ts';

const anything = Number.POSITIVE_INFINITY;

/** Generated modules, or a registry of them. */
export const modules: OptionRule = {
  wanted: 'a list of generated modules, or the registry of generated/index.ts',
  allows: (value) =>
    Array.isArray(value)
      ? value.every((each) => isRecord(each) && typeof each.templateSha256 === 'string')
      : isRecord(value) && typeof value.get === 'function',
};

const { generationPrompt: _, ...requestRules } = grammarRules;

/** Of a chat. */
export const chatRules: OptionRules<ChatOptions> = {
  messages: list,
  ...requestRules,
  thinking: truth,
  thinkingBudget: wholeNumberFrom(0, anything),
  reasoningFormat: oneOf('separate', 'none'),
  templateVariables: jsonRecord,
  continueFinalMessage: truth,
  maxTokens: wholeNumberFrom(0, anything),
  stop: texts,
  signal: abortSignal,
  injectForcedText: truth,
  temperature: numberFrom(0, Number.MAX_VALUE),
  topK: wholeNumberFrom(0, Number.MAX_SAFE_INTEGER),
  topP: numberFrom(0, 1),
  minP: numberFrom(0, 1),
  seed: wholeNumberFrom(0, Number.MAX_SAFE_INTEGER),
};

const runRules: OptionRules<RunToolsOptions> = {
  ...chatRules,
  execute: callback,
  maxSteps: wholeNumberFrom(1, anything),
};

/** Options of a run, `null` taken as absent. Throws `UnsupportedOptionError` for the first that is not as its type says. */
export function checkRunOptions(given: RunToolsOptions): RunToolsOptions {
  return requireMessages(readOptions(given, runRules));
}

/** The same for a chat. */
export function checkChatOptions(given: ChatOptions): ChatOptions {
  return requireMessages(readOptions(given, chatRules));
}

/** The only option that may not be absent. */
function requireMessages<Options extends ChatOptions>(options: Options): Options {
  checkOption('messages', options.messages ?? null, list);
  return options;
}
