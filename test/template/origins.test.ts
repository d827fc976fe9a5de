/**
 * Characters keep their origin through a render: what the template wrote and what it was given can be told apart
 * afterwards, whatever the template did with it.
 */
import fs from 'node:fs';
import { describe, expect, it } from 'vitest';
import { TemplateError } from '../../src/format/errors.ts';
import type { Message } from '../../src/format/messages.ts';
import { renderPrompt, renderPromptSpans } from '../../src/template/prompt/render-prompt.ts';
import { OwnText, parseTemplate, type TextSpan } from '../../src/template/template.ts';
import { allTemplates } from '../support/corpora.ts';

const now = new Date(2026, 10, 21, 12, 0, 0);

function textOf(spans: readonly TextSpan[]): string {
  return spans.map(({ text }) => text).join('');
}

/** Characters of these come from data alone: no template writes Cyrillic. */
const cyrillic = /[\u0400-\u04ff]/;

/** `[data]` in brackets, the template's without. */
function show(spans: readonly TextSpan[]): string {
  return spans.map(({ text, origin }) => (origin === 'data' ? `[${text}]` : text)).join('');
}

describe('a traced render', () => {
  const { variables, facts } = JSON.parse(
    fs.readFileSync(new URL('jinja-facts.json', import.meta.url), 'utf8'),
  );
  const sources = Object.values<readonly (readonly [string, string | null])[]>(facts).flat();

  it.each(sources)('has the text of Python: %j', (source, text) => {
    const spans = () => parseTemplate(source).renderSpans(variables, { now });
    if (text === null) expect(spans).toThrow(TemplateError);
    else expect(textOf(spans())).toBe(text);
  });

  it('has spans that are not empty and alternate', () => {
    for (const [source, text] of sources) {
      if (text === null) continue;
      const spans = parseTemplate(source).renderSpans(variables, { now });
      expect(spans.filter((span) => span.text === '')).toEqual([]);
      expect(spans.some(({ origin }, index) => origin === spans[index + 1]?.origin)).toBe(false);
    }
  });
});

describe('each operation keeps origins', () => {
  it.each([
    ['{{ x }}', '[жук]'],
    ['<{{ x }}>', '<[жук]>'],
    ['{{ "<" ~ x ~ ">" }}', '<[жук]>'],
    ['{{ "<" + x + ">" }}', '<[жук]>'],
    ['{{ x[0] }}{{ x[-1] }}-{{ ("<" ~ x ~ ">")[0] }}', '[жк]-<'],
    ['{{ ("<" ~ x ~ ">")[1:] }}', '[жук]>'],
    ['{{ ("<" ~ x ~ ">")[::-1] }}', '>[куж]<'],
    ['{{ ("<" ~ x ~ ">") | reverse }}', '>[куж]<'],
    ['{% for c in "<" ~ x %}{{ c }}.{% endfor %}', '<.[ж].[у].[к].'],
    ['{{ ("<" ~ x) | list | join(".") }}', '<.[ж].[у].[к]'],
    ['{{ x | upper }}{{ ("<a>" ~ x) | upper }}', '[ЖУК]<A>[ЖУК]'],
    ['{{ ("<A>" ~ x).lower() }}', '<a>[жук]'],
    ['{{ x | title }}{{ x | capitalize }}{{ x.swapcase() }}', '[ЖукЖукЖУК]'],
    ['{{ (" <" ~ x ~ " ") | trim }}|{{ blank.strip() }}', '<[жук]|[ж  у]'],
    ['{{ x.replace("у", "<>") }}', '[ж]<>[к]'],
    ['{{ x | replace("у", "") }}', '[жк]'],
    ['{{ x.replace("", "-") }}', '-[ж]-[у]-[к]-'],
    ['{{ "<y>" | replace("y", x) }}', '<[жук]>'],
    ['{{ x.split("у") | join("<>") }}', '[ж]<>[к]'],
    ['{{ "<>".join(x.split("у")) }}', '[ж]<>[к]'],
    ['{{ x.rsplit("у", 1)[1] }}{{ blank.split()[0] }}', '[кж]'],
    ['{{ x.partition("у")[1] }}{{ x.rpartition("у")[2] }}', '[ук]'],
    ['{{ lines.splitlines()[1] }}', '[у]'],
    ['{{ "<%s>" % x }}{{ "<%s>" | format(x) }}', '<[жук]><[жук]>'],
    ['{{ "<{}>{:>5}".format(x, x) }}', '<[жук]>  [жук]'],
    ['{{ x.format("<>") }}{{ "{y}" ~ x }}', '[жук]{y}[жук]'],
    ['{{ template.format("<>") }}', '[ж<>]'],
    ['{{ template % "<>" if false else percent % "<>" }}', '[ж<>]'],
    ['{{ x.center(7) }}{{ "<".center(3, x[0]) }}', '  [жук]  [ж]<[ж]'],
    ['{{ x.ljust(4, "<") }}{{ x.zfill(4) }}', '[жук]<0[жук]'],
    ['{{ lines | indent(2) }}', '[ж\n]  [у]'],
    ['{{ x * 2 }}{{ ("<" ~ x[0]) * 2 }}', '[жукжук]<[ж]<[ж]'],
    ['{{ x | e }}{{ ("<" ~ x) | e }}', '[жук]&lt;[жук]'],
    ['{{ ("<" | safe) ~ x }}{{ ("<" | safe) + x }}', '<[жук]<[жук]'],
    ['{{ x | tojson }}{{ ["<"] | tojson }}', '["жук"]["<"]'],
    ['{{ {"<": x} | tojson }}', '[{"<": "жук"}]'],
    ['{{ [x, "<"] }}{{ x | pprint }}', "[['жук', '<']'жук']"],
    ['{{ x | urlencode }}', '[%D0%B6%D1%83%D0%BA]'],
    ['{{ ("<b>" ~ x) | striptags }}', '[жук]'],
    ['{{ x | truncate(2, true, "<", 0) }}', '[ж]<'],
    ['{{ x | default("<") }}{{ y | default("<") }}', '[жук]<'],
    ['{{ d | items | first | join("=") }}', '[к]=[жук]'],
    ['{% for k, v in d.items() %}{{ k }}={{ v }}{% endfor %}', '[к]=[жук]'],
    ['{% macro m(a) %}<{{ a }}>{% endmacro %}{{ m(x) }}', '<[жук]>'],
    ['{% macro m() %}<{{ caller() }}>{% endmacro %}{% call m() %}{{ x }}!{% endcall %}', '<[жук]!>'],
    ['{% macro m() %}{{ kwargs | join }}{% endmacro %}{{ m(**d) }}', '[к]'],
    ['{{ dict(**d) | join }}', '[к]'],
    ['{% set a %}<{{ x }}>{% endset %}{{ a }}', '<[жук]>'],
    ['{% filter upper %}<a>{{ x }}{% endfilter %}', '<A>[ЖУК]'],
    ['{% set n = namespace(t="") %}{% set n.t = n.t ~ x %}<{{ n.t }}', '<[жук]'],
    ['{{ x | from_json if false else j | from_json }}', '[жук]'],
    ['{{ [x, "<"] | map("upper") | join }}', '[ЖУК]<'],
    ['{{ [x] | sum(start="<") }}', '<[жук]'],
    ['{{ [d] | groupby("к") | map("first") | join }}', '[жук]'],
    ['{{ x | sort | join }}{{ x | unique | join }}', '[жкужук]'],
    ['{{ "[" ~ [x, "b"] | max ~ "]" }}', '[[жук]]'],
    ['{{ strftime_now(x) }}{{ strftime_now("%Y") }}', '[жук]2026'],
    ['{{ n }}{{ n ~ x }}{{ n + 1 }}', '7' + '7[жук]' + '8'],
    ['{{ own }}{{ "<|" ~ own ~ "|>" }}', 'user<|user|>'],
    ['{{ x == "жук" }}{{ x in ["жук"] }}{{ {"жук": "<"}[x] }}{{ x is sameas "жук" }}', 'TrueTrue<True'],
  ])('%s', (source, expected) => {
    const variables = {
      x: 'жук',
      n: 7,
      blank: ' ж  у ',
      lines: 'ж\nу',
      template: 'ж{}',
      percent: 'ж%s',
      d: { к: 'жук' },
      j: '"жук"',
      own: new OwnText('user'),
    };
    const spans = parseTemplate(source).renderSpans(variables, { now });
    expect(show(spans)).toBe(expected);
    expect(textOf(spans)).toBe(parseTemplate(source).render(variables, { now }));
  });
});

describe('prompts of all templates', async () => {
  const templates = await allTemplates();
  const word = 'ж“у”к';
  const tool = {
    type: 'function',
    function: {
      name: 'ищи',
      description: word,
      parameters: {
        type: 'object',
        properties: { что: { type: 'string', description: word, enum: [word] } },
      },
    },
  } as const;
  const call = {
    id: 'call00001',
    type: 'function',
    function: { name: 'ищи', arguments: `{"что": "${word}"}` },
  } as const;
  const messages: readonly Message[] = [
    { role: 'system', content: word },
    { role: 'user', content: word },
    { role: 'assistant', content: null, reasoning_content: word, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call00001', name: 'ищи', content: word },
    { role: 'assistant', content: word, reasoning_content: word },
    { role: 'user', content: word },
  ];
  const options = { messages, tools: [tool], bosToken: '<s>', now };

  it.each(templates)('keep origins, character by character: $name', ({ source }) => {
    const plain = attempt(() => renderPrompt(source, options));
    const spans = attempt(() => renderPromptSpans(source, options));
    if (plain === null) return expect(spans).toBe(null);
    expect(textOf(spans ?? [])).toBe(plain);
    expect(spans?.filter(({ text, origin }) => origin === 'template' && cyrillic.test(text))).toEqual([]);
    // Markers next to data are the template's, so that they become special tokens.
    const ofTemplate = spans?.filter(({ origin }) => origin === 'template') ?? [];
    expect(textOf(ofTemplate).length).toBeGreaterThan(0);
  });

  it('with spans have the place where a message is continued, as without', () => {
    for (const { source } of templates) {
      const continued = { ...options, messages: messages.slice(0, -1), continueFinalMessage: true };
      const plain = attempt(() => renderPrompt(source, continued));
      const spans = attempt(() => renderPromptSpans(source, continued));
      expect(spans === null ? null : textOf(spans)).toBe(plain);
    }
  });
});

function attempt<Result>(render: () => Result): Result | null {
  try {
    return render();
  } catch {
    return null;
  }
}
