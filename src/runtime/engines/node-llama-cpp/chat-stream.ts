/** What `model.chat` returns: events to iterate over, and the message and its calls as promises. */
import type { AssistantMessage } from '../../../messages.ts';
import type { ChatEvent, ToolCallOf, ToolList } from '../../../tools.ts';
import type { ResponseEvent, ResponseMessage } from '../../events.ts';
import { GeneratedStream } from './generated-stream.ts';

/**
 * One response. It is generated as it is read: iterate over the events, or await `message`, or iterate and
 * then await. Events are not kept: whoever has awaited `message`, or iterates a second time, gets a
 * `ResponseReadError`. Leaving the iteration early ends the response; `message` is then what had been written.
 */
export interface ChatStream<Tools extends ToolList = ToolList> extends AsyncIterable<ChatEvent<Tools>> {
  /** The finished message. Rejects with whatever ended the response: a typed error, the signal's reason. */
  readonly message: Promise<ResponseMessage>;
  /** The calls of the message with their arguments parsed; empty when it makes none. Rejects like `message`. */
  readonly calls: Promise<readonly ToolCallOf<Tools>[]>;
}

/** A response that is generated when somebody first looks. */
export class GeneratedChat extends GeneratedStream<ResponseEvent, ResponseMessage> implements ChatStream {
  get message(): Promise<ResponseMessage> {
    return this.result;
  }

  get calls(): Promise<readonly ToolCallOf<ToolList>[]> {
    return this.part(callsOf);
  }
}

/** The calls of a message, their arguments parsed. */
export function callsOf({ tool_calls = [] }: AssistantMessage): ToolCallOf<ToolList>[] {
  return tool_calls.map(({ id, function: called }) => ({
    id,
    name: called.name,
    arguments: JSON.parse(called.arguments),
  }));
}
