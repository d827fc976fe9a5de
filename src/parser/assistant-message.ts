/** Events in other shapes: folded to a message, or as the deltas of OpenAI's streaming API. */

import type { JsonObject } from '../format/messages.ts';
import { eventArray as eventList, requireOption, responseEvent } from '../format/option-rules.ts';
import type { AnyResponseEvent } from './events.ts';
import { partialArguments } from './json/partial-json.ts';

/** A call, as far as the events so far describe it. */
export interface FoldedCall {
  readonly id: string;
  readonly name: string;
  /** JSON text of the arguments so far; complete when `complete`. */
  readonly input: string;
  /** The arguments parsed so far; see `partialArguments`. */
  readonly arguments: JsonObject;
  readonly complete: boolean;
  /** Why the call is not handed out: it broke off, or was refused. It stays incomplete. */
  readonly problem?: string;
}

/** The result of folding a list of events, which may end anywhere in a response. */
export interface FoldedResponse {
  readonly content: string;
  readonly reasoning: string;
  readonly calls: readonly FoldedCall[];
}

/**
 * Folds events, also those of a response that is still being written. Throws `UnsupportedOptionError` for
 * anything that is not an event.
 */
export function foldEvents(events: Iterable<AnyResponseEvent>): FoldedResponse {
  requireOption('events', events, eventList);
  let content = '';
  let reasoning = '';
  const calls: { id: string; name: string; input: string; complete: boolean; problem?: string }[] = [];
  for (const event of events) {
    requireOption('event', event, responseEvent);
    // An event belongs to the latest call, not to the one with its id: a model may give two calls the same id.
    const call = calls.at(-1);
    if (event.type === 'text-delta') content += event.delta;
    else if (event.type === 'reasoning-delta') reasoning += event.delta;
    else if (event.type === 'tool-input-start') {
      calls.push({ id: event.id, name: event.toolName, input: '', complete: false });
    } else if (call !== undefined && event.type === 'tool-input-delta') call.input += event.delta;
    else if (call !== undefined && event.type === 'tool-call') call.complete = true;
    else if (call?.complete === false && event.type === 'malformed' && event.toolCallId === call.id)
      call.problem = event.reason;
  }
  const folded = calls.map((call) => ({ ...call, arguments: partialArguments(call.input) }));
  return { content, reasoning, calls: folded };
}

/** The `delta` of one chunk of OpenAI's streaming API. */
export interface ChatDelta {
  /** In the first chunk of a response. */
  readonly role?: 'assistant';
  readonly content?: string;
  readonly reasoning_content?: string;
  readonly tool_calls?: readonly ToolCallDelta[];
}

/** The increment of one call: first its index, id and name, then its arguments bit by bit. */
export interface ToolCallDelta {
  readonly index: number;
  readonly id?: string;
  readonly type?: 'function';
  readonly function: { readonly name?: string; readonly arguments: string };
}

/** One choice of a chunk. */
export interface ChatChunk {
  readonly delta: ChatDelta;
  readonly finish_reason: 'stop' | 'length' | 'tool_calls' | null;
}

/** Turns the events of one response, in order, into OpenAI's deltas. One converter per response. */
export class ChatDeltas {
  /** Calls announced so far; a delta belongs to the latest one. */
  private count = 0;
  private hasRole = false;
  /** Whether there was text of the answer, or a call. */
  private isAnswered = false;

  /**
   * The chunk for an event; `null` for events that OpenAI's stream does not have. Throws `UnsupportedOptionError`
   * for anything but an event.
   */
  convert(event: AnyResponseEvent): ChatChunk | null {
    requireOption('event', event, responseEvent);
    const converted = this.convertPlain(event);
    if (event.type === 'text-delta' || event.type === 'tool-input-start') this.isAnswered = true;
    if (converted === null || this.hasRole) return converted;
    this.hasRole = true;
    return { ...converted, delta: { role: 'assistant', ...converted.delta } };
  }

  private convertPlain(event: AnyResponseEvent): ChatChunk | null {
    switch (event.type) {
      case 'text-delta':
        return chunk({ content: event.delta });
      case 'reasoning-delta':
        return chunk({ reasoning_content: event.delta });
      case 'tool-input-start':
        return chunk({ tool_calls: [this.start(event.id, event.toolName)] });
      case 'tool-input-delta':
        return chunk({ tool_calls: [{ index: this.count - 1, function: { arguments: event.delta } }] });
      case 'finish':
        return {
          // An answer of no text is an answer: clients that find none ask again.
          delta: this.isAnswered ? {} : { content: '' },
          finish_reason: event.reason === 'tool-calls' ? 'tool_calls' : event.reason,
        };
      default:
        return null;
    }
  }

  private start(id: string, name: string): ToolCallDelta {
    const index = this.count++;
    return { index, id, type: 'function', function: { name, arguments: '' } };
  }
}

function chunk(delta: ChatDelta): ChatChunk {
  return { delta, finish_reason: null };
}
