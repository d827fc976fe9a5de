/** Changes a conversation that a template refuses. */
import { TemplateError } from '../../format/errors.ts';
import type { ContentPart, Message } from '../../format/messages.ts';
import { sha256 } from '../../format/sha256.ts';
import type { Steps } from '../../language/expression/steps.ts';

/**
 * Renders; if the template raises an error, tries again with text next to both thoughts and calls as part of the
 * thoughts, then with plain ids, then with both changes. Throws the first error if all are refused.
 */
export function* renderAcceptably<Render>(
  messages: readonly Message[],
  render: (messages: readonly Message[]) => Steps<Render>,
): Steps<Render> {
  try {
    return yield* render(messages);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    for (const rewrite of [withJoinedReasoning, withPlainIds, withBoth]) {
      const rewritten = yield* rewrite(messages);
      if (rewritten.every((message, index) => message === messages[index])) continue;
      try {
        return yield* render(rewritten);
      } catch (again) {
        if (!isRefusal(again)) throw again;
      }
    }
    throw error;
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof TemplateError && error.kind === 'raised';
}

/** Appends the text of messages that also have thoughts and calls to the thoughts; some templates refuse all three. */
function* withJoinedReasoning(messages: readonly Message[]): Steps<readonly Message[]> {
  yield;
  return messages.map((message) => {
    if (message.role !== 'assistant' || !message.tool_calls?.length || !message.content) return message;
    if (message.reasoning_content === undefined) return message;
    const texts = typeof message.content === 'string' ? [message.content] : message.content.map(partText);
    const thoughts = [message.reasoning_content, ...texts].filter((text) => text !== '');
    return { ...message, content: null, reasoning_content: thoughts.join('\n\n') };
  });
}

function partText({ text }: ContentPart): string {
  return typeof text === 'string' ? text : '';
}

/** Ids that are replaced in one step. */
const stepIds = 200;

/**
 * Replaces ids by nine letters and digits, as some templates require. Clients bring ids of other models, whose only
 * meaning is that a result refers to its call. Equal ids stay equal.
 */
function* withPlainIds(messages: readonly Message[]): Steps<readonly Message[]> {
  let ids = 0;
  function* plain<Named extends { readonly id?: string }>(named: readonly Named[]): Steps<readonly Named[]> {
    const all: Named[] = [];
    for (const each of named) {
      all.push(each.id === undefined || isPlain(each.id) ? each : { ...each, id: plainId(each.id) });
      ids += 1;
      if (ids % stepIds === 0) yield;
    }
    return all.every((each, index) => each === named[index]) ? named : all;
  }
  const all: Message[] = [];
  for (const message of messages) {
    if (message.role === 'tool' && message.tool_call_id !== undefined) {
      const [{ id } = { id: '' }] = yield* plain([{ id: message.tool_call_id }]);
      all.push(id === message.tool_call_id ? message : { ...message, tool_call_id: id });
    } else if (message.role === 'assistant' && message.tool_calls !== undefined) {
      const calls = yield* plain(message.tool_calls);
      all.push(calls === message.tool_calls ? message : { ...message, tool_calls: calls });
    } else all.push(message);
  }
  return all;
}

const isPlain = (id: string): boolean => /^[a-zA-Z0-9]{9}$/.test(id);
const plainId = (id: string): string => sha256(id).slice(0, 9);

function* withBoth(messages: readonly Message[]): Steps<readonly Message[]> {
  return yield* withPlainIds(yield* withJoinedReasoning(messages));
}
