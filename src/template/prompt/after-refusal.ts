/** Changes a conversation that a template refuses. */
import { TemplateError } from '../../format/errors.ts';
import type { Message } from '../../format/messages.ts';
import { sha256 } from '../../format/sha256.ts';

/**
 * Renders; if the template raises an error, tries again without thoughts next to both text and calls, then with plain
 * ids, then with both changes. Throws the first error if all are refused.
 */
export function renderAcceptably<Render>(
  messages: readonly Message[],
  render: (messages: readonly Message[]) => Render,
): Render {
  try {
    return render(messages);
  } catch (error) {
    if (!isRefusal(error)) throw error;
    for (const rewrite of [withoutCrowdedReasoning, withPlainIds, withBoth]) {
      const rewritten = rewrite(messages);
      if (rewritten.every((message, index) => message === messages[index])) continue;
      try {
        return render(rewritten);
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

/** Drops thoughts in messages that also have text and calls; some templates refuse all three. */
function withoutCrowdedReasoning(messages: readonly Message[]): readonly Message[] {
  return messages.map((message) => {
    if (message.role !== 'assistant' || !message.tool_calls?.length || !message.content) return message;
    if (message.reasoning_content === undefined) return message;
    const { reasoning_content: _, ...others } = message;
    return others;
  });
}

/**
 * Replaces ids by nine letters and digits, as some templates require. Clients bring ids of other models, whose only
 * meaning is that a result refers to its call. Equal ids stay equal.
 */
function withPlainIds(messages: readonly Message[]): readonly Message[] {
  return messages.map((message) => {
    if (message.role === 'tool') {
      const id = message.tool_call_id;
      return id === undefined || isPlain(id) ? message : { ...message, tool_call_id: plainId(id) };
    }
    if (message.role !== 'assistant' || message.tool_calls === undefined) return message;
    const calls = message.tool_calls.map((call) =>
      call.id === undefined || isPlain(call.id) ? call : { ...call, id: plainId(call.id) },
    );
    return calls.every((call, index) => call === message.tool_calls?.[index])
      ? message
      : { ...message, tool_calls: calls };
  });
}

const isPlain = (id: string): boolean => /^[a-zA-Z0-9]{9}$/.test(id);
const plainId = (id: string): string => sha256(id).slice(0, 9);

const withBoth = (messages: readonly Message[]): readonly Message[] =>
  withPlainIds(withoutCrowdedReasoning(messages));
