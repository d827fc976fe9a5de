/** What is forgiven: each law of `docs/leniency.md` reports what it did, at every cut, and `strict` turns it off. */
import { describe, expect, test } from 'vitest';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { outcome, readEverywhere as read, lenientTools as tools } from '../support/lenient-outcome.ts';
import { parsePieces } from '../support/parse-pieces.ts';
import {
  bracketed,
  channels,
  composedIds,
  customQuotes,
  jsonInTags,
  nameAsKey,
  nameInTag,
  noMarker,
  tagged,
} from '../support/sample-formats.ts';

const json = (call: string) => `<use>\n${call}\n</use>`;
const entry = (key: string, value: string) => `<arg=${key}>\n${value}\n</arg>\n`;
const entries = (name: string, ...all: readonly string[]) =>
  `<use>\n<fn=${name}>\n${all.join('')}</fn>\n</use>`;

describe.each([
  [
    'arguments under another key',
    jsonInTags,
    json('{"name": "add", "parameters": {"a": 3}}'),
    'add',
    { a: 3 },
    'arguments-key',
  ],
  [
    'before the name',
    jsonInTags,
    json('{"args": {"a": 3}, "name": "add"}'),
    'add',
    { a: 3 },
    'arguments-key',
  ],
  [
    'as a string',
    jsonInTags,
    json('{"name": "add", "input": "{\\"a\\": 3}"}'),
    'add',
    { a: 3 },
    'arguments-key',
  ],
  [
    'arguments next to the name',
    jsonInTags,
    json('{"name": "add", "a": 3, "b": 4}'),
    'add',
    { a: 3, b: 4 },
    'flat-arguments',
  ],
  [
    'an argument that is called like arguments',
    jsonInTags,
    json('{"name": "ask", "input": "who?"}'),
    'ask',
    { input: 'who?' },
    'flat-arguments',
  ],
  [
    'arguments twice wrapped, JSON call',
    jsonInTags,
    json('{"name": "add", "arguments": {"arguments": {"a": 3}}}'),
    'add',
    { a: 3 },
    'wrapped-arguments',
  ],
  [
    'JSON after a name',
    nameInTag,
    '<fn=add>{"parameters" : {"a": 3, "b": 1e3}}</fn>',
    'add',
    { a: 3, b: 1000 },
    'wrapped-arguments',
  ],
  ['entries', tagged, entries('add', entry('arguments', '{"a": 3}')), 'add', { a: 3 }, 'wrapped-arguments'],
  [
    'the whole call as its arguments',
    nameInTag,
    '<fn=add>{"name": "add", "arguments": {"a": 3}}</fn>',
    'add',
    { a: 3 },
    'wrapped-arguments',
  ],
  ['no last brackets at the end', nameInTag, '<fn=add>{"a": 3</fn>', 'add', { a: 3 }, 'unclosed'],
  [
    'a boolean in another case',
    tagged,
    entries('ask', entry('deep', 'FALSE')),
    'ask',
    { deep: false },
    'literal',
  ],
  ['a number in quotes', tagged, entries('add', entry('a', '"3"')), 'add', { a: 3 }, 'literal'],
  [
    'a value that fits no type',
    tagged,
    entries('ask', entry('deep', 'perhaps')),
    'ask',
    { deep: 'perhaps' },
    'literal',
  ],
  ['no marker after the name', nameInTag, '<fn=add{"a": 3}</fn>', 'add', { a: 3 }, 'arguments-marker'],
  [
    'the opener with bars',
    jsonInTags,
    '<|use|>\n{"name": "add", "arguments": {"a": 3}}\n</use>',
    'add',
    { a: 3 },
    'opener',
  ],
  ['the opener twice', tagged, `<use>${entries('add', entry('a', '3'))}`, 'add', { a: 3 }, 'opener'],
  ['no wrapper', tagged, '<fn=add>\n<arg=a>\n3\n</arg>\n</fn>', 'add', { a: 3 }, 'opener'],
  [
    'a list that is none',
    tagged,
    entries('pick', entry('items', '[1, 2, three')),
    'pick',
    { items: '[1, 2, three' },
    'literal',
  ],
  [
    'a list with more after it',
    tagged,
    entries('pick', entry('items', '[1, 2] and 3')),
    'pick',
    { items: '[1, 2] and 3' },
    'literal',
  ],
  [
    'an argument that nothing closes',
    tagged,
    entries('add', '<arg=a>\n3\n', entry('b', '4')),
    'add',
    { a: 3, b: 4 },
    'unclosed',
  ],
  [
    'a text that nothing closes',
    tagged,
    entries('ask', '<arg=input>\nwho?\n', entry('deep', 'true')),
    'ask',
    { input: 'who?', deep: true },
    'unclosed',
  ],
  ['no last brace', jsonInTags, json('{"name": "add", "arguments": {"a": 3}'), 'add', { a: 3 }, 'unclosed'],
  ['null', jsonInTags, json('{"name": "add", "arguments": null}'), 'add', {}, 'empty-arguments'],
  ['an empty string', jsonInTags, json('{"name": "add", "arguments": ""}'), 'add', {}, 'empty-arguments'],
  [
    'the name under another key',
    jsonInTags,
    json('{"tool": "add", "arguments": {"a": 3}}'),
    'add',
    { a: 3 },
    'name-key',
  ],
  [
    'the name under another key, after the arguments',
    jsonInTags,
    json('{"arguments": {"a": 3}, "function": "add"}'),
    'add',
    { a: 3 },
    'name-key',
  ],
  [
    'a call in one more object',
    jsonInTags,
    json('{"type": "function", "function": {"name": "add", "arguments": {"a": 3}}}'),
    'add',
    { a: 3 },
    'wrapped-call',
  ],
  [
    'a key in the quotes of the format',
    customQuotes,
    '<call>add{<q>a<q>:3}</call>',
    'add',
    { a: 3 },
    'literal',
  ],
  [
    'a key in an object in them',
    customQuotes,
    '<call>pick{items:[{<q>a<q>:3}]}</call>',
    'pick',
    { items: [{ a: 3 }] },
    'literal',
  ],
  ['a key in quotes', customQuotes, '<call>add{"a":3}</call>', 'add', { a: 3 }, 'literal'],
] as const)('%s', (_, format, text, name, input, law) => {
  test('is read and reported', () => {
    expect(outcome(format, text)).toEqual({ calls: [[name, input]], laws: [law], malformed: 0 });
  });

  test('is not in strict mode', () => {
    const strict = outcome(format, text, { leniency: 'strict' });
    expect(strict.laws).toEqual([]);
    if (law === 'opener') return;
    if (law !== 'literal') expect(strict.calls).not.toEqual([[name, input]]);
    if (strict.calls.length === 0) expect(strict.malformed).toBe(1);
  });
});

describe('calls in the markers of one', () => {
  const add = '{"name": "add", "arguments": {"a": 3}}';
  const pick = '{"name": "pick", "arguments": {"items": [1]}}';
  const both = [
    ['add', { a: 3 }],
    ['pick', { items: [1] }],
  ];

  test.each([
    ['one after the other', `${add}\n${pick}`, 1],
    ['with a comma between them', `${add},\n${pick}`, 1],
    ['with a semicolon between them', `${add}; ${pick}`, 1],
    ['in a list', `[${add}, ${pick}]`, 3],
    ['in a list without an end', `[${add}, ${pick}`, 2],
  ])('are those calls: %s', (_, text, count) => {
    const { calls, laws, malformed } = outcome(jsonInTags, json(text));
    expect([calls, malformed]).toEqual([both, 0]);
    expect(laws).toEqual(Array.from({ length: count }, () => 'separator'));
    expect(outcome(jsonInTags, json(text), { leniency: 'strict' }).malformed).toBe(1);
  });

  test('another object is none', () => {
    expect(outcome(jsonInTags, json(`${add}\n{"a": 3}`))).toEqual({
      calls: [['add', { a: 3 }]],
      laws: [],
      malformed: 1,
    });
  });

  test.each([';', ', ', ' ;\n'])('calls without markers may have %j between them', (separator) => {
    const text = [add, pick, add].join(separator).replaceAll('arguments', 'parameters');
    const { calls, laws } = outcome(noMarker, text);
    expect([calls.length, laws]).toEqual([3, ['separator', 'separator']]);
    expect(outcome(noMarker, `${add}; {"a": 3}`).calls).toEqual([['add', { a: 3 }]]);
  });
});

test('a call in one more object is one without its last braces', () => {
  const { calls, laws } = outcome(jsonInTags, json('{"function": {"name": "add", "arguments": {"a": 3}'));
  expect([calls, laws]).toEqual([[['add', { a: 3 }]], ['wrapped-call', 'unclosed']]);
});

describe('a name under another key', () => {
  test('is none where nobody offers the tool, and a call has one name', () => {
    expect(outcome(jsonInTags, json('{"tool": "sub", "arguments": {"a": 3}}')).malformed).toBe(1);
    const two = '{"tool": "add", "name": "ask", "arguments": {"a": 3}}';
    expect(outcome(jsonInTags, json(two))).toEqual({ calls: [], laws: ['name-key'], malformed: 1 });
  });
});

describe('a name without what comes before it', () => {
  test.each([
    ['in an id', composedIds, '<calls><call>add:0<args>{"a": 3}</call></calls>'],
    ['in a header', channels, '|chan|side to=add|text|{"a": 3}|done|'],
  ])('is that name, %s, if the tool is on offer', (_, format, text) => {
    expect(outcome(format, text)).toEqual({
      calls: [['add', { a: 3 }]],
      laws: ['name-prefix'],
      malformed: 0,
    });
    expect(outcome(format, text.replace('add', 'sub')).laws).toEqual([]);
    expect(outcome(format, text, { leniency: 'strict' })).not.toMatchObject({
      calls: [['add', { a: 3 }]],
      malformed: 0,
    });
  });
});

describe('a header in a turn that nothing closes, or opens again', () => {
  test.each([
    ['after thoughts', '|chan|think|text|Hm.|chan|answer|text|Hi.'],
    ['after the end of thoughts', '|chan|think|text|Hm.|stop||chan|answer|text|Hi.'],
  ])('begins its region %s', (_, text) => {
    const { message } = read(channels, text);
    expect([message.reasoning_content, message.content]).toEqual(['Hm.', 'Hi.']);
    expect(message.repaired?.map(({ law }) => law)).toEqual(['unclosed']);
    expect(read(channels, text, { leniency: 'strict' }).message.content).not.toBe('Hi.');
  });

  test('is one of a call, too', () => {
    const text = '|chan|think|text|Hm.|chan|side to=tool.add|text|{"a": 3}|done|';
    expect(outcome(channels, text)).toEqual({ calls: [['add', { a: 3 }]], laws: ['unclosed'], malformed: 0 });
  });
});

describe('what no schema tells', () => {
  test.each([
    ['members that the tool does not have', '{"name": "add", "x": 3}'],
    ['one of them', '{"name": "add", "a": 3, "x": 3}'],
    ['a text under a key of arguments', '{"name": "add", "parameters": "three"}'],
  ])('%s: a malformed call', (_, call) => {
    expect(outcome(jsonInTags, json(call))).toEqual({ calls: [], laws: [], malformed: 1 });
  });

  test('an argument that is called like a wrapper stays', () => {
    const text = '<fn=ask>{"input": {"deep": true}}</fn>';
    expect(outcome(nameInTag, text)).toEqual({
      calls: [['ask', { input: { deep: true } }]],
      laws: [],
      malformed: 0,
    });
  });

  test('a call without arguments has none', () => {
    expect(outcome(jsonInTags, json('{"name": "add"}')).calls).toEqual([['add', {}]]);
    expect(outcome(jsonInTags, json('{"type": "function", "name": "add"}')).calls).toEqual([['add', {}]]);
  });
});

describe('an argument in the text of another', () => {
  test.each([
    ['one that the call has already', entry('deep', 'true') + entry('input', 'a\n<arg=deep>\nb')],
    ['one that the tool does not have', entry('input', 'a\n<arg=a>\nb')],
    ['a whole one', entry('input', `a\n${entry('deep', 'true')}b`)],
  ])('%s is text', (_, written) => {
    const { calls, laws } = outcome(tagged, entries('ask', written));
    expect([calls.length, laws]).toEqual([1, []]);
    expect(calls[0]?.[1].input).toMatch(/^a\n<arg=/);
  });
});

describe('a call that nothing closes', () => {
  const finish = (format: ChatFormat, text: string, reason?: 'stop' | 'length') => {
    const parser = createResponseParser(format, { tools });
    parser.feed(text);
    const { message } = parser.finish(reason);
    return [message.tool_calls?.length ?? 0, (message.repaired ?? []).map(({ law }) => law)];
  };

  test.each([
    [jsonInTags, '<use>\n{"name": "add", "arguments": {"a": 3}'],
    [nameAsKey, '<calls>[{"add": {"a": 3}'],
  ])('is one where its arguments are whole', (format, text) => {
    expect(finish(format, text)).toEqual([1, ['unclosed']]);
    expect(finish(format, text, 'length')).toEqual([0, []]);
    expect(finish(format, text.slice(0, -1))).toEqual([0, []]);
  });

  test('is one of entries where the model has stopped', () => {
    const text = '<use>\n<fn=add>\n<arg=a>\n3\n</arg>\n';
    expect(finish(tagged, text, 'stop')).toEqual([1, ['unclosed']]);
    expect(finish(tagged, text)).toEqual([0, []]);
    expect(finish(tagged, text, 'length')).toEqual([0, []]);
  });
});

describe('an answer that is calls as JSON', () => {
  const call = '{"name": "add", "arguments": {"a": 3}}';
  const openAi = '{"id": "x", "type": "function", "function": {"name": "add", "arguments": "{\\"a\\": 3}"}}';

  test.each([
    ['one', call, 1],
    ['a list', `[${call}, ${call}]`, 2],
    ['one after the other', `${call}\n${call}`, 2],
    ['in a fence', `\`\`\`json\n[${call}]\n\`\`\``, 1],
    ['as in an API', openAi, 1],
    ['under another key', '{"name": "add", "parameters": {"a": 3}}', 1],
  ])('is those calls: %s', (_, text, count) => {
    for (const format of [tagged, nameInTag, bracketed]) {
      const { calls, laws, malformed } = outcome(format, text);
      expect(calls).toEqual(Array.from({ length: count }, () => ['add', { a: 3 }]));
      expect([laws, malformed]).toEqual([['bare-calls'], 0]);
      expect(read(format, text, { leniency: 'strict' }).message.content).toBe(text);
    }
  });

  test.each([
    ['a tool that nobody offers', '{"name": "sub", "arguments": {"a": 3}}'],
    ['text before it', `Like this: ${call}`],
    ['text after it', `${call} is a call.`],
    ['a fence that is not closed', `\`\`\`json\n${call}`],
    ['text after the fence', `\`\`\`json\n${call}\n\`\`\`\nThat is a call.`],
    ['another object in the list', `[${call}, {"a": 3}]`],
    ['a call without an end', call.slice(0, -1)],
    ['other JSON', '{"name": "Ada", "arguments": []}'],
    ['code', '```python\nadd(a=3)\n```'],
  ])('is text with %s', (_, text) => {
    expect(outcome(tagged, text)).toEqual({ calls: [], laws: [], malformed: 0 });
    expect(read(tagged, text).message.content).toBe(text);
  });

  test('is text where nobody says which tools there are', () => {
    expect(parsePieces(tagged, call, []).message.content).toBe(call);
  });
});

describe('a block of calls that holds none', () => {
  test.each([
    ['alone', '<use>\n</use>', ''],
    ['before an answer', '<use></use>Hello.', 'Hello.'],
    ['in an answer', 'Hello. <use>\n</use>\nBye.', 'Hello. \nBye.'],
  ])('is passed over %s', (_, text, content) => {
    expect(outcome(jsonInTags, text)).toEqual({ calls: [], laws: ['empty-block'], malformed: 0 });
    expect(read(jsonInTags, text).message.content ?? '').toBe(content);
    expect(read(jsonInTags, text, { leniency: 'strict' }).message.content).toBe(text);
  });

  test('is passed over between calls', () => {
    const call = json('{"name": "add", "arguments": {"a": 3}}');
    const { calls, laws } = outcome(jsonInTags, `${call}\n<use>\n</use>\n${call}`);
    expect([calls.length, laws]).toEqual([2, ['empty-block']]);
  });
});

test('a tool that nobody offered does not make a call of another spelling', () => {
  const text = '<|use|>\n{"name": "sub", "arguments": {"a": 3}}\n</use>';
  expect(outcome(jsonInTags, text)).toEqual({ calls: [], laws: [], malformed: 0 });
  expect(read(jsonInTags, text).message.content).toBe(text);
});

test('a special token is no content', () => {
  const options = { tools, specialTokens: ['<eom>', '<use>'] };
  const pieces = [{ text: 'a ' }, { text: '<eom>', special: true }, { text: 'b <eom>' }];
  const parser = createResponseParser(jsonInTags, options);
  parser.feed(pieces);
  const { message } = parser.finish();
  expect([message.content, message.repaired?.map(({ law }) => law)]).toEqual([
    'a b <eom>',
    ['special-token'],
  ]);
  const strict = createResponseParser(jsonInTags, { ...options, leniency: 'strict' });
  strict.feed(pieces);
  expect(strict.finish().message.content).toBe('a <eom>b <eom>');
});

test('calls have ids of their own', () => {
  const text = '[CALLS]add[ID]x[ARGS]{"a": 1}[CALLS]add[ID]x[ARGS]{"a": 2}';
  const { message } = read(bracketed, text);
  expect(message.tool_calls?.map(({ id }) => id)).toEqual(['x', 'x-2']);
  expect(message.repaired).toMatchObject([{ law: 'duplicate-id', toolCallId: 'x-2' }]);
});

test.each(['lenient', 'strict'] as const)('an argument that comes twice is told of, %s', (leniency) => {
  const text = entries('add', entry('a', '3'), entry('b', '4'), entry('a', '5'));
  const { message } = read(tagged, text, { leniency });
  expect(JSON.parse(message.tool_calls?.[0]?.function.arguments ?? '')).toEqual({ a: 5, b: 4 });
  expect(message.repaired).toMatchObject([
    { law: 'duplicate-argument', detail: expect.stringContaining('"a"') },
  ]);
});
