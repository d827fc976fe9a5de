/** Asks the toy held-out questions and compares, turn by turn. */
import type { AssistantMessage, Message } from '../../src/format/messages.ts';
import type { ResponseMessage } from '../../src/parser/events.ts';
import type { ChatModel } from '../../src/runtime/node-llama-cpp/chat-model.ts';
import type { Question } from './questions.ts';

/** How a conversation went. */
export interface Verdict {
  /** In every turn the right tools were called, or none where none was to be. */
  readonly decision: boolean;
  /** And every argument was right. */
  readonly calls: boolean;
  /** And every answer in words. */
  readonly words: boolean;
}

/**
 * Puts the question, greedily and with nothing forced. The toy's own turns go on as it wrote them; once it has gone
 * wrong the rest counts as wrong.
 */
export async function judge(model: ChatModel, { messages, tools, thinking }: Question): Promise<Verdict> {
  let calls = true;
  let words = true;
  const past: Message[] = [];
  for (const message of messages) {
    if (message.role !== 'assistant') {
      past.push(message);
      continue;
    }
    const said = await model.chat({ messages: past, tools, thinking, maxTokens: 300 }).message;
    if (names(said) !== names(message)) return { decision: false, calls: false, words: false };
    calls &&= argumentsOf(said) === argumentsOf(message);
    words &&= textOf(said) === textOf(message);
    past.push(message);
  }
  return { decision: true, calls, words: calls && words };
}

type Answer = AssistantMessage | ResponseMessage;

function names({ tool_calls = [] }: Answer): string {
  return (tool_calls ?? []).map(({ function: { name } }) => name).join();
}

function argumentsOf({ tool_calls = [] }: Answer): string {
  return JSON.stringify((tool_calls ?? []).map((call) => sorted(JSON.parse(call.function.arguments))));
}

function sorted(value: object): unknown {
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
}

function textOf({ content }: Answer): string {
  return typeof content === 'string' ? content.trim() : '';
}
