/** What a template demands of ids is part of the format, and what a grammar lets a model write is what it takes. */
import { describe, expect, it } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import type { Tool } from '../../src/format/messages.ts';
import { buildGrammar } from '../../src/grammar/build-grammar.ts';
import { createGbnfMatcher } from '../../src/language/gbnf/gbnf-expression.ts';

const tool: Tool = { type: 'function', function: { name: 'look_up', parameters: { type: 'object' } } };

const templateThat = (refuses: string): string => `{% for m in messages %}<|turn|>{{ m.role }}
{{ m.content }}{% for c in m.tool_calls or [] %}
{%- if ${refuses} %}{{ raise_exception("what an id") }}{% endif -%}
<call>{{ c.id }}:{{ c.function.name }}{{ c.function.arguments | tojson }}</call>{% endfor %}<|end|>
{% endfor %}{% if add_generation_prompt %}<|turn|>assistant
{% endif %}`;

describe('the length of an id', () => {
  it.each([
    ['c.id|length != 9', 9],
    ['c.id|length < 9', undefined],
    ['c.id|length > 9', undefined],
    ['false', undefined],
  ])('where a template refuses %s is %s', (refuses, length) => {
    const { format } = analyzeTemplate(templateThat(refuses));
    expect(format.calls?.id).toEqual({ style: 'free', position: 'before-name', ...(length && { length }) });
    const { grammar } = buildGrammar(format, { tools: [tool], toolChoice: 'required' });
    const accepts = (id: string) => {
      const matcher = createGbnfMatcher(grammar ?? '');
      return matcher.accept(`<call>${id}:look_up{}</call>`);
    };
    const accepted = ['a', 'abcd5678', 'abcd56789', 'abcd567890'].filter(accepts);
    expect(accepted).toEqual(length === 9 ? ['abcd56789'] : ['a', 'abcd5678', 'abcd56789', 'abcd567890']);
  });
});
