/** Results of tools with a missing or wrong call id, if the template reads it. */
import { MessageError, type SchemaIssue, TemplateError } from '../../format/errors.ts';
import type { Message, ToolMessage } from '../../format/messages.ts';
import type { Steps } from '../../language/expression/steps.ts';
import type { ChatOptions } from './chat-options.ts';

/** A result whose id is that of no earlier call. */
interface StrayResult {
  readonly index: number;
  readonly id: string | undefined;
  /** The message with the id of an earlier call, or with any other id if there is none. */
  readonly placed: ToolMessage;
}

/** Renders the conversation with these messages. */
export type RenderMessages = (messages: readonly Message[]) => Steps<{ readonly text: string }>;

/** An id that every template accepts. */
const anyId = 'anyCall00';

/**
 * Looks for results without a call. The prompt would mention a call that the model did not make, or the template would
 * not find its name; if `render` gives the same with another id, the template does not read ids, and nothing is wrong.
 * Throws `MessageError`; with `policy: 'degrade'` returns the issues, for the report.
 */
export function* checkResultIds(
  { messages, policy }: Pick<ChatOptions, 'messages' | 'policy'>,
  render: RenderMessages,
): Steps<readonly SchemaIssue[]> {
  const strays = strayResults(messages);
  const [first] = strays;
  if (first === undefined || !(yield* readsIds(messages, strays, render))) return [];
  if (policy !== 'degrade') {
    const path = `messages[${first.index}].tool_call_id`;
    throw new MessageError({ path, reason: `${complaint(first)}; give the id of the call that it answers` });
  }
  return strays.map((stray) => ({
    tool: '',
    pointer: '',
    keyword: 'messages',
    effect: 'noted',
    reason: `messages[${stray.index}].tool_call_id: ${complaint(stray)}`,
  }));
}

function complaint({ id }: StrayResult): string {
  const wrong = id === undefined ? 'it is missing' : `no call before it has the id ${JSON.stringify(id)}`;
  return `${wrong}, and the template reads it`;
}

function strayResults(messages: readonly Message[]): readonly StrayResult[] {
  const ids = new Set<string>();
  let latest = anyId;
  const strays: StrayResult[] = [];
  messages.forEach((message, index) => {
    if (message.role === 'assistant') {
      const calls = message.tool_calls ?? [];
      for (const { id } of calls) ids.add(id);
      latest = calls[0]?.id ?? latest;
    }
    if (message.role !== 'tool') return;
    const id = message.tool_call_id ?? undefined;
    if (id !== undefined && ids.has(id)) return;
    strays.push({ index, id, placed: { ...message, tool_call_id: latest } });
  });
  return strays;
}

function* readsIds(
  messages: readonly Message[],
  strays: readonly StrayResult[],
  render: RenderMessages,
): Steps<boolean> {
  const placed = [...messages];
  for (const stray of strays) placed[stray.index] = stray.placed;
  const rendered = yield* acceptedText(placed, render);
  // Any other error of the template is reported by the actual render.
  return rendered !== null && rendered !== (yield* acceptedText(messages, render));
}

/** The prompt; `null` if the template refuses the conversation. */
export function* acceptedText(messages: readonly Message[], render: RenderMessages): Steps<string | null> {
  try {
    return (yield* render(messages)).text;
  } catch (error) {
    if (error instanceof TemplateError) return null;
    throw error;
  }
}
