/** Each limit of the parser, met exactly and passed by one: the text on both sides of it, and at every cut. */
import { describe, expect, test } from 'vitest';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import type { ResponseMessage } from '../../src/parser/events.ts';
import { JsonScanner } from '../../src/parser/json/json-scanner.ts';
import { lawTools } from '../support/law-tools.ts';
import { everyPosition, parsePieces } from '../support/parse-pieces.ts';
import { jsonInTags, nestedTags, noMarker, tagged } from '../support/sample-formats.ts';

/** The message, which is the same in one piece and unit by unit. */
function read(format: ChatFormat, text: string): ResponseMessage {
  const whole = parsePieces(format, text, [], { tools: lawTools });
  const cut = parsePieces(format, text, everyPosition(text), { tools: lawTools });
  expect(cut.message).toEqual(whole.message);
  return whole.message;
}

function callCount(format: ChatFormat, text: string): number {
  return read(format, text).tool_calls?.length ?? 0;
}

describe('white space inside a marker', () => {
  test('between its lines, 64 units are part of it, and 65 are not', () => {
    const { reasoning } = jsonInTags;
    if (reasoning === null) throw new RangeError('the format has no reasoning');
    const format = { ...jsonInTags, reasoning: { ...reasoning, end: '\n</muse>\n<reply>\n' } };
    const text = (units: number) => `<muse>\nhm\n</muse>${'\n'.repeat(units)}<reply>\nyes`;
    expect(read(format, text(64))).toMatchObject({ content: 'yes', reasoning_content: 'hm' });
    expect(read(format, text(65)).content).toBe('');
  });

  test('between a closer and what follows it, 64 units are passed over, and 65 are not', () => {
    const input = (units: number) => {
      const end = '\n</arg>\n</fn>\n</use>';
      const text = `<use>\n<fn=get_weather>\n<arg=city>\nA\n</arg>${'\n'.repeat(units)}</fn>${end}`;
      return JSON.parse(read(tagged, text).tool_calls?.[0]?.function.arguments ?? '{}').city;
    };
    expect(input(64)).toBe('A');
    expect(input(65)).toBe(`A\n</arg>${'\n'.repeat(65)}</fn>`);
  });
});

describe('white space between regions', () => {
  const textWith = (units: number) =>
    `<muse>\nhm\n</muse>${'\n'.repeat(units)}<use>\n{"name": "list_files", "arguments": {}}\n</use>`;

  test('256 units are waited through, and belong to no text', () => {
    const message = read(jsonInTags, textWith(256));
    expect([message.content, message.tool_calls?.length]).toEqual([null, 1]);
  });

  test('more of it is text', () => {
    const message = read(jsonInTags, textWith(259));
    expect([message.content?.trim(), message.content?.length === 0, message.tool_calls?.length]).toEqual([
      '',
      false,
      1,
    ]);
  });
});

describe('white space before a value', () => {
  const call = (units: number) =>
    `<use name="create_event"><tags>${' '.repeat(units)}<item>a</item></tags></use>`;

  test.each([0, 64, 256])('%i units are waited through', (units) => {
    expect(read(nestedTags, call(units)).tool_calls?.[0]?.function.arguments).toBe('{"tags": ["a"]}');
  });

  test('the type of a value shows up to 256 units, and after that it is a string', () => {
    const value = (units: number) => `<use>\n<fn=f>\n<arg=a>\n${' '.repeat(units)}5\n</arg>\n</fn>\n</use>`;
    const input = (units: number) => {
      const whole = parsePieces(tagged, value(units), []);
      expect(parsePieces(tagged, value(units), everyPosition(value(units))).message).toEqual(whole.message);
      return JSON.parse(whole.message.tool_calls?.[0]?.function.arguments ?? '{}');
    };
    expect(input(10)).toEqual({ a: 5 });
    expect(input(257)).toEqual({ a: `${' '.repeat(257)}5` });
  });
});

describe('the name of a JSON call without a marker', () => {
  const call = (units: number) => `{"note": "${'n'.repeat(units)}", "name": "list_files", "parameters": {}}`;

  test('is looked for up to 2048 units', () => {
    expect(callCount(noMarker, call(1500))).toBe(1);
    expect(callCount(noMarker, call(1990))).toBe(1);
  });

  test('is not waited for beyond them', () => {
    const { content, tool_calls } = read(noMarker, call(5000));
    expect([content, tool_calls]).toEqual([call(5000), undefined]);
  });
});

test.each([
  ['Infinity', 'null'],
  ['-Infinity', 'null'],
  ['NaN', 'null'],
  ['[1, Infinity]', '[1, null]'],
])('%s is no JSON, and is written as %s', (text, json) => {
  const scanner = new JsonScanner();
  const end = scanner.scan(text, 0);
  let { output } = scanner;
  if (scanner.status === 'open') {
    scanner.end();
    output += scanner.output;
  }
  expect([scanner.status, end, output]).toEqual(['done', text.length, json]);
});
