/** Templates that are broken, hostile, or no chat at all: typed errors, and never a hang. */
import { describe, expect, test } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { AnalysisError, TemplateError, TemplateLimitError } from '../../src/format/errors.ts';

const chat = (body: string) =>
  `{% for m in messages %}<|{{ m.role }}|>{{ m.content }}${body}<|end|>{% endfor %}`;

describe('useless templates are refused with a typed error', () => {
  const cases = [
    ['an empty template', '', AnalysisError],
    ['plain text', 'Hello.', AnalysisError],
    ['bad syntax', '{% if %}', TemplateError],
    ['one that always raises', '{{ raise_exception("never") }}', AnalysisError],
    [
      'a classifier',
      '{% for m in messages %}{% if m.role == "user" %}{{ m.content }}{% endif %}{% endfor %}',
      AnalysisError,
    ],
    ['endless recursion', '{% macro f(x) %}{{ f(x) }}{% endmacro %}{{ f(1) }}', TemplateLimitError],
    [
      'too many steps',
      `{% for i in range(99999) %}{% for j in range(99) %}{% set x = j %}{% endfor %}{% endfor %}${chat('')}`,
      TemplateLimitError,
    ],
    ['an endless turn', chat('{{ "{[" * 30000 }}'), AnalysisError],
    [
      'content printed twice',
      '{% for m in messages %}{{ m.content }}{{ m.content }}{{ m }}{% endfor %}',
      AnalysisError,
    ],
    ['one with every sentinel', `qzx zxq xqz qxz zqx xzq${chat('')}`, AnalysisError],
  ] as const;
  test.each(cases)('%s', (_, source, error) => {
    expect(() => analyzeTemplate(source)).toThrow(error);
  });

  test("with the name that the caller gave, and the template's own reason", () => {
    expect(() => analyzeTemplate('{{ raise_exception("never") }}', { name: 'odd.jinja' })).toThrow(
      /odd\.jinja.*never/,
    );
  });
});

describe('awkward templates are read, and what is not understood is said', () => {
  test.each([
    ['hundreds of brackets', chat('{{ "{[" * 400 }}')],
    [
      'brackets around calls',
      chat(
        '{% for c in m.tool_calls %}{{ "{[" * 900 }}{{ c.function.name }}{{ c.function.arguments | tojson }}{% endfor %}',
      ),
    ],
    ['messages printed as data', '{% for m in messages %}<{{ m.role }}>{{ m }}</{{ m.role }}>{% endfor %}'],
    ['nothing but content', '{% for m in messages %}{{ m.content }}{% endfor %}'],
  ])('%s', (_, source) => {
    const { selfCheck, warnings } = analyzeTemplate(source);
    const differing = warnings.filter(({ message }) => message.endsWith('differs from the render'));
    expect(differing.length).toBe(selfCheck.compared - selfCheck.exact);
    for (const warning of differing) expect(warning.written).not.toBe(warning.rendered);
  });
});

describe('special tokens from outside', () => {
  const source =
    '{{ bos_token }}{% for m in messages %}[{{ m.role }}]{{ m.content }}{{ eos_token }}{% endfor %}';

  test('stand in the format as the caller spells them', () => {
    const { format } = analyzeTemplate(source, { bosToken: '<s>', eosToken: '</s>' });
    expect(format.turn.ends).toEqual(['</s>']);
    expect(format.stops).toEqual(['</s>']);
  });

  test('leave no end of turn after when they are not known', () => {
    const { format } = analyzeTemplate(source);
    expect(format.turn.ends).toEqual([]);
    expect(format.stops).toEqual([]);
  });
});
