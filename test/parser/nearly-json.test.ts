/** Arguments that are nearly JSON: read and told, or refused. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import { writeResponse } from '../../src/layout/write-response.ts';
import type { ResponseMessage } from '../../src/parser/events.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { lawTools } from '../support/law-tools.ts';
import { jsonInTags } from '../support/sample-formats.ts';

/** The days are required, so that `null` for them is not left out. */
const weather = {
  type: 'object',
  properties: { city: { type: 'string' }, days: { type: 'integer' } },
  required: ['days'],
} as const;
const weatherTools = [{ type: 'function', function: { name: 'get_weather', parameters: weather } }] as const;

function read(
  text: string,
  leniency: 'lenient' | 'strict' = 'lenient',
  cuts: readonly number[] = [],
): ResponseMessage {
  const parser = createResponseParser(jsonInTags, { tools: weatherTools, leniency });
  let from = 0;
  for (const cut of [...cuts, text.length]) {
    parser.feed(text.slice(from, cut));
    from = cut;
  }
  return parser.finish('stop').message;
}

const callOf = (json: string) => `<use>\n{"name": "get_weather", "arguments": ${json}}\n</use>`;

const nearly: readonly (readonly [json: string, meant: unknown, detail: string])[] = [
  ['{"days": NaN}', { days: null }, 'NaN is read as null'],
  ['{"days": -Infinity}', { days: null }, '-Infinity is read as null'],
  ['{"days": 007}', { days: 7 }, '007 is read as 7'],
  ['{"days": None}', { days: null }, 'None is read as null'],
  ["{'days': 3}", { days: 3 }, 'strings are in single quotes'],
  ['{"days": 3,}', { days: 3 }, 'a comma follows the last item'],
  ['{"city": "a\nb"}', { city: 'a\nb' }, 'a string holds a control character without its escape \\n'],
  ['{"city": "\\x41"}', { city: 'A' }, '\\x41 is no escape of JSON'],
  ['"{\'days\': True}"', { days: true }, 'strings are in single quotes'],
];

describe.each(nearly)('%s', (json, meant, detail) => {
  it('is read, and told once, however it is cut', () => {
    const text = callOf(json);
    fc.assert(
      fc.property(fc.subarray([...text].map((_, index) => index)), (cuts) => {
        const { tool_calls: calls = [], repaired = [], malformed } = read(text, 'lenient', cuts);
        expect(calls.map(({ function: { arguments: input } }) => JSON.parse(input))).toEqual([meant]);
        expect(repaired.map(({ law, detail: told }) => [law, told])).toEqual([['json', detail]]);
        expect(malformed).toBeUndefined();
      }),
    );
  });

  it('is malformed where nothing is forgiven', () => {
    const { tool_calls: calls, repaired, malformed = [] } = read(callOf(json), 'strict');
    expect(calls).toBeUndefined();
    expect(repaired).toBeUndefined();
    expect(malformed).toHaveLength(1);
  });
});

it('the parser says nothing of JSON', () => {
  const json = '{"city": "é\\u00e9\\n\\/", "days": -1.5e-3, "a": [true, null, {}]}';
  for (const leniency of ['lenient', 'strict'] as const) {
    const { repaired, malformed, tool_calls: calls } = read(callOf(json), leniency);
    expect([repaired, malformed, calls?.length]).toEqual([undefined, undefined, 1]);
  }
});

describe.each(generatedFormats().filter(({ format }) => format.calls !== null))('$name', ({ format }) => {
  const call = {
    id: 'call00001',
    type: 'function',
    function: { name: 'get_weather', arguments: '{"city": "Oslo", "days": 3}' },
  } as const;
  const written = writeResponse(format, { role: 'assistant', content: null, tool_calls: [call] });

  it('loses no call of which only the opener was written', () => {
    const end = written.indexOf('get_weather');
    const parser = createResponseParser(format, { tools: lawTools });
    parser.feed(written.slice(0, end));
    const { events, message } = parser.finish('length');
    const said = (message.content ?? '').trim() !== '' || (message.reasoning_content ?? '').trim() !== '';
    expect(said || message.malformed !== undefined).toBe(true);
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'length' });
  });
});

describe.each(generatedFormats().filter(({ format }) => format.calls?.arguments.kind === 'entries'))(
  '$name, an entry per argument',
  ({ format }) => {
    const days = { type: 'object', properties: { days: { type: 'number' } }, required: ['days'] } as const;
    const tools = [{ type: 'function', function: { name: 'get_weather', parameters: days } }] as const;
    const call = (json: string) =>
      ({ id: 'call00001', type: 'function', function: { name: 'get_weather', arguments: json } }) as const;
    const written = writeResponse(format, {
      role: 'assistant',
      content: null,
      tool_calls: [call('{"days": 1234567}')],
    });
    const readWith = (value: string, leniency: 'lenient' | 'strict') => {
      const parser = createResponseParser(format, { tools, leniency });
      parser.feed(written.replace('1234567', value));
      return parser.finish('stop').message;
    };

    it.each([
      ['NaN', '{"days":null}'],
      ['-Infinity', '{"days":null}'],
      ['007', '{"days":7}'],
    ])('%s is told, and left as it is where nothing is forgiven', (value, meant) => {
      const { tool_calls: calls = [], repaired = [] } = readWith(value, 'lenient');
      expect(calls.map((each) => JSON.stringify(JSON.parse(each.function.arguments)))).toEqual([meant]);
      expect(repaired.filter(({ law }) => law === 'json')).toHaveLength(1);
      const { tool_calls: [strict] = [], malformed } = readWith(value, 'strict');
      const kept: unknown = strict && JSON.parse(strict.function.arguments).days;
      expect(malformed === undefined ? kept : value).toBe(value);
    });

    it('says nothing of numbers, in JSON or in Python', () => {
      for (const value of ['-1.5', '2e3', '1_000'])
        expect(readWith(value, 'lenient').repaired).toBeUndefined();
    });
  },
);
