/** A request to `/v1/messages`. */
import type { ToolChoice } from '../../format/messages.ts';
import { integerFrom, oneOf, requireOption } from '../../format/option-rules.ts';
import type { ResponseFormat } from '../../grammar/grammar-options.ts';
import type { ChatOptions } from '../../runtime/chat/chat-options.ts';
import { effortOptions } from '../../runtime/chat/reasoning-effort.ts';
import type { ReadRequest } from '../endpoint.ts';
import { invalid } from '../errors.ts';
import type { Body } from '../read-body.ts';
import {
  field,
  flag,
  numberField,
  objectField,
  present,
  requiredField,
  schemaFormat,
  textField,
} from '../request-fields.ts';
import { type Absent, readHead } from '../request-head.ts';
import { readSampling, readStops } from '../sampling-fields.ts';
import { flatTool, namedTool, readTools } from '../tool-fields.ts';
import { readConversation } from './read-messages.ts';

/** Fields that are read, next to those of sampling. */
export const readFields = [
  'model',
  'messages',
  'system',
  'max_tokens',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'stop_sequences',
  'stream',
] as const;

/** Fields that change nothing here. */
export const fieldsWithoutEffect = ['metadata', 'service_tier', 'cache_control', 'inference_geo'] as const;

const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/** What nothing here does. */
export const refusedFields: readonly Absent[] = [
  { name: 'container', reason: 'no code is run here', isNothing: () => false },
  { name: 'mcp_servers', reason: 'tools are called by the client', isNothing: isEmpty },
];

/** Reads the request. Throws `RequestError`, `UnsupportedOptionError` and `MessageError`. */
export function readMessagesRequest(body: Body): ReadRequest {
  const asked = objectField(body, 'tool_choice');
  return {
    ...readHead(body, { readFields, fieldsWithoutEffect, refusedFields }),
    chat: {
      ...readSampling(body),
      maxTokens: Number(requiredField(body, 'max_tokens', integerFrom(1, Number.POSITIVE_INFINITY))),
      ...present({ stop: readStops(body, 'stop_sequences') }),
      ...readOutput(objectField(body, 'output_config') ?? {}),
      ...readThinking(objectField(body, 'thinking')),
      ...readTools(body, {
        kinds: [undefined, null, 'custom'],
        toTool: (tool, index) => flatTool(tool, 'input_schema', index),
        choice: asked === undefined ? undefined : readChoice(asked),
        parallel: asked !== undefined && flag(asked, 'disable_parallel_tool_use') ? false : undefined,
      }),
      messages: readConversation(body),
    },
  };
}

function readThinking(thinking: Body | undefined): Partial<ChatOptions> {
  if (thinking === undefined) return {};
  const type = thinking.type ?? undefined;
  requireOption('thinking.type', type, oneOf('enabled', 'adaptive', 'disabled'));
  if (type === 'disabled') return { thinking: false };
  const budget = numberField(thinking, 'budget_tokens', integerFrom(1, Number.POSITIVE_INFINITY));
  return { thinking: true, ...present({ thinkingBudget: budget }) };
}

function readOutput(config: Body): Partial<ChatOptions> {
  const effort = textField(config, 'effort');
  const format = objectField(config, 'format');
  return {
    ...(effort === undefined ? {} : { templateVariables: effortOptions(effort).templateVariables ?? {} }),
    ...present({ responseFormat: format === undefined ? undefined : readFormat(format) }),
  };
}

function readFormat(format: Body): ResponseFormat {
  field(format, 'type', oneOf('json_schema'));
  return schemaFormat(format.schema, 'output_config.format.schema');
}

function readChoice({ type, name }: Body): ToolChoice {
  if (type === 'auto' || type === 'none') return type;
  if (type === 'any') return 'required';
  if (type === 'tool' && typeof name === 'string') return namedTool(name);
  throw invalid('tool_choice', 'tool_choice.type must be auto, any, none, or tool with a name');
}
