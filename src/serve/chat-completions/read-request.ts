/** Reads a request to `/v1/chat/completions`. */

import type { ToolChoice } from '../../format/messages.ts';
import { isRecord, withoutUndefined } from '../../format/option-rules.ts';
import type { ChatOptions, LogitBias } from '../../runtime/chat/chat-options.ts';
import { endsInAnswer } from '../content/begun-answer.ts';
import { Notes } from '../content/notes.ts';
import type { ReadRequest } from '../endpoint.ts';
import { invalid } from '../errors.ts';
import { chatMessages, functionTools, openAiChoice } from '../fields/conversation-rules.ts';
import {
  type FieldRule,
  type FieldTable,
  flagRule,
  listOf,
  objectRule,
  onlyRule,
} from '../fields/field-table.ts';
import type { Absent, KnownFields } from '../fields/known-fields.ts';
import { flag, objectField, requiredField } from '../fields/request-fields.ts';
import {
  accountFields,
  emptyList,
  headFields,
  readHead,
  readIncludeUsage,
  unmerged,
} from '../fields/request-head.ts';
import {
  limitRule,
  readLimit,
  readSampling,
  readStops,
  readTopLogprobs,
  samplingFields,
  stopRule,
  topLogprobsRule,
  unheardStops,
} from '../fields/sampling-fields.ts';
import { readThinking, thinkingFields } from '../fields/thinking-fields.ts';
import {
  type GivenTool,
  givenTools,
  hostedTypes,
  readParallel,
  requireKind,
  toolOptions,
} from '../fields/tool-fields.ts';
import type { Body } from '../read-body.ts';
import { formatFields, readFormat } from './read-format.ts';
import { readChatMessages } from './read-messages.ts';

/** The contents of a request. */
export interface ChatCompletionRequest extends ReadRequest {
  /** Whether the last chunk has the usage. */
  readonly includeUsage: boolean;
  /** Whether the whole answer has its prompt. */
  readonly verbose: boolean;
}

/** OpenAI's lowest bias, which forbids a token. */
const lowestBias = -100;

const logitBias: FieldRule = {
  expected: `an object that maps token ids to biases from ${lowestBias} to 100`,
  allows: (value) =>
    isRecord(value) && Object.keys(value).every((token) => isTokenId(token) && isBias(value[token])),
  schema: {
    type: 'object',
    propertyNames: { pattern: '^(0|[1-9][0-9]{0,8})$' },
    additionalProperties: { type: 'number', minimum: lowestBias, maximum: 100 },
  },
};

function isTokenId(token: string): boolean {
  return /^(0|[1-9]\d{0,8})$/.test(token);
}

function isBias(bias: unknown): boolean {
  return typeof bias === 'number' && bias >= lowestBias && bias <= 100;
}

/** Fields that are read. */
const readFields = {
  ...headFields,
  messages: chatMessages,
  tools: functionTools,
  tool_choice: openAiChoice,
  parallel_tool_calls: flagRule,
  max_completion_tokens: limitRule,
  max_tokens: limitRule,
  stop: stopRule,
  logit_bias: logitBias,
  logprobs: flagRule,
  top_logprobs: topLogprobsRule,
  verbose: flagRule,
  stream_options: objectRule({ include_usage: flagRule }),
  continue_final_message: flagRule,
  add_generation_prompt: flagRule,
  ...samplingFields,
  ...formatFields,
  ...thinkingFields,
} as const satisfies FieldTable;

/** Fields without effect here: they concern accounts, storage and speed. */
const fieldsWithoutEffect = [...accountFields, 'store', 'prediction', 'verbosity'] as const;

/** Features that do not exist here, with the values that are accepted nevertheless. */
const refusedFields: readonly Absent[] = [
  unmerged,
  { name: 'n', reason: 'only one choice per request is supported', nothing: onlyRule(1) },
  { name: 'audio', reason: 'models read and write text' },
  {
    name: 'modalities',
    reason: 'models read and write text',
    nothing: listOf(onlyRule('text'), 'text only'),
  },
  {
    name: 'web_search_options',
    reason: 'there is no web search; offer a tool for it',
  },
  ...['grammar', 'guided_grammar', 'ebnf'].map((name) => ({
    name,
    reason: 'use response_format or tools to constrain answers',
  })),
  { name: 'moderation', reason: 'moderation is not supported' },
  { name: 'functions', reason: 'use tools', nothing: emptyList },
  {
    name: 'function_call',
    reason: 'use tool_choice',
    nothing: onlyRule('auto', 'none'),
  },
];

/** All fields of this API. */
export const fields: KnownFields = { readFields, fieldsWithoutEffect, refusedFields };

/** Reads the request. Throws `RequestError`, `UnsupportedOptionError` and `MessageError`. */
export function readChatCompletion(body: Body): ChatCompletionRequest {
  const head = readHead(body, fields);
  const includeUsage = readIncludeUsage(body);
  const { own, hosted } = givenTools(body, hostedTypes);
  const notes = new Notes([...head.ignored, ...hosted]);
  const messages = readChatMessages(requiredField(body, 'messages'), notes);
  const { chat: thinking, hidesThoughts } = readThinking(body);
  const { responseFormat, unquotes } = readFormat(body);
  const chat = {
    ...readSampling(body),
    ...readLimits(body),
    ...toolOptions({
      tools: readChatTools(own),
      choice: (body.tool_choice ?? undefined) as ToolChoice | undefined,
      parallel: readParallel(body),
    }),
    ...thinking,
    ...withoutUndefined({
      responseFormat,
      stop: readStops(body, 'stop'),
      logitBias: readLogitBias(body),
      logprobs: readLogprobs(body),
    }),
    messages,
  };
  return {
    ...head,
    ignored: [...unheardStops('stop', chat), ...notes.ignored],
    pictures: notes.pictures,
    hidesThoughts,
    unquotes,
    verbose: flag(body, 'verbose'),
    includeUsage,
    chat: { ...chat, ...readContinuation(body, chat) },
  };
}

function readChatTools(own: readonly GivenTool[]): readonly Body[] {
  for (const given of own) requireKind(given, ['function']);
  return own.map(({ tool }) => tool);
}

function readLogitBias(body: Body): readonly LogitBias[] | undefined {
  const given = objectField(body, 'logit_bias') ?? {};
  const tokens = Object.keys(given);
  if (tokens.length === 0) return undefined;
  return tokens.map((token) => [Number(token), given[token] === lowestBias ? false : Number(given[token])]);
}

function readLogprobs(body: Body): number | undefined {
  const top = readTopLogprobs(body);
  if (flag(body, 'logprobs')) return top ?? 0;
  if (top === undefined || top === 0) return undefined;
  throw invalid('top_logprobs', 'top_logprobs requires logprobs: true');
}

function readLimits(body: Body): Partial<ChatOptions> {
  const newer = readLimit(body, 'max_completion_tokens');
  const older = readLimit(body, 'max_tokens');
  return withoutUndefined({
    maxTokens: newer ?? older,
  });
}

/**
 * The names are vLLM's. Without them, an answer at the end is continued, as in llama-server: there is nothing else to
 * say to it.
 */
function readContinuation(body: Body, chat: ChatOptions): Partial<ChatOptions> {
  const asked = body.continue_final_message ?? undefined;
  const opens = body.add_generation_prompt ?? undefined;
  const isContinued = asked === undefined ? opens !== true && endsInAnswer(chat) : asked === true;
  const opensTurn = opens ?? !isContinued;
  if (isContinued !== opensTurn) return isContinued ? { continueFinalMessage: true } : {};
  const reason = isContinued
    ? 'a new turn cannot be opened where the last message is continued'
    : 'without a new turn the last message must be continued: set continue_final_message';
  throw invalid('add_generation_prompt', `add_generation_prompt: ${reason}`);
}
