/** How a tool format is put around a chat template. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { UnsupportedOptionError } from '../../src/format/errors.ts';
import type { Message, Tool } from '../../src/format/messages.ts';
import { verifyTemplate } from '../../src/generate/verify/verify-template.ts';
import { renderPrompt, renderPromptSpans } from '../../src/template/prompt/render-prompt.ts';
import { toolFormats, wrapTemplate } from '../../src/template/tool-format/wrap-template.ts';

/** A tool format that is easy to read in prompts. */
const plain = `
{%- macro describe_tools(tools) %}TOOLS {{ tools | map(attribute='function.name') | join(' ') }}{% endmacro %}
{%- macro write_calls(calls) %}{% for call in calls %}CALL {{ call.function.name }} {{ call.function.arguments | tojson }}{% endfor %}{% endmacro %}
{%- macro write_results(results) %}{% for result in results %}RESULT {{ result.content }}{% endfor %}{% endmacro %}
`;

const tools: readonly Tool[] = [
  { type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } },
];
const chatml = `{% for m in messages %}<{{ m.role }}>{{ m.content }}
{% endfor %}`;
const user: Message = { role: 'user', content: 'Hi' };

function call(content: string | null, ...args: readonly object[]): Message {
  const calls = args.map((each, index) => ({
    id: `call0000${index}`,
    type: 'function' as const,
    function: { name: 'look', arguments: JSON.stringify(each) },
  }));
  return { role: 'assistant', content, tool_calls: calls };
}

function result(content: string): Message {
  return { role: 'tool', tool_call_id: 'call00000', content };
}

function prompt(template: string, messages: readonly Message[], given: readonly Tool[] = tools): string {
  const source = wrapTemplate(template, plain);
  return renderPrompt(source, { messages, tools: given, addGenerationPrompt: false });
}

describe('the description of tools', () => {
  it('becomes a system message', () => {
    expect(prompt(chatml, [user])).toBe('<system>TOOLS look\n<user>Hi\n');
  });

  it('follows the text of a system message', () => {
    const system: Message = { role: 'system', content: 'Be brief.' };
    expect(prompt(chatml, [system, user])).toBe('<system>Be brief.\n\nTOOLS look\n<user>Hi\n');
  });

  it('follows the system message that the template writes by itself', () => {
    const helpful = `{% if messages[0].role != 'system' %}<system>You "help".
{% endif %}${chatml}`;
    expect(prompt(helpful, [user])).toBe('<system>You "help".\n\nTOOLS look\n<user>Hi\n');
    expect(prompt(helpful, [user], [])).toBe('<system>You "help".\n<user>Hi\n');
  });

  it('does not keep a system message with a date', () => {
    const dated = `{% if messages[0].role != 'system' %}<system>It is {{ strftime_now('%d %B %Y') }}.
{% endif %}${chatml}`;
    expect(prompt(dated, [user])).toBe('<system>TOOLS look\n<user>Hi\n');
  });

  it("begins the user's message if the template renders no system message", () => {
    const refusing = `{% for m in messages %}{% if m.role == 'system' %}{{ raise_exception('no system role') }}{% endif %}<{{ m.role }}>{{ m.content }}
{% endfor %}`;
    const dropping = `{% for m in messages if m.role != 'system' %}<{{ m.role }}>{{ m.content }}
{% endfor %}`;
    for (const template of [refusing, dropping]) {
      expect(prompt(template, [user])).toBe('<user>TOOLS look\n\nHi\n');
      const told: Message = { role: 'system', content: 'Be brief.' };
      expect(prompt(template, [told, user])).toBe('<user>Be brief.\n\nTOOLS look\n\nHi\n');
    }
  });
});

describe('calls and results', () => {
  const alternating = `{% for m in messages %}{% if (m.role == 'user') != (loop.index0 % 2 == 0) %}{{ raise_exception('roles must alternate') }}{% endif %}<{{ m.role }}>{{ m.content }}
{% endfor %}`;

  it('are texts of messages that alternate', () => {
    const messages = [
      user,
      call('', { a: 1 }, {}),
      result('one'),
      result('two'),
      call('So:', {}),
      result('3'),
    ];
    expect(prompt(alternating, messages)).toBe(
      [
        '<user>TOOLS look\n\nHi',
        '<assistant>CALL look {"a": 1}CALL look {}',
        '<user>RESULT oneRESULT two',
        '<assistant>So:\nCALL look {}',
        '<user>RESULT 3\n',
      ].join('\n'),
    );
  });

  it('are one message with what the user says next', () => {
    const messages = [user, call(null, {}), result('one'), { role: 'user' as const, content: 'And?' }];
    expect(prompt(alternating, messages)).toContain('<user>RESULT one\n\nAnd?\n');
  });

  it('are texts without tools, too', () => {
    expect(prompt(chatml, [user, call('', {}), result('one')], [])).toBe(
      '<user>Hi\n<assistant>CALL look {}\n<user>RESULT one\n',
    );
  });

  it('are not shown to the template, which may know tools', () => {
    const own = `{% if tools %}OWN TOOLS{% endif %}{% for m in messages %}{% if m.tool_calls is defined %}OWN CALLS{% endif %}<{{ m.role }}>{{ m.content }}
{% endfor %}`;
    expect(prompt(own, [user, call('', {}), result('one')])).not.toContain('OWN');
  });

  it('join contents in parts', () => {
    const parted = `{% for m in messages %}<{{ m.role }}>{% if m.content is string %}{{ m.content }}{% else %}{% for p in m.content %}[{{ p.text }}]{% endfor %}{% endif %}

{% endfor %}`;
    const parts: Message = { role: 'user', content: [{ type: 'text', text: 'And?' }] };
    expect(prompt(parted, [user, call('', {}), result('one'), parts])).toContain(
      '<user>[RESULT one\n\n][And?]',
    );
  });

  it('keep the thoughts of their message', () => {
    const thinking = `{% for m in messages %}<{{ m.role }}>{% if m.reasoning_content %}({{ m.reasoning_content }}){% endif %}{{ m.content }}
{% endfor %}`;
    const thought = { ...call('', {}), reasoning_content: 'Hm.' };
    expect(prompt(thinking, [user, thought])).toContain('<assistant>(Hm.)CALL look {}');
  });
});

it('what the format writes is the template’s own, and what messages say is data', () => {
  const source = wrapTemplate(chatml, plain);
  const messages = [user, call('<x>', { city: '<y>' }), result('<z>')];
  const spans = renderPromptSpans(source, { messages, tools, addGenerationPrompt: false });
  const own = spans.filter(({ origin }) => origin === 'template').map(({ text }) => text);
  expect(own.join('')).toBe('<system>TOOLS \n<user>\n<assistant>\nCALL  \n<user>RESULT \n');
  const data = spans.filter(({ origin }) => origin === 'data').map(({ text }) => text);
  expect(data).toEqual(['look', 'Hi', '<x>', 'look', '{"city": "<y>"}', '<z>']);
});

it('the format that the page shows keeps every law', () => {
  const page = fs.readFileSync(path.join(import.meta.dirname, '../../docs/models.md'), 'utf8');
  const [, source = ''] = /```jinja\n([\s\S]*?)```/.exec(page) ?? [];
  const template = `{% for m in messages %}<|{{ m.role }}|>
{{ m.content }}<|end|>
{% endfor %}{% if add_generation_prompt %}<|assistant|>
{% endif %}`;
  const { breaches, rendered } = verifyTemplate(wrapTemplate(template, source));
  expect(breaches).toEqual([]);
  expect(rendered).toBeGreaterThan(30);
});

describe('as an option', () => {
  it.each(['json', '', './tools.jinja', '{{ messages }}', '{% macro write_calls(calls) %}{% endmacro %}'])(
    '%j is refused, with what there is',
    (given) => {
      expect(() => wrapTemplate(chatml, given)).toThrow(UnsupportedOptionError);
      expect(() => wrapTemplate(chatml, given)).toThrow(/json-list.*tagged.*describe_tools/);
    },
  );

  it('each has a reason', () => {
    for (const { name, reason, source } of toolFormats) {
      expect(reason.length, name).toBeGreaterThan(80);
      expect(wrapTemplate(chatml, name)).toBe(wrapTemplate(chatml, source));
    }
  });
});
