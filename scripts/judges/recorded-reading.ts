/** Readings of references as data, which tests compare with ours without Python. */
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { tools } from './drawn-tools.ts';
import type { Reading } from './reading.ts';

/** A response, and what a reference made of it. */
export interface RecordedReading {
  readonly template: string;
  /** What the prompt ends with. */
  readonly prompt: string;
  readonly text: string;
  /** The response was cut short here. */
  readonly cut?: true;
  /** The tools of `drawn-tools.ts` were on offer; otherwise none was known. */
  readonly tools?: true;
  readonly theirs: Reading;
}

/** Both readings, in the form in which they are compared. */
export function readAsRecorded(
  format: ChatFormat,
  { prompt, text, cut, theirs, tools: offered }: RecordedReading,
): { readonly ours: Reading; readonly theirs: Reading } {
  const parser = createResponseParser(format, {
    generationPrompt: prompt,
    ...(offered === undefined ? {} : { tools }),
  });
  const events = [...parser.feed(text)];
  const { message, events: last } = parser.finish(cut === undefined ? 'stop' : 'length');
  const calls = (message.tool_calls ?? []).map(
    ({ function: called }) => [called.name, called.arguments] as const,
  );
  // A call that is being written counts, as it does there: its arguments so far.
  const broken = [...events, ...last].flatMap((event) =>
    event.type === 'malformed' && event.brokenCall !== undefined
      ? [[event.brokenCall.toolName, event.brokenCall.input] as const]
      : [],
  );
  const ours = {
    reasoning: message.reasoning_content ?? '',
    content: message.content ?? '',
    calls: cut === undefined ? calls : [...calls, ...broken],
  };
  return cut === undefined ? { ours, theirs } : { ours: withoutEdges(ours), theirs: withoutEdges(theirs) };
}

/** Where arguments break off, what needs more text to mean anything is not handed out: an escape, a comma. */
function withoutEdges(reading: Reading): Reading {
  const calls = reading.calls.map(([name, input]) => [name, input.replace(/[\\,:\s]+$/, '')] as const);
  return { ...reading, calls };
}
