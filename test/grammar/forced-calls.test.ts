/** A call that is demanded is made, whatever answers have to look like. */
import { expect, it } from 'vitest';
import { buildGrammar } from '../../src/grammar/build-grammar.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { lawTools } from '../support/law-tools.ts';
import { sampled } from '../support/sample.ts';

const schema = {
  type: 'object',
  properties: { n: { type: 'integer', maximum: 5 } },
  required: ['n'],
} as const;
const responseFormat = { type: 'json_schema', json_schema: { schema } } as const;
const named = { type: 'function', function: { name: 'get_weather' } } as const;
const formats = generatedFormats().filter(({ format }) => format.calls !== null);

it.each(sampled(formats, 4))('a required call is the same with a response format: $name', ({ format }) => {
  for (const toolChoice of ['required', named] as const) {
    const request = { tools: lawTools, toolChoice, generationPrompt: format.turn.start };
    const { grammar, report } = buildGrammar(format, { ...request, responseFormat });
    const alone = buildGrammar(format, request);
    expect([grammar, report]).toEqual([alone.grammar, alone.report]);
  }
});
