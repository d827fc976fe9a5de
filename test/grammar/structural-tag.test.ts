/** How structural tags are put together; that XGrammar reads them as they are meant is a law (`test/laws`). */
import { describe, expect, it } from 'vitest';
import type { GrammarOptions } from '../../src/grammar/grammar-options.ts';
import { buildStructuralTag } from '../../src/grammar/structural-tag/build-structural-tag.ts';
import { shortText } from '../../src/grammar/structural-tag/short-text.ts';
import {
  characterClass,
  choice,
  literal,
  repeat,
  rule,
  sequence,
  until,
} from '../../src/language/expression/expression.ts';
import { createMatcher } from '../../src/language/matcher/matcher.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { lawTools } from '../support/law-tools.ts';
import { sampled } from '../support/sample.ts';
import { structuralTagMatcher } from '../support/xgrammar.ts';

const formats = generatedFormats().filter(({ format }) => format.calls !== null);

function tagOf(name: string, given: GrammarOptions) {
  const format = formats.find((each) => each.name === name)?.format;
  if (format === undefined) throw new RangeError(name);
  return buildStructuralTag(format, given);
}

const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] } as const;
const tools = [{ type: 'function', function: { name: 'get_weather', parameters } }] as const;

describe('a short text', () => {
  it.each(sampled(formats, 7))('is one of the calls of $name', ({ format }) => {
    const generationPrompt = format.turn.start + format.turn.prompt.off;
    const options = { tools: lawTools, toolChoice: 'required', generationPrompt } as const;
    const { expression } = buildStructuralTag(format, options);
    if (expression === null) throw new TypeError('calls are required');
    const text = shortText(rule(expression.root), expression);
    const matcher = createMatcher(expression);
    expect([text, matcher.accept(text ?? '') && matcher.complete]).toEqual([text, true]);
  });

  const item = rule('item');
  const rules = new Map([
    ['item', choice(sequence(literal('['), item, literal(']')), literal('value'))],
    ['endless', sequence(literal('('), rule('endless'))],
  ]);
  it.each([
    ['is found where a rule comes to itself', item, 'value'],
    ['is none where nothing ends', rule('endless'), null],
    ['repeats as often as it must', repeat(characterClass([0, 0x2f]), 2, 9), '  '],
    ['has nothing before a delimiter', until({ delimiter: '</x>', next: item }), '</x>value'],
    ['is none where all are long', repeat(literal('abcd'), 100_000), null],
  ])('%s', (_, expression, text) => {
    expect(shortText(expression, { root: 'item', rules })).toBe(text);
  });
});

describe.each(['glm-4.6', 'qwen3-coder', 'google-gemma-4-31b-it'])('the tag of %s', (name) => {
  it('holds each tool once, also where the model need not call', () => {
    const { tag } = tagOf(name, { tools: lawTools, toolChoice: 'auto' });
    expect(JSON.stringify(tag).split('create_event')).toHaveLength(2);
  });
});

describe('an id in a tag', () => {
  // A pattern with the characters and the length of an id.
  const pattern = '^[A-Za-z0-9_-]{1,64}$';
  const coded = { type: 'object', properties: { code: { type: 'string', pattern } }, required: ['code'] };
  const get = { type: 'function', function: { name: 'get', parameters: coded } } as const;
  const callWith = (code: number, id: number): string =>
    `[{"name": "get", "arguments": {"code": "${'c'.repeat(code)}"}, "id": "${'i'.repeat(id)}"}]`;

  it('may be long, as its limit costs a pass over the vocabulary for each character; the limit of a schema holds', async () => {
    const { tag, expression } = tagOf('cogito-3b', { tools: [get], toolChoice: 'required' });
    const accepts = await structuralTagMatcher(tag ?? {});
    const lengths = [
      [64, 1, true],
      [64, 64, true],
      [64, 300, true],
      [65, 1, false],
      [64, 0, false],
    ] as const;
    for (const [code, id, isAllowed] of lengths) {
      const text = callWith(code, id);
      expect([code, id, await accepts(text)]).toEqual([code, id, isAllowed]);
      if (expression === null) throw new TypeError('calls are required');
      const matcher = createMatcher(expression);
      expect(matcher.accept(text) && matcher.complete).toBe(isAllowed);
    }
  });
});

describe('an answer of a model whose calls have no marker', async () => {
  const { tag } = tagOf('meta-llama-llama-3.1-8b-instruct', { tools, toolChoice: 'auto' });
  const accepts = await structuralTagMatcher(tag ?? {});

  it.each([
    '',
    ' \n',
    '{"na',
    'For example: {"name": "Ann"}',
    '[{"name": "Ann"}]',
    '{\n  "users": [{"name": "Ann"}]}',
    '{"users": [{"name": "Ann"}]}',
    '{"number": 3, "name": "Ann"}',
    ' {"name": "get_weather", "parameters": {"city": "Bern"}}',
  ])('may be %j', async (text) => expect(await accepts(text)).toBe(true));

  it.each(['{"name": "Ann"}', '\n{"name": "', '{"number": [{"name": "Ann"}]}'])(
    'may not be %j',
    async (text) => expect(await accepts(text)).toBe(false),
  );
});
