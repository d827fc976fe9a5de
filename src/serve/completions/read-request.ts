/** Reads requests to continue a text. */
import { boolean, integerFrom, string, withoutUndefined } from '../../format/option-rules.ts';
import type { ReadRequest } from '../endpoint.ts';
import { invalid } from '../errors.ts';
import { field, flag, numberField, objectField } from '../fields/request-fields.ts';
import { type Absent, accountFields, readHead } from '../fields/request-head.ts';
import { readLimit, readSampling, readStops } from '../fields/sampling-fields.ts';
import type { Body } from '../read-body.ts';

/** The contents of a request. */
export interface CompletionRequest extends ReadRequest {
  readonly prompt: string;
  /** Whether the answer begins with the prompt. */
  readonly echo: boolean;
  /** Whether the last chunk has the usage. */
  readonly includeUsage: boolean;
}

/** Fields of `/v1/completions`, in addition to those of sampling. */
export const readFields = [
  'model',
  'prompt',
  'max_tokens',
  'stop',
  'echo',
  'stream',
  'stream_options',
] as const;

/** Fields of llama-server's `/completion`. */
export const nativeFields = ['model', 'prompt', 'n_predict', 'stop', 'stream'] as const;

/** Fields without effect here. */
export const fieldsWithoutEffect = [...accountFields, 'cache_prompt', 'id_slot'] as const;

const isOne = (value: unknown): boolean => value === 1;
const isFalse = (value: unknown): boolean => value === false || value === 0;

/** Features that do not exist here, with the values that are accepted nevertheless. */
export const refusedFields: readonly Absent[] = [
  { name: 'n', reason: 'only one choice per request is supported', isNothing: isOne },
  { name: 'best_of', reason: 'only one choice per request is supported', isNothing: isOne },
  { name: 'suffix', reason: 'texts are not filled in', isNothing: (value) => value === '' },
  { name: 'logprobs', reason: 'use /v1/chat/completions', isNothing: isFalse },
  { name: 'logit_bias', reason: 'use /v1/chat/completions' },
  ...['grammar', 'json_schema', 'guided_json', 'guided_regex', 'guided_choice', 'structured_outputs'].map(
    (name) => ({
      name,
      reason: 'a text without a conversation is not constrained; use /v1/chat/completions',
    }),
  ),
];

/** What OpenAI's API does without a limit. */
const defaultLimit = 16;

/** Reads a request to `/v1/completions`. Throws `RequestError` and `UnsupportedOptionError`. */
export function readCompletion(body: Body): CompletionRequest {
  const streamOptions = objectField(body, 'stream_options') ?? {};
  return {
    ...readText(
      body,
      readFields,
      body.max_tokens === -1 ? undefined : (readLimit(body, 'max_tokens') ?? defaultLimit),
    ),
    echo: flag(body, 'echo'),
    includeUsage: field(streamOptions, 'include_usage', boolean) === true,
  };
}

/** Reads a request to `/completion`, where −1 (the default) means no limit. Throws the same. */
export function readNativeCompletion(body: Body): CompletionRequest {
  const limit =
    body.n_predict === -1
      ? undefined
      : numberField(body, 'n_predict', integerFrom(1, Number.POSITIVE_INFINITY));
  return { ...readText(body, nativeFields, limit), echo: false, includeUsage: false };
}

function readText(
  body: Body,
  known: readonly string[],
  maxTokens: number | undefined,
): Omit<CompletionRequest, 'echo' | 'includeUsage'> {
  const head = readHead(body, { readFields: known, fieldsWithoutEffect, refusedFields });
  return {
    ...head,
    hidesThoughts: false,
    prompt: readPrompt(body.prompt),
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
  if (prompt == null) throw invalid('prompt', 'prompt is missing', 'missing_required_parameter');
  if (texts.length === 1 && string.allows(text)) return String(text);
  throw invalid('prompt', 'prompt must be one text; several, and lists of tokens, are not supported');
}
