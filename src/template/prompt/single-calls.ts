/** Conversations for templates that read one call per message, and results of another role than `tool`. */
import type { Message, ToolMessage } from '../../format/messages.ts';

/** Roles that templates have for tool results, in the order in which they are tried. */
export const resultRoles = ['function', 'observation', 'ipython', 'tool_response', 'tool_results'] as const;

/** The messages with one call each: further calls follow in messages of their own. */
export function separateCalls(messages: readonly Message[]): readonly Message[] {
  return messages.flatMap((message) => {
    if (message.role !== 'assistant' || (message.tool_calls?.length ?? 0) < 2) return [message];
    const [first, ...others] = message.tool_calls ?? [];
    return [
      { ...message, tool_calls: first === undefined ? [] : [first] },
      ...others.map((call) => ({ role: 'assistant' as const, content: null, tool_calls: [call] })),
    ];
  });
}

/** The messages with the tool's name in each result, which such templates read, and ids do not show. */
export function nameResults(messages: readonly Message[]): readonly Message[] {
  const names = new Map<string, string>();
  return messages.map((message) => {
    if (message.role === 'assistant')
      for (const { id, function: called } of message.tool_calls ?? []) names.set(id, called.name);
    return message.role === 'tool' ? withName(message, names) : message;
  });
}

function withName(message: ToolMessage, names: ReadonlyMap<string, string>): ToolMessage {
  const name = message.name ?? names.get(message.tool_call_id ?? '');
  return name === undefined ? message : { ...message, name };
}
