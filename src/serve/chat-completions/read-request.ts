/** A request to `/v1/chat/completions`. */

import type { ToolChoice } from '../../format/messages.ts';
import {
  anyValue,
  array,
  boolean,
  integerFrom,
  isRecord,
  jsonObject,
  numberFrom,
  type OptionRule,
  requireOption,
  string,
} from '../../format/option-rules.ts';
import type { ResponseFormat } from '../../grammar/grammar-options.ts';
import { grammarRules } from '../../grammar/grammar-rules.ts';
import type { ChatOptions, LogitBias } from '../../runtime/chat/chat-options.ts';
import { effortOptions } from '../../runtime/chat/reasoning-effort.ts';
import type { ReadRequest } from '../endpoint.ts';
import { invalid } from '../errors.ts';
import type { Body } from '../read-body.ts';
import {
  type Absent,
  field,
  flag,
  numberField,
  objectField,
  objectList,
  present,
  refuseFeatures,
  requiredField,
  textField,
  unknownFields,
} from '../request-fields.ts';
import { readSampling, readStops, samplingFields } from '../sampling-fields.ts';
import { requireKind, toolOptions } from '../tool-fields.ts';
import { readChatMessages } from './read-messages.ts';

/** What is asked for. */
export interface ChatCompletionRequest extends ReadRequest {
  /** The last chunk says what the response cost. */
  readonly includeUsage: boolean;
}

/** Fields that are read, next to those of sampling. */
export const readFields = [
  'model',
  'messages',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'response_format',
  'reasoning_effort',
  'max_completion_tokens',
  'max_tokens',
  'stop',
  'logit_bias',
  'stream',
  'stream_options',
  'chat_template_kwargs',
  'thinking_budget',
] as const;

/** Fields that change nothing here: they are about accounts, storage and speed. */
export const fieldsWithoutEffect = [
  'user',
  'store',
  'metadata',
  'service_tier',
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_retention',
  'prediction',
  'verbosity',
] as const;

const isZero = (value: unknown): boolean => value === 0;
const isFalse = (value: unknown): boolean => value === false;

/** What the engine does not give, and what it may be told nevertheless. */
export const refusedFields: readonly Absent[] = [
  { name: 'n', reason: 'one choice is made per request', isNothing: (value) => value === 1 },
  { name: 'logprobs', reason: 'the engine gives no probabilities', isNothing: isFalse },
  { name: 'top_logprobs', reason: 'the engine gives no probabilities', isNothing: isZero },
  { name: 'audio', reason: 'models read and write text', isNothing: () => false },
  {
    name: 'modalities',
    reason: 'models read and write text',
    isNothing: (value) => Array.isArray(value) && value.every((each) => each === 'text'),
  },
  { name: 'web_search_options', reason: 'there is no search; offer a tool for it', isNothing: () => false },
  { name: 'functions', reason: 'use tools', isNothing: () => false },
  { name: 'function_call', reason: 'use tool_choice', isNothing: () => false },
];

/** Reads the request. Throws `RequestError`, `UnsupportedOptionError` and `MessageError`. */
export function readChatCompletion(body: Body): ChatCompletionRequest {
  refuseFeatures(
    body,
    refusedFields.filter(({ name }) => name in body),
  );
  const stream = flag(body, 'stream');
  const streamOptions = objectField(body, 'stream_options');
  if (streamOptions !== undefined && !stream)
    throw invalid('stream_options', 'stream_options is for streams: set stream to true');
  const messages = requiredField(body, 'messages', array);
  const names = [samplingFields, fieldsWithoutEffect, refusedFields.map(({ name }) => name)];
  return {
    model: textField(body, 'model') ?? null,
    stream,
    includeUsage: streamOptions !== undefined && flag(streamOptions, 'include_usage'),
    unknown: unknownFields(body, readFields, ...names),
    chat: {
      ...readSampling(body),
      ...readLimits(body),
      ...readTools(body),
      ...readThinking(body),
      ...present({
        responseFormat: readFormat(body),
        stop: readStops(body, 'stop'),
        logitBias: readLogitBias(body),
      }),
      messages: readChatMessages(messages),
    },
  };
}

/** As in OpenAI's API, where the lowest bias forbids a token. */
const lowestBias = -100;

const logitBias: OptionRule = {
  expected: `an object that maps token ids to biases from ${lowestBias} to 100`,
  allows: (value) =>
    isRecord(value) &&
    Object.entries(value).every(
      ([token, bias]) => /^(0|[1-9]\d{0,8})$/.test(token) && numberFrom(lowestBias, 100).allows(bias),
    ),
};

function readLogitBias(body: Body): readonly LogitBias[] | undefined {
  const entries = Object.entries(field(body, 'logit_bias', logitBias) ?? {});
  if (entries.length === 0) return undefined;
  return entries.map(([token, bias]) => [Number(token), bias === lowestBias ? false : Number(bias)]);
}

function readLimits(body: Body): Partial<ChatOptions> {
  const atLeastOne = integerFrom(1, Number.POSITIVE_INFINITY);
  const newer = numberField(body, 'max_completion_tokens', atLeastOne);
  const older = numberField(body, 'max_tokens', atLeastOne);
  return present({
    maxTokens: newer ?? older,
    thinkingBudget: numberField(body, 'thinking_budget', integerFrom(0, Number.POSITIVE_INFINITY)),
  });
}

function readTools(body: Body): Partial<ChatOptions> {
  const tools = objectList(body, 'tools') ?? [];
  tools.forEach((tool, index) => {
    requireKind(tool, ['function'], index);
  });
  const choice = field(body, 'tool_choice', grammarRules.toolChoice) as ToolChoice | undefined;
  const parallel = field(body, 'parallel_tool_calls', boolean);
  return toolOptions({ tools, choice, parallel: parallel === undefined ? undefined : parallel === true });
}

function readThinking(body: Body): Partial<ChatOptions> {
  const effort = field(body, 'reasoning_effort', string);
  const variables = field(body, 'chat_template_kwargs', jsonObject);
  const asked = typeof effort === 'string' ? effortOptions(effort) : {};
  if (variables === undefined) return asked;
  return { ...asked, templateVariables: { ...asked.templateVariables, ...(variables as object) } };
}

function readFormat(body: Body): ResponseFormat | undefined {
  const format = field(body, 'response_format', anyValue);
  if (format === undefined) return undefined;
  requireOption('response_format', format, grammarRules.responseFormat);
  return format as ResponseFormat;
}
