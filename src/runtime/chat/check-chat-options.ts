/** Options from outside the type checker: one that is wrong must not become a run without an end, or another run. */

import { UnsupportedOptionError } from '../../format/errors.ts';
import {
  abortSignal,
  array,
  boolean,
  callback,
  checkOption,
  integerFrom,
  isRecord,
  jsonObject,
  type OptionRule,
  type OptionRules,
  oneOf,
  readOptions,
  stringArray,
  textUpTo,
} from '../../format/option-rules.ts';
import { grammarRules } from '../../grammar/grammar-rules.ts';
import type { ChatOptions, ServerRequestOptions } from './chat-options.ts';
import { checkSamplers, refusedOptions, samplingRules } from './sampling-rules.ts';
import type { RunToolsOptions } from './tool-loop/run-tools-options.ts';

const anything = Number.POSITIVE_INFINITY;
/** Timers of the platform hold no more milliseconds. */
const longestTimer = 2 ** 31 - 1;
/** As in OpenAI's API. */
const mostLikely = 20;
/** vLLM's limit. */
const longestSalt = 1024;

/** Generated modules, or a registry of them. */
export const modules: OptionRule = {
  expected: 'an array of generated modules, or the registry of generated/index.ts',
  allows: (value) =>
    Array.isArray(value)
      ? value.every((each) => isRecord(each) && typeof each.templateSha256 === 'string')
      : isRecord(value) && typeof value.get === 'function',
};

const { generationPrompt: _, ...requestRules } = grammarRules;

/** Of a chat. */
export const chatRules: OptionRules<ChatOptions> = {
  messages: array,
  ...requestRules,
  thinking: boolean,
  thinkingBudget: integerFrom(0, anything),
  reasoningFormat: oneOf('separate', 'none'),
  templateVariables: jsonObject,
  continueFinalMessage: boolean,
  maxTokens: integerFrom(0, anything),
  contextOverflow: oneOf('error', 'shift'),
  stop: stringArray,
  signal: abortSignal,
  injectForcedText: boolean,
  speculate: boolean,
  logprobs: integerFrom(0, mostLikely),
  ...samplingRules,
};

const serverRules: OptionRules<ServerRequestOptions> = {
  cacheSalt: textUpTo(longestSalt),
  priority: integerFrom(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
};

const runRules: OptionRules<RunToolsOptions & ServerRequestOptions> = {
  ...chatRules,
  // Whether the model takes them, its chats say.
  ...serverRules,
  execute: callback,
  toolTimeoutMs: integerFrom(1, longestTimer),
  toolRetries: integerFrom(0, Number.MAX_SAFE_INTEGER),
  maxSteps: integerFrom(1, anything),
};

/** Options of a run, `null` taken as absent. Throws `UnsupportedOptionError` for the first that is not as its type says. */
export function checkRunOptions(given: RunToolsOptions): RunToolsOptions {
  return checkRequest(readOptions(given, runRules, refusedOptions));
}

/** The same for a chat. */
export function checkChatOptions(given: ChatOptions): ChatOptions {
  return checkRequest(readOptions(given, chatRules, refusedOptions));
}

/** The same for a chat with a server. */
export function checkServedChatOptions(
  given: ChatOptions & ServerRequestOptions,
): ChatOptions & ServerRequestOptions {
  return checkRequest(readOptions(given, { ...chatRules, ...serverRules }, refusedOptions));
}

/** `messages` is the only option that may not be absent. */
function checkRequest<Options extends ChatOptions>(options: Options): Options {
  checkOption('messages', options.messages ?? null, array);
  checkSamplers(options);
  if (options.speculate === true && (options.temperature ?? 0) > 0) {
    const reason = 'speculation requires temperature 0, where it does not change the response';
    throw new UnsupportedOptionError({ option: 'speculate', reason });
  }
  return options;
}
