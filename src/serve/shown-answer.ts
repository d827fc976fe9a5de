/** A chat as its client asked to see it. */
import { UnsupportedOptionError } from '../format/errors.ts';
import type { ResponseEvent, ResponseMessage } from '../parser/events.ts';
import { partialArguments } from '../parser/json/partial-json.ts';
import type { ChatOptions } from '../runtime/chat/chat-options.ts';
import type { ChatStream } from '../runtime/chat/chat-stream.ts';
import type { ReadRequest } from './endpoint.ts';
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

/** What of an answer its client asked to see. */
export type Shown = Pick<ReadRequest, 'hidesThoughts' | 'unquotes'>;

/** The events as the client asked for them. */
export async function* shownEvents(
  events: AsyncIterable<ResponseEvent>,
  { hidesThoughts, unquotes = false }: Shown,
): AsyncGenerator<ResponseEvent, void> {
  let quoted = '';
  for await (const event of events) {
    if (hidesThoughts && event.type.startsWith('reasoning-')) continue;
    if (!unquotes || event.type !== 'text-delta') {
      yield event;
      continue;
    }
    const before = contentsOf(quoted);
    quoted += event.delta;
    const delta = contentsOf(quoted).slice(before.length);
    if (delta !== '') yield { ...event, delta };
  }
}

/** The message as the client asked for it. */
export function shownMessage(
  message: ResponseMessage,
  { hidesThoughts, unquotes = false }: Shown,
): ResponseMessage {
  const { reasoning_content: thoughts, content, ...rest } = message;
  return {
    ...rest,
    content: unquotes && content !== null ? contentsOf(content) : content,
    ...(hidesThoughts || thoughts === undefined ? {} : { reasoning_content: thoughts }),
  };
}

/** The contents of a JSON string, of which the end may be missing. */
function contentsOf(quoted: string): string {
  const { text } = partialArguments(`{"text": ${quoted}`);
  return typeof text === 'string' ? text : '';
}
