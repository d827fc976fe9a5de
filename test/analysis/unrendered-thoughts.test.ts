/** Thoughts that a template takes in a form no probe has: what the format lacks is told of. */
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
])('%s', (condition) => {
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

test('a field of steps, which no text fills', () => {
  const source =
    '{% for m in messages %}<|{{ m.role }}|>{% for step in m.reasoning_steps or [] %}<step>{{ step }}</step>{% endfor %}{{ m.content }}<|end|>{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}';
  const { format, warnings } = analyzeTemplate(source);
  expect(format.reasoning).toBeNull();
  expect(warnings).toMatchObject([
    { field: 'reasoning', kind: 'assumed', message: expect.stringContaining('"reasoning_steps"') },
  ]);
});
