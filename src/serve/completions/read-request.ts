/** Reads requests to continue a text. */
import { withoutUndefined } from '../../format/option-rules.ts';
import type { ReadRequest } from '../endpoint.ts';
import { invalid } from '../errors.ts';
import {
  anyRule,
  type FieldTable,
  flagRule,
  listOf,
  objectRule,
  onlyRule,
  textRule,
} from '../fields/field-table.ts';
import type { Absent, KnownFields } from '../fields/known-fields.ts';
import { flag, requiredField } from '../fields/request-fields.ts';
import { accountFields, headFields, readHead, readIncludeUsage } from '../fields/request-head.ts';
import {
  limitRule,
  readLimit,
  readSampling,
  readStops,
  samplingFields,
  stopRule,
} from '../fields/sampling-fields.ts';
import type { Body } from '../read-body.ts';

/** The contents of a request. */
export interface CompletionRequest extends ReadRequest {
  readonly prompt: string;
  /** Whether the answer begins with the prompt. */
  readonly echo: boolean;
  /** Whether the last chunk has the usage. */
  readonly includeUsage: boolean;
}

const promptRule = anyRule(textRule, listOf(textRule, 'a list with one text', 1));
const textFields = { ...headFields, prompt: promptRule, stop: stopRule, ...samplingFields } as const;

/** Fields of `/v1/completions`. */
const readFields = {
  ...textFields,
  max_tokens: limitRule,
  echo: flagRule,
  stream_options: objectRule({ include_usage: flagRule }),
} as const satisfies FieldTable;

/** Fields of llama-server's `/completion`. */
const nativeTable = { ...textFields, n_predict: limitRule } as const satisfies FieldTable;

/** Fields without effect here. */
const fieldsWithoutEffect = [...accountFields, 'cache_prompt', 'id_slot'] as const;

/** Features that do not exist here, with the values that are accepted nevertheless. */
const refusedFields: readonly Absent[] = [
  { name: 'n', reason: 'only one choice per request is supported', nothing: onlyRule(1) },
  { name: 'best_of', reason: 'only one choice per request is supported', nothing: onlyRule(1) },
  { name: 'suffix', reason: 'texts are not filled in', nothing: onlyRule('') },
  { name: 'logprobs', reason: 'use /v1/chat/completions', nothing: onlyRule(false) },
  { name: 'logit_bias', reason: 'use /v1/chat/completions' },
  ...[
    ...['grammar', 'ebnf', 'regex', 'json_schema', 'structured_outputs'],
    ...['guided_json', 'guided_regex', 'guided_choice', 'guided_grammar'],
  ].map((name) => ({
    name,
    reason: 'a text without a conversation is not constrained; use /v1/chat/completions',
  })),
];

/** What OpenAI's API does without a limit. */
const defaultLimit = 16;

/** All fields of `/v1/completions`. */
export const fields: KnownFields = { readFields, fieldsWithoutEffect, refusedFields };

/** All fields of `/completion`. */
export const nativeFields: KnownFields = { readFields: nativeTable, fieldsWithoutEffect, refusedFields };

/** Reads a request to `/v1/completions`. Throws `RequestError` and `UnsupportedOptionError`. */
export function readCompletion(body: Body): CompletionRequest {
  const limit = body.max_tokens === -1 ? undefined : (readLimit(body, 'max_tokens') ?? defaultLimit);
  const read = readText(body, fields, limit);
  return { ...read, echo: flag(body, 'echo'), includeUsage: readIncludeUsage(body) };
}

/** Reads a request to `/completion`, where −1 (the default) means no limit. Throws the same. */
export function readNativeCompletion(body: Body): CompletionRequest {
  const limit = body.n_predict === -1 ? undefined : readLimit(body, 'n_predict');
  return { ...readText(body, nativeFields, limit), echo: false, includeUsage: false };
}

function readText(
  body: Body,
  known: KnownFields,
  maxTokens: number | undefined,
): Omit<CompletionRequest, 'echo' | 'includeUsage'> {
  const head = readHead(body, known);
  return {
    ...head,
    hidesThoughts: false,
    prompt: readPrompt(requiredField(body, 'prompt')),
    chat: {
      ...readSampling(body),
      ...withoutUndefined({ maxTokens, stop: readStops(body, 'stop') }),
      messages: [],
    },
  };
}

/** One text, also in a list. */
function readPrompt(prompt: unknown): string {
  const texts: readonly unknown[] = Array.isArray(prompt) ? prompt : [prompt];
  const [text] = texts;
  if (texts.length === 1 && typeof text === 'string') return text;
  throw invalid('prompt', 'prompt must be one text; several, and lists of tokens, are not supported');
}
