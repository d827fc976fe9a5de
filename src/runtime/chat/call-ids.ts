/** Ids for the calls of one response. */
import type { Message } from '../../format/messages.ts';

/**
 * Generates ids for calls without one. They differ from those of earlier calls, and have nine letters and digits, as
 * some templates require.
 */
export function callIds(
  messages: readonly Message[],
  create?: (index: number) => string,
): (index: number) => string {
  if (create !== undefined) return remembered(create);
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

/** A response that goes back reads a call again, which keeps its id. */
function remembered(create: (index: number) => string): (index: number) => string {
  const ids = new Map<number, string>();
  return (index) => {
    const id = ids.get(index) ?? create(index);
    ids.set(index, id);
    return id;
  };
}
