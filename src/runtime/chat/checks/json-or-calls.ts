/** Whether what is written in JSON is an answer or a call. */
import type { Tool } from '../../../format/messages.ts';
import type { ChatOptions } from '../chat-options.ts';

/**
 * Whether a call may come in place of an answer in JSON, also without its markers. What is an answer and could be a call
 * is read as a call.
 */
export function mayCallInstead(
  { toolChoice = 'auto', responseFormat }: Pick<ChatOptions, 'toolChoice' | 'responseFormat'>,
  tools: readonly Tool[],
): boolean {
  const answersJson = responseFormat !== undefined && responseFormat.type !== 'text';
  return answersJson && tools.length > 0 && toolChoice === 'auto';
}
