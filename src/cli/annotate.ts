/** A sample response, coloured by what its parts are. */
import pc from 'picocolors';
import { createResponseParser } from '../codegen/create-response-parser.ts';
import type { ChatFormat } from '../format/chat-format.ts';
import type { AssistantMessage, Tool } from '../format/messages.ts';
import { writeResponse } from '../format/write-response.ts';
import type { ResponseEvent } from '../parser/events.ts';

const sampleTool: Tool = {
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

/** A message that uses all that the format can show. */
function sampleMessage(format: ChatFormat): AssistantMessage {
  const call = (id: string, city: string, days: number) => ({
    id,
    type: 'function' as const,
    function: { name: 'get_weather', arguments: JSON.stringify({ city, days }) },
  });
  const calls = [call('a1b2c3d4e', 'Oslo', 2), call('f5g6h7i8j', 'Rome', 3)];
  return {
    role: 'assistant',
    content: 'Let me look that up.',
    ...(format.reasoning === null ? {} : { reasoning_content: 'Two cities are asked for.' }),
    ...(format.calls === null ? {} : { tool_calls: format.calls.parallel ? calls : calls.slice(0, 1) }),
  };
}

type Paint = (text: string) => string;

const paints: ReadonlyMap<ResponseEvent['type'], Paint> = new Map<ResponseEvent['type'], Paint>([
  ['reasoning-delta', pc.italic],
  ['text-delta', pc.bold],
  ['tool-input-delta', pc.green],
  ['marker', pc.cyan],
  ['malformed', pc.red],
  ['repaired', pc.yellow],
]);

/** Says which colour is what. */
export const legend = [
  pc.cyan('marker'),
  pc.italic('reasoning'),
  pc.bold('content'),
  pc.green('arguments'),
].join('  ');

/** A stretch of a sample response; `type` is the event that it became, `null` where it became none. */
export interface SampleSpan {
  readonly type: ResponseEvent['type'] | null;
  readonly text: string;
}

/** A response in `format`, written by the writer and taken apart by the parser. */
export function sampleSpans(format: ChatFormat): readonly SampleSpan[] {
  const text = writeResponse(format, sampleMessage(format)) + (format.turn.ends[0] ?? '');
  const parser = createResponseParser(format, { tools: [sampleTool], markers: true });
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

/** The same in colours, after the beginning of the turn. */
export function annotatedSample(format: ChatFormat): string {
  const { start } = format.turn;
  const painted = sampleSpans(format).map(({ type, text }) => (type === null ? text : paint(type, text)));
  return pc.dim(start.trimEnd()) + (start === '' ? '' : '\n') + painted.join('');
}

/** Paints line by line, so that colours survive a pager. */
function paint(type: ResponseEvent['type'], text: string): string {
  const brush = paints.get(type) ?? ((each: string) => each);
  return text
    .split('\n')
    .map((line) => (line === '' ? '' : brush(line)))
    .join('\n');
}
