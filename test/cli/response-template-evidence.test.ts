/** A model's response template, or its older response schema, next to the format of its chat template. */
import { expect, it } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { compareWithReader, readerOfConfig } from '../../src/cli/response-template-evidence.ts';
import type { JsonObject } from '../../src/format/messages.ts';
import { toResponseTemplate } from '../../src/response-template/from-format/to-response-template.ts';
import { llamaTemplate, llamaTemplates } from '../support/corpora.ts';
import { sampled } from '../support/sample.ts';

function readerOf(template: unknown) {
  return { kind: 'template', value: JSON.parse(JSON.stringify(template)) } as const;
}

it('a response template agrees where it was made from that format', async () => {
  let compared = 0;
  for (const { name, source } of sampled(await llamaTemplates(), 6)) {
    const { format } = analyzeTemplate(source, { eosToken: '</s>' });
    const { template, unsupported } = toResponseTemplate(format);
    if (template === null || unsupported.length > 0) continue;
    compared += 1;
    const { warnings, evidence } = compareWithReader(format, readerOf(template));
    expect([name, warnings]).toEqual([name, []]);
    if (format.calls !== null)
      expect([name, evidence.map(({ field }) => field)]).toEqual([name, expect.arrayContaining(['calls'])]);
  }
  expect(compared).toBeGreaterThan(4);
});

it('a response template is told to contradict the format where it is another model’s', async () => {
  const formatOf = async (name: string) => analyzeTemplate((await llamaTemplate(name)).source).format;
  const other = toResponseTemplate(await formatOf('google-gemma-4-31B-it')).template;
  const { warnings, evidence } = compareWithReader(await formatOf('Qwen-Qwen3-0.6B'), readerOf(other));
  expect(evidence).toEqual([]);
  expect(warnings.map(({ field, kind }) => `${kind} ${field}`)).toEqual([
    'model content',
    'model reasoning',
    'model calls',
  ]);
});

/** As models' tokenizer configs have it: the regions of the whole response, then each call. */
const schemaOf = (regions: string, iterator: string, called: JsonObject): JsonObject => ({
  type: 'object',
  'x-regex': regions,
  properties: {
    role: { const: 'assistant' },
    ...(regions.includes('thinking') ? { thinking: { type: 'string' } } : {}),
    content: { type: 'string' },
    tool_calls: {
      type: 'array',
      'x-regex-iterator': iterator,
      items: { type: 'object', properties: { type: { const: 'function' }, function: called } },
    },
  },
});
const named = (name: string, keyed: string): JsonObject => ({
  type: 'object',
  properties: {
    name: { type: 'string', 'x-regex': name },
    arguments: {
      type: 'object',
      'x-regex-key-value': keyed,
      additionalProperties: { 'x-parser': 'json', 'x-parser-args': { allow_non_json: true } },
    },
  },
});
const thinks = String.raw`^(?:<think>\n?(?P<thinking>.*?)\n?</think>\s*)?`;
const rest = String.raw`(?P<content>.*?)\s*(?P<tool_calls><tool_call>.*)?$`;
const json: JsonObject = {
  type: 'object',
  'x-parser': 'json',
  properties: { name: { type: 'string' }, arguments: { type: 'object', additionalProperties: {} } },
};
const schemas = {
  'Qwen-Qwen3-0.6B': schemaOf(thinks + rest, String.raw`<tool_call>\s*(.+?)\s*</tool_call>`, json),
  'Qwen3-Coder': schemaOf(
    rest.replace('(?P<content>', '^(?P<content>'),
    String.raw`<tool_call>\s*(.+?)\s*</tool_call>`,
    named(
      String.raw`<function=([^\n>]+)>`,
      String.raw`<parameter=(?P<key>[^>\n]+)>\n(?P<value>.*?)\n</parameter>`,
    ),
  ),
  'google-gemma-4-31B-it': schemaOf(
    String.raw`^(?:<\|channel>thought\n(?P<thinking>.*?)<channel\|>)?(?P<tool_calls>(?:<\|tool_call>.*?<tool_call\|>)*)(?P<content>.*?)(?:<\|tool_response>|<turn\|>)?$`,
    String.raw`<\|tool_call>(.*?)<tool_call\|>`,
    {
      type: 'object',
      'x-regex': String.raw`call:(?P<name>\w+)(?P<arguments>\{.*\})`,
      properties: {
        name: { type: 'string' },
        arguments: { type: 'object', 'x-parser': 'gemma4-tool-call', additionalProperties: {} },
      },
    },
  ),
} as const;

it.each(Object.entries(schemas))('a response schema of %s agrees', async (name, value) => {
  const { format } = analyzeTemplate((await llamaTemplate(name)).source);
  const reader = readerOfConfig(JSON.parse(JSON.stringify({ response_schema: value })));
  const { warnings, evidence } = compareWithReader(format, reader ?? readerOf({}));
  expect(warnings).toEqual([]);
  expect(evidence.map(({ field }) => field)).toContain('calls');
});

it.each([
  // The calls are no JSON, and this template shows no thoughts.
  ['Qwen3-Coder', 'Qwen-Qwen3-0.6B', ['calls', 'reasoning']],
  ['google-gemma-4-31B-it', 'Qwen3-Coder', ['content', 'calls', 'reasoning']],
] as const)("%s contradicts %s's schema", async (name, other, expected) => {
  const { format } = analyzeTemplate((await llamaTemplate(name)).source);
  const { warnings } = compareWithReader(format, { kind: 'schema', value: schemas[other] });
  expect(warnings.map(({ field }) => field).sort()).toEqual([...expected].sort());
});

it('the evidence tells of parts that only the schema knows, and of a schema that it cannot read', async () => {
  const { format } = analyzeTemplate(
    '{% for m in messages %}<|{{ m.role }}|>{{ m.content }}<|end|>{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}',
  );
  const { warnings } = compareWithReader(format, {
    kind: 'schema',
    value: { ...schemas['Qwen-Qwen3-0.6B'], 'x-regex': String.raw`^(?P<content>.*?)(?:<\|end\|>)?$` },
  });
  expect(warnings.map(({ field }) => field)).toEqual(['reasoning', 'calls']);
  const unknown = { type: 'object', properties: { content: { 'x-grammar': 'a' } } } as const;
  const told = compareWithReader(format, { kind: 'schema', value: unknown }).warnings;
  expect(told).toMatchObject([{ kind: 'model', message: expect.stringContaining('x-grammar') }]);
});
