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
 * throws `MessageError`; with `policy: 'degrade'` it is an issue. Renders a few times, however many blocks there are.
 */
export function* orderResults(
  { messages, policy }: Pick<ChatOptions, 'messages' | 'policy'>,
  render: RenderMessages,
): Steps<OrderedResults> {
  const mixed = blocksOf(messages).filter((block) => !isInOrder(block));
  // A template that shows the names of tools, and no ids, tells apart the calls of the one kind only.
  const kinds = [mixed.filter(isOfOneTool), mixed.filter((block) => !isOfOneTool(block))];
  let ordered = messages;
  const issues: SchemaIssue[] = [];
  for (const blocks of kinds) {
    if (blocks.length === 0 || (yield* tellsCalls(blocks, ordered, render))) continue;
    for (const block of blocks) issues.push(...missingResult(block, policy));
    const sorted = withResults(blocks, ordered, inOrder);
    if ((yield* acceptedText(sorted, render)) === (yield* acceptedText(ordered, render))) continue;
    ordered = sorted;
    for (const { at } of blocks)
      issues.push(issueAt(`messages[${at}]: its results are given in the order of its calls`));
  }
  return { messages: ordered, issues };
}

/** Throws for a call without a result before one that has one; with `policy: 'degrade'`, gives the issue. */
function missingResult({ at, calls, places }: ResultBlock, policy: ChatOptions['policy']): SchemaIssue[] {
  const answered = new Set(places);
  const missing = calls.findIndex((_, place) => !answered.has(place));
  if (missing < 0 || places.every((place) => place < missing)) return [];
  const path = `messages[${at}].tool_calls[${missing}]`;
  const reason = 'no result answers it, and the template does not show which call the later results answer';
  if (policy !== 'degrade') throw new MessageError({ path, reason: `${reason}; give each call a result` });
  return [issueAt(`${path}: ${reason}`)];
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
    const placeOf = new Map(calls.map(({ id }, place) => [id, place]));
    const places = results.map((result) => placeOf.get(result.tool_call_id ?? '') ?? -1);
    const isKnown = placeOf.size === calls.length && !places.includes(-1);
    return isKnown ? [{ at, calls, results, places }] : [];
  });
}

/** Whether the results answer the first calls, each the next one. */
function isInOrder({ places }: ResultBlock): boolean {
  return places.every((place, index) => place === index);
}

function isOfOneTool({ calls }: ResultBlock): boolean {
  return new Set(calls.map((call) => call.function.name)).size === 1;
}

function inOrder({ results, places }: ResultBlock): readonly ToolMessage[] {
  const entries = results.map((result, index) => ({ result, place: places[index] ?? 0 }));
  return entries.sort((a, b) => a.place - b.place).map(({ result }) => result);
}

/** Each result with the id of another call. */
function exchanged({ calls, results, places }: ResultBlock): readonly ToolMessage[] {
  return results.map((result, index) => {
    const other = calls[((places[index] ?? 0) + 1) % calls.length];
    return { ...result, tool_call_id: other?.id ?? '' };
  });
}

/** Whether the prompt is another one if each result answers another call, or the results are not in it. */
function* tellsCalls(
  blocks: readonly ResultBlock[],
  messages: readonly Message[],
  render: RenderMessages,
): Steps<boolean> {
  const rendered = yield* acceptedText(messages, render);
  if (rendered === null) return true;
  if (rendered !== (yield* acceptedText(withResults(blocks, messages, exchanged), render))) return true;
  return (
    rendered ===
    (yield* acceptedText(
      withResults(blocks, messages, () => []),
      render,
    ))
  );
}

/** The messages with other results in their place. */
function withResults(
  blocks: readonly ResultBlock[],
  messages: readonly Message[],
  resultsOf: (block: ResultBlock) => readonly ToolMessage[],
): readonly Message[] {
  const all: Message[] = [];
  let from = 0;
  for (const block of blocks) {
    for (const message of messages.slice(from, block.at + 1)) all.push(message);
    for (const result of resultsOf(block)) all.push(result);
    from = block.at + 1 + block.results.length;
  }
  for (const message of messages.slice(from)) all.push(message);
  return all;
}
