/** Reads a request to `/v1/messages`. */
import type { Tool, ToolChoice } from '../../format/messages.ts';
import { withoutUndefined } from '../../format/option-rules.ts';
import type { ResponseFormat } from '../../grammar/grammar-options.ts';
import type { ChatOptions } from '../../runtime/chat/chat-options.ts';
import { effortOptions } from '../../runtime/chat/reasoning-effort.ts';
import { withContinuation } from '../content/begun-answer.ts';
import { Notes } from '../content/notes.ts';
import type { ReadRequest } from '../endpoint.ts';
import { invalid } from '../errors.ts';
import { blockMessages, jsonSchemaRule, ownTools, textOrBlocks } from '../fields/conversation-rules.ts';
import {
  type FieldTable,
  flagRule,
  integerRule,
  objectRule,
  onlyRule,
  textRule,
} from '../fields/field-table.ts';
import type { Absent, KnownFields } from '../fields/known-fields.ts';
import { flag, objectField, requiredField, schemaFormat, textField } from '../fields/request-fields.ts';
import { emptyList, headFields, readHead, unmerged } from '../fields/request-head.ts';
import {
  readSampling,
  readStops,
  samplingFields,
  stopRule,
  unheardStops,
} from '../fields/sampling-fields.ts';
import { readThinking, thinkingFields } from '../fields/thinking-fields.ts';
import {
  flatTool,
  type GivenTool,
  givenTools,
  namedTool,
  requireKind,
  toolOptions,
} from '../fields/tool-fields.ts';
import type { Body } from '../read-body.ts';
import { readConversation } from './read-messages.ts';

const schemaFormatRule = objectRule({ type: onlyRule('json_schema'), schema: jsonSchemaRule });

/** Fields that are read. */
const readFields = {
  ...headFields,
  messages: blockMessages,
  system: textOrBlocks,
  max_tokens: integerRule(1),
  tools: ownTools,
  tool_choice: objectRule({
    type: onlyRule('auto', 'any', 'none', 'tool'),
    name: textRule,
    disable_parallel_tool_use: flagRule,
  }),
  output_config: objectRule({ effort: textRule, format: schemaFormatRule }),
  output_format: schemaFormatRule,
  stop_sequences: stopRule,
  ...samplingFields,
  ...thinkingFields,
} as const satisfies FieldTable;

/** Fields without effect here: they concern accounts, speed, caches, and the handling of long conversations. */
const fieldsWithoutEffect = [
  'metadata',
  'service_tier',
  'speed',
  'cache_control',
  'diagnostics',
  'inference_geo',
  'user_profile_id',
  'workspace_id',
  'billing_policy',
  'fallbacks',
  'fallback_credit_token',
  'compaction',
  'context_management',
  'betas',
] as const;

/** Features that do not exist here. */
const refusedFields: readonly Absent[] = [
  unmerged,
  { name: 'container', reason: 'no code is run here' },
  { name: 'mcp_servers', reason: 'tools are called by the client', nothing: emptyList },
  {
    name: 'thread',
    reason: 'earlier messages are not stored; send the whole conversation',
    // Clients recognise by this code that they must.
    reasonCode: 'thread_unsupported_request',
  },
];

/** Tools that Anthropic executes. */
const hostedTypes = /^(web_search|web_fetch|code_execution|tool_search_tool|advisor)_/;

/** All fields of this API. */
export const fields: KnownFields = { readFields, fieldsWithoutEffect, refusedFields };

/** Reads the request. Throws `RequestError`, `UnsupportedOptionError` and `MessageError`. */
export function readMessagesRequest(body: Body): ReadRequest {
  const head = readHead(body, fields);
  const asked = objectField(body, 'tool_choice');
  const { own, hosted } = givenTools(body, hostedTypes);
  const notes = new Notes([...head.ignored, ...hosted]);
  const messages = readConversation(body, notes);
  const { chat: thinking, hidesThoughts } = readThinking(body);
  const answer = {
    ...withoutUndefined({ stop: readStops(body, 'stop_sequences') }),
    ...readOutput(body, thinking),
  };
  return {
    ...head,
    ignored: [...unheardStops('stop_sequences', answer), ...notes.ignored],
    pictures: notes.pictures,
    // In this API, who does not ask for thoughts gets none, and a model does not think unasked.
    hidesThoughts: hidesThoughts || thinking.thinking !== true,
    wishes: { thinking: false },
    chat: withContinuation({
      ...readSampling(body),
      maxTokens: Number(requiredField(body, 'max_tokens')),
      ...thinking,
      ...answer,
      ...toolOptions({
        tools: own.map(readTool),
        choice: asked === undefined ? undefined : readChoice(asked),
        parallel: asked !== undefined && flag(asked, 'disable_parallel_tool_use') ? false : undefined,
      }),
      messages,
    }),
  };
}

function readTool(given: GivenTool): Tool {
  requireKind(given, [undefined, null, 'custom']);
  return flatTool(given, 'input_schema');
}

function readOutput(body: Body, thinking: Partial<ChatOptions>): Partial<ChatOptions> {
  const config = objectField(body, 'output_config') ?? {};
  const effort = textField(config, 'effort');
  return {
    ...(effort === undefined
      ? {}
      : { templateVariables: { ...effortOptions(effort).templateVariables, ...thinking.templateVariables } }),
    ...withoutUndefined({
      responseFormat:
        readFormat(objectField(config, 'format'), 'output_config.format') ??
        readFormat(objectField(body, 'output_format'), 'output_format'),
    }),
  };
}

/** `output_format` is an older name of the field. */
function readFormat(format: Body | undefined, path: string): ResponseFormat | undefined {
  if (format === undefined) return undefined;
  return schemaFormat(format.schema, `${path}.schema`);
}

function readChoice({ type, name }: Body): ToolChoice {
  if (type === 'auto' || type === 'none') return type;
  if (type === 'any') return 'required';
  if (type === 'tool' && typeof name === 'string') return namedTool(name);
  throw invalid('tool_choice', 'tool_choice.type must be auto, any, none, or tool with a name');
}
