/** Reads a request to `/v1/responses`. */
import { stringArray, withoutUndefined } from '../../format/option-rules.ts';
import type { ResponseFormat } from '../../grammar/grammar-options.ts';
import { withContinuation } from '../content/begun-answer.ts';
import { Notes } from '../content/notes.ts';
import type { ReadRequest } from '../endpoint.ts';
import { clientTools, inputItems, jsonSchemaRule, responsesChoice } from '../fields/conversation-rules.ts';
import { type FieldTable, flagRule, listOf, objectRule, onlyRule, textRule } from '../fields/field-table.ts';
import type { Absent, KnownFields } from '../fields/known-fields.ts';
import { objectField, schemaFormat } from '../fields/request-fields.ts';
import { accountFields, headFields, readHead, unmerged } from '../fields/request-head.ts';
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
import { readParallel, toolOptions } from '../fields/tool-fields.ts';
import type { ItemMemory } from '../item-memory.ts';
import type { Body } from '../read-body.ts';
import { readInput } from './read-input.ts';
import { type ClientTool, readChoice, readResponsesTools } from './read-tools.ts';

/** Fields that are read. */
const readFields = {
  ...headFields,
  input: inputItems,
  instructions: textRule,
  tools: clientTools,
  tool_choice: responsesChoice,
  parallel_tool_calls: flagRule,
  text: objectRule({
    format: objectRule({ type: onlyRule('text', 'json_object', 'json_schema'), schema: jsonSchemaRule }),
  }),
  max_output_tokens: limitRule,
  include: listOf(textRule, stringArray.expected),
  store: flagRule,
  top_logprobs: topLogprobsRule,
  // Not in OpenAI's API, but in those of local servers.
  stop: stopRule,
  ...samplingFields,
  ...thinkingFields,
} as const satisfies FieldTable;

/** Fields without effect here: they concern accounts, storage and speed. */
const fieldsWithoutEffect = [...accountFields, 'context_management', 'truncation', 'stream_options'] as const;

const stateless = 'earlier responses are not stored; send the whole conversation as input';

/** Features that do not exist here. */
const refusedFields: readonly Absent[] = [
  unmerged,
  { name: 'previous_response_id', reason: stateless },
  { name: 'conversation', reason: stateless },
  {
    name: 'background',
    reason: 'responses are not stored; stream it, or wait for it',
    nothing: onlyRule(false),
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

/** All fields of this API. */
export const fields: KnownFields = { readFields, fieldsWithoutEffect, refusedFields };

/** Reads the request. Throws `RequestError`, `UnsupportedOptionError` and `MessageError`. */
export function readResponsesRequest(body: Body, items: ItemMemory): ResponsesRequest {
  const head = readHead(body, fields);
  const { tools, byFunction, hosted } = readResponsesTools(body);
  const notes = new Notes([...head.ignored, ...hosted]);
  const messages = readInput(body, {
    notes,
    recall: (id) => items.recall(id),
  });
  const { chat: thinking, hidesThoughts } = readThinking(body);
  const answer = withoutUndefined({ stop: readStops(body, 'stop'), responseFormat: readFormat(body) });
  return {
    ...head,
    ignored: [...unheardStops('stop', answer), ...notes.ignored],
    pictures: notes.pictures,
    hidesThoughts,
    remembers: body.store !== false,
    byFunction,
    chat: withContinuation({
      ...readSampling(body),
      ...withoutUndefined({
        maxTokens: readLimit(body, 'max_output_tokens'),
        logprobs: readLogprobs(body),
      }),
      ...answer,
      ...toolOptions({
        tools,
        choice: readChoice(body.tool_choice ?? undefined),
        parallel: readParallel(body),
      }),
      ...thinking,
      messages,
    }),
  };
}

/** The only optional part of responses that exists here. */
const answerLogprobs = 'message.output_text.logprobs';

function readLogprobs(body: Body): number | undefined {
  const top = readTopLogprobs(body);
  const { include: included } = body;
  const isIncluded = Array.isArray(included) && included.includes(answerLogprobs);
  return isIncluded ? (top ?? 0) : top || undefined;
}

function readFormat(body: Body): ResponseFormat | undefined {
  const text = objectField(body, 'text');
  const format = text === undefined ? undefined : objectField(text, 'format');
  if (format === undefined) return undefined;
  const { type: kind } = format;
  if (kind !== 'json_schema') return kind === 'json_object' ? { type: 'json_object' } : undefined;
  return schemaFormat(format.schema, 'text.format.schema');
}
