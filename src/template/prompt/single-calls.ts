/** Conversations for templates that read one call per message, and results of another role than `tool`. */
import { groupBy } from '../../format/groups.ts';
import type { AssistantMessage, Message, ToolMessage } from '../../format/messages.ts';

/** Roles that templates have for tool results, in the order in which they are tried. */
export const resultRoles = ['function', 'observation', 'ipython', 'tool_response', 'tool_results'] as const;

/**
 * The messages with one call each, and each call with its result: further calls follow in messages of their own. A
 * result without the id of a call belongs to the call at its place.
 */
export function separateCalls(messages: readonly Message[]): readonly Message[] {
  const separated: Message[] = [];
  for (let at = 0; at < messages.length; at += 1) {
    const message = messages[at];
    if (message === undefined) break;
    if (message.role !== 'assistant' || (message.tool_calls?.length ?? 0) < 2) {
      separated.push(message);
      continue;
    }
    const results = resultsAfter(messages, at);
    for (const part of separateMessage(message, results)) separated.push(part);
    at += results.length;
  }
  return separated;
}

/** The results directly after a message. */
function resultsAfter(messages: readonly Message[], at: number): readonly ToolMessage[] {
  const results: ToolMessage[] = [];
  for (let next = at + 1; ; next += 1) {
    const message = messages[next];
    if (message?.role !== 'tool') return results;
    results.push(message);
  }
}

function separateMessage(message: AssistantMessage, results: readonly ToolMessage[]): readonly Message[] {
  const calls = message.tool_calls ?? [];
  const places = new Map<string, number>();
  for (const [index, { id }] of calls.entries()) if (!places.has(id)) places.set(id, index);
  const resultsOf = groupBy(results.entries(), ([index, { tool_call_id: id = '' }]) =>
    Math.min(places.get(id) ?? index, calls.length),
  );
  const after = (index: number): readonly Message[] =>
    (resultsOf.get(index) ?? []).map(([, result]) => result);
  const parts = calls.map((call, index): readonly Message[] => {
    const first = index === 0 ? message : { role: 'assistant' as const, content: null };
    return [{ ...first, tool_calls: [call] }, ...after(index)];
  });
  return [...parts.flat(), ...after(calls.length)];
}

/** The messages with text and calls apart: the text of a message with calls precedes it in a message of its own. */
export function separateText(messages: readonly Message[]): readonly Message[] {
  return messages.flatMap((message) => {
    if (message.role !== 'assistant' || !message.tool_calls?.length || !message.content?.length)
      return [message];
    const { tool_calls: calls, ...text } = message;
    return [text, { role: 'assistant' as const, content: null, tool_calls: calls }];
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
