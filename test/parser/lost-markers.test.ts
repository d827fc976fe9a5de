/** Markers that the model leaves out: what is meant is read and reported, at every cut; what is quoted stays text. */
import { describe, expect, test } from 'vitest';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import type { JsonObject, Tool } from '../../src/format/messages.ts';
import { lenientTools, outcome } from '../support/lenient-outcome.ts';
import { composedIds, customQuotes, jsonInTags, pairs, pythonic, tagged } from '../support/sample-formats.ts';

/** `<use>f\n<key>a</key>\n<val>raw</val>\n</use>`: as `pairs`, with markers long enough to be told from text. */
const keyed: ChatFormat = JSON.parse(
  JSON.stringify(pairs)
    .replace(/(<\/?)k>/g, '$1key>')
    .replace(/(<\/?)v>/g, '$1val>'),
);
const written = (text: string) => text.replace(/(<\/?)k>/g, '$1key>').replace(/(<\/?)v>/g, '$1val>');

/** `customQuotes` with quotes that no text holds. */
const wideQuotes: ChatFormat = JSON.parse(JSON.stringify(customQuotes).replaceAll('<q>', '<|q|>'));

const ask = { input: 'who?', deep: true };

describe('arguments whose markers are left out', () => {
  test.each([
    [
      'the end of a key',
      '<use>ask\n<k>input\n<v>who?</v>\n<k>deep</k>\n<v>true</v>\n</use>',
      ['marker-part'],
    ],
    [
      'what begins a value',
      '<use>ask\n<k>input</k>who?</v>\n<k>deep</k>\n<v>true</v>\n</use>',
      ['marker-part'],
    ],
    [
      'the end of values',
      '<use>ask\n<k>input</k>\n<v>who?\n<k>deep</k>\n<v>true\n</use>',
      ['unclosed', 'unclosed'],
    ],
    [
      'all ends',
      '<use>ask<k>input<v>who?\n<k>deep<v>true\n</use>',
      ['marker-part', 'unclosed', 'marker-part', 'unclosed'],
    ],
  ])('are read: %s', (_, text, laws) => {
    expect(outcome(keyed, written(text))).toEqual({ calls: [['ask', ask]], laws, malformed: 0 });
    expect(outcome(keyed, written(text), { leniency: 'strict' })).toEqual({
      calls: [],
      laws: [],
      malformed: 1,
    });
  });

  test('a key that holds markers of arguments is malformed', () => {
    const text = '<use>ask\n<k>input who?</v>\n<k>deep</k>\n<v>true</v>\n</use>';
    expect(outcome(keyed, written(text))).toEqual({ calls: [], laws: [], malformed: 1 });
  });
});

describe('a value that nothing closes before the end of its call', () => {
  const other = '<use>\n<fn=ask>\n<arg=input>\nme\n</arg>\n</fn>\n</use>';

  test.each([
    ['at the end of the response', '', []],
    ['before another call', `\n${other}`, [['ask', { input: 'me' }]]],
  ])('ends there: %s', (_, after, more) => {
    const text = `<use>\n<fn=ask>\n<arg=input>\nwho?\n</fn>\n</use>${after}`;
    expect(outcome(tagged, text)).toEqual({
      calls: [['ask', { input: 'who?' }], ...more],
      laws: ['unclosed'],
      malformed: 0,
    });
  });

  test('quotes that end where it is closed after it', () => {
    const text = '<use>\n<fn=ask>\n<arg=input>\nwrite </fn>\n</use> last\n</arg>\n</fn>\n</use>';
    expect(outcome(tagged, text)).toEqual({
      calls: [['ask', { input: 'write </fn>\n</use> last' }]],
      laws: [],
      malformed: 0,
    });
  });

  test('is not over where the response was cut off', () => {
    const parser = createResponseParser(tagged, { tools: lenientTools });
    parser.feed('<use>\n<fn=ask>\n<arg=input>\nwho?\n</fn>');
    const { message } = parser.finish('length');
    expect([message.tool_calls, message.malformed?.length]).toEqual([undefined, 1]);
  });
});

describe('the end of the turn', () => {
  test.each([
    ['after arguments', tagged, '<use>\n<fn=ask>\n<arg=input>\nwho?\n</arg>\n<over>', ['unclosed']],
    [
      'after a part of what closes the call',
      customQuotes,
      '<call>ask{input:<q>who?<q>}<over>',
      ['marker-part'],
    ],
  ])('closes a call: %s', (_, format, text, laws) => {
    expect(outcome(format, text)).toEqual({ calls: [['ask', { input: 'who?' }]], laws, malformed: 0 });
  });
});

test('the first call of a section may lack its opener, if a marker follows its name', () => {
  const format: ChatFormat = {
    ...composedIds,
    calls: composedIds.calls && { ...composedIds.calls, head: [{ hole: 'name' }, '<args>'], id: null },
  };
  const text = '<calls>add<args>{"a": 3}</call></calls>';
  expect(outcome(format, text)).toEqual({ calls: [['add', { a: 3 }]], laws: ['opener'], malformed: 0 });
  expect(outcome(format, text, { leniency: 'strict' }).calls).toEqual([]);
  expect(outcome(format, '<calls>add</calls>').calls).toEqual([]);
});

describe('special tokens in other characters', () => {
  const format: ChatFormat = JSON.parse(
    JSON.stringify(composedIds).replaceAll(
      /<(\/?)(calls?|args)>/g,
      (_, end, word) => `<｜tool▁${word}${end && '▁end'}｜>`,
    ),
  );
  const text =
    '<｜tool▁calls｜><｜tool▁call｜>tool.add:0<｜tool▁args｜>{"a": 3}<｜tool▁call▁end｜><｜tool▁calls▁end｜>';

  test.each([
    text.replaceAll('｜', '|'),
    text.replaceAll('▁', '_'),
    text.replaceAll('▁', ' '),
    text.replaceAll('▁', '\\_'),
    text.replaceAll('｜', '|').replaceAll('▁', '_'),
  ])('are those tokens: %s', (written) => {
    const { calls, laws, malformed } = outcome(format, written);
    expect([calls, malformed]).toEqual([[['add', { a: 3 }]], 0]);
    expect(new Set(laws)).toEqual(new Set(['spelling']));
    expect(outcome(format, written, { leniency: 'strict' }).calls).toEqual([]);
  });
});

describe('a value that holds what closes it', () => {
  const text = (value: string) => `<use>\n<fn=ask>\n<arg=input>\n${value}\n</arg>\n</fn>\n</use>`;

  test('is malformed, or reported, if the name of another argument follows, whose opener may be missing', () => {
    expect(outcome(tagged, text('who?\n</arg>\ndeep>\ntrue'))).toMatchObject({ calls: [], malformed: 1 });
    expect(outcome(pythonic, "<calls>[ask(input='who?' deep='yes')]</calls>").laws).toEqual(['unclosed']);
  });

  test('is reported if no text holds that', () => {
    expect(outcome(wideQuotes, '<call>pick{items:[<|q|>a<|q|><|q|>b<|q|>]}</call>').laws).toEqual([
      'unclosed',
    ]);
  });

  test('quotes it otherwise, and is reported', () => {
    expect(outcome(tagged, text('who?\n</arg>\nme'))).toMatchObject({ laws: ['unclosed'], malformed: 0 });
  });
});

test.each([
  ['calls as in Python', pythonic, "<calls>[ask(input'who?', deep=True)]</calls>"],
  ['a missing end of a call', pythonic, "<calls>[ask(input='who?', add(a=3)]</calls>"],
])('a key that holds what stands around keys is none: %s', (_, format, text) => {
  expect(outcome(format, text)).toMatchObject({ laws: [], malformed: 1 });
  expect(outcome(format, text.replaceAll('ask', 'other')).malformed).toBe(1);
});

/** The schema of a tool's arguments. */
function objectOf({ function: { parameters } }: Tool): JsonObject {
  return typeof parameters === 'object' ? parameters : {};
}

test('a schema without further properties names only its own', () => {
  const strict = lenientTools.map((tool) => ({
    ...tool,
    function: { ...tool.function, parameters: { ...objectOf(tool), additionalProperties: false } },
  }));
  const text = '<use>\n{"name": "add", "parameters": {"a": 3}}\n</use>';
  expect(outcome(jsonInTags, text, { tools: strict })).toEqual({
    calls: [['add', { a: 3 }]],
    laws: ['arguments-key'],
    malformed: 0,
  });
});

describe('a name before a marker, without the opener of the call', () => {
  const call = 'ask\n<key>input</key>\n<val>who?</val>\n<key>deep</key>\n<val>true</val>\n</use>';

  test('is a call at the beginning', () => {
    expect(outcome(keyed, call)).toMatchObject({ calls: [['ask', ask]], laws: ['opener'] });
  });

  test.each([`Then ${call}`, call.replace('ask', 'other'), 'ask me about <key>input</key>'])(
    'is text elsewhere, and with another name: %j',
    (text) => {
      expect(outcome(keyed, text)).toMatchObject({ calls: [], laws: [] });
    },
  );
});
