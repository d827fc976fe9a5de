/** Reads requests to `/api/chat` and `/api/generate`. */
import type { Message } from '../../format/messages.ts';
import { isRecord, withoutUndefined } from '../../format/option-rules.ts';
import type { ResponseFormat } from '../../grammar/grammar-options.ts';
import type { ChatOptions } from '../../runtime/chat/chat-options.ts';
import { maxRepeated } from '../../runtime/chat/sampling-rules.ts';
import { withContinuation } from '../content/begun-answer.ts';
import { Notes } from '../content/notes.ts';
import type { ReadRequest } from '../endpoint.ts';
import { invalid } from '../errors.ts';
import { functionTools, ollamaMessages } from '../fields/conversation-rules.ts';
import {
  anyRule,
  type FieldTable,
  integerRule,
  listOf,
  objectRule,
  onlyRule,
  readRule,
  textRule,
} from '../fields/field-table.ts';
import type { Absent, KnownFields } from '../fields/known-fields.ts';
import { numberField, objectField, schemaFormat, textField } from '../fields/request-fields.ts';
import { headFields, readHead } from '../fields/request-head.ts';
import {
  readSampling,
  readStops,
  samplingFields,
  stopRule,
  unheardStops,
} from '../fields/sampling-fields.ts';
import { readThinking, thinkingFields } from '../fields/thinking-fields.ts';
import { givenTools, requireKind, toolOptions } from '../fields/tool-fields.ts';
import type { Body } from '../read-body.ts';
import { keepAliveMs, keepAliveRule } from './keep-alive.ts';
import { readOllamaMessages, textWithImages } from './read-messages.ts';

/** The contents of a request. */
export interface OllamaRequest extends ReadRequest {
  /** Whether it only asks to open the model, or to close it: it has nothing to answer. */
  readonly onlyOpens: boolean;
}

/** −1 means no limit, and −2 as many tokens as the context has room for, which is the same. */
const predictRule = anyRule(onlyRule(-1, -2), integerRule(1));

/** What `options` may have; those of loading a model, and samplers that do not exist here, are not read. */
const optionFields = {
  ...samplingFields,
  num_predict: predictRule,
  stop: stopRule,
  repeat_last_n: integerRule(-1, maxRepeated),
} as const satisfies FieldTable;

const shared = {
  ...headFields,
  format: readRule({ anyOf: [{ enum: ['json', ''] }, { type: 'object', description: 'a JSON Schema' }] }),
  options: objectRule(optionFields),
  think: thinkingFields.think,
  keep_alive: keepAliveRule,
} as const;

const chatTable = {
  ...shared,
  messages: ollamaMessages,
  tools: functionTools,
} as const satisfies FieldTable;

const generateTable = {
  ...shared,
  prompt: textRule,
  system: textRule,
  images: listOf(textRule, 'a list of pictures in Base64'),
} as const satisfies FieldTable;

/** Fields without effect. */
const fieldsWithoutEffect = ['context', 'logprobs', 'top_logprobs'] as const;

/** Features that do not exist here, with the values that are accepted nevertheless. */
const refusedFields: readonly Absent[] = [
  { name: 'raw', reason: 'use /v1/completions', nothing: onlyRule(false) },
  { name: 'suffix', reason: 'texts are not filled in', nothing: onlyRule('') },
  { name: 'template', reason: 'a model has its own template', nothing: onlyRule('') },
];

/** All fields of `/api/chat`. */
export const chatFields: KnownFields = { readFields: chatTable, fieldsWithoutEffect, refusedFields };

/** All fields of `/api/generate`. */
export const generateFields: KnownFields = { readFields: generateTable, fieldsWithoutEffect, refusedFields };

/** Reads a request to `/api/chat`. Throws `RequestError`, `UnsupportedOptionError` and `MessageError`. */
export function readOllamaChat(body: Body): OllamaRequest {
  const { messages = [] } = body;
  const { own } = givenTools(body);
  for (const given of own) requireKind(given, ['function', undefined]);
  const tools = own.map(({ tool }) => ({ ...tool, type: 'function' }));
  return readShared(body, chatFields, (notes) => ({
    ...toolOptions({ tools, choice: undefined, parallel: undefined }),
    messages: Array.isArray(messages) && messages.length === 0 ? [] : readOllamaMessages(messages, notes),
  }));
}

/** Reads a request to `/api/generate`: one question, and instructions. Throws the same. */
export function readOllamaGenerate(body: Body): OllamaRequest {
  const { images } = body;
  const prompt = textField(body, 'prompt') ?? '';
  const system = textField(body, 'system') ?? '';
  return readShared(body, generateFields, (notes) => {
    const content = textWithImages({ content: prompt, images }, 'prompt', notes);
    const instructions: readonly Message[] = system === '' ? [] : [{ role: 'system', content: system }];
    return { messages: content === '' ? [] : [...instructions, { role: 'user', content }] };
  });
}

type Conversation = Pick<ChatOptions, 'messages' | 'tools'>;

function readShared(body: Body, known: KnownFields, read: (notes: Notes) => Conversation): OllamaRequest {
  const head = readHead(body, known);
  const options = objectField(body, 'options') ?? {};
  const notes = new Notes([...head.ignored, ...unheard(options)]);
  const conversation = read(notes);
  const { chat: thinking, hidesThoughts } = readThinking({ think: body.think });
  const answer = withoutUndefined({
    stop: readStops(options, 'stop'),
    responseFormat: readFormat(body.format),
  });
  return {
    ...head,
    // In this API, answers are streamed unless something else is said.
    stream: body.stream == null ? true : head.stream,
    ignored: [...unheardStops('options.stop', answer), ...notes.ignored],
    pictures: notes.pictures,
    hidesThoughts,
    onlyOpens: conversation.messages.length === 0,
    ...withoutUndefined({ keepAliveMs: keepAliveMs(body.keep_alive) }),
    chat: withContinuation({
      ...readSampling(options),
      ...withoutUndefined({
        maxTokens: readLimit(options),
        repeatLastN: readLastTokens(options),
      }),
      ...answer,
      ...thinking,
      ...conversation,
    }),
  };
}

/** Options of loading a model, and samplers that do not exist here. */
function unheard(options: Body): readonly string[] {
  return Object.keys(options).flatMap((name) =>
    Object.hasOwn(optionFields, name) ? [] : [`options.${name}`],
  );
}

function readLimit(options: Body): number | undefined {
  if (options.num_predict === -1 || options.num_predict === -2) return Number.MAX_SAFE_INTEGER;
  return numberField(options, 'num_predict');
}

/** −1 means all tokens of the context; of a longer one, as many as are remembered. */
function readLastTokens(options: Body): number | undefined {
  if (options.repeat_last_n === -1) return maxRepeated;
  return numberField(options, 'repeat_last_n');
}

function readFormat(format: unknown): ResponseFormat | undefined {
  if (format == null || format === '') return undefined;
  if (format === 'json') return { type: 'json_object' };
  if (isRecord(format)) return schemaFormat(format, 'format');
  throw invalid('format', 'format must be "json" or a JSON Schema');
}
