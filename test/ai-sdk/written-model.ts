/**
 * A model that writes given messages in the notation of a format: everything between a chat's options and its
 * events is real but the sampling.
 */
import type { IdiolectModel } from '../../src/ai-sdk/index.ts';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import type { AssistantMessage } from '../../src/format/messages.ts';
import { writeResponse } from '../../src/layout/write-response.ts';
import type { ResponseEvent } from '../../src/parser/events.ts';
import type { ChatOptions } from '../../src/runtime/chat/chat-options.ts';
import { GeneratedChat } from '../../src/runtime/chat/chat-stream.ts';

export interface WrittenModel extends IdiolectModel {
  /** What each chat was asked, in order. */
  readonly asked: readonly ChatOptions[];
}

/** What the model writes when it is asked: a message, or the beginning of one (`cut` characters of it). */
export type Turn = AssistantMessage & { readonly cut?: number };

/** A model that answers its chats with `turns`, one after the other. */
export function writtenModel(format: ChatFormat, turns: readonly Turn[]): WrittenModel {
  const asked: ChatOptions[] = [];
  return {
    name: 'written',
    asked,
    chat(options) {
      const { cut, ...message } = turns[asked.length] ?? { role: 'assistant', content: 'Nothing to add.' };
      asked.push(options);
      const text = writtenText(format, message);
      const parser = createResponseParser(format, {
        tools: options.tools ?? [],
        generationPrompt: format.turn.start,
      });
      return new GeneratedChat(
        read(parser, text.slice(0, cut ?? text.length), options.signal),
        () => parser.finish().message,
        async () => [],
      );
    },
  };
}

/** How `message` is written, up to where its last call or its text ends. */
export function writtenText(format: ChatFormat, { cut: _, ...message }: Turn): string {
  return writeResponse(format, message);
}

type Parser = ReturnType<typeof createResponseParser>;

/** In pieces of four characters; a signal is looked at before each, as a sampler does before each token. */
async function* read(
  parser: Parser,
  text: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<ResponseEvent, ReturnType<Parser['finish']>['message']> {
  for (let at = 0; at < text.length; at += 4) {
    signal?.throwIfAborted();
    yield* parser.feed(text.slice(at, at + 4));
    await Promise.resolve();
  }
  const { events, message } = parser.finish();
  yield* events;
  return message;
}
