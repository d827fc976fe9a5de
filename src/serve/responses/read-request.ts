/** Reads a request to `/v1/responses`. */
import { boolean, oneOf, stringArray, withoutUndefined } from '../../format/option-rules.ts';
import type { ResponseFormat } from '../../grammar/grammar-options.ts';
import { endsInAnswer } from '../content/begun-answer.ts';
import type { ReadRequest } from '../endpoint.ts';
import { field, objectField, schemaFormat } from '../fields/request-fields.ts';
import { type Absent, accountFields, readHead } from '../fields/request-head.ts';
import { readLimit, readSampling, readStops, readTopLogprobs } from '../fields/sampling-fields.ts';
import { readThinking, thinkingFields } from '../fields/thinking-fields.ts';
import { readParallel, toolOptions } from '../fields/tool-fields.ts';
import type { ItemMemory } from '../item-memory.ts';
import type { Body } from '../read-body.ts';
import { readInput } from './read-input.ts';
import { type ClientTool, readChoice, readResponsesTools } from './read-tools.ts';

/** Fields that are read, in addition to those of sampling. */
export const readFields = [
  'model',
  'input',
  'instructions',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'text',
  'max_output_tokens',
  'include',
  'store',
  'top_logprobs',
  'stream',
  // Not in OpenAI's API, but in those of local servers.
  'stop',
  ...thinkingFields,
] as const;

/** Fields without effect here: they concern accounts, storage and speed. */
export const fieldsWithoutEffect = [
  ...accountFields,
  'context_management',
  'truncation',
  'stream_options',
] as const;

const isFalse = (value: unknown): boolean => value === false;
const stateless = 'earlier responses are not stored; send the whole conversation as input';

/** Features that do not exist here. */
export const refusedFields: readonly Absent[] = [
  { name: 'previous_response_id', reason: stateless },
  { name: 'conversation', reason: stateless },
  {
    name: 'background',
    reason: 'responses are not stored; stream it, or wait for it',
    isNothing: isFalse,
  },
  { name: 'prompt', reason: 'prompts are not stored' },
  { name: 'moderation', reason: 'moderation is not supported' },
  { name: 'max_tool_calls', reason: 'tools are called by the client' },
];

/** The contents of a request. */
export interface ResponsesRequest extends ReadRequest {
  /** Whether the client may name the items of the answer later. */
  readonly remembers: boolean;
  /** The client's tools, by the names of their functions for the model. */
  readonly byFunction: ReadonlyMap<string, ClientTool>;
}

/** Reads the request. Throws `RequestError`, `UnsupportedOptionError` and `MessageError`. */
export function readResponsesRequest(body: Body, items: ItemMemory): ResponsesRequest {
  const head = readHead(body, { readFields, fieldsWithoutEffect, refusedFields });
  const { tools, byFunction, hosted } = readResponsesTools(body);
  const ignored = [...head.ignored, ...hosted];
  const messages = readInput(body, {
    note: (place) => ignored.push(place),
    recall: (id) => items.recall(id),
  });
  const { chat: thinking, hidesThoughts } = readThinking(body);
  return {
    ...head,
    ignored,
    hidesThoughts,
    remembers: field(body, 'store', boolean) !== false,
    byFunction,
    chat: {
      ...readSampling(body),
      ...withoutUndefined({
        maxTokens: readLimit(body, 'max_output_tokens'),
        stop: readStops(body, 'stop'),
        responseFormat: readFormat(body),
        logprobs: readLogprobs(body),
      }),
      ...toolOptions({
        tools,
        choice: readChoice(body.tool_choice ?? undefined),
        parallel: readParallel(body),
      }),
      ...thinking,
      ...(endsInAnswer(messages) ? { continueFinalMessage: true } : {}),
      messages,
    },
  };
}

/** The only optional part of responses that exists here. */
const answerLogprobs = 'message.output_text.logprobs';

function readLogprobs(body: Body): number | undefined {
  const top = readTopLogprobs(body);
  const included = field(body, 'include', stringArray);
  const isIncluded = Array.isArray(included) && included.includes(answerLogprobs);
  return isIncluded ? (top ?? 0) : top || undefined;
}

function readFormat(body: Body): ResponseFormat | undefined {
  const text = objectField(body, 'text');
  const format = text === undefined ? undefined : objectField(text, 'format');
  if (format === undefined) return undefined;
  const kind = field(format, 'type', oneOf('text', 'json_object', 'json_schema'));
  if (kind !== 'json_schema') return kind === 'json_object' ? { type: 'json_object' } : undefined;
  return schemaFormat(format.schema, 'text.format.schema');
}
