/** A render in steps is the render at once, and gives way often enough. */
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import type { InputShape } from '../../src/format/chat-format.ts';
import { IdiolectError, TemplateLimitError } from '../../src/format/errors.ts';
import { parseExactJson } from '../../src/format/exact-json.ts';
import type { Message } from '../../src/format/messages.ts';
import type { Steps } from '../../src/language/expression/steps.ts';
import { readArguments } from '../../src/template/prompt/input-shape.ts';
import { renderPrompt } from '../../src/template/prompt/render-prompt.ts';
import { parseTemplate } from '../../src/template/template.ts';
import { importSteps, importValue } from '../../src/template/values/input.ts';
import { plainSchema, plainSchemaSteps } from '../../src/tools/plain-schema.ts';
import { allTemplates, type CorpusTemplate } from '../support/corpora.ts';

let corpus: CorpusTemplate[] = [];
beforeAll(async () => {
  corpus = await allTemplates();
}, 60_000);

/** The result, and how many steps there were before it. */
function counted<Result>(steps: Steps<Result>): { readonly result: Result; readonly steps: number } {
  for (let count = 0; ; count += 1) {
    const next = steps.next();
    if (next.done === true) return { result: next.value, steps: count };
  }
}

function attempt<Result>(work: () => Result): Result | { readonly error: string } {
  try {
    return work();
  } catch (error) {
    if (error instanceof IdiolectError) return { error: `${error.name}: ${error.message}` };
    throw error;
  }
}

const call = { id: 'call00001', type: 'function', function: { name: 'f', arguments: { a: 'Bern' } } };
const turn = (index: number) => [
  { role: 'user', content: `How warm is it in city ${index}?` },
  { role: 'assistant', content: '', reasoning_content: 'Hm.', tool_calls: [call] },
  { role: 'tool', tool_call_id: call.id, name: 'f', content: `${index} degrees` },
  { role: 'assistant', content: `It is ${index} degrees.` },
];
const tool = (index: number) => ({
  type: 'function',
  function: {
    name: `f${index}`,
    description: 'about',
    parameters: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
  },
});
const conversation = (turns: number, tools: number) => ({
  messages: Array.from({ length: turns }, (_, index) => turn(index)).flat(),
  tools: Array.from({ length: tools }, (_, index) => tool(index)),
  bos_token: '<s>',
  eos_token: '</s>',
  add_generation_prompt: true,
});
const now = new Date(2026, 0, 1);

it('every template writes the same in steps, or fails in the same way', () => {
  const variables = [conversation(1, 1), conversation(60, 30)];
  for (const { source, name } of corpus) {
    const template = attempt(() => parseTemplate(source, { name }));
    if ('error' in template) continue;
    for (const given of variables) {
      const whole = attempt(() => template.renderSpans(given, { now }));
      expect(attempt(() => counted(template.renderSpansSteps(given, { now })).result)).toEqual(whole);
      const text = attempt(() => template.render(given, { now }));
      expect(attempt(() => counted(template.renderSteps(given, { now })).result)).toEqual(text);
    }
  }
}, 120_000);

describe('statements in steps', () => {
  const written = (source: string, variables = {}) => {
    const template = parseTemplate(source);
    const { result } = counted(template.renderSteps(variables));
    expect(result).toBe(template.render(variables));
    return result;
  };

  it.each([
    ['{% for i in range(9) %}{% if i == 2 %}{% continue %}{% endif %}{{ i }}{% endfor %}', '01345678'],
    ['{% for i in range(9) %}{% if i == 2 %}{% break %}{% endif %}{{ i }}{% endfor %}', '01'],
    ['{% for i in [] %}{{ i }}{% else %}none{% endfor %}', 'none'],
    [
      '{% for i in [1, 2] %}{% for j in "ab" %}{{ loop.index }}{{ j }}{% break %}{% endfor %}{{ i }}{% endfor %}',
      '1a11a2',
    ],
    ['{% for x in [1, [2, [3]]] recursive %}{{ x if x is number else loop(x) }}{% endfor %}', '123'],
    ['{% with a = 1 %}{% if a %}{{ a }}{% endif %}{% endwith %}{{ a is defined }}', '1False'],
    [
      '{% macro f(n) %}{% for i in range(n) %}{{ i }}{{ f(i) }}{% endfor %}{% endmacro %}{{ f(3) }}{{ f(1) | upper }}',
      '01020100',
    ],
    ['{% macro f() %}{{ caller() }}!{% endmacro %}{% call f() %}a{% endcall %}{{ f(caller=1) if 0 }}', 'a!'],
    ['{% set x %}{% for i in "ab" %}{{ i }}{% endfor %}{% endset %}{{ x }}{{ x }}', 'abab'],
    ['{{ "a" ~ [1, {"b": none}] | tojson + "c" }}{{ (1 | tojson) ~ (2 + 3) }}', 'a[1, {"b": null}]c15'],
    [
      '{{ {"b": 1, "a": [true]} | tojson(indent=2, sort_keys=true) if 1 else 2 }}',
      '{\n  "a": [\n    true\n  ],\n  "b": 1\n}',
    ],
    ['{{ [] | tojson if 0 else {} | tojson }}{{ ("ü" | tojson(ensure_ascii=true)) }}', '{}"\\u00fc"'],
    ['{% set n = namespace(s=0) %}{% for i in range(4) %}{% set n.s = n.s + i %}{% endfor %}{{ n.s }}', '6'],
  ])('%s', (source, text) => {
    expect(written(source)).toBe(text);
  });

  it('give way in proportion to their work', () => {
    const template = parseTemplate('{% for m in messages %}{{ m.role + m.content }}{% endfor %}');
    const stepsOf = (turns: number) =>
      counted(template.renderSpansSteps({ messages: conversation(turns, 0).messages })).steps;
    expect(stepsOf(20_000)).toBeGreaterThan(8 * stepsOf(2_000));
    expect(stepsOf(2_000)).toBeGreaterThan(4);
  });

  it('give way within macros', () => {
    const source =
      '{% macro one(m) %}{{ m.role + m.content }}{% endmacro %}{% macro all(l) %}{% for m in l %}{{ one(m) }}{% endfor %}{% endmacro %}{{ all(messages) }}';
    const { messages } = conversation(5_000, 0);
    const { result, steps } = counted(parseTemplate(source).renderSpansSteps({ messages }));
    expect(result).toEqual(parseTemplate(source).renderSpans({ messages }));
    expect(steps).toBeGreaterThan(20);
  });

  it('give way within JSON', () => {
    const template = parseTemplate('{% for tool in tools %}{{ tool | tojson + "." }}{% endfor %}');
    const tools = [{ anyOf: Array.from({ length: 20_000 }, (_, index) => ({ const: index })) }];
    const { result, steps } = counted(template.renderSpansSteps({ tools }));
    expect(result).toEqual(template.renderSpans({ tools }));
    // As many again are those that copy the tools.
    expect(steps).toBeGreaterThan(counted(importSteps({ tools }, { note: null, traced: true })).steps + 3);
  });

  it('give way while arguments are read, which are those that are read at once', () => {
    const source =
      '{% for m in messages %}{% for c in m.tool_calls or [] %}{{ c.function.arguments | tojson }}{% endfor %}{% endfor %}';
    const calling = (length: number): readonly Message[] => {
      const input = `{"a":[${'1.0,'.repeat(length - 1)}2]}`;
      const asked: Message = { role: 'user', content: 'a' };
      const called = { id: 'a', type: 'function', function: { name: 'f', arguments: input } } as const;
      return [asked, { role: 'assistant', content: null, tool_calls: [called] }];
    };
    const read = (length: number) =>
      counted(readArguments(calling(length), { arguments: 'object' } as InputShape));
    expect(read(100_000).steps).toBeGreaterThan(15 + read(10_000).steps);
    const [[json, value] = []] = read(10).result;
    expect(value).toEqual(parseExactJson(String(json)));
    const prompt = renderPrompt(source, { messages: calling(3) });
    expect(prompt).toBe('{"a": [1.0, 1.0, 2]}');
  });

  it('give way within long texts', () => {
    const template = parseTemplate('{{ text | tojson }}{{ text | tojson(ensure_ascii=true) }}');
    const text = `"\n\\ü🌦\ud83c${'x'.repeat(262_138)}🌦\udf26`.repeat(3);
    const { result, steps } = counted(template.renderSpansSteps({ text }));
    expect(result).toEqual(template.renderSpans({ text }));
    expect(steps).toBeGreaterThan(6);
  });

  it('compile in proportion to their length', () => {
    const nested = (depth: number) => `{{ ${'('.repeat(depth)}x | tojson${' + "a")'.repeat(depth)} }}`;
    expect(written(nested(300), { x: 1 })).toBe(`1${'a'.repeat(300)}`);
  });

  it('of a macro that calls itself without end are refused', () => {
    const template = parseTemplate('{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}');
    expect(() => counted(template.renderSteps({}))).toThrow(TemplateLimitError);
  });
});

it('values are copied in steps as at once', () => {
  const json = fc.jsonValue({ maxDepth: 5 });
  fc.assert(
    fc.property(json, fc.boolean(), (value, traced) => {
      const many = { many: Array.from({ length: 2_500 }, () => 1), value, [JSON.stringify(value)]: [value] };
      const options = { note: null, traced };
      expect(counted(importSteps(many, options)).result).toEqual(importValue(many, '', options));
    }),
    { numRuns: 30 },
  );
});

it('schemas are measured in steps, and are then known', () => {
  const values = Array.from({ length: 60_000 }, (_, index) => ({ const: index }));
  const schema = { anyOf: values };
  const { result, steps } = counted(plainSchemaSteps(schema, 'f'));
  expect(result).toBe(schema);
  expect(steps).toBeGreaterThan(10);
  expect(counted(plainSchemaSteps(schema, 'f')).steps).toBe(0);
  expect(plainSchema(schema, 'f')).toBe(schema);
});
