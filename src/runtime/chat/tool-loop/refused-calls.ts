/** What a tool run tells the model about calls that were not handed out, so that it can make them again. */
import { parseObject } from '../../../format/json-values.ts';
import type { AssistantMessage, Message, ToolCall, ToolMessage } from '../../../format/messages.ts';
import type { Malformed, ResponseMessage } from '../../../parser/events.ts';
import { refusal } from './execute-call.ts';
import type { ToolFailure } from './executor.ts';

/** The answers to what could not be called. */
interface Refusals {
  /** Events of the run, for calls of which at least the name could be read. */
  readonly outcomes: readonly ToolFailure[];
  /** What the model is told, after its message and the results of its other calls. */
  readonly messages: readonly Message[];
}

/** Nothing was refused. */
export const noRefusals: Refusals = { outcomes: [], messages: [] };

/** A malformed call with its facts. */
interface BrokenCall {
  readonly id: string;
  readonly name: string;
  readonly input: string;
  readonly problems: readonly string[];
}

/** The refusals of a response that was not cut off. */
export function refusalsOf(message: ResponseMessage): Refusals {
  const broken = brokenCalls(message);
  const outcomes = broken.map(({ id, name, problems }) => refusal(id, name, problems));
  const results = broken.flatMap((call, index): ToolMessage[] => {
    const { content = '' } = outcomes[index] ?? {};
    return canBeShown(call) ? [{ role: 'tool', tool_call_id: call.id, name: call.name, content }] : [];
  });
  const unreadable = unreadableParts(message).map(({ reason }) => reason);
  if (unreadable.length === 0) return { outcomes, messages: results };
  return { outcomes, messages: [...results, { role: 'user', content: notRead(unreadable) }] };
}

/**
 * The message for the next prompt: with the calls that were refused, because the results after it answer them, and
 * with the text of what could not be read as a call. `cutShort`: a limit cut it off, so nothing is answered.
 */
export function toHistory(message: ResponseMessage, cutShort: boolean): AssistantMessage {
  const { content, reasoning_content: thoughts, tool_calls: calls = [] } = message;
  const refused = cutShort ? [] : brokenCalls(message).filter(canBeShown).map(asCall);
  const raw = cutShort
    ? ''
    : unreadableParts(message)
        .map((part) => part.raw)
        .join('\n');
  const shown = [...calls.map(({ assurance: _, ...call }) => call), ...refused];
  return {
    role: 'assistant',
    content: raw === '' ? content : [content ?? '', raw].filter((text) => text !== '').join('\n'),
    ...(thoughts === undefined ? {} : { reasoning_content: thoughts }),
    ...(shown.length === 0 ? {} : { tool_calls: shown }),
  };
}

/** What the model is asked if its answer only looks like a call; empty if it does not. */
export function questionOf({
  possible_calls: possible = [],
  tool_calls: calls = [],
}: ResponseMessage): readonly Message[] {
  const [first] = possible;
  if (first === undefined || calls.length > 0) return [];
  const content = `Your answer looks like a call of ${first.toolName}, but it is text, and nothing was called. If you want the call, make it now as a tool call. Otherwise give your answer again.`;
  return [{ role: 'user', content }];
}

function brokenCalls({ malformed = [] }: ResponseMessage): readonly BrokenCall[] {
  return malformed.flatMap(({ toolCallId, brokenCall, reason }) =>
    toolCallId === undefined || brokenCall === undefined
      ? []
      : [
          {
            id: toolCallId,
            name: brokenCall.toolName,
            input: brokenCall.input,
            problems: brokenCall.problems ?? [reason],
          },
        ],
  );
}

/** Whether a template can render the call, for which its arguments must be an object. */
function canBeShown({ input }: BrokenCall): boolean {
  return parseObject(input) !== null;
}

function asCall({ id, name, input }: BrokenCall): ToolCall {
  return { id, type: 'function', function: { name, arguments: input } };
}

/** Attempts that cannot be shown as calls. Malformed text next to an answer is part of the answer. */
function unreadableParts(message: ResponseMessage): readonly Malformed[] {
  const { malformed = [], content, tool_calls: calls = [] } = message;
  const isAnswer = (content ?? '').trim() !== '' || calls.length > 0;
  return malformed.filter(({ brokenCall }) =>
    brokenCall === undefined ? !isAnswer : parseObject(brokenCall.input) === null,
  );
}

function notRead(reasons: readonly string[]): string {
  return `A tool call could not be read, and nothing was called: ${reasons.join('; ')}. Make the call again.`;
}
