/** Notations of other formats: each is read in any format, at every cut, and its grammar allows what is read. */
import { describe, expect, it, test } from 'vitest';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import { type CallNotationName, callNotations, notationFormat } from '../../src/format/call-notations.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { turnLayout } from '../../src/layout/turn-layout.ts';
import { writeCalls } from '../../src/layout/write-response.ts';
import type { ResponseParserOptions } from '../../src/parser/response-parser.ts';
import { GrammarCache } from '../../src/runtime/chat/grammar-cache.ts';
import { normalizeTools } from '../../src/tools/tools.ts';
import { everyPosition, parsePieces } from '../support/parse-pieces.ts';
import { bracketed, jsonInTags, noMarker, tagged } from '../support/sample-formats.ts';

const parameters = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer', maximum: 7 } },
  required: ['city'],
  additionalProperties: false,
} as const;
const tools = normalizeTools([{ name: 'get_weather', parameters }]);
const others = normalizeTools([{ name: 'list_files', parameters }]);
const input = { city: 'Bern', days: 3 };
const names = Object.keys(callNotations).filter((name): name is CallNotationName => name in callNotations);
const formats: readonly (readonly [string, ChatFormat])[] = Object.entries({
  bracketed,
  jsonInTags,
  noMarker,
  tagged,
});

/** A call as a notation writes it. */
function written(notation: CallNotationName): string {
  const { calls } = turnLayout(notationFormat(notation));
  const call = { name: 'get_weather', arguments: JSON.stringify(input) };
  return calls === null ? '' : writeCalls(calls, [{ id: 'call_0', type: 'function', function: call }]).trim();
}

function outcome(format: ChatFormat, text: string, options: ResponseParserOptions = { tools }) {
  const whole = parsePieces(format, text, [], options);
  for (const cuts of [...everyPosition(text).map((at) => [at]), everyPosition(text)]) {
    expect(parsePieces(format, text, cuts, options)).toEqual(whole);
  }
  const { content, tool_calls: calls = [], repaired = [], possible_calls: possible = [] } = whole.message;
  return {
    content: content ?? '',
    calls: calls.map(({ function: f }) => [f.name, JSON.parse(f.arguments)]),
    laws: repaired.map(({ law }) => law),
    possible: possible.map(({ toolName, at }) => [toolName, text.startsWith(toolName, at)]),
  };
}

describe.each(names)('%s', (notation) => {
  const text = written(notation);

  it.each(formats)('is read in the format %s', (_, format) => {
    const read = outcome(format, text);
    expect(read).toEqual({ content: '', calls: [['get_weather', input]], laws: ['notation'], possible: [] });
  });

  it('is text for other tools, for strict parsers, and in a code span', () => {
    expect(outcome(tagged, text, { tools: others })).toMatchObject({ calls: [], content: text });
    expect(outcome(tagged, text, { tools, leniency: 'strict' })).toMatchObject({ calls: [], content: text });
    const quoted = `Write \`${text.replaceAll('\n', ' ')}\` for that.`;
    expect(outcome(tagged, quoted)).toMatchObject({ calls: [], content: quoted });
  });

  it('stays a call where the response is cut off in the next one', () => {
    const more = `${text}\n${text}`;
    const call = ['get_weather', input];
    for (let end = text.length; end <= more.length; end++) {
      const cut = more.slice(0, end);
      const { message } = parsePieces(jsonInTags, cut, [], { tools });
      expect(parsePieces(jsonInTags, cut, everyPosition(cut), { tools }).message).toEqual(message);
      const calls = (message.tool_calls ?? []).map(({ function: f }) => [f.name, JSON.parse(f.arguments)]);
      expect({ cut, calls }).toEqual({ cut, calls: calls.length > 1 ? [call, call] : [call] });
      // A single bracket may be part of a marker.
      const rest = cut.slice(text.length).trim();
      if (calls.length === 1 && rest.length > 1) expect(message.content).toContain(rest);
    }
  });

  it('is enforced from where its arguments begin', () => {
    const parser = createResponseParser(tagged, { tools });
    const open = [...text].map((unit) => {
      parser.feed(unit);
      return parser.openCall;
    });
    const call = open.find((each) => each !== null);
    expect(call).toMatchObject({ toolName: 'get_weather', notation: { kind: 'notation' } });
    if (call === undefined || call === null) return;
    const request = { tools, toolChoice: 'auto', generationPrompt: tagged.turn.start } as const;
    const rest = text.slice(call.from);
    const allows = (written: string) => new GrammarCache().restOf(tagged, request, call, written) !== null;
    expect(allows(rest)).toBe(true);
    expect(allows(rest.replace('3', '8'))).toBe(false);
  });
});

test('text may stand around a tag that prose never has, and what is after it is read on', () => {
  const text = `I look.\n\n${written('invoke')}\n\nDone.`;
  const { content, ...read } = outcome(jsonInTags, text);
  expect(content.split(/\s+/)).toEqual(['I', 'look.', 'Done.']);
  expect(read).toMatchObject({ calls: [['get_weather', input]], laws: ['notation'] });
});

test.each([
  '\nso <get_weather>Bern</get_weather>',
  '\nThat is it. {"name": "get_weather", "arguments": {"city": "Bern"}}',
  '</tool_call>\nDone.',
  '\n{x',
  '\n{"x": 1}',
  '\n{}',
  '\n{"x": 1',
  '\n{"nap',
])('a call in a tag that prose never has stays one before %j, in all pieces', (rest) => {
  for (const notation of ['invoke', 'functionTag'] as const) {
    const { calls } = outcome(jsonInTags, written(notation) + rest);
    expect(calls[0]).toEqual(['get_weather', input]);
  }
});

test.each([
  'get_weather(city="Bern", days=3) returns the weather.',
  'Call get_weather(city="Bern") for that.',
  '```python\nget_weather(city="Bern")\n```',
  'get_weather {city}',
])('%s is text', (text) => {
  expect(outcome(jsonInTags, text)).toMatchObject({ calls: [], content: text });
});

test.each([
  [
    'a fence after a sentence',
    'I run it.\n\n```json\n{"name": "get_weather", "arguments": {"city": "Bern"}}\n```',
  ],
  ['a tag that no notation has, after a sentence', 'I run it.\n\n<get_weather>Bern</get_weather>'],
  ['a transcript after a sentence', "I run it.\n\n[tool_call: get_weather for 'Bern']"],
])('%s is told', (_, text) => {
  expect(outcome(jsonInTags, text)).toMatchObject({ calls: [], possible: [['get_weather', true]] });
});

test.each([
  'Use `get_weather(city)` for that.',
  'The tool get_weather gives the weather.',
  '{"city": "Bern"}',
  `A name${' '.repeat(64)}get_weather(city) far from the beginning of its line.`,
])('%s is not told', (text) => {
  expect(outcome(jsonInTags, text).possible).toEqual([]);
});
