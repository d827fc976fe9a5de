/** Results in another order than their calls, where the template does not show which call a result answers. */
import { MessageError, type SchemaIssue } from '../../format/errors.ts';
import type { Message, ToolCall, ToolMessage } from '../../format/messages.ts';
import type { Steps } from '../../language/expression/steps.ts';
import type { ChatOptions } from './chat-options.ts';
import { acceptedText, type RenderMessages } from './result-ids.ts';

/** The results after a message with several calls, each of one of these. */
interface ResultBlock {
  /** The position of the message with the calls. */
  readonly at: number;
  readonly calls: readonly ToolCall[];
  readonly results: readonly ToolMessage[];
  /** For each result, the position of its call. */
  readonly places: readonly number[];
}

/** The messages as they are given to the template, and what the report says about it. */
interface OrderedResults {
  readonly messages: readonly Message[];
  readonly issues: readonly SchemaIssue[];
}

/**
 * Puts results into the order of their calls if `render` gives the same whichever call of its message a result answers:
 * a model would take the first result for that of the first call. Where an earlier call has none, that does not help:
 * throws `MessageError`; with `policy: 'degrade'` it is an issue.
 */
export function* orderResults(
  { messages, policy }: Pick<ChatOptions, 'messages' | 'policy'>,
  render: RenderMessages,
): Steps<OrderedResults> {
  const ordered = [...messages];
  const issues: SchemaIssue[] = [];
  for (const block of blocksOf(messages)) {
    if (isInOrder(block) || (yield* tellsCalls(block, messages, render))) continue;
    const missing = block.calls.findIndex((_, place) => !block.places.includes(place));
    if (missing >= 0 && missing < Math.max(...block.places)) {
      const path = `messages[${block.at}].tool_calls[${missing}]`;
      const reason =
        'no result answers it, and the template does not show which call the later results answer';
      if (policy !== 'degrade')
        throw new MessageError({ path, reason: `${reason}; give each call a result` });
      issues.push(issueAt(`${path}: ${reason}`));
    }
    const sorted = block.results.toSorted((a, b) => placeOf(block, a) - placeOf(block, b));
    if ((yield* textWith(block, sorted, messages, render)) === (yield* acceptedText(messages, render)))
      continue;
    ordered.splice(block.at + 1, sorted.length, ...sorted);
    issues.push(issueAt(`messages[${block.at}]: its results are given in the order of its calls`));
  }
  return { messages: ordered, issues };
}

function issueAt(reason: string): SchemaIssue {
  return { tool: '', pointer: '', keyword: 'messages', effect: 'noted', reason };
}

/** Blocks with results of other calls, or of none, are left as they are. */
function blocksOf(messages: readonly Message[]): readonly ResultBlock[] {
  return messages.flatMap((message, at) => {
    const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
    if (calls.length < 2) return [];
    const results: ToolMessage[] = [];
    for (let next = at + 1; ; next += 1) {
      const result = messages[next];
      if (result?.role !== 'tool') break;
      results.push(result);
    }
    const places = results.map((result) => calls.findIndex(({ id }) => id === result.tool_call_id));
    const isKnown = new Set(calls.map(({ id }) => id)).size === calls.length && !places.includes(-1);
    return isKnown ? [{ at, calls, results, places }] : [];
  });
}

function placeOf({ calls }: ResultBlock, { tool_call_id: own }: ToolMessage): number {
  return calls.findIndex(({ id }) => id === own);
}

/** Whether the results answer the first calls, each the next one. */
function isInOrder({ places }: ResultBlock): boolean {
  return places.every((place, index) => place === index);
}

/** Whether the prompt is another one if each result answers another call, or the results are not in it. */
function* tellsCalls(
  block: ResultBlock,
  messages: readonly Message[],
  render: RenderMessages,
): Steps<boolean> {
  const { calls, results, places } = block;
  const others = results.map((result, index) => {
    const other = calls[((places[index] ?? 0) + 1) % calls.length];
    return { ...result, tool_call_id: other?.id ?? '' };
  });
  const rendered = yield* acceptedText(messages, render);
  if (rendered === null || rendered !== (yield* textWith(block, others, messages, render))) return true;
  return rendered === (yield* textWith(block, [], messages, render));
}

/** The prompt with other results in their place; `null` if the template refuses the conversation. */
function* textWith(
  { at, results }: ResultBlock,
  others: readonly ToolMessage[],
  messages: readonly Message[],
  render: RenderMessages,
): Steps<string | null> {
  const end = at + 1 + results.length;
  return yield* acceptedText([...messages.slice(0, at + 1), ...others, ...messages.slice(end)], render);
}
