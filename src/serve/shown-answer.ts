/** A chat as its client asked to see it. */
import { UnsupportedOptionError } from '../format/errors.ts';
import type { ResponseEvent, ResponseMessage } from '../parser/events.ts';
import type { ChatOptions } from '../runtime/chat/chat-options.ts';
import type { ChatStream } from '../runtime/chat/chat-stream.ts';
import { StringContents } from './content/string-contents.ts';
import { AddedText, type BegunTexts } from './continued-text.ts';
import type { ReadRequest } from './endpoint.ts';
import { unanswerable, wrongModel } from './errors.ts';
import type { PromptPreview, ServableModel } from './servable-model.ts';

/**
 * Begins what a request asks for. A wish is left out if the model's template refuses it. Throws the errors of chats, and
 * `RequestError` if the model cannot continue texts.
 */
export async function openStream(
  model: ServableModel,
  { prompt, wishes = {} }: Pick<ReadRequest, 'prompt' | 'wishes'>,
  chat: ChatOptions,
): Promise<ChatStream> {
  const wished = wishes.thinking !== undefined && (await isSwitched(model)) ? wishes : {};
  const stream =
    prompt === undefined ? startChat(model, { ...wished, ...chat }) : continueText(model, prompt, chat);
  try {
    await stream.report;
    return stream;
  } catch (error) {
    const isRefused = error instanceof UnsupportedOptionError && error.option === 'thinking';
    if (!isRefused || wishes.thinking === undefined || chat.thinking !== undefined) throw error;
    return openStream(model, {}, chat);
  }
}

/** Whether a template has a switch of thinking; without one, a model that was trained to think is not kept from it. */
async function isSwitched(model: ServableModel): Promise<boolean> {
  await model.learnTemplates?.();
  const { templates } = model;
  return templates === undefined || templates.toolUse.format.input.thinkingVariables.length > 0;
}

/** Begins a chat. Throws `RequestError` if the model does not chat. */
export function startChat(model: ServableModel, chat: ChatOptions): ChatStream {
  if (model.chat === undefined)
    throw wrongModel('this model does not chat; it answers /v1/embeddings or /v1/rerank');
  return model.chat(chat);
}

/** The prompt of a chat; `null` if the model does not show it. */
export async function previewOf(model: ServableModel, chat: ChatOptions): Promise<PromptPreview | null> {
  if (model.previewInTurns !== undefined) return model.previewInTurns(chat);
  const { signal: _, ...options } = chat;
  return model.preview?.(options) ?? null;
}

function continueText(model: ServableModel, prompt: string, chat: ChatOptions): ChatStream {
  if (model.complete === undefined)
    throw unanswerable('the engine of this model continues no texts; use /v1/chat/completions');
  // What concerns conversations means nothing here.
  const { messages, policy, thinking, thinkingBudget, createCallId, ...options } = chat;
  return model.complete({ ...options, prompt });
}

/** What of an answer its client asked to see, and what it has of it already. */
export interface Shown extends Pick<ReadRequest, 'hidesThoughts' | 'unquotes'> {
  readonly begun: BegunTexts;
}

/** The events as the client asked for them. */
export async function* shownEvents(
  events: AsyncIterable<ResponseEvent>,
  { hidesThoughts, unquotes = false, begun }: Shown,
): AsyncGenerator<ResponseEvent, void> {
  const contents = new StringContents();
  const added = {
    'text-delta': new AddedText(begun.content),
    'reasoning-delta': new AddedText(begun.thoughts),
  };
  for await (const event of events) {
    if (hidesThoughts && event.type.startsWith('reasoning-')) continue;
    if (event.type !== 'text-delta' && event.type !== 'reasoning-delta') {
      yield event;
      continue;
    }
    const written = added[event.type].add(event.delta);
    const delta = unquotes && event.type === 'text-delta' ? contents.add(written) : written;
    if (delta !== '') yield delta === event.delta ? event : { ...event, delta };
  }
}

/** The message as the client asked for it. */
export function shownMessage(
  message: ResponseMessage,
  { hidesThoughts, unquotes = false, begun }: Shown,
): ResponseMessage {
  const { reasoning_content: thoughts, content, ...rest } = message;
  const added = content === null ? null : new AddedText(begun.content).add(content);
  const newThoughts = thoughts === undefined ? '' : new AddedText(begun.thoughts).add(thoughts);
  return {
    ...rest,
    content: unquotes && added !== null ? new StringContents().add(added) : added,
    ...(hidesThoughts || newThoughts === '' ? {} : { reasoning_content: newThoughts }),
  };
}
