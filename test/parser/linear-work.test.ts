/** Hostile responses cost the same per character however long they are, in one piece and in many. */
import { describe, expect, test } from 'vitest';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { countedWork } from '../support/counted-work.ts';
import { lawTools } from '../support/law-tools.ts';
import { everyPosition, parsePieces } from '../support/parse-pieces.ts';
import { sampled } from '../support/sample.ts';
import {
  bracketed,
  composedIds,
  jsonInTags,
  pairs,
  pythonic,
  sampleFormats,
  tagged,
} from '../support/sample-formats.ts';

/** A response made of a beginning and a part that is repeated. */
interface Hostile {
  readonly name: string;
  readonly format: ChatFormat;
  readonly begin: string;
  readonly repeated: string;
  /** Without tools, no types are known. */
  readonly untyped?: true;
}

const hostile: readonly Hostile[] = [
  {
    name: 'a list without end, its type unknown',
    format: pairs,
    begin: '<use>f\n<k>a</k>\n<v>',
    repeated: '[1, ',
    untyped: true,
  },
  {
    name: 'an object without end, its type unknown',
    format: tagged,
    begin: '<use>\n<fn=f>\n<arg=a>\n',
    repeated: '{"a": ',
    untyped: true,
  },
  { name: 'white space after a name', format: pairs, begin: '<use>get_weather', repeated: '\n  ' },
  { name: 'white space before a name', format: pairs, begin: '<use>', repeated: ' \n ' },
  {
    name: 'white space after what may end the turn',
    format: jsonInTags,
    begin: 'text',
    repeated: '<over>\n  \n',
  },
  { name: 'openers of calls', format: composedIds, begin: '<calls>', repeated: '<call>' },
  {
    name: 'calls with short names',
    format: bracketed,
    begin: '',
    repeated: '[CALLS]get_weather[ID]a[ARGS]{}',
  },
  {
    name: 'calls of entries',
    format: tagged,
    begin: '',
    repeated: '<use>\n<fn=get_weather>\n<arg=city>\nA\n</arg>\n</fn>\n</use>',
  },
  {
    name: 'calls of one id',
    format: composedIds,
    begin: '',
    repeated: '<calls><call>tool.get_weather:0<args>{"city": "A"',
  },
  { name: 'code fences where calls begin', format: jsonInTags, begin: '<use>', repeated: '```' },
  { name: 'first characters of markers', format: jsonInTags, begin: '', repeated: '<' },
  {
    name: 'quotes that end nothing',
    format: pythonic,
    begin: "<calls>[get_weather(city='",
    repeated: "a' b",
  },
  {
    name: 'the only value of a tool, without its key',
    format: jsonInTags,
    begin: '<get_weather>',
    repeated: 'xy z',
  },
  {
    name: 'JSON calls',
    format: jsonInTags,
    begin: '',
    repeated: '<use>\n{"name": "get_weather", "arguments": {"city": "A"}}\n</use>\n',
  },
];

function workOf({ format, begin, repeated, untyped }: Hostile, length: number, size: number): number {
  const text = begin + repeated.repeat(Math.ceil(length / repeated.length));
  return countedWork(
    () => {
      const parser = createResponseParser(format, untyped ? {} : { tools: lawTools });
      for (let at = 0; at < text.length; at += size) parser.feed(text.slice(at, at + size));
      parser.finish();
    },
    { keys: true },
  );
}

describe.each(hostile)('$name', (each) => {
  test.each([
    ['pieces of 7', 7],
    ['one piece', 100_000],
  ])('costs the same per character in %s', (_, size) => {
    // The first run compiles tables and fills caches.
    workOf(each, 100, size);
    const [short, long] = [workOf(each, 10_000, size), workOf(each, 40_000, size)];
    expect(long).toBeLessThan(5 * short);
  });
});

/** All texts in a format: its markers, and the words between them. */
function textsIn(part: unknown): readonly string[] {
  if (typeof part === 'string') return part === '' || part.length > 60 ? [] : [part];
  return typeof part === 'object' && part !== null ? Object.values(part).flatMap(textsIn) : [];
}

test.each(sampled(sampleFormats, 3))('%s takes any of its texts ten thousand times', (_, format) => {
  const texts = new Set([
    ...textsIn({ ...format, templateSha256: '' }),
    '```',
    '"',
    '{',
    '[',
    '\n',
    '(',
    '\\',
  ]);
  for (const opener of ['', ...sampled([...texts], 1)])
    for (const text of sampled([...texts], 12)) {
      const parser = createResponseParser(format, { tools: lawTools });
      parser.feed(opener + text.repeat(10_000));
      expect(parser.finish().message.role).toBe('assistant');
    }
});

test('an id is read alike in one piece and in several, at every length', () => {
  for (let length = 485; length <= 515; length++) {
    const text = `<calls><call>tool.get_weather:${'0'.repeat(length - 17)}<args>{"city": "A"}</call></calls>`;
    const whole = parsePieces(composedIds, text, [], { tools: lawTools });
    for (const size of [1, 2, 3, 5]) {
      const cuts = everyPosition(text).filter((at) => at % size === 0);
      const cut = parsePieces(composedIds, text, cuts, { tools: lawTools });
      expect([length, size, cut.message]).toEqual([length, size, whole.message]);
    }
    expect([length, whole.message.tool_calls?.length ?? 0]).toEqual([length, length <= 512 ? 1 : 0]);
  }
});
