/** A message that uses every part of a format, and responses split into parts. */
import { createResponseParser } from '../codegen/create-response-parser.ts';
import type { ChatFormat } from '../format/chat-format.ts';
import type { AssistantMessage, Tool } from '../format/messages.ts';
import { turnLayout } from '../layout/turn-layout.ts';
import { writeResponse } from '../layout/write-response.ts';
import type { ResponseEvent } from '../parser/events.ts';

/** The tool that the sample calls. */
export const sampleTool: Tool = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Weather of a place.',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' } },
      required: ['city', 'days'],
    },
  },
};

/** A message that uses everything in the format. */
export function sampleMessage(format: ChatFormat): AssistantMessage {
  const call = (id: string, city: string, days: number) => ({
    id,
    type: 'function' as const,
    function: { name: 'get_weather', arguments: JSON.stringify({ city, days }) },
  });
  const calls = [call('a1b2c3d4e', 'Oslo', 2), call('f5g6h7i8j', 'Rome', 3)];
  return {
    role: 'assistant',
    content: 'Let me look that up.',
    ...(turnLayout(format).reasoning === null ? {} : { reasoning_content: 'Two cities are asked for.' }),
    ...(format.calls === null ? {} : { tool_calls: format.calls.parallel ? calls : calls.slice(0, 1) }),
  };
}

/** A stretch of a response; `type` is that of its event, `null` if it has none. */
export interface SampleSpan {
  readonly type: ResponseEvent['type'] | null;
  readonly text: string;
}

/** A message, and the tools that it may call. */
interface SampleResponse {
  readonly message: AssistantMessage;
  readonly tools: readonly Tool[];
}

/** A message in `format` with the end of its turn, written by the writer and split by the parser. */
export function sampleSpans(
  format: ChatFormat,
  sample: SampleResponse = { message: sampleMessage(format), tools: [sampleTool] },
): readonly SampleSpan[] {
  const text = writeResponse(format, sample.message) + (turnLayout(format).ends[0]?.text ?? '');
  const parser = createResponseParser(format, { tools: sample.tools, markers: true });
  const events = [...parser.feed(text), ...parser.finish().events];
  const spans: SampleSpan[] = [];
  let at = 0;
  for (const { type, start, end } of events) {
    if (end <= at) continue;
    if (start > at) spans.push({ type: null, text: text.slice(at, start) });
    spans.push({ type, text: text.slice(Math.max(at, start), end) });
    at = end;
  }
  return at === text.length ? spans : [...spans, { type: null, text: text.slice(at) }];
}
