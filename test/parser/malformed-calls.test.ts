/** What the parser says of calls that are broken, cut short, or not allowed. */
import { describe, expect, it } from 'vitest';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import { argumentValidator } from '../../src/grammar/argument-validator.ts';
import { exampleTools, inputs, read, tool } from '../support/example-calls.ts';
import { everyPosition, parsePieces } from '../support/parse-pieces.ts';
import * as samples from '../support/sample-formats.ts';

describe('malformed calls', () => {
  const good = '<use>\n{"name": "f", "arguments": {"n": 1}}\n</use>';

  it.each([
    ['<use>\n{"name": "f", "arguments": {"n": }}\n</use>', '}}\n'],
    ['<use>\n{"title": "f"}\n</use>', '{"title": "f"}\n'],
    ['<use>\n{"name": "f", "arguments": {"n": 1}}}\n</use>', '}\n'],
    ['<use>\n{"name": "f", "arguments": {"n": undefined}}\n</use>', 'undefined}}\n'],
  ])('%j is reported, and the next call is found', (text, raw) => {
    const { malformed, tool_calls } = read(samples.jsonInTags, `${text}\n${good}`);
    expect(malformed?.map((event) => event.raw)).toEqual([raw]);
    expect(tool_calls?.at(-1)?.function.arguments).toBe('{"n": 1}');
  });

  it('tells where a word in a JSON string stands that is no object', () => {
    const text = '<calls>[{"get_weather": "null"}]</calls>';
    const { events } = parsePieces(samples.nameAsKey, text, [], { tools: exampleTools, markers: true });
    const ends = events.map(({ end }) => end);
    expect(events.map(({ start }) => start)).toEqual([0, ...ends.slice(0, -1)]);
  });

  it('takes an opener with no call after it for text, and finds the next call', () => {
    const { content, malformed, tool_calls } = read(samples.jsonInTags, `Write <use> here.\n${good}`);
    expect(content).toBe('Write <use> here.');
    expect(malformed).toBeUndefined();
    expect(tool_calls).toHaveLength(1);
  });

  it('takes the same opener for text when it is a special token, and says so', () => {
    const pieces = [
      { text: '<use>', special: true },
      { text: ' here.', special: false },
    ];
    const parser = createResponseParser(samples.jsonInTags, {
      tools: exampleTools,
      specialTokens: ['<use>'],
    });
    parser.feed(pieces);
    const { content, malformed, repaired } = parser.finish().message;
    expect(content).toBe('<use> here.');
    expect(malformed).toBeUndefined();
    expect(repaired?.map(({ law }) => law)).toEqual(['quoted']);
  });

  it('goes on after a value without its end, wherever the text is cut', () => {
    const text = '<use>\n<fn=f>\n<arg=l>\n[1]\n<arg=n>\n1\n</arg>\n</fn>\n</use>';
    expect(inputs(samples.tagged, text)).toEqual([['f', { l: [1], n: 1 }]]);
    expect(parsePieces(samples.tagged, text, everyPosition(text), { tools: exampleTools })).toEqual(
      parsePieces(samples.tagged, text, [], { tools: exampleTools }),
    );
  });

  it.each(['"{\\"n\\": 1}"', '"{\\"n\\": 1} \\n"', '" {\\"n\\": 1}  "'])(
    'says the same of arguments in a string at every cut: %s',
    (json) => {
      const text = `<use>\n{"name": "f", "arguments": ${json}}\n</use>`;
      const whole = parsePieces(samples.jsonInTags, text, [], { tools: exampleTools, markers: true });
      expect(whole.message.tool_calls?.[0]?.function.arguments).toBe('{"n": 1}');
      for (const cut of everyPosition(text)) {
        expect(parsePieces(samples.jsonInTags, text, [cut], { tools: exampleTools, markers: true })).toEqual(
          whole,
        );
      }
    },
  );

  it.each([
    ["'a' b", 'a', ' b'],
    ["'it's a' b, 'c", "it's a", " b, 'c"],
    ["'' '' b", '', " '' b"],
    ['"a\\n" b', 'a\n', ' b'],
    [`'a' b)]</calls>${'x'.repeat(300)}`, 'a', ' b'],
  ])('a string in quotes, %j, ends at its first quote if no better one comes', (raw, value, rest) => {
    const text = `<calls>[f(s=${raw}`;
    const all = { tools: exampleTools, markers: true };
    const whole = parsePieces(samples.pythonic, text, [], all);
    const [broken] = whole.message.malformed ?? [];
    expect(JSON.parse(`${broken?.brokenCall?.input}}`)).toEqual({ s: value });
    expect(broken?.raw.trimStart().startsWith(rest.trimStart())).toBe(true);
    expect(whole.events.reduce((at, { start, end }) => (start === at ? end : -1), 0)).toBe(text.length);
    expect(parsePieces(samples.pythonic, text, everyPosition(text), all)).toEqual(whole);
  });

  it('marks a response that is cut short', () => {
    const { events, message } = parsePieces(
      samples.jsonInTags,
      '<use>\n{"name": "f", "arguments": {"s": "ab',
      [],
      {
        tools: exampleTools,
      },
    );
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'length' });
    expect(message.tool_calls).toBeUndefined();
    expect(message.malformed).toHaveLength(1);
    expect(message.malformed?.[0]?.brokenCall).toEqual({ toolName: 'f', input: '{"s": "ab' });
  });

  it('makes no call where no tool is offered', () => {
    expect(read(samples.jsonInTags, good, { tools: [] }).content).toBe(good);
  });

  it.each([
    [samples.jsonInTags, `${good}\n${good}`, '{"name": "f", "arguments": {"n": 1}}'],
    [
      samples.jsonArray,
      '[CALLS][{"name": "f", "arguments": {"n": 1}}, {"name": "f", "arguments": {"n": 2}}]',
      '{"name": "f", "arguments": {"n": 2}}',
    ],
    [samples.bracketed, '[CALLS]f[ID]a[ARGS]{"n": 1}[CALLS]f[ID]b[ARGS]{"n": 2}', 'f[ID]b[ARGS]{"n": 2}'],
    [
      samples.tagged,
      '<use>\n<fn=f>\n<arg=n>\n1\n</arg>\n</fn>\n</use>\n<use>\n<fn=f>\n</fn>\n</use>',
      'f>\n',
    ],
    [
      samples.channels,
      '|chan|side| to=tool.f|text|{"n": 1}|done||begin|bot|chan|side| to=tool.f|text|{"n": 2}|done|',
      '|chan|side| to=tool.f|text|{"n": 2}',
    ],
  ])(
    'makes only one where only one is allowed, and reports the text of the next: %#',
    (format, text, raw) => {
      const twice = read(format, text, { parallelToolCalls: false });
      expect(inputs(format, text)).toHaveLength(2);
      expect(twice.tool_calls).toHaveLength(1);
      expect(twice.content ?? '').toBe('');
      expect(twice.malformed?.map((event) => event.raw)).toEqual([raw]);
      expect(twice.malformed?.[0]?.reason).toContain('only one');
    },
  );

  it('refuses arguments that do not fit the schema, with all that is wrong with them', () => {
    const strict = [tool('f', { n: { type: 'integer' } }, ['n'])];
    const text = '<use>\n{"name": "f", "arguments": {"n": "x"}}\n</use>';
    const message = read(samples.jsonInTags, text, { tools: strict, validate: argumentValidator(strict) });
    expect(message.tool_calls).toBeUndefined();
    expect(message.malformed).toMatchObject([
      { toolCallId: 'call_0', brokenCall: { toolName: 'f', input: '{"n": "x"}' } },
    ]);
    expect(message.malformed?.[0]?.brokenCall?.problems).toEqual([expect.stringContaining('/n')]);
    expect(message.malformed?.[0]?.reason).toContain('/n');
  });

  it('says of a call that passes its check that it was validated, and nothing without a check', () => {
    const strict = [tool('f', { n: { type: 'integer' } }, ['n'])];
    const text = '<use>\n{"name": "f", "arguments": {"n": 1}}\n</use>';
    const checked = read(samples.jsonInTags, text, { tools: strict, validate: argumentValidator(strict) });
    expect(checked.tool_calls).toMatchObject([{ assurance: 'validated' }]);
    expect(read(samples.jsonInTags, text, { tools: strict }).tool_calls?.[0]).not.toHaveProperty('assurance');
  });

  it('checks no arguments where the tool has no schema, and says where its schema is none', () => {
    const parameters = { type: 'object', properties: { n: { $ref: '#/nowhere' } } };
    const validate = argumentValidator([{ name: 'any' }, { name: 'broken', parameters }]);
    expect(validate('any', { n: 1 })).toEqual([]);
    expect(validate('broken', { n: 1 })).toEqual([expect.stringContaining('"broken"')]);
    expect(validate('other', {})).toEqual([expect.stringContaining('"other"')]);
  });
});

describe('a tool that is not on offer', () => {
  const text = '<use>\n{"name": "g", "arguments": {"n": 1}}\n</use>';

  it('is never called, and reported once, whether arguments are checked or not', () => {
    for (const options of [
      {},
      { validate: argumentValidator(exampleTools) },
      { validate: () => ['never asked'] },
    ]) {
      const message = read(samples.jsonInTags, text, options);
      expect(message.tool_calls).toBeUndefined();
      expect(message.malformed).toMatchObject([
        { raw: '', toolCallId: 'call_0', brokenCall: { toolName: 'g', input: '{"n": 1}' } },
      ]);
      expect(message.malformed?.[0]?.reason).toContain('"g"');
    }
  });

  it('cannot be where nobody said what is on offer', () => {
    expect(read(samples.jsonInTags, text, { tools: undefined }).malformed).toBeUndefined();
  });
});
