/** Names for the calls of one response. */
import type { Message } from '../../format/messages.ts';

/**
 * Ids for calls that the model writes none for: unlike those of earlier calls in the conversation, and of
 * nine letters and digits, as some templates demand.
 */
export function callIds(messages: readonly Message[]): (index: number) => string {
  const calls = messages.flatMap((message) =>
    message.role === 'assistant' ? (message.tool_calls ?? []) : [],
  );
  // A conversation whose beginning was left out has later numbers than its calls are many.
  const taken = new Set(calls.map(({ id }) => id));
  const free: string[] = [];
  let number = calls.length;
  return (index) => {
    while (free.length <= index) {
      number += 1;
      const id = `call${String(number).padStart(5, '0')}`;
      if (!taken.has(id)) free.push(id);
    }
    return free[index] ?? '';
  };
}
