/** A value that ends in part of its closer reaches no tool, whatever its type and however the text arrives. */
import { expect, it } from 'vitest';
import { responseModule } from '../../generated/kimi-k3/index.ts';
import type { Tool } from '../../src/format/messages.ts';
import { everyPosition, parsePieces } from '../support/parse-pieces.ts';

const types = ['string', 'array', 'object', 'number', 'boolean'] as const;
const values = {
  string: 'two words',
  array: '[1, {"a": "b"}]',
  object: '{"a": [1]}',
  number: '17',
  boolean: 'true',
};
const [first, word, last] = ['<|close|>', 'argument', '<|sep|>'];
const whole = first + word + last;
const damaged = [word + last, first + last, `<|cl${word}${last}`, `<|cl" type="ose|>${word}${last}`];

const tool: Tool = {
  type: 'function',
  function: {
    name: 'note',
    parameters: { type: 'object', properties: Object.fromEntries(types.map((type) => [type, { type }])) },
  },
};

function turn(type: keyof typeof values, closer: string): string {
  const argument = (key: keyof typeof values, end: string) =>
    `<|open|>argument key="${key}" type="${key}"<|sep|>${values[key]}${end}`;
  const next = type === 'string' ? 'number' : 'string';
  return `<|open|>tools<|sep|><|open|>call tool="note" index="1"<|sep|>${argument(type, closer)}${argument(next, whole)}<|close|>call<|sep|><|open|>call tool="note" index="2"<|sep|>${argument('string', whole)}<|close|>call<|sep|><|close|>tools<|sep|>`;
}

it.each(types.flatMap((type) => damaged.map((end) => [type, end] as const)))(
  'a value of type %s is broken if it ends in %s',
  (type, end) => {
    const text = turn(type, end);
    const options = { tools: [tool] };
    const atOnce = parsePieces(responseModule, text, [], options);
    for (const call of atOnce.message.tool_calls ?? [])
      expect(call.function.arguments).not.toMatch(/<\||argument/);
    for (const cut of everyPosition(text))
      expect(parsePieces(responseModule, text, [cut], options), `cut at ${cut}`).toEqual(atOnce);
    expect(parsePieces(responseModule, text, everyPosition(text), options)).toEqual(atOnce);
  },
);
