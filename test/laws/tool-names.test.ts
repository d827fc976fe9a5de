/** Law: a name that the grammar writes is read back; any other is refused before the first token. */
import { expect, test } from 'vitest';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { ToolError } from '../../src/format/errors.ts';
import type { AssistantMessage, Tool } from '../../src/format/messages.ts';
import { buildGrammar } from '../../src/grammar/build-grammar.ts';
import { writeResponse } from '../../src/layout/write-response.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { sampled } from '../support/sample.ts';

const names = [
  'prüfe',
  '日',
  '😀',
  'a>b',
  '$a',
  '@a',
  'a(b',
  "a'b",
  'a"b',
  'a=b',
  'a{b',
  'a,b',
  'a\\b',
  'a|b',
  '1a',
];

function toolOf(name: string): Tool {
  const parameters = { type: 'object', properties: { text: { type: 'string' } } };
  return { type: 'function', function: { name, parameters } };
}

function calling(name: string, args: string): AssistantMessage {
  const call = { id: 'call00001', type: 'function' as const, function: { name, arguments: args } };
  return { role: 'assistant', content: null, tool_calls: [call] };
}

const formats = sampled(
  generatedFormats().filter(({ format }) => format.calls !== null),
  4,
  1,
);

function isRefused(format: ChatFormat, tools: readonly Tool[]): boolean {
  try {
    buildGrammar(format, { tools, toolChoice: 'required' });
    return false;
  } catch (error) {
    expect(error).toBeInstanceOf(ToolError);
    return true;
  }
}

test.each(formats)('$name reads each name that its grammar writes', ({ format }) => {
  let read = 0;
  for (const name of names) {
    const tools = [toolOf(name)];
    if (isRefused(format, tools)) continue;
    for (const args of ['{}', '{"text":"x"}']) {
      const parser = createResponseParser(format, { tools });
      parser.feed(writeResponse(format, calling(name, args)));
      const [call] = parser.finish().message.tool_calls ?? [];
      expect(call?.function.name).toBe(name);
      expect(JSON.parse(call?.function.arguments ?? 'null')).toEqual(JSON.parse(args));
      read += 1;
    }
  }
  expect(read).toBeGreaterThan(names.length);
});
