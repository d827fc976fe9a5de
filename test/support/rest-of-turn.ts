/** What a model would write after a prompt that has begun its turn. */
import { interpretedModule } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import type { AssistantMessage, JsonObject, Tool, ToolCall } from '../../src/format/messages.ts';
import { readPromptPosition } from '../../src/grammar/read-prompt-position.ts';
import { writeResponse } from '../../src/layout/write-response.ts';

/** A call by its name and arguments. */
export type NamedCall = readonly [name: string, input: JsonObject];

/** The calls as a message holds them. */
export function toolCalls(calls: readonly NamedCall[]): readonly ToolCall[] {
  return calls.map(([name, input], index) => ({
    id: `call0000${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }));
}

/**
 * The message without what the prompt wrote of it. Its thoughts are left out where the prompt has closed them; where
 * it has opened them, a message without thoughts closes them first.
 */
export function restOfTurn(
  format: ChatFormat,
  generationPrompt: string,
  { reasoning_content: thoughts, ...message }: AssistantMessage,
  tools: readonly Tool[] = [],
): string {
  const { start } = format.turn;
  const opened = generationPrompt.slice(generationPrompt.startsWith(start) ? start.length : 0);
  const { place } = readPromptPosition(format, interpretedModule(format), generationPrompt, tools);
  const plain = writeResponse(format, message);
  const thinks = (place === 'start' || place === 'reasoning') && format.reasoning !== null;
  if (!thinks || thoughts === undefined) {
    if (plain.startsWith(opened)) return plain.slice(opened.length);
    return place === 'reasoning' ? closed(format, plain) : plain;
  }
  const thoughtful = writeResponse(format, { ...message, reasoning_content: thoughts });
  if (thoughtful.startsWith(opened)) return thoughtful.slice(opened.length);
  return place === 'reasoning' ? closed(format, plain) : thoughtful;
}

/** The end of open thoughts, and what follows; some formats write empty thoughts before it. */
function closed({ reasoning }: ChatFormat, plain: string): string {
  const empty = reasoning?.empty ?? '';
  const rest = plain.trimStart().startsWith(empty) ? plain.trimStart().slice(empty.length) : plain;
  return `${reasoning?.end ?? ''}${rest.trimStart()}`;
}
