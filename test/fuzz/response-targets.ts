/** Responses of models, read by a format and by a response template. */
import { isDeepStrictEqual } from 'node:util';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { parseWithResponseTemplate, type ResponseTemplate } from '../../src/index.ts';
import { writeResponse } from '../../src/layout/write-response.ts';
import { samples } from '../response-template/sample-templates.ts';
import { lawTools } from '../support/law-tools.ts';
import { everyPosition, parsePieces } from '../support/parse-pieces.ts';
import { sampleFormats } from '../support/sample-formats.ts';
import { type FuzzTarget, typed } from './fuzz-target.ts';
import { mutatedJson } from './mutated-json.ts';
import { mutatedText } from './mutated-text.ts';

const call = (name: string, args: object, index: number) =>
  ({
    id: `call0000${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(args) },
  }) as const;
const event = {
  title: 'T "1"',
  note: null,
  price: 1.5,
  tags: ['a', 'b'],
  options: { public: true, level: 2 },
};
const messages = [
  { role: 'assistant', content: 'Well, a < b.' },
  { role: 'assistant', content: '', tool_calls: [call('get_weather', { city: 'Oslo', days: 2 }, 0)] },
  {
    role: 'assistant',
    reasoning_content: 'Both of them.',
    content: 'Now.',
    tool_calls: [call('create_event', event, 0), call('list_files', {}, 1)],
  },
] as const;
const parts = [
  '{"',
  '"}',
  '\\u',
  '\\',
  '[',
  ']',
  "'",
  'get_weather',
  'null',
  '1e5',
  '\ud83d',
  '\n',
  '</',
  '<|',
];

const formats = new Map(sampleFormats);

/** A response, and the format whose name stands before it. */
function responseOf(input: string): {
  readonly name: string;
  readonly format: ChatFormat;
  readonly text: string;
} {
  const end = input.indexOf('\n');
  const name = input.slice(0, end);
  const format = formats.get(name);
  if (format === undefined) throw new RangeError(name);
  return { name, format, text: input.slice(end + 1) };
}

/** Responses behind the name of their format: nothing is thrown, and the cuts do not matter. */
export const parser: FuzzTarget = {
  seeds: sampleFormats.flatMap(([name, format]) =>
    messages.map((message) => `${name}\n${writeResponse(format, message)}`),
  ),
  near: (input) => {
    const { name, format, text } = responseOf(input);
    const markers = [...format.preservedTokens, ...format.stops];
    return mutatedText([text], [...parts, ...markers]).map((changed) => `${name}\n${changed}`);
  },
  attempt: (input) => {
    const { name, format, text } = responseOf(input);
    const whole = parsePieces(format, text, [], { tools: lawTools });
    for (const step of [1, 3]) {
      const cuts = everyPosition(text).filter((at) => at % step === 0);
      const cut = parsePieces(format, text, cuts, { tools: lawTools });
      if (!isDeepStrictEqual(whole, cut)) throw new Error(`${name}: the cut matters`);
    }
  },
};

const fieldKeys = [
  ...['open', 'close', 'open_pattern', 'close_pattern', 'content', 'repeats', 'transform', 'join', 'coerce'],
  ...[
    'lazy',
    'content_args',
    'parser',
    'fields',
    'pattern',
    'type',
    'function',
    'name',
    'optional',
    '__proto__',
  ],
];
const fieldLeaves = [
  ...[
    '<v>',
    '</v>',
    '',
    '(?P<n>a+)*b',
    '(.*)*',
    '(?:a|a)*$',
    '(?<=a)b',
    '[',
    '\\1',
    'json',
    'text',
    'xml-inline',
  ],
  ...['{content}', '{n}', 'a', '\n', 'string', '\ud800', true, false, null, 0, -1, 1e9, {}, []],
];
const replies = [
  `<v>${'a'.repeat(60)}b</v>{"name": "f", "arguments": {"a": [1, "b"]}}<v>`,
  ...samples.map(({ pieces }) => pieces.join('')),
];

/** Response templates, and what they make of some responses. */
export const responseTemplate: FuzzTarget = {
  seeds: samples.map(({ template }) => JSON.stringify(template)),
  near: (input) => mutatedJson([JSON.parse(input)], fieldKeys, fieldLeaves),
  attempt: async (input) => {
    const given: ResponseTemplate = JSON.parse(input);
    for (const reply of replies)
      await typed(() => parseWithResponseTemplate(given, reply, { prefix: '', tools: lawTools }));
  },
};
