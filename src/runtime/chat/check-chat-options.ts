/**
 * Validates options of callers without a type checker: an invalid option must not cause an endless or a different run.
 */

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
  maxTimer,
  type OptionRule,
  type OptionRules,
  oneOf,
  readOptions,
  searchedTexts,
  textUpTo,
} from '../../format/option-rules.ts';
import { grammarRules } from '../../grammar/grammar-rules.ts';
import { requireVariables } from '../../template/prompt/template-variables.ts';
import type { ChatOptions, PrepareOptions, ServerRequestOptions } from './chat-options.ts';
import { checkSamplers, refusedOptions, samplingRules } from './sampling-rules.ts';
import type { RunToolsOptions } from './tool-loop/run-tools-options.ts';

const anything = Number.POSITIVE_INFINITY;
/** As in OpenAI's API. */
const maxLogprobs = 20;
/** vLLM's limit. */
const maxSalt = 1024;

/** Generated modules, or a registry of them. */
export const modules: OptionRule = {
  expected: 'an array of generated modules, or the registry of generated/index.ts',
  allows: (value) =>
    Array.isArray(value)
      ? value.every((each) => isRecord(each) && typeof each.templateSha256 === 'string')
      : isRecord(value) && typeof value.get === 'function',
};

const { generationPrompt: _, ...requestRules } = grammarRules;

/** Rules for the options of a chat. */
const chatRules: OptionRules<ChatOptions> = {
  messages: array,
  ...requestRules,
  thinking: boolean,
  thinkingBudget: integerFrom(0, anything),
  reasoningFormat: oneOf('separate', 'none'),
  templateVariables: jsonObject,
  continueFinalMessage: boolean,
  maxTokens: integerFrom(0, anything),
  maxOutputTokens: integerFrom(0, anything),
  contextOverflow: oneOf('error', 'shift'),
  stop: searchedTexts,
  stopSequences: searchedTexts,
  stopIn: oneOf('answer', 'response'),
  createCallId: callback,
  signal: abortSignal,
  abortSignal,
  onPromptProgress: callback,
  injectForcedText: boolean,
  speculate: boolean,
  tellOverruled: boolean,
  logprobs: integerFrom(0, maxLogprobs),
  ...samplingRules,
};

const serverRules: OptionRules<ServerRequestOptions> = {
  cacheSalt: textUpTo(maxSalt),
  priority: integerFrom(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER),
};

const runRules: OptionRules<RunToolsOptions & ServerRequestOptions> = {
  ...chatRules,
  // Whether an option is supported is decided by the model, for each chat.
  ...serverRules,
  execute: callback,
  toolTimeoutMs: integerFrom(1, maxTimer),
  toolRetries: integerFrom(0, Number.MAX_SAFE_INTEGER),
  askAgain: boolean,
  maxSteps: integerFrom(1, anything),
  stopWhen: {
    expected: 'a function, or an array of functions',
    allows: (value) => [value].flat().every((each) => typeof each === 'function'),
  },
  maxRepeats: integerFrom(1, anything),
  askIfOverruled: { expected: 'a number from 0 to 1', allows: isProbability },
};

function isProbability(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value <= 1;
}

/**
 * Validates the options of a run; `null` counts as absent. Throws `UnsupportedOptionError` for the first invalid one.
 */
export function checkRunOptions(given: RunToolsOptions): RunToolsOptions {
  return checkRequest(readOptions(given, runRules, refusedOptions));
}

/** Validates the options of a chat. */
export function checkChatOptions(given: ChatOptions): ChatOptions {
  return checkRequest(readOptions(given, chatRules, refusedOptions));
}

/** Validates the options of chats to prepare; all of them are optional. */
export function checkPrepareOptions(given: PrepareOptions): PrepareOptions {
  const options = readOptions(given, chatRules);
  requireVariables(options.templateVariables);
  return options;
}

/** Validates the options of a chat with a server. */
export function checkServedChatOptions(
  given: ChatOptions & ServerRequestOptions,
): ChatOptions & ServerRequestOptions {
  return checkRequest(readOptions(given, { ...chatRules, ...serverRules }, refusedOptions));
}

/** The AI SDK's names of options, and ours. */
const neighbours = [
  ['maxOutputTokens', 'maxTokens'],
  ['stopSequences', 'stop'],
  ['abortSignal', 'signal'],
] as const;

function withOwnNames<Options extends ChatOptions>(given: Options): Options {
  const options = new Map<string, unknown>(Object.entries(given));
  for (const [option, own] of neighbours) {
    const value = given[option];
    if (value === undefined) continue;
    const reason = `is ${own} by another name; leave one of them out`;
    if (given[own] !== undefined) throw new UnsupportedOptionError({ option, reason });
    options.delete(option);
    options.set(own, value);
  }
  return Object.fromEntries(options) as unknown as Options;
}

/** `messages` is the only required option. */
function checkRequest<Options extends ChatOptions>(given: Options): Options {
  const options = withOwnNames(given);
  checkOption('messages', options.messages ?? null, array);
  checkSamplers(options);
  requireVariables(options.templateVariables);
  if (options.speculate === true && (options.temperature ?? 0) > 0) {
    const reason = 'speculation requires temperature 0, where it does not change the response';
    throw new UnsupportedOptionError({ option: 'speculate', reason });
  }
  return options;
}
