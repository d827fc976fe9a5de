/** Calls in notations that are nearly the format's, names that nothing ends, and thoughts after an answer. */
import { describe, expect, test } from 'vitest';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import type { ResponseParserOptions } from '../../src/parser/response-parser.ts';
import { lawTools } from '../support/law-tools.ts';
import { everyPosition, parsePieces } from '../support/parse-pieces.ts';
import { bracketed, jsonArray, jsonInTags, nameInTag, pythonic, tagged } from '../support/sample-formats.ts';

const oslo = { city: 'Oslo' };
const weather = '{"name": "get_weather", "arguments": {"city": "Oslo"}}';
const listing = '{"name": "list_files", "arguments": {}}';
const both = [
  ['get_weather', oslo],
  ['list_files', {}],
];

function outcome(format: ChatFormat, text: string, options: ResponseParserOptions = { tools: lawTools }) {
  const whole = parsePieces(format, text, [], options);
  for (const cuts of [...everyPosition(text).map((at) => [at]), everyPosition(text)]) {
    expect(parsePieces(format, text, cuts, options)).toEqual(whole);
  }
  const { content, reasoning_content, tool_calls: calls = [], repaired = [], malformed = [] } = whole.message;
  return {
    content: content ?? '',
    thoughts: reasoning_content ?? '',
    calls: calls.map(({ function: f }) => [f.name, JSON.parse(f.arguments)]),
    laws: repaired.map(({ law }) => law),
    reasons: malformed.map(({ reason }) => reason),
  };
}

describe('other separators', () => {
  test.each([
    ['a semicolon between JSON calls', jsonArray, `[CALLS][${weather}; ${listing}]`],
    [
      'a semicolon between calls as in Python',
      pythonic,
      "<calls>[get_weather(city='Oslo'); list_files()]</calls>",
    ],
  ])('%s', (_, format, text) => {
    expect(outcome(format, text)).toMatchObject({ calls: both, content: '', laws: ['separator'] });
  });
});

describe('an answer that is nothing but JSON calls', () => {
  test.each([
    ['with semicolons', `${weather}; ${listing}`],
    ['with commas', `${weather}, ${listing}`],
    ['after a special token', `<|python_tag|>${weather}\n${listing}`],
    [
      'in markers of another format',
      `<tool_call>\n${weather}\n</tool_call>\n<tool_call>${listing}</tool_call>`,
    ],
    ['in a list in markers', `[TOOL_CALLS] [${weather}, ${listing}]`],
    ['before an end of turn', `<|python_tag|>${weather}; ${listing}<over>`],
  ])('%s', (_, text) => {
    expect(outcome(tagged, text)).toMatchObject({ calls: both, content: '', laws: ['bare-calls'] });
  });

  test('text after the end of the turn is no part of it', () => {
    const { calls, content, reasons } = outcome(tagged, `${weather}; ${listing}<over>More.`);
    expect([calls, content, reasons]).toEqual([both, '', ['text after the end of the turn']]);
  });

  test.each(['<b>bold</b>', '<|python_tag|>print(1)', `<use>${weather}</use> is a call.`, '[NOTE] see [1].'])(
    '%s is text',
    (text) => {
      expect(outcome(tagged, text)).toMatchObject({ calls: [], content: text, laws: [] });
    },
  );
});

describe('a name that only the end of the call ends', () => {
  test('is malformed where no such tool is on offer', () => {
    for (const options of [{ tools: lawTools }, {}]) {
      const read = outcome(tagged, '<use>\n<fn=bad\n</fn>\n</use>', options);
      expect([read.calls, read.reasons]).toEqual([[], ['no tool name here']]);
    }
  });

  test('is a call of a tool on offer, with a note', () => {
    const read = { calls: [['list_files', {}]], laws: ['unclosed'], reasons: [] };
    expect(outcome(tagged, '<use>\n<fn=list_files\n</fn>\n</use>')).toMatchObject(read);
  });

  test('an id that holds arguments is none', () => {
    const text = '[CALLS]get_weather[ID]abc": "Oslo"}[CALLS]list_files[ID]def[ARGS]{}';
    const read = outcome(bracketed, text);
    expect([read.calls, read.reasons]).toEqual([[['list_files', {}]], ['no id here']]);
  });
});

describe('what a JSON call has twice', () => {
  const twice = '{"city": "Rome", "city": "Oslo"}';
  test.each([
    ['an argument', jsonInTags, `<use>{"name": "get_weather", "arguments": ${twice}}</use>`],
    ['an argument after a name in a tag', nameInTag, `<fn=get_weather>${twice}</fn>`],
    [
      'an argument next to the name',
      jsonInTags,
      '<use>{"name": "get_weather", "city": "Rome", "city": "Oslo"}</use>',
    ],
  ])('%s', (_, format, text) => {
    const { calls, laws } = outcome(format, text);
    expect([calls, laws]).toEqual([[['get_weather', oslo]], expect.arrayContaining(['duplicate-argument'])]);
  });

  test('a key deep inside an argument', () => {
    const text = '<fn=create_event>{"title": "a", "options": {"public": true, "public": false}}</fn>';
    expect(outcome(nameInTag, text).laws).toEqual(['duplicate-argument']);
  });

  test('equal keys of different objects are none', () => {
    const text = '<fn=create_event>{"title": "title", "attendees": [{"name": "a"}, {"name": "b"}]}</fn>';
    expect(outcome(nameInTag, text).laws).toEqual([]);
  });

  test('two names: nobody knows which tool is meant', () => {
    const text = '<use>{"name": "get_weather", "name": "list_files", "arguments": {}}</use>';
    expect(outcome(jsonInTags, text)).toMatchObject({ calls: [], reasons: ['the call names two tools'] });
  });
});

describe('thoughts after an answer or a call', () => {
  const barred: ChatFormat = {
    ...jsonInTags,
    reasoning: { start: '<|muse|>', end: '<|/muse|>', empty: '', preserved: 'always', basis: 'history' },
  };

  test('are thoughts right after a call', () => {
    const read = outcome(jsonInTags, `<use>\n${listing}\n</use>\n<muse>\nHm.\n</muse>\n\nDone.`);
    expect(read).toMatchObject({ thoughts: 'Hm.', content: 'Done.', calls: [['list_files', {}]] });
  });

  test('are thoughts in an answer if their opener is nothing that prose has', () => {
    const read = outcome(barred, 'One<|muse|>Hm.<|/muse|> two');
    expect(read).toMatchObject({ thoughts: 'Hm.', content: 'One two', laws: [] });
    expect(outcome(jsonInTags, 'A <muse> is a goddess.').content).toBe('A <muse> is a goddess.');
  });

  test('an end of thoughts without thoughts is no content', () => {
    expect(outcome(barred, 'One<|/muse|> two')).toMatchObject({
      content: 'One two',
      laws: ['special-token'],
    });
  });
});
