/**
 * A call leaves the server only as a whole. `max_tokens` may cut a response inside a call, and most clients execute what
 * they have of one: LangChain, the AI SDK and Anthropic's SDK close the text of its arguments, or take `{}` for it.
 */
import type { ResponseEvent } from '../parser/events.ts';

/** The events, those of each call once it is complete; of a call that never is, none but `malformed`. */
export async function* wholeCalls(events: AsyncIterable<ResponseEvent>): AsyncGenerator<ResponseEvent, void> {
  let held: ResponseEvent[] = [];
  for await (const event of events) {
    switch (event.type) {
      case 'tool-input-start':
        held = [event];
        break;
      case 'tool-input-delta':
      case 'tool-input-end':
        held.push(event);
        break;
      case 'tool-call':
        yield* held;
        yield event;
        held = [];
        break;
      default:
        yield event;
    }
  }
}
