/** An answer at the end of a conversation. */
import { parseJson } from '../../format/json-values.ts';
import type { ChatOptions } from '../../runtime/chat/chat-options.ts';

type Asked = Pick<ChatOptions, 'messages' | 'toolChoice' | 'responseFormat'>;

/**
 * Whether the conversation ends in an answer that goes on: in text, without calls. After a finished one, agents ask for
 * a call or for JSON: it is no beginning of these.
 */
export function endsInAnswer({ messages, toolChoice, responseFormat }: Asked): boolean {
  const last = messages.at(-1);
  if (last?.role !== 'assistant' || (last.tool_calls ?? []).length > 0) return false;
  const content = last.content ?? '';
  if (demandsCall(toolChoice)) return false;
  if ((responseFormat?.type ?? 'text') !== 'text')
    return typeof content === 'string' && /^\s*[[{]/.test(content) && parseJson(content) === undefined;
  return content.length > 0;
}

/** Continues it. */
export function withContinuation(chat: ChatOptions): ChatOptions {
  return endsInAnswer(chat) ? { ...chat, continueFinalMessage: true } : chat;
}

function demandsCall(choice: Asked['toolChoice'] = 'auto'): boolean {
  if (typeof choice === 'string') return choice === 'required';
  return choice.type === 'function' || choice.allowed_tools.mode === 'required';
}
