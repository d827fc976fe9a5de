/** Ids for the calls of one response. */
import type { Message } from '../../format/messages.ts';

/**
 * Generates ids for calls without one. They differ from those of earlier calls, and have nine letters and digits, as
 * some templates require.
 */
export function callIds(messages: readonly Message[]): (index: number) => string {
  const calls = messages.flatMap((message) =>
    message.role === 'assistant' ? (message.tool_calls ?? []) : [],
  );
  // If the beginning of a conversation was dropped, its ids have higher numbers than it has calls.
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
