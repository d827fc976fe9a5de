/** The toy only copies, so what it says can be checked: words of its calls stand in the question, its figures in the results. */
import type { Message } from '../../src/format/messages.ts';

/** What the check of a turn came to. */
export interface CopyVerdict {
  /** Calls that were answered. Without one there is nothing to check. */
  readonly calls: number;
  /** What stands in calls and answers, and nowhere that it could have come from. */
  readonly invented: readonly string[];
}

/** The check of the last turn. */
export function judgeCopies(messages: readonly Message[]): CopyVerdict {
  const last = messages.findLastIndex(({ role }) => role === 'user');
  const sources: string[] = [];
  const invented: string[] = [];
  let calls = 0;
  for (const message of messages.slice(last)) {
    if (message.role !== 'assistant') {
      if (message.role === 'tool') calls += 1;
      sources.push(textOf(message));
      continue;
    }
    const known = sources.join('\n').toLowerCase();
    const said = [...argumentsOf(message), ...(textOf(message).match(/\d+(?:\.\d+)?/g) ?? [])];
    invented.push(...said.filter((value) => !known.includes(value.toLowerCase())));
  }
  return { calls, invented };
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
