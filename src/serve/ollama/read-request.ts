/** Reads requests to `/api/chat` and `/api/generate`. */
import type { Message } from '../../format/messages.ts';
import { integerFrom, isRecord, withoutUndefined } from '../../format/option-rules.ts';
import type { ResponseFormat } from '../../grammar/grammar-options.ts';
import type { ChatOptions } from '../../runtime/chat/chat-options.ts';
import { endsInAnswer } from '../content/begun-answer.ts';
import type { Note } from '../content/note.ts';
import type { ReadRequest } from '../endpoint.ts';
import { invalid } from '../errors.ts';
import { numberField, objectField, schemaFormat, textField } from '../fields/request-fields.ts';
import { type Absent, readHead } from '../fields/request-head.ts';
import { readSampling, readStops, samplingFields } from '../fields/sampling-fields.ts';
import { readThinking } from '../fields/thinking-fields.ts';
import { givenTools, requireKind, toolOptions } from '../fields/tool-fields.ts';
import type { Body } from '../read-body.ts';
import { readOllamaMessages, textWithImages } from './read-messages.ts';

/** The contents of a request. */
export interface OllamaRequest extends ReadRequest {
  /** Whether it only asks to open the model: it has nothing to answer. */
  readonly onlyOpens: boolean;
}

const shared = ['model', 'format', 'options', 'stream', 'think'] as const;

/** Fields of `/api/chat`. */
export const chatFields = [...shared, 'messages', 'tools'] as const;

/** Fields of `/api/generate`. */
export const generateFields = [...shared, 'prompt', 'system', 'images'] as const;

/** Fields without effect: a model stays open as long as memory allows. */
export const fieldsWithoutEffect = ['keep_alive', 'context', 'logprobs', 'top_logprobs'] as const;

const isEmptyText = (value: unknown): boolean => value === '';

/** Features that do not exist here, with the values that are accepted nevertheless. */
export const refusedFields: readonly Absent[] = [
  { name: 'raw', reason: 'use /v1/completions', isNothing: (value) => value === false },
  { name: 'suffix', reason: 'texts are not filled in', isNothing: isEmptyText },
  { name: 'template', reason: 'a model has its own template', isNothing: isEmptyText },
];

/** Options that are read, in addition to those of sampling. */
const readOptions = ['num_predict', 'stop', 'repeat_last_n'];

/** Reads a request to `/api/chat`. Throws `RequestError`, `UnsupportedOptionError` and `MessageError`. */
export function readOllamaChat(body: Body): OllamaRequest {
  const { messages = [] } = body;
  const { own } = givenTools(body);
  for (const given of own) requireKind(given, ['function', undefined]);
  const tools = own.map(({ tool }) => ({ ...tool, type: 'function' }));
  return readShared(body, chatFields, (note) => ({
    ...toolOptions({ tools, choice: undefined, parallel: undefined }),
    messages: Array.isArray(messages) && messages.length === 0 ? [] : readOllamaMessages(messages, note),
  }));
}

/** Reads a request to `/api/generate`: one question, and instructions. Throws the same. */
export function readOllamaGenerate(body: Body): OllamaRequest {
  const { images } = body;
  const prompt = textField(body, 'prompt') ?? '';
  const system = textField(body, 'system') ?? '';
  return readShared(body, generateFields, (note) => {
    const content = textWithImages({ content: prompt, images }, 'prompt', note);
    const instructions: readonly Message[] = system === '' ? [] : [{ role: 'system', content: system }];
    return { messages: content === '' ? [] : [...instructions, { role: 'user', content }] };
  });
}

type Conversation = Pick<ChatOptions, 'messages' | 'tools'>;

function readShared(
  body: Body,
  readFields: readonly string[],
  read: (note: Note) => Conversation,
): OllamaRequest {
  const head = readHead(body, { readFields, fieldsWithoutEffect, refusedFields });
  const options = objectField(body, 'options') ?? {};
  const ignored = [...head.ignored, ...unheard(options)];
  const conversation = read((place) => ignored.push(place));
  const { chat: thinking, hidesThoughts } = readThinking({ think: body.think });
  return {
    ...head,
    // In this API, answers are streamed unless something else is said.
    stream: body.stream == null ? true : head.stream,
    ignored,
    hidesThoughts,
    onlyOpens: conversation.messages.length === 0,
    chat: {
      ...readSampling(options),
      ...withoutUndefined({
        maxTokens: readLimit(options),
        stop: readStops(options, 'stop'),
        repeatLastN: readLastTokens(options),
        responseFormat: readFormat(body.format),
      }),
      ...thinking,
      ...(endsInAnswer(conversation.messages) ? { continueFinalMessage: true } : {}),
      ...conversation,
    },
  };
}

/** Options of loading a model, and samplers that do not exist here. */
function unheard(options: Body): readonly string[] {
  const known: readonly string[] = [...samplingFields, ...readOptions];
  return Object.keys(options).flatMap((name) => (known.includes(name) ? [] : [`options.${name}`]));
}

/** −1 means no limit, and −2 as many tokens as the context has room for, which is the same. */
function readLimit(options: Body): number | undefined {
  if (options.num_predict === -1 || options.num_predict === -2) return Number.MAX_SAFE_INTEGER;
  return numberField(options, 'num_predict', integerFrom(1, Number.POSITIVE_INFINITY));
}

/** −1 means all tokens of the context. */
function readLastTokens(options: Body): number | undefined {
  if (options.repeat_last_n === -1) return Number.MAX_SAFE_INTEGER;
  return numberField(options, 'repeat_last_n', integerFrom(0, Number.MAX_SAFE_INTEGER));
}

function readFormat(format: unknown): ResponseFormat | undefined {
  if (format == null || format === '') return undefined;
  if (format === 'json') return { type: 'json_object' };
  if (isRecord(format)) return schemaFormat(format, 'format');
  throw invalid('format', 'format must be "json" or a JSON Schema');
}
