/** Ids that contain the tool's name, for templates that write a call's id but not its name. */
import type { Message } from '../../format/messages.ts';

/** The id of call number `index` in a conversation: `functions.get_weather:0`. */
export function composedId(name: string, index: number): string {
  return `functions.${name}:${index}`;
}

/** The messages with ids that contain the tools' names; other ids are replaced, in results too. */
export function composeIds(messages: readonly Message[]): readonly Message[] {
  const replaced = new Map<string, string>();
  let count = 0;
  return messages.map((message) => {
    if (message.role === 'tool') {
      const composed = replaced.get(message.tool_call_id ?? '');
      return composed === undefined ? message : { ...message, tool_call_id: composed };
    }
    if (message.role !== 'assistant' || message.tool_calls === undefined) return message;
    const calls = message.tool_calls.map((call) => {
      const composed = composedId(call.function.name, count++);
      if (call.id.includes(call.function.name)) return call;
      replaced.set(call.id, composed);
      return { ...call, id: composed };
    });
    return { ...message, tool_calls: calls };
  });
}
