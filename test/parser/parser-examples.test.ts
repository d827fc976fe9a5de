/** Single behaviours of the streaming parser, over hand-written formats. */
import { describe, expect, it } from 'vitest';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import type { ResponseEvent } from '../../src/parser/events.ts';
import { exampleTools, inputs, read } from '../support/example-calls.ts';
import { everyPosition, parsePieces } from '../support/parse-pieces.ts';
import * as samples from '../support/sample-formats.ts';

describe('white space and other spellings', () => {
  it.each([
    ['<use>{"name": "f", "arguments": {"n": 1}}</use>'],
    ['<use>\r\n{"name": "f", "arguments": {"n": 1}}\r\n</use>'],
    ['<use>\n\n  {"arguments": {"n": 1}, "name": "f"}  </use>'],
    ['<use>\n{"name":"f","arguments":{"n":1}}'],
    ['<use>\n{"name": "f", "arguments": "{\\"n\\": 1}"}\n</use>'],
    ["<use>\n{'name': 'f', 'arguments': {'n': 1,},}\n</use>"],
  ])('%j', (text) => {
    expect(inputs(samples.jsonInTags, text)).toEqual([['f', { n: 1 }]]);
  });

  it('reads a call whose leading marker is missing, if a known name follows', () => {
    const call = '<fn=f>\n<arg=n>\n1\n</arg>\n</fn>\n</use>';
    expect(inputs(samples.tagged, call)).toEqual([['f', { n: 1 }]]);
    expect(inputs(samples.tagged, `Now.\n${call}`)).toEqual([['f', { n: 1 }]]);
    expect(read(samples.tagged, `Now: ${call}`).content).toBe(`Now: ${call}`);
    expect(read(samples.tagged, call.replace('fn=f', 'fn=g')).content).toBe(call.replace('fn=f', 'fn=g'));
  });

  it('tells apart names of which one begins with the other', () => {
    expect(inputs(samples.nameInTag, '<fn=forecast>{}</fn>')).toEqual([['forecast', {}]]);
    expect(inputs(samples.pythonic, '<calls>[forecast(), f(n=1)]</calls>')).toEqual([
      ['forecast', {}],
      ['f', { n: 1 }],
    ]);
  });

  it.each([
    ["f(s='it's', n=1)", { s: "it's", n: 1 }],
    // Python's escapes; a backslash that begins none stands for itself.
    ["f(s='a\\tb')", { s: 'a\tb' }],
    ["f(s='a\\db')", { s: 'a\\db' }],
    ['f(s="a\\nb \\"c\\"")', { s: 'a\nb "c"' }],
    ["f(o=None, l=['a', 'b'], u=True)", { o: null, l: ['a', 'b'], u: true }],
    ['f( s = "x" , n = -1.5 )', { s: 'x', n: -1.5 }],
  ])('pythonic %s', (call, input) => {
    const [first] = inputs(samples.pythonic, `<calls>[${call}]</calls>`);
    expect(first).toEqual(['f', input]);
  });
});

describe('types of raw values', () => {
  it.each([
    ['s', '5', '5'],
    ['s', 'null', 'null'],
    ['n', '5', 5],
    ['o', 'null', null],
    ['o', 'None', null],
    ['o', 'nullable', 'nullable'],
    ['u', '2', 2],
    ['u', '2 dollars', '2 dollars'],
    ['l', '["a"]', ['a']],
    ['l', "['a']", ['a']],
    ['d', '{"a": "x"}', { a: 'x' }],
    ['unknown', '{"a": 1}', { a: 1 }],
    ['unknown', '{a: 1}', '{a: 1}'],
    ['unknown', 'True', true],
    ['s', ' padded\n', ' padded\n'],
    ['s', 'a\n</arg>\nb', 'a\n</arg>\nb'],
  ])('%s: %j is %j', (key, raw, value) => {
    const text = `<use>\n<fn=f>\n<arg=${key}>\n${raw}\n</arg>\n</fn>\n</use>`;
    expect(inputs(samples.tagged, text)).toEqual([['f', { [key]: value }]]);
  });

  it.each([
    ['s', 'a\n</arg>\nb', 'a'],
    ['s', 'a\n</arg>b\n</arg>c', 'a'],
    ['u', '2\n</arg>, or more', 2],
    ['u', 'two\n</arg> or more', 'two'],
    ['u', `2${'0'.repeat(80)}</arg> ${'x'.repeat(80)}`, `2${'0'.repeat(80)}`],
    ['u', `2</arg> ${'x'.repeat(80)}`, 2],
  ])('%s: %j ends at its first closer if no better one comes', (key, raw, value) => {
    const text = `<use>\n<fn=f>\n<arg=${key}>\n${raw}`;
    const { events, message } = parsePieces(samples.tagged, text, everyPosition(text), {
      tools: exampleTools,
      markers: true,
    });
    const deltas = events.flatMap((event) => (event.type === 'tool-input-delta' ? event.delta : []));
    expect(JSON.parse(`${deltas.join('')}}`)).toEqual({ [key]: value });
    expect(message.malformed?.map((event) => event.raw)).toEqual([
      raw.slice(raw.indexOf('</arg>') + 6).trimStart(),
    ]);
    expect(parsePieces(samples.tagged, text, [], { tools: exampleTools, markers: true }).events).toEqual(
      events,
    );
    expect(events.reduce((at, { start, end }) => (start === at ? end : -1), 0)).toBe(text.length);
  });

  it('lets a frame that shows the type win over the schema', () => {
    const text =
      '<use>\n<fn=f>\n<arg name="n" text="yes">5</arg>\n<arg name="s" text="no">5</arg>\n</fn>\n</use>';
    expect(inputs(samples.typedFrames, text)).toEqual([['f', { n: '5', s: 5 }]]);
  });

  it('reads nested notation by the schema', () => {
    const nested = '<use name="f"><d><a>5</a><b>5</b></d><l><item>1</item><item>x</item></l></use>';
    expect(inputs(samples.nestedTags, nested)).toEqual([['f', { d: { a: '5', b: 5 }, l: ['1', 'x'] }]]);
    const quoted = '<call>f{d:{a:<q>x, {y}<q>,b:5},l:[<q>1<q>,<q>]<q>]}</call>';
    expect(inputs(samples.customQuotes, quoted)).toEqual([
      ['f', { d: { a: 'x, {y}', b: 5 }, l: ['1', ']'] }],
    ]);
  });
});

describe('reasoning', () => {
  const call = '<use>\n{"name": "f", "arguments": {"n": 1}}\n</use>';

  it('keeps a call that is only thought about', () => {
    const message = read(samples.jsonInTags, `<muse>\nPerhaps ${call}?\n</muse>\n\nNo.`);
    expect(message).toEqual({ role: 'assistant', reasoning_content: `Perhaps ${call}?`, content: 'No.' });
  });

  it('takes a call for one when the reasoning is never closed', () => {
    const message = read(samples.jsonInTags, `<muse>\nI will.\n${call}`);
    expect(message.reasoning_content).toBe('I will.');
    expect(message.tool_calls).toHaveLength(1);
  });

  it('delivers what the prompt opened at negative offsets', () => {
    const parser = createResponseParser(samples.jsonInTags, { generationPrompt: '<turn>bot\n<muse>\nSo' });
    const [start, first, next] = parser.feed(' far');
    expect(start).toMatchObject({ type: 'reasoning-start', start: -2 });
    expect(first).toMatchObject({ type: 'reasoning-delta', delta: 'So', start: -2, end: 0 });
    expect(next).toMatchObject({ type: 'reasoning-delta', delta: ' far', start: 0, end: 4 });
  });

  it('knows reasoning by its end alone, or by the prompt', () => {
    expect(read(samples.delimited, 'a\n[ANSWER]\nb')).toMatchObject({ reasoning_content: 'a', content: 'b' });
    expect(read(samples.delimited, 'just text')).toMatchObject({ content: 'just text' });
    const opened = { generationPrompt: '<turn>bot\nSteps:\n' };
    expect(read(samples.delimited, 'a\n[ANSWER]\nb', opened)).toMatchObject({
      reasoning_content: 'Steps:\na',
      content: 'b',
    });
  });

  it('leaves thoughts in the content when asked to', () => {
    const text = '<muse>\na\n</muse>\n\nb';
    expect(read(samples.jsonInTags, text, { reasoningFormat: 'none' })).toEqual({
      role: 'assistant',
      content: text,
    });
  });
});

describe('turns', () => {
  it('reads regions with headers in other orders', () => {
    const message = read(
      samples.channels,
      '|chan|think|text|hm|stop||begin|bot|chan|side| to=tool.f|text|{"n": 1}|done|',
    );
    expect(message.reasoning_content).toBe('hm');
    expect(message.tool_calls?.[0]?.function).toEqual({ name: 'f', arguments: '{"n": 1}' });
  });

  it.each([240, 245, 246, 250])('reads headers up to a length, wherever they are cut: %i', (length) => {
    const text = `${'x'.repeat(length)}|chan|side|text|hm|done|`;
    const whole = parsePieces(samples.channels, text, [], { tools: exampleTools, markers: true });
    expect(
      parsePieces(samples.channels, text, everyPosition(text), { tools: exampleTools, markers: true }),
    ).toEqual(whole);
  });

  it('reports a header for an unknown recipient', () => {
    const message = read(samples.channels, '|chan|side| to=nobody|text|hello|done|');
    expect(message.malformed).toHaveLength(1);
    expect(message.content).toBe('');
  });

  it('reports text after the end of the turn', () => {
    const { malformed, content } = read(samples.jsonInTags, 'Hi.<over>\nMore.');
    expect(content).toBe('Hi.');
    expect(malformed?.map(({ raw }) => raw)).toEqual(['More.']);
  });
});

describe('formats without markers', () => {
  it('reads a call where the response begins with one', () => {
    expect(inputs(samples.noMarker, '{"name": "f", "parameters": {"n": 1}}')).toEqual([['f', { n: 1 }]]);
  });

  it.each([['{"name": "stranger", "parameters": {}}'], ['{"a": 1}'], ['{ not json'], ['{']])(
    '%j is text',
    (text) => {
      expect(read(samples.noMarker, text)).toEqual({ role: 'assistant', content: text });
    },
  );

  const call = '{"name": "f", "parameters": {"n": 1}}';
  const list = '[{"name": "f", "arguments": {"n": 1}}, {"name": "f", "arguments": "{\\"n\\": 2}"}]';

  it.each([
    [samples.noMarker, 'I will. ', call, [['f', { n: 1 }]]],
    [samples.noMarker, 'Like {"a": 1}? ', `${call}\n<over>\n`, [['f', { n: 1 }]]],
    [samples.noMarker, `Not ${call}, but `, call, [['f', { n: 1 }]]],
    [
      samples.noMarkerList,
      'So [1, 2] it is: ',
      `${list} `,
      [
        ['f', { n: 1 }],
        ['f', { n: 2 }],
      ],
    ],
  ])('reads calls after text, up to the end of the turn: %#', (format, content, calls, expected) => {
    expect(inputs(format, content + calls)).toEqual(expected);
    expect(read(format, content + calls).content).toBe(content);
  });

  it.each([
    [samples.noMarker, `It would be ${call} then.`],
    [samples.noMarker, 'It would be {"name": "stranger", "parameters": {}}'],
    [samples.noMarker, 'It would be {"name": "f", "parameters": {"n": 1}'],
    [samples.noMarker, 'It would be {"name": "f", "parameters": [1]}'],
    [samples.noMarkerList, `It would be ${list}]`],
    [samples.noMarkerList, 'It would be [{"name": "f", "arguments": {}}, {"name": "g", "arguments": {}}]'],
  ])('what is not all calls up to the end stays text: %#', (format, text) => {
    const { possible_calls: told = [], ...message } = read(format, text);
    expect(message).toEqual({ role: 'assistant', content: text });
    expect(told.map(({ toolName }) => toolName)).toEqual(text.includes('stranger') ? [] : ['f']);
  });

  it('a text of braces costs the same per brace however many there are', () => {
    const cost = (count: number) => {
      const parser = createResponseParser(samples.noMarker, { tools: exampleTools });
      parser.feed('So: ');
      const start = process.cpuUsage();
      for (let index = 0; index < count; index++) parser.feed('{"name": "f", "parameters": {"d": ');
      parser.finish();
      // Which of the two a short stretch counts as is for the system's clock to say.
      const { user, system } = process.cpuUsage(start);
      return (user + system) / count;
    };
    const best = (count: number) => Math.min(...[1, 2, 3, 4].map(() => cost(count)));
    // Some 1; what is quadratic is 16.
    expect(best(64_000) / best(4000)).toBeLessThan(8);
  });
});

describe('special tokens', () => {
  const specialTokens = ['<use>', '</use>', '<over>'];
  const call = '{"name": "f", "arguments": {"n": 1}}';

  it('takes spelled-out markers for text', () => {
    const parser = createResponseParser(samples.jsonInTags, { tools: exampleTools, specialTokens });
    parser.feed(`Write <use>${call}</use> like this: `);
    parser.feed([
      { text: '<use>', special: true },
      { text: `\n${call}\n` },
      { text: '</use>', special: true },
    ]);
    const { message } = parser.finish();
    expect(message.content).toBe(`Write <use>${call}</use> like this: `);
    expect(message.tool_calls).toHaveLength(1);
  });
});

describe('ids', () => {
  it('are the model’s own where it writes them', () => {
    const id = (format: ChatFormat, text: string) => read(format, text).tool_calls?.map((each) => each.id);
    expect(id(samples.bracketed, '[CALLS]f[ID]abc[ARGS]{}')).toEqual(['abc']);
    expect(id(samples.jsonArray, '[CALLS][{"name": "f", "arguments": {}, "id": "abc"}]')).toEqual(['abc']);
    expect(id(samples.composedIds, '<calls><call>tool.f:0<args>{}</call></calls>')).toEqual(['tool.f:0']);
    expect(id(samples.wrappedContent, '<act>[{"n": "0", "name": "f", "arguments": {}}]</act>')).toEqual([
      '0',
    ]);
    expect(id(samples.jsonInTags, '<use>\n{"name": "f", "arguments": {}}\n</use>')).toEqual(['call_0']);
  });

  it('stay what they were announced as', () => {
    const { events } = parsePieces(
      samples.jsonArray,
      '[CALLS][{"name": "f", "arguments": {}, "id": "abc"}]',
      [],
      { tools: exampleTools },
    );
    expect(events.find(({ type }) => type === 'tool-input-start')).toMatchObject({ id: 'call_0' });
    expect(events.find(({ type }) => type === 'tool-call')).toMatchObject({
      toolCallId: 'call_0',
      writtenId: 'abc',
    });
  });

  it('are in the message those that the model wrote, also in what is told of its calls', () => {
    const text = '[CALLS][{"name": "f", "arguments": {"a": 1, "a": 2}, "id": "abc"}]';
    const { events, message } = parsePieces(samples.jsonArray, text, [], { tools: exampleTools });
    expect(message.tool_calls).toMatchObject([{ id: 'abc' }]);
    expect(message.repaired).toMatchObject([{ law: 'duplicate-argument', toolCallId: 'abc' }]);
    expect(events.find(({ type }) => type === 'repaired')).toMatchObject({ toolCallId: 'call_0' });
  });
});

describe('the latest moment', () => {
  /** How many units had to be fed until the event came. */
  function fedUntil(format: ChatFormat, text: string, type: ResponseEvent['type']): number {
    const parser = createResponseParser(format, { tools: exampleTools });
    for (const [index, unit] of Array.from(text).entries()) {
      if (parser.feed(unit).some((event) => event.type === type)) return index + 1;
    }
    return -1;
  }

  it.each([
    ['text comes at once', samples.jsonInTags, 'Hi', 'text-delta', 1],
    ['text comes when it can be no marker', samples.jsonInTags, '<us there', 'text-delta', '<us '.length],
    [
      'a name comes with the mark after it',
      samples.jsonInTags,
      '<use>{"name": "f", ',
      'tool-input-start',
      '<use>{"name": "f"'.length,
    ],
    [
      'arguments come once their first key is none that wraps them',
      samples.jsonInTags,
      // A key that may become `name` may be that of a call in its own arguments.
      '<use>{"name": "f", "arguments": {"n":',
      'tool-input-delta',
      '<use>{"name": "f", "arguments": {"n"'.length,
    ],
    [
      'a call comes with its last brace',
      samples.jsonInTags,
      '<use>{"name": "f", "arguments": {}}  ',
      'tool-call',
      '<use>{"name": "f", "arguments": {}}'.length,
    ],
    [
      'a call whose last value is no text, so that it quotes nothing, comes with the marker after that',
      samples.tagged,
      '<use>\n<fn=f>\n<arg=n>\n5\n</arg>\n</fn>\n</use>',
      'tool-call',
      '<use>\n<fn=f>\n<arg=n>\n5\n</arg>\n</fn>'.length,
    ],
    [
      'a call whose last value is text comes when nothing more can be quoted in it',
      samples.tagged,
      '<use>\n<fn=f>\n<arg=s>\n5\n</arg>\n</fn>\n</use><over>',
      'tool-call',
      '<use>\n<fn=f>\n<arg=s>\n5\n</arg>\n</fn>\n</use><'.length,
    ],
  ] as const)('%s', (_title, format, text, type, length) => {
    expect(fedUntil(format, text, type)).toBe(length);
  });

  /** How many units were fed when the answer's text, of `length` units, was out. */
  function fedUntilSaid(format: ChatFormat, text: string, length: number): number {
    const parser = createResponseParser(format, { tools: exampleTools });
    for (let index = 0; index < text.length; index++) {
      const ends = parser.feed(text.charAt(index)).map((event) => ('delta' in event ? event.end : 0));
      if (Math.max(0, ...ends) >= length) return index + 1;
    }
    return -1;
  }

  it.each([
    ['a brace that begins no object comes with what follows it', 'a {b', 3],
    ['an object comes with its first key that no call has', 'a {"city": 5', 3],
    ['one that names no tool comes with that name', 'a {"name": "stranger"', 3],
    ['what could be a call comes with what follows it', 'a {"name": "f", "parameters": {}} t', 34],
    ['what is no JSON comes with what is wrong', 'a {"name": "f", "parameters": ?', 30],
  ])('after text without markers, %s', (_title, text, length) => {
    expect(fedUntilSaid(samples.noMarker, text, length)).toBe(text.length);
  });
});

it('a parser that is reset starts over', () => {
  const parser = createResponseParser(samples.jsonInTags, { generationPrompt: '<turn>bot\n<muse>\n' });
  const once = [...parser.feed('a\n</muse>\n\nb'), ...parser.finish().events];
  parser.reset();
  expect([...parser.feed('a\n</muse>\n\nb'), ...parser.finish().events]).toEqual(once);
});

it('a parser says where reading stands', () => {
  const parser = createResponseParser(samples.jsonInTags, { tools: exampleTools });
  expect(parser.position).toMatchObject({ region: 'between', callsOpenedAt: null, state: 'atTurnStart' });
  parser.feed('Hi.\n');
  expect(parser.position.region).toBe('text');
  parser.feed('<use>\n{"na');
  expect(parser.position).toMatchObject({ region: 'call', callsOpenedAt: 4, thinking: false });
  parser.feed('me": "f", "arguments": {}}\n</use>\n');
  expect(parser.position.region).toBe('between');
});
