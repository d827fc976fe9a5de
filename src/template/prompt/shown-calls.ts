/**
 * Separates messages that a template would refuse, or of which it would drop calls: those with several calls, or with
 * text next to a call. What a template shows is found by rendering small conversations, once per template and only if
 * such a message occurs.
 */
import { memoize } from '../../format/memoize.ts';
import type { AssistantMessage, Message } from '../../format/messages.ts';
import type { Template } from '../parsed-template.ts';
import { observeInputShape, shapeMessages } from './input-shape.ts';
import { tryRender } from './render-attempt.ts';
import { anySentinels } from './sentinels.ts';
import { separateCalls, separateText } from './single-calls.ts';

type Rewrite = (messages: readonly Message[]) => readonly Message[];

/** The messages, separated where the template would drop a call otherwise, and shows it then. */
export function withShownCalls(template: Template, messages: readonly Message[]): readonly Message[] {
  const hasText = messages.some((message) => callsOf(message) > 0 && (message.content?.length ?? 0) > 0);
  const apart = hasText && needsSeparateText(template) ? separateText(messages) : messages;
  const hasSeveral = messages.some((message) => callsOf(message) > 1);
  return hasSeveral && needsSeparateCalls(template) ? separateCalls(apart) : apart;
}

function callsOf(message: Message): number {
  return message.role === 'assistant' ? (message.tool_calls?.length ?? 0) : 0;
}

const needsSeparateText = memoize((template: Template): boolean => {
  const { content } = anySentinels(template.source);
  return needs(template, separateText, content, 1);
});

const needsSeparateCalls = memoize((template: Template): boolean => needs(template, separateCalls, null, 2));

/** Whether calls are shown only after `rewrite`. */
function needs(template: Template, rewrite: Rewrite, content: string | null, count: 1 | 2): boolean {
  return (
    !showsCalls(template, (messages) => messages, content, count) &&
    showsCalls(template, rewrite, content, count)
  );
}

/** Whether the values of all calls of a message are rendered. */
function showsCalls(template: Template, rewrite: Rewrite, content: string | null, count: 1 | 2): boolean {
  const { user, names, keys, values, ids, toolResult } = anySentinels(template.source);
  const calls = ([0, 1] as const).slice(0, count).map((each) => ({
    id: ids[each],
    type: 'function' as const,
    function: { name: names[each], arguments: JSON.stringify({ [keys[each]]: values[each] }) },
  }));
  const results = calls.map(({ id, function: { name } }): Message => {
    return { role: 'tool', tool_call_id: id, name, content: toolResult };
  });
  const answer: AssistantMessage = { role: 'assistant', content, tool_calls: calls };
  const messages = rewrite([{ role: 'user', content: user }, answer, ...results]);
  const shaped = shapeMessages(messages, observeInputShape(template));
  const rendered = tryRender(template, { messages: shaped }) ?? '';
  return calls.every((_, index) => rendered.includes(values[index as 0 | 1]));
}
