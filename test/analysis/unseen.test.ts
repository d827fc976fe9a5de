/**
 * Templates that nobody has seen: every layout of calls in markers of every style. All laws hold for them. One run
 * tries a sixth: every layout in every wrapping, each in markers of one style.
 */
import { describe, expect, test } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { verifyTemplate } from '../../src/generate/verify/verify-template.ts';
import { sampled } from '../support/sample.ts';

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
  { name: 'headings', open: (word) => `### ${word}\n`, close: (word) => `\n### end ${word}\n` },
];

/** Jinja that renders `call` (its `function` in `f`) inside the markers of a call. */
interface CallLayout {
  readonly name: string;
  readonly body: (style: MarkerStyle) => string;
}

const text = '{{ value if value is string else value | tojson }}';
const eachEntry = (entry: string) => `{% for key, value in f.arguments.items() %}${entry}{% endfor %}`;

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
    name: 'name, JSON and id',
    body: (style) =>
      `{{ f.name }}${style.open('with')}{{ f.arguments | tojson }}${style.open('id')}{{ call.id }}`,
  },
  {
    name: 'indented JSON',
    body: () => `{\n  "name": "{{ f.name }}",\n  "arguments": {{ f.arguments | tojson(indent=2) }}\n}`,
  },
  { name: 'JSON in a string', body: () => `{{ f.name }} {{ f.arguments | tojson | tojson }}` },
  { name: 'a word between name and JSON', body: () => `{{ f.name }} code {{ f.arguments | tojson }}` },
  {
    name: 'a composed id and JSON',
    body: (style) => `f.{{ f.name }}:{{ loop.index0 }}${style.open('with')}{{ f.arguments | tojson }}`,
  },
  {
    name: 'a number, name and JSON',
    body: () => '{{ loop.index }}. {{ f.name }} {{ f.arguments | tojson }}',
  },
  {
    name: 'an element with the name of the tool around JSON',
    body: () => '<{{ f.name }}>\n{{ f.arguments | tojson }}\n</{{ f.name }}>',
  },
  {
    name: 'entries',
    body: (style) =>
      `{{ f.name }}${eachEntry(`${style.open('key')}{{ key }}${style.close('key')}${style.open('value')}${text}${style.close('value')}`)}`,
  },
  {
    name: 'elements with the names of tool and arguments',
    body: () => `<{{ f.name }}>${eachEntry(`<{{ key }}>${text}</{{ key }}>`)}</{{ f.name }}>`,
  },
  {
    name: 'a call with keywords',
    body: () =>
      '{{ f.name }}({% for key, value in f.arguments.items() %}{{ ", " if not loop.first else "" }}{{ key }}={{ value | tojson }}{% endfor %})',
  },
  { name: 'lines of JSON', body: () => `{{ f.name }}\n${eachEntry('{{ key }}: {{ value | tojson }}\n')}` },
  { name: 'lines of text', body: () => `{{ f.name }}\n${eachEntry(`- {{ key }}: ${text}\n`)}` },
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

function callsOf(open: string, body: string, close: string, separator: string): string {
  const call = `{% set f = call.function %}{% if not loop.first %}{{ "${separator}" }}{% endif %}${open}${body}${close}`;
  return `{% for call in message.tool_calls %}${call}{% endfor %}`;
}

function templateOf(style: MarkerStyle, layout: CallLayout, wrapping: Wrapping): string {
  const calls = callsOf(style.open('call'), layout.body(style), style.close('call'), wrapping.separator);
  const section = wrapping.section ? style.open('calls') + calls + style.close('calls') : calls;
  return turnsOf(style, section);
}

/** Calls without an end of their own: another one, the section or the turn ends them. */
const endless = [
  {
    name: 'a list in a section',
    calls: (style: MarkerStyle, layout: CallLayout) =>
      `${style.open('calls')}[${callsOf('', layout.body(style), '', ', ')}]${style.close('calls')}`,
  },
  {
    name: 'markers in front alone',
    calls: (style: MarkerStyle, layout: CallLayout) =>
      callsOf(style.open('call'), layout.body(style), '', ''),
  },
];

/** Calls in a list that is a value of one JSON object. */
const inObject = layouts.filter(({ name }) => name.startsWith('a JSON object') || name === 'indented JSON');

/** Calls that nothing but a line break separates; they show themselves where their names or arguments end. */
const lines = layouts.filter(({ name }) => !['entries', 'lines of JSON', 'lines of text'].includes(name));

function turnsOf(style: MarkerStyle, section: string): string {
  return [
    `{% for message in messages %}${style.open('turn')}{{ message.role }}{{ "\\n" }}`,
    `{% if message.reasoning_content %}${style.open('thought')}{{ message.reasoning_content }}${style.close('thought')}{% endif %}`,
    `{{ message.content }}{% if message.tool_calls %}${section}{% endif %}${style.close('turn')}{% endfor %}`,
    `{% if add_generation_prompt %}${style.open('turn')}assistant{{ "\\n" }}{% endif %}`,
  ].join('');
}

describe.each(styles)('markers of $name', (style) => {
  const inOneStyle = <T>(cases: readonly T[]) => sampled(cases, styles.length, styles.indexOf(style));
  const cases = layouts.flatMap((layout) => wrappings.map((wrapping) => ({ layout, wrapping })));
  test.each(inOneStyle(cases))('calls as $layout.name, $wrapping.name', ({ layout, wrapping }) => {
    const source = templateOf(style, layout, wrapping);
    const { format, selfCheck, warnings } = analyzeTemplate(source);
    expect(warnings.filter((warning) => warning.kind === 'self-check')).toEqual([]);
    expect(selfCheck.exact).toBe(selfCheck.compared);
    expect(selfCheck.compared).toBeGreaterThan(15);
    expect(format.turn.start).toBe(`${style.open('turn')}assistant\n`);
    expect(format.turn.ends[0]?.trim()).toBe(style.close('turn').trim());
    expect(format.reasoning?.start).toBe(style.open('thought'));
    expect(format.reasoning?.end).toBe(style.close('thought'));
    expect(format.calls?.parallel).toBe(true);
    expect(format.calls?.section.open.trimStart().startsWith(style.open('calls').trim())).toBe(
      wrapping.section,
    );
    expect(verifyTemplate(source, { format }).breaches).toEqual([]);
  });

  const bare = layouts.flatMap((layout) => endless.map((each) => ({ layout, ...each })));
  test.each(inOneStyle(bare))('calls as $layout.name, $name', ({ layout, name, calls }) => {
    const { breaches } = verifyTemplate(turnsOf(style, calls(style, layout)));
    // Where nothing ends a call, and its strings are raw, a quoted call looks like the next one.
    const known =
      layout.name.startsWith('elements') && name === 'markers in front alone' ? ['quotation'] : [];
    expect(breaches.filter(({ law }) => !known.includes(law))).toEqual([]);
  });

  test.each(inOneStyle(inObject))('calls as $name, in a list in an object', (layout) => {
    const calls = `{"calls": [${callsOf('', layout.body(style), '', ', ')}]}`;
    const source = turnsOf(style, style.open('calls') + calls + style.close('calls'));
    expect(verifyTemplate(source).breaches).toEqual([]);
  });

  test('calls before an answer in markers of its own', () => {
    const calls = callsOf(style.open('call'), layouts[0]?.body(style) ?? '', style.close('call'), '');
    const answer = `{% if message.content %}${style.open('say')}{{ message.content }}${style.close('say')}{% endif %}`;
    const source = turnsOf(style, calls)
      .replace('{{ message.content }}{% if', '{% if')
      .replace(
        `{% endif %}${style.close('turn')}`,
        `{% endif %}{% if message.role == "assistant" %}${answer}{% else %}{{ message.content }}{% endif %}${style.close('turn')}`,
      );
    expect(verifyTemplate(source).breaches).toEqual([]);
  });

  test('thought, action and answer, each in front of its text', () => {
    const [thought, call, answer] = ['thought', 'call', 'answer'].map((word) => style.open(word));
    const source = [
      `{% for m in messages %}${style.open('turn')}{{ m.role }}{{ "\\n" }}{% if m.role == "assistant" %}`,
      `{% if m.reasoning_content %}${thought}{{ m.reasoning_content }}{{ "\\n" }}{% endif %}`,
      `{% for c in m.tool_calls %}${call}{{ c.function.name }}{{ "\\n" }}{{ c.function.arguments | tojson }}{{ "\\n" }}`,
      `{% else %}${answer}{{ m.content }}{% endfor %}{% else %}{{ m.content }}{% endif %}${style.close('turn')}`,
      `{% endfor %}{% if add_generation_prompt %}${style.open('turn')}assistant{{ "\\n" }}{% endif %}`,
    ].join('');
    expect(verifyTemplate(source).breaches).toEqual([]);
  });

  test.each(inOneStyle(lines))('calls as $name, lines of a section', (layout) => {
    const calls = `{{ "\\n" }}${callsOf('', layout.body(style), '', '\\n')}{{ "\\n" }}`;
    const source = turnsOf(style, style.open('calls') + calls + style.close('calls'));
    expect(verifyTemplate(source).breaches).toEqual([]);
  });
});
