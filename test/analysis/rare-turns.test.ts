/** Turns whose regions meet in a way that usual ones do not. */
import { describe, expect, test } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { verifyTemplate } from '../../src/verify/verify-template.ts';

const json = '{{ call.function.arguments | tojson }}';
const name = '{{ call.function.name }}';
const content = '{{ message.content }}';
const thoughts = '{{ message.reasoning_content }}';
const eachCall = (call: string) => `{% for call in message.tool_calls or [] %}${call}{% endfor %}`;
const where = (condition: string, then: string, otherwise = '') =>
  `{% if ${condition} %}${then}{% else %}${otherwise}{% endif %}`;
const thinks = 'message.reasoning_content';
const speaks = 'message.content';
const calls = 'message.tool_calls';

/** A template whose assistant's turn is `turn`, begun by `start` and ended by `end`. */
function templateOf(turn: string, start = '<|assistant|>', end = '<|end|>', prompt = start): string {
  return [
    '{% for message in messages %}{% if message.role == "assistant" %}',
    `${start}${turn}${end}{% else %}<|{{ message.role }}|>{{ message.content }}<|end|>{% endif %}`,
    `{% endfor %}{% if add_generation_prompt %}${prompt}{% endif %}`,
  ].join('');
}

const turns: Readonly<Record<string, string>> = {
  'one closer for thoughts, answers, calls and values': templateOf(
    [
      where(thinks, `<|open|>think<|sep|>${thoughts}<|close|>`),
      where(speaks, `<|open|>say<|sep|>${content}<|close|>`),
      eachCall(
        `<|open|>call ${name}<|sep|>{% for key, value in call.function.arguments.items() %}<|open|>value {{ key }}:{{ "text" if value is string else "json" }}<|sep|>{{ value if value is string else value | tojson }}<|close|>{% endfor %}<|close|>`,
      ),
    ].join(''),
  ),
  'a bare closer where thoughts stand only beside calls': templateOf(
    where(`${thinks} and ${calls}`, `<think>${thoughts}</think>`, '</think>') +
      content +
      eachCall(`<call>${name} ${json}</call>`),
    '<|assistant|>',
    '<|end|>',
    '<|assistant|>{{ "<think>" if enable_thinking else "</think>" }}',
  ),
  'an answer beside calls in the place of thoughts': templateOf(
    where(
      calls,
      `<|think|>{{ message.reasoning_content or message.content }}<|/think|>${eachCall(`<|do|>${name} ${json}<|/do|>`)}`,
      `${where(thinks, `<|think|>${thoughts}<|/think|>`)}<|say|>${content}<|/say|>`,
    ),
  ),
  'answers in markers behind lines of thoughts, and both always there': templateOf(
    `<think>{{ "\\n" }}{{ message.reasoning_content or "" }}{{ "\\n" }}</think>{{ "\\n" }}<answer>{{ "\\n" }}${content}{{ "\\n" }}</answer>${eachCall(`{{ "\\n" }}<call>${name} ${json}</call>`)}`,
  ),
  'answers in markers right behind thoughts, and both always there': templateOf(
    `<think>{{ message.reasoning_content or "" }}</think><answer>${content}</answer>${eachCall(`<call>${name} ${json}</call>`)}`,
  ),
  'a marker of its own for no thoughts': templateOf(
    where(thinks, `<|deep|>${thoughts}<|answer|>`, '<|fast|>') +
      content +
      eachCall(`<call>${name} ${json}</call>`),
    '<|assistant|>',
    '<|end|>',
    '<|assistant|>{{ "<|deep|>" if enable_thinking else "<|fast|>" }}',
  ),
  'headers in which white space stands before the name of the tool': templateOf(
    [
      where(thinks, `<|start|>assistant<|channel|>think<|text|>${thoughts}<|end|>`),
      where(speaks, `<|start|>assistant<|channel|>say<|text|>${content}<|end|>`),
      eachCall(`<|start|>assistant<|channel|>tool ${name}<|text|>${json}<|call|>`),
    ].join(''),
    '',
    '',
    '<|start|>assistant',
  ).replace('{% else %}<|{{ message.role }}|>', '{% else %}<|start|>{{ message.role }}<|text|>'),
};

describe('laws', () => {
  test.each(Object.entries(turns))('%s', (_, source) => {
    const { breaches, rendered } = verifyTemplate(source);
    expect(breaches).toEqual([]);
    expect(rendered).toBeGreaterThan(30);
  });
});

test('calls among the thoughts, which stay open: read, and told of', () => {
  const source = templateOf(
    `<think>${where(thinks, thoughts)}${eachCall(`<|do|>${name} ${json}<|/do|>`)}${where(calls, '', `</think>${content}`)}`,
  );
  const { format, warnings } = analyzeTemplate(source);
  expect(format.reasoning).toMatchObject({ start: '<think>', end: '</think>' });
  expect(warnings.map(({ kind }) => kind)).toContain('self-check');
  // The format writes the closer that the template leaves out.
  const broken = new Set(verifyTemplate(source, { format }).breaches.map(({ law }) => law));
  expect([...broken]).toEqual(['exact']);
});
