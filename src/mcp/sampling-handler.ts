/** A model as the one that an MCP client offers its servers (`sampling/createMessage`). */
import { UnsupportedOptionError } from '../format/errors.ts';
import { parseObject } from '../format/json-values.ts';
import {
  boolean,
  integerFrom,
  isRecord,
  type OptionRule,
  type OptionRules,
  readOptions,
  requireOption,
} from '../format/option-rules.ts';
import type { Finish, ResponseMessage } from '../parser/events.ts';
import type { ChatOptions } from '../runtime/chat/chat-options.ts';
import type { ChatStream } from '../runtime/chat/chat-stream.ts';
import { readSampling, type SamplingParams } from './sampling-request.ts';

/** What the handler needs of a model, such as those of `loadModel()` and `connectServer()`. */
export interface SampledModel {
  /** What the server is told as the name of the model. */
  readonly name: string;
  /** Whether it sees pictures. Default: it is told that there is one. */
  readonly vision?: boolean;
  /** Asks the model, as `chat` of every model does. */
  chat(options: ChatOptions): ChatStream;
}

/** Options of `samplingHandler`. */
export interface SamplingHandlerOptions {
  /** The most tokens of an answer, however many the server asks for. Default: what the server asks for. */
  readonly maxTokens?: number | undefined;
  /** Whether the model thinks first. Thoughts count in the server's limit, and it never sees them. Default: false. */
  readonly thinking?: boolean | undefined;
}

/** A result of `sampling/createMessage`, as the official SDK takes it: one block, or with calls a list of them. */
export interface SamplingResult {
  readonly [key: string]: unknown;
  readonly role: 'assistant';
  readonly model: string;
  readonly stopReason: 'endTurn' | 'stopSequence' | 'maxTokens' | 'toolUse';
  readonly content: { type: 'text'; text: string } | SamplingContent[];
  /** `idiolect.malformed`: what the model wrote outside its format, such as a call that the limit cut. */
  readonly _meta?: Record<string, unknown>;
}

/** A piece of an answer. */
export type SamplingContent =
  | { type: 'text'; text: string }
  | { type: 'tool_use'; id: string; name: string; input: Record<string, unknown> };

const rules: OptionRules<SamplingHandlerOptions> = {
  maxTokens: integerFrom(1, Number.POSITIVE_INFINITY),
  thinking: boolean,
};

const openModel: OptionRule = {
  expected: 'what loadModel() or connectServer() resolves to',
  allows: (value) => isRecord(value) && typeof value.chat === 'function',
};

/**
 * Answers servers that ask the model of their client: the handler of `CreateMessageRequestSchema` in the official SDK.
 * Calls of the server's tools are enforced. It rejects with the errors of chats, and the SDK tells the server. Throws
 * `UnsupportedOptionError` for an invalid option.
 */
export function samplingHandler(
  model: SampledModel,
  given: SamplingHandlerOptions = {},
): (
  request: { readonly params: SamplingParams },
  extra?: { readonly signal?: AbortSignal },
) => Promise<SamplingResult> {
  requireOption('model', model, openModel);
  const { maxTokens: most = Number.POSITIVE_INFINITY, thinking = false } = readOptions(given, rules);
  return async ({ params }, { signal } = {}) => {
    const asked = readSampling(params, model.vision === true);
    const { maxTokens: wished } = asked;
    // What is no number is refused by the chat.
    const limit = typeof wished === 'number' ? Math.min(wished, most) : (wished ?? most);
    const chat = {
      ...asked,
      ...(limit === Number.POSITIVE_INFINITY ? {} : { maxTokens: limit }),
      ...(signal === undefined ? {} : { signal }),
    };
    const answer = thinking ? model.chat(chat) : await withoutThoughts(model, chat);
    let finish: Finish | null = null;
    for await (const event of answer) if (event.type === 'finish') finish = event;
    return resultOf(model.name, await answer.message, finish);
  };
}

/** A template may have no switch of thinking. */
async function withoutThoughts(model: SampledModel, chat: ChatOptions): Promise<ChatStream> {
  const answer = model.chat({ ...chat, thinking: false });
  try {
    await answer.report;
    return answer;
  } catch (error) {
    if (error instanceof UnsupportedOptionError && error.option === 'thinking') return model.chat(chat);
    throw error;
  }
}

function resultOf(model: string, message: ResponseMessage, finish: Finish | null): SamplingResult {
  const { content, tool_calls: calls = [], malformed = [] } = message;
  const text = { type: 'text' as const, text: content ?? '' };
  const uses = calls.map(({ id, function: { name, arguments: input } }) => ({
    type: 'tool_use' as const,
    id,
    name,
    input: { ...parseObject(input) },
  }));
  const outside = malformed.map(({ reason, raw }) => ({ reason, raw }));
  return {
    role: 'assistant',
    model,
    stopReason: stopReason(finish),
    content: uses.length === 0 ? text : [...(text.text === '' ? [] : [text]), ...uses],
    ...(outside.length === 0 ? {} : { _meta: { idiolect: { malformed: outside } } }),
  };
}

function stopReason(finish: Finish | null): SamplingResult['stopReason'] {
  if (finish?.reason === 'tool-calls') return 'toolUse';
  if (finish?.reason === 'length') return 'maxTokens';
  return finish?.stopSequence === undefined ? 'endTurn' : 'stopSequence';
}
