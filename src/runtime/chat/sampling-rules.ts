/** Rules of the sampling options: the allowed values, and the names that are rejected. */
import {
  checkOptions,
  type Filled,
  integerFrom,
  jsonObject,
  numberBetween,
  numberFrom,
  type OptionRule,
  type OptionRules,
  type RefusedOptions,
  requireOption,
  searchedTexts,
  withoutUndefined,
} from '../../format/option-rules.ts';
import type { DryOptions, SamplingOptions, XtcOptions } from './chat-options.ts';

const maxCount = 2 ** 31 - 1;
/** The limits of OpenAI's API. */
const maxPenalty = 2;
const maxBias = 100;
/** The most tokens that penalties of repetition look back on: the engine allocates memory for them. */
export const maxRepeated = 65_536;

const logitBias: OptionRule = {
  expected: `an array of pairs [token id or text, bias from -${maxBias} to ${maxBias} or false]`,
  allows: (value) => Array.isArray(value) && value.every(isBias),
};

const biasedToken = integerFrom(0, maxCount);
const bias = numberFrom(-maxBias, maxBias);

function isBias(value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== 2) return false;
  // Many times as fast as taking it apart: a request may bias any number of tokens.
  const token: unknown = value[0];
  const added: unknown = value[1];
  const isToken = biasedToken.allows(token) || (typeof token === 'string' && token !== '');
  return isToken && (added === false || bias.allows(added));
}

const dryRules: OptionRules<DryOptions> = {
  multiplier: numberFrom(0, Number.MAX_VALUE),
  base: numberFrom(1, Number.MAX_VALUE),
  allowedLength: integerFrom(1, maxCount),
  lastN: integerFrom(0, maxCount),
  sequenceBreakers: searchedTexts,
};

const xtcRules: OptionRules<XtcOptions> = { probability: numberFrom(0, 1), threshold: numberFrom(0, 1) };

/** Fields of a nested option are reported as `dry.base`. */
function checkNested<Options extends object>(
  option: string,
  value: Options | undefined,
  rules: OptionRules<Options>,
  required: readonly (keyof Options & string)[],
): void {
  if (value === undefined) return;
  const named = (each: object) =>
    Object.fromEntries(Object.entries(each).map(([name, field]) => [`${option}.${name}`, field]));
  const namedRules = named(rules);
  checkOptions(named(value), namedRules);
  for (const name of required) requireOption(`${option}.${name}`, value[name], rules[name]);
}

const samplers = 'no engine here has such a sampler';

const events = 'iterate over the chat: events arrive as they are written';

const runs = 'a chat does not execute calls; it is an option of runTools';

/**
 * Known options of llama.cpp, node-llama-cpp and other APIs that are rejected, with the reason or the name of the
 * equivalent option.
 */
export const refusedOptions: RefusedOptions = {
  dynatempRange: `${samplers}; use temperature with minP`,
  dynatempExponent: `${samplers}; use temperature with minP`,
  typicalP: `${samplers}; use topP or minP`,
  topNSigma: `${samplers}; use minP`,
  mirostat: `${samplers}; use minP`,
  mirostatTau: `${samplers}; use minP`,
  mirostatEta: `${samplers}; use minP`,
  adaptiveTarget: `${samplers}; use xtc`,
  samplers:
    'node-llama-cpp has a fixed order of samplers: bias, penalties, dry, topK, topP, minP, xtc, temperature',
  ignoreEos: 'the format decides where a response ends; for longer ones, use continueFinalMessage',
  grammar: 'the grammar is built from the format and the tools; to constrain answers, use responseFormat',
  cacheSalt: 'no other program shares the cache of a model in this process; only vLLM and SGLang support it',
  priority: 'chats are served in order of arrival; only vLLM and SGLang support it',
  thinkingTokenBudget: 'use thinkingBudget, which needs no support by the server',
  enableInReasoning:
    'vLLM accepts it only at startup (--structured-outputs-config), and it is not needed here',
  n: 'a chat gives one response; start another one, with another seed',
  stream: 'a chat always streams; await message for the whole response',
  onToken: events,
  onTextChunk: events,
  onResponseChunk: events,
  stopOnAbortSignal: 'iterate, and leave the loop: message is then what had been written',
  responsePrefix: "use continueFinalMessage, with an assistant's message at the end",
  reasoningEffort: 'use templateVariables: { reasoning_effort }, or the name that the template uses',
  prompt: "put it into messages: [{ role: 'user', content }]",
  system: "put it into messages, as the first one: { role: 'system', content }",
  model: 'a chat uses the model that it belongs to',
  maxSteps: runs,
  execute: runs,
  toolRetries: runs,
  toolTimeoutMs: runs,
  stopWhen: runs,
  functions: 'tools',
  customStopTriggers: 'stop',
  tokenBias: 'logitBias',
  dryRepeatPenalty: 'dry',
  repetitionPenalty: 'repeatPenalty',
  contextShift: 'contextOverflow',
  nPredict: 'maxTokens',
  topLogprobs: 'logprobs',
  nProbs: 'logprobs',
  maxCompletionTokens: 'maxTokens',
  maxParallelFunctionCalls: 'parallelToolCalls',
};

/** The defaults of sampling, for all engines. */
export const defaultSampling = { temperature: 0, topK: 40, topP: 0.95, minP: 0 } as const;

/** The options of a chat, checked, with a value for those that every engine needs. */
export function withDefaultSampling<Options extends SamplingOptions>(
  options: Options,
): Options & Filled<Pick<SamplingOptions, keyof typeof defaultSampling>> {
  return { ...defaultSampling, ...withoutUndefined(options) } as Options &
    Filled<Pick<SamplingOptions, keyof typeof defaultSampling>>;
}

/** Rules for the sampling options. */
export const samplingRules: OptionRules<SamplingOptions> = {
  temperature: numberFrom(0, Number.MAX_VALUE),
  topK: integerFrom(0, Number.MAX_SAFE_INTEGER),
  topP: numberFrom(0, 1),
  minP: numberFrom(0, 1),
  seed: integerFrom(0, Number.MAX_SAFE_INTEGER),
  repeatPenalty: { expected: `a number above 0, at most ${maxPenalty}`, allows: isPenaltyFactor },
  frequencyPenalty: numberBetween(-maxPenalty, maxPenalty),
  presencePenalty: numberBetween(-maxPenalty, maxPenalty),
  repeatLastN: integerFrom(0, maxRepeated),
  dry: jsonObject,
  xtc: jsonObject,
  logitBias,
};

function isPenaltyFactor(value: unknown): boolean {
  return typeof value === 'number' && value > 0 && value <= maxPenalty;
}

/** Validates the fields of `dry` and `xtc`. Throws `UnsupportedOptionError` for the first invalid one. */
export function checkSamplers({ dry, xtc }: SamplingOptions): void {
  checkNested('dry', dry, dryRules, ['multiplier']);
  checkNested('xtc', xtc, xtcRules, ['probability', 'threshold']);
}
