/** Messages of the conversations that judges compare. */
import type { AssistantMessage } from '../../src/format/messages.ts';

/** What the assistant said, without the parts that it has none of. */
export function spoken(
  content: string,
  thoughts: string,
  calls: NonNullable<AssistantMessage['tool_calls']>,
): AssistantMessage {
  return {
    role: 'assistant',
    content,
    ...(thoughts === '' ? {} : { reasoning_content: thoughts }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}
