/** What came of one request, whichever engine answered it. */

import { createResponseParser } from '../../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../../src/format/chat-format.ts';
import type { JsonObject, Tool } from '../../../src/format/messages.ts';
import type { AnyResponseEvent, ResponseMessage } from '../../../src/parser/events.ts';
import type { FreeText } from '../../../src/runtime/node-llama-cpp/plain-engine.ts';

/** How it is known that the arguments of a call fit their schema; `none`: it is not. */
export type Assurance = 'enforced' | 'validated' | 'none';

/** A call that was handed out. */
export interface HandedCall {
  readonly name: string;
  readonly arguments: JsonObject;
  /** The arguments as they were handed out: JSON text. */
  readonly input: string;
  readonly assurance: Assurance;
}

/** A finished response. */
export interface Response {
  readonly content: string;
  readonly calls: readonly HandedCall[];
  /** Something was reported about it: `malformed`, `repaired` or a possible call. */
  readonly told: boolean;
  /** Ended by the limit of tokens. */
  readonly cut: boolean;
  readonly tokens: number;
  /** The name and message of the error that it ended with. */
  readonly thrown: string | null;
}

/** A response that ended with an error. */
export function thrownResponse(error: unknown): Response {
  return { content: '', calls: [], told: true, cut: false, tokens: 0, thrown: String(error) };
}

/** What was collected while a response was read. */
export interface ReadResponse {
  readonly message: ResponseMessage;
  readonly events: readonly AnyResponseEvent[];
  readonly tokens: number;
  readonly cut: boolean;
}

/** The response that these events and this message are. */
export function toResponse({ message, events, tokens, cut }: ReadResponse): Response {
  const { content, tool_calls: calls = [], malformed, repaired } = message;
  return {
    content: content ?? '',
    calls: calls.map(({ function: called, assurance }) => ({
      name: called.name,
      arguments: JSON.parse(called.arguments),
      input: called.arguments,
      assurance: assurance ?? 'none',
    })),
    told: malformed !== undefined || repaired !== undefined || events.some(isPossibleCall),
    cut,
    tokens,
    thrown: null,
  };
}

/** How a free text is read. */
export interface FreeReading {
  readonly format: ChatFormat;
  readonly tools: readonly Tool[];
  /** What the prompt wrote of the turn. */
  readonly generationPrompt: string;
  readonly leniency?: 'lenient' | 'strict';
}

/** Free text as our parser reads it: what would be handed out without a grammar and without a check. */
export function readFree({ text, tokens, cut }: FreeText, { format, ...options }: FreeReading): Response {
  const parser = createResponseParser(format, options);
  const events = [...parser.feed(text)];
  const last = parser.finish(cut ? 'length' : 'stop');
  events.push(...last.events);
  return toResponse({ message: last.message, events, tokens, cut });
}

function isPossibleCall(event: { readonly type: string }): boolean {
  return event.type === 'possible-call';
}
