/** A sample response, coloured by what its parts are. */
import pc from 'picocolors';
import type { ChatFormat } from '../chat-format.ts';
import { createResponseParser } from '../create-response-parser.ts';
import { writeResponse } from '../grammar/write-response.ts';
import type { AssistantMessage, Tool } from '../messages.ts';
import type { ResponseEvent } from '../runtime/events.ts';

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
]);

/** Says which colour is what. */
export const legend = [
  pc.cyan('marker'),
  pc.italic('reasoning'),
  pc.bold('content'),
  pc.green('arguments'),
].join('  ');

/** A response in `format`, written by the writer and coloured by the parser. */
export function annotatedSample(format: ChatFormat): string {
  const text = writeResponse(format, sampleMessage(format)) + (format.turn.ends[0] ?? '');
  const parser = createResponseParser(format, { tools: [sampleTool], markers: true });
  const events = [...parser.feed(text), ...parser.finish().events];
  let painted = '';
  let at = 0;
  for (const { type, start, end } of events) {
    if (end <= at) continue;
    painted += text.slice(at, Math.max(at, start)) + paint(type, text.slice(Math.max(at, start), end));
    at = end;
  }
  return (
    pc.dim(format.turn.start.trimEnd()) + (format.turn.start === '' ? '' : '\n') + painted + text.slice(at)
  );
}

/** Paints line by line, so that colours survive a pager. */
function paint(type: ResponseEvent['type'], text: string): string {
  const brush = paints.get(type) ?? ((each: string) => each);
  return text
    .split('\n')
    .map((line) => (line === '' ? '' : brush(line)))
    .join('\n');
}
