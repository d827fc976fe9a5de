/** A chat as its client asked to see it. */
import { UnsupportedOptionError } from '../format/errors.ts';
import type { ResponseEvent, ResponseMessage } from '../parser/events.ts';
import type { ChatOptions } from '../runtime/chat/chat-options.ts';
import type { ChatStream } from '../runtime/chat/chat-stream.ts';
import type { ServableModel } from './servable-model.ts';

/** Begins a chat as `wished`, or as `demanded` if the model's template refuses the wish. Throws the errors of chats. */
export async function openStream(
  model: ServableModel,
  wished: ChatOptions,
  demanded: ChatOptions,
): Promise<ChatStream> {
  const stream = model.chat(wished);
  try {
    await stream.report;
    return stream;
  } catch (error) {
    const isRefused = error instanceof UnsupportedOptionError && error.option === 'thinking';
    if (!isRefused || wished.thinking === demanded.thinking) throw error;
    return openStream(model, demanded, demanded);
  }
}

/** The events without thoughts, if they are hidden. */
export async function* shownEvents(
  events: AsyncIterable<ResponseEvent>,
  hidesThoughts: boolean,
): AsyncGenerator<ResponseEvent, void> {
  for await (const event of events) if (!hidesThoughts || !event.type.startsWith('reasoning-')) yield event;
}

/** The message without thoughts, if they are hidden. */
export function shownMessage(message: ResponseMessage, hidesThoughts: boolean): ResponseMessage {
  if (!hidesThoughts) return message;
  const { reasoning_content: _, ...shown } = message;
  return shown;
}
