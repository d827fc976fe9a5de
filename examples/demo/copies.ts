/** The toy only copies, so what it says can be checked: words of its calls stand in the question, its figures in the results. */
import type { Message } from '../../src/format/messages.ts';

/** What stands in calls and answers of the last turn, and nowhere that it could have come from. */
export function inventions(messages: readonly Message[]): string[] {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const sources: string[] = [];
  const found: string[] = [];
  for (const message of messages.slice(last)) {
    if (message.role !== 'assistant') {
      sources.push(textOf(message));
      continue;
    }
    const known = sources.join('\n').toLowerCase();
    const said = [...argumentsOf(message), ...(textOf(message).match(/\d+(?:\.\d+)?/g) ?? [])];
    found.push(...said.filter((value) => !known.includes(value.toLowerCase())));
  }
  return found;
}

function textOf({ content }: Message): string {
  return typeof content === 'string' ? content : '';
}

function argumentsOf(message: Message): string[] {
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
  return calls.flatMap(({ function: call }) => {
    const input: object = JSON.parse(call.arguments);
    return Object.values(input).map(String);
  });
}
