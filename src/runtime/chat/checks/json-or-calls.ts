/** Whether what is written in JSON is an answer or a call. */
import type { Tool, ToolChoice } from '../../../format/messages.ts';
import type { ChatOptions } from '../chat-options.ts';

/**
 * Whether a call may come in place of an answer in JSON, also without its markers. What is an answer and could be a call
 * is read as a call.
 */
export function mayCallInstead(
  { toolChoice = 'auto', responseFormat }: Pick<ChatOptions, 'toolChoice' | 'responseFormat'>,
  tools: readonly Tool[],
): boolean {
  return answersJson({ toolChoice, responseFormat }) && tools.length > 0 && toolChoice === 'auto';
}

/** Whether an answer must be JSON. Text next to a call that is demanded is no answer. */
export function answersJson({
  toolChoice = 'auto',
  responseFormat,
}: Pick<ChatOptions, 'toolChoice' | 'responseFormat'>): boolean {
  return responseFormat !== undefined && responseFormat.type !== 'text' && !demandsCall(toolChoice);
}

function demandsCall(choice: ToolChoice): boolean {
  if (typeof choice === 'string') return choice === 'required';
  return choice.type === 'function' || choice.allowed_tools.mode === 'required';
}

/** What decides whether an answer is checked while it is written. */
export type AnswerOptions = Pick<
  ChatOptions,
  'toolChoice' | 'responseFormat' | 'reasoningFormat' | 'thinking' | 'thinkingBudget'
>;

/**
 * Whether an answer in JSON is checked while it is written. Where it may come after thoughts in the same text, it is judged
 * at its end. `hasThoughts`: whether the format has any.
 */
export function watchesAnswer(options: AnswerOptions, hasThoughts: boolean): boolean {
  const { reasoningFormat, thinking, thinkingBudget } = options;
  const mayThink = hasThoughts && thinking !== false && thinkingBudget !== 0;
  return answersJson(options) && !(mayThink && reasoningFormat === 'none');
}
