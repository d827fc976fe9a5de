/** Templates that nobody has seen: every layout of calls in markers of every style. */
import { describe, expect, test } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';

/** Spells an opening and a closing marker for a word. */
interface MarkerStyle {
  readonly name: string;
  readonly open: (word: string) => string;
  readonly close: (word: string) => string;
}

const styles: readonly MarkerStyle[] = [
  { name: 'angle brackets', open: (word) => `<${word}>`, close: (word) => `</${word}>` },
  { name: 'special tokens', open: (word) => `<|${word}_begin|>`, close: (word) => `<|${word}_end|>` },
  {
    name: 'square brackets',
    open: (word) => `[${word.toUpperCase()}]`,
    close: (word) => `[/${word.toUpperCase()}]`,
  },
  { name: 'white brackets', open: (word) => `⟦${word}⟧`, close: (word) => `⟦/${word}⟧` },
  { name: 'words', open: (word) => `@${word}:`, close: (word) => `@end_${word};` },
];

/** Jinja that renders `call` (its `function` in `f`) inside the markers of a call. */
interface CallLayout {
  readonly name: string;
  readonly body: (style: MarkerStyle) => string;
}

const layouts: readonly CallLayout[] = [
  { name: 'a JSON object', body: () => `{"name": "{{ f.name }}", "arguments": {{ f.arguments | tojson }}}` },
  {
    name: 'a JSON object with id',
    body: () => `{"id": "{{ call.id }}", "tool": "{{ f.name }}", "with": {{ f.arguments | tojson }}}`,
  },
  { name: 'name and JSON', body: (style) => `{{ f.name }}${style.open('with')}{{ f.arguments | tojson }}` },
  {
    name: 'name, id and JSON',
    body: (style) =>
      `{{ f.name }}${style.open('id')}{{ call.id }}${style.open('with')}{{ f.arguments | tojson }}`,
  },
  {
    name: 'entries',
    body: (style) =>
      `{{ f.name }}{% for key, value in f.arguments.items() %}${style.open('key')}{{ key }}${style.close('key')}${style.open('value')}{{ value if value is string else value | tojson }}${style.close('value')}{% endfor %}`,
  },
];

interface Wrapping {
  readonly name: string;
  readonly section: boolean;
  readonly separator: string;
}

const wrappings: readonly Wrapping[] = [
  { name: 'each in its markers', section: false, separator: '' },
  { name: 'on lines of their own', section: false, separator: '\\n' },
  { name: 'in a section', section: true, separator: '' },
  { name: 'in a section, with commas', section: true, separator: ', ' },
];

function templateOf(style: MarkerStyle, layout: CallLayout, wrapping: Wrapping): string {
  const call = `{% set f = call.function %}{% if not loop.first %}{{ "${wrapping.separator}" }}{% endif %}${style.open('call')}${layout.body(style)}${style.close('call')}`;
  const calls = `{% for call in message.tool_calls %}${call}{% endfor %}`;
  const section = wrapping.section ? style.open('calls') + calls + style.close('calls') : calls;
  return [
    `{% for message in messages %}${style.open('turn')}{{ message.role }}{{ "\\n" }}`,
    `{% if message.reasoning_content %}${style.open('thought')}{{ message.reasoning_content }}${style.close('thought')}{% endif %}`,
    `{{ message.content }}{% if message.tool_calls %}${section}{% endif %}${style.close('turn')}{% endfor %}`,
    `{% if add_generation_prompt %}${style.open('turn')}assistant{{ "\\n" }}{% endif %}`,
  ].join('');
}

describe.each(styles)('markers of $name', (style) => {
  const cases = layouts.flatMap((layout) => wrappings.map((wrapping) => ({ layout, wrapping })));
  test.each(cases)('calls as $layout.name, $wrapping.name', ({ layout, wrapping }) => {
    const { format, selfCheck, warnings } = analyzeTemplate(templateOf(style, layout, wrapping));
    expect(warnings.filter((warning) => warning.kind === 'self-check')).toEqual([]);
    expect(selfCheck.exact).toBe(selfCheck.compared);
    expect(selfCheck.compared).toBeGreaterThan(15);
    expect(format.turn.start).toBe(`${style.open('turn')}assistant\n`);
    expect(format.turn.ends[0]).toBe(style.close('turn'));
    expect(format.reasoning?.start).toBe(style.open('thought'));
    expect(format.reasoning?.end).toBe(style.close('thought'));
    expect(format.calls?.parallel).toBe(true);
    expect(format.calls?.section.open.startsWith(style.open('calls'))).toBe(wrapping.section);
  });
});
