/** An answer at the end of a conversation. */
import type { Message } from '../../format/messages.ts';

/** Whether the conversation ends in an answer that can go on: in text, without calls. */
export function endsInAnswer(messages: readonly Message[]): boolean {
  const last = messages.at(-1);
  if (last?.role !== 'assistant' || (last.tool_calls ?? []).length > 0) return false;
  return (last.content ?? '').length > 0;
}
