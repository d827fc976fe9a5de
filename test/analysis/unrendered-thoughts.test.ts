/** Thoughts that no usual probe shows: in a form of their own, or only before a result. */
import { expect, test } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';

const template = (condition: string) =>
  `{% for m in messages %}<|{{ m.role }}|>{% if m.content is string %}{{ m.content }}{% else %}` +
  `{% for part in m.content.blocks %}{% if ${condition} %}<in>{{ part.text }}</in>{% else %}{{ part.text }}{% endif %}` +
  `{% endfor %}{% endif %}<|end|>{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}`;

test.each([
  ["part.type == 'thoughts'"],
  ["'thoughts' == part['type']"],
  ["part.type in ['image', 'thoughts']"],
  ["not (part.type != 'thoughts')"],
])('thoughts that are rendered where %s are not read, and a warning says so', (condition) => {
  const { format, warnings } = analyzeTemplate(template(condition));
  expect(format.reasoning).toBeNull();
  expect(warnings).toMatchObject([
    { field: 'reasoning', kind: 'assumed', message: expect.stringContaining('"thoughts"') },
  ]);
});

test.each([["part.type == 'image'"], ["part.role == 'thoughts'"]])(
  '%s says nothing of thoughts',
  (condition) => {
    expect(analyzeTemplate(template(condition)).warnings).toEqual([]);
  },
);

test('a field of steps, which no text fills, is told', () => {
  const source =
    '{% for m in messages %}<|{{ m.role }}|>{% for step in m.reasoning_steps or [] %}<step>{{ step }}</step>{% endfor %}{{ m.content }}<|end|>{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}';
  const { format, warnings } = analyzeTemplate(source);
  expect(format.reasoning).toBeNull();
  expect(warnings).toMatchObject([
    { field: 'reasoning', kind: 'assumed', message: expect.stringContaining('"reasoning_steps"') },
  ]);
});

/** Before a tool's result, and nowhere else: shown from a field, or dropped from an answer. */
const beforeResults = (turn: string) =>
  '{% if tools %}{{ tools | tojson }}{% endif %}{% for m in messages %}<|{{ m.role }}|>{% if m.role == "assistant" %}' +
  `{% set has_result = not loop.last and messages[loop.index0 + 1].role == "tool" %}${turn}` +
  '{% for c in m.tool_calls or [] %}<call>{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}</call>{% endfor %}' +
  '{% else %}{{ m.content }}{% endif %}<|end|>{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}';

test.each([
  [
    'shown',
    '{% if m.reasoning_content and has_result %}<muse>{{ m.reasoning_content }}</muse>{% endif %}{{ m.content or "" }}',
    { preserved: 'with-calls', basis: 'history' },
  ],
  [
    'dropped',
    '{{ (m.content or "").split("</muse>")[-1] if has_result else m.content or "" }}',
    { preserved: 'never', basis: 'verified' },
  ],
])('thoughts that are %s only before a result are read, without a warning', (_, turn, expected) => {
  const { format, warnings } = analyzeTemplate(beforeResults(turn));
  expect(format.reasoning).toMatchObject({ start: '<muse>', end: '</muse>', ...expected });
  expect(warnings).toEqual([]);
});
