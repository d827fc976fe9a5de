import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  MessageError,
  TemplateError,
  ToolListError,
  UnsupportedOptionError,
} from '../../src/format/errors.ts';
import type { AssistantMessage, Message, Tool } from '../../src/format/messages.ts';
import { observeInputShape, shapeMessages } from '../../src/template/prompt/input-shape.ts';
import { renderPrompt } from '../../src/template/prompt/render-prompt.ts';
import { thinkingSwitches } from '../../src/template/prompt/thinking-switches.ts';
import { parseTemplate } from '../../src/template/template.ts';
import { allTemplates, type CorpusTemplate, llamaTemplate } from '../support/corpora.ts';
import { sampled } from '../support/sample.ts';

let corpus: readonly CorpusTemplate[] = [];
beforeAll(async () => {
  corpus = sampled(await allTemplates(), 3, 2);
}, 60_000);

const user: Message = { role: 'user', content: 'What is it?' };

const tool: Tool = {
  type: 'function',
  function: {
    name: 'look_up',
    description: 'Looks up.',
    parameters: {
      type: 'object',
      properties: { word: { type: 'string', description: 'w' } },
      required: ['word'],
    },
  },
};

function calling(value: string): Message {
  const args = JSON.stringify({ word: value });
  return {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'call00001', type: 'function', function: { name: 'look_up', arguments: args } }],
  };
}

/** Insists on ids of nine characters, as Mistral's templates do. */
const nineCharacters = `{% for m in messages %}{{ m.content }}{% for c in m.tool_calls or [] %}
{%- if c.id is not string or c.id|length != 9 %}{{ raise_exception("an id has nine characters") }}{% endif -%}
[{{ c.id }}]{% endfor %}{% if m.role == 'tool' %}({{ m.tool_call_id }}){% endif %}{% endfor %}`;

describe('ids that the template refuses', () => {
  const conversation = (id: string): Message[] => {
    const { tool_calls: calls = [], ...message } = calling('owl') as AssistantMessage;
    return [
      user,
      { ...message, tool_calls: calls.map((call) => ({ ...call, id })) },
      { role: 'tool', tool_call_id: id, content: 'a bird' },
    ];
  };

  it('become plain ones, by which results still name their calls', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (id) => {
        const text = renderPrompt(nineCharacters, { messages: conversation(id) });
        const [, call, result] = /\[(.{9})\].*\((.{9})\)$/su.exec(text) ?? [];
        expect(call).toBeDefined();
        expect(result).toBe(call);
      }),
    );
  });

  it('stay as they are where the template takes them', () => {
    expect(renderPrompt(nineCharacters, { messages: conversation('call00001') })).toContain('[call00001]');
    const lax = nineCharacters.replace('c.id|length != 9', 'false');
    expect(renderPrompt(lax, { messages: conversation('call_abc') })).toContain('[call_abc]');
  });

  it('are not what a template refuses that refuses calls', () => {
    const refusing = "{% for m in messages if m.tool_calls %}{{ raise_exception('no calls') }}{% endfor %}";
    expect(() => renderPrompt(refusing, { messages: conversation('call_abc') })).toThrow('no calls');
  });
});

const echo = '{% for m in messages %}<{{ m.role }}>{{ m.content }}</{{ m.role }}>{% endfor %}';

describe('messages in the shape that a template wants', () => {
  it.each([
    ['{{ f.arguments|tojson }}', 'object', 'empty'],
    ['{{ "(" + f.arguments + ")" }}', 'string', 'empty'],
    ['{% if m.content is none %}{{ "(" + f.arguments + ")" }}{% endif %}', 'string', 'null'],
    ['{% if "content" not in m %}{{ f.arguments.items()|list }}{% endif %}', 'object', 'absent'],
    ['{% for k, v in f.arguments|items %}{{ k }}={{ v }}{% endfor %}', 'object', 'empty'],
  ])('%s wants %s arguments and %s content', (body, args, emptyContent) => {
    const source = `{% for m in messages %}{{ m.content }}{% for c in m.tool_calls %}{% set f = c.function %}${body}{% endfor %}{% endfor %}`;
    const shape = observeInputShape(parseTemplate(source));
    expect(shape).toMatchObject({ arguments: args, emptyContent });
    expect(renderPrompt(source, { messages: [user, calling('owl')] })).toContain('owl');
  });

  it.each([
    ['{{ m.reasoning_content }}', 'reasoning_content'],
    ['{{ m.reasoning }}', 'reasoning'],
    ['{{ m.thinking if "thinking" in m }}', 'thinking'],
    ['{{ m.thoughts }}', 'thoughts'],
    ['{{ m["chain_of_reasoning"] }}', 'chain_of_reasoning'],
    ['{{ m.get("thought_text") or m.get("thinking") }}', 'thinking'],
    ['{% if m.is_thinking %}{{ m.content }}{% endif %}', null],
    ['{{ m.mood }}', null],
    [
      '{% if m.content is not string %}{% for p in m.content if p.type == "thinking" %}{{ p.thinking }}{% endfor %}{% endif %}',
      'thinking-part',
    ],
    ['', null],
    ['{{ m.content }}', null],
  ])('%s reads reasoning from %s', (body, field) => {
    const source = `{% for m in messages %}${body}{% endfor %}`;
    expect(observeInputShape(parseTemplate(source)).reasoningField).toBe(field);
  });

  it('keeps every message, and changes none of the given ones', () => {
    const messages: readonly Message[] = [user, { ...calling('owl'), reasoning_content: 'Hm.' } as Message];
    const before = structuredClone(messages);
    for (const args of ['object', 'string'] as const) {
      for (const emptyContent of ['empty', 'null', 'absent'] as const) {
        for (const reasoningField of ['reasoning_content', 'thinking', 'thinking-part', null] as const) {
          const shaped = shapeMessages(messages, {
            arguments: args,
            emptyContent,
            reasoningField,
            thinkingVariables: [],
          });
          expect(JSON.stringify(shaped)).toContain('Hm.');
          expect(JSON.stringify(shaped)).toContain('owl');
        }
      }
    }
    expect(messages).toEqual(before);
  });
});

describe('thinking', () => {
  it('sets every variable that changes a prompt, each with the values it knows', () => {
    const source =
      '{% if enable_thinking %}a{% endif %}{% if thinking_mode == "disabled" %}b{% endif %}{% if preserve_thinking %}c{% endif %}{{ thinking_budget }}';
    expect(thinkingSwitches(parseTemplate(source))).toEqual([
      { name: 'enable_thinking', on: true, off: false },
      { name: 'thinking_mode', on: 'enabled', off: 'disabled' },
    ]);
    expect(renderPrompt(source, { messages: [user], thinking: true })).toBe('a');
    expect(renderPrompt(source, { messages: [user], thinking: false })).toBe('b');
    expect(renderPrompt(source, { messages: [user] })).toBe('');
  });

  it('is an error where the template itself refuses the setting', () => {
    const refusal =
      "{% if enable_thinking is defined and not enable_thinking %}{{ raise_exception('no') }}{% endif %}";
    const source = `${refusal}<think>`;
    expect(renderPrompt(source, { messages: [user], thinking: true })).toBe('<think>');
    expect(renderPrompt(source, { messages: [user] })).toBe('<think>');
    expect(() => renderPrompt(source, { messages: [user], thinking: false })).toThrow(UnsupportedOptionError);
  });

  it.each([['no_think'], ['disable_thinking'], ['skip_reasoning']])('is asked for without %s', (name) => {
    const source = `{% for m in messages %}{{ m.content }}{% endfor %}{{ "</think>" if ${name} else "<think>" }}`;
    expect(thinkingSwitches(parseTemplate(source))).toEqual([{ name, on: false, off: true }]);
    expect(renderPrompt(source, { messages: [user], thinking: true })).toContain('<think>');
    expect(renderPrompt(source, { messages: [user], thinking: false })).toContain('</think>');
  });

  it.each([
    ['reasoning_effort', '{{ "</think>" if reasoning_effort == "none" else "<think>" }}', null, 'none'],
    ['reasoning_effort', '{{ "<think>" if reasoning_effort|default("none") != "none" }}', 'medium', 'none'],
    ['thinking_budget', '{{ "</think>" if thinking_budget == 0 else "<think>" }}', null, 0],
    [
      'thinking_budget',
      '{% set b = thinking_budget|default(-1) %}{{ "</think>" if b == 0 else ("" if b < 0 else b) }}',
      -1,
      0,
    ],
  ])('is switched by a level of %s that the template knows: %s', (name, end, on, off) => {
    const source = `{% for m in messages %}{{ m.content }}{% endfor %}${end}`;
    expect(thinkingSwitches(parseTemplate(source))).toEqual([{ name, on, off }]);
  });

  it.each([
    ['{{ "Effort: " + reasoning_effort|default("medium") }}'],
    ['{{ "<think>" if reasoning_effort in ["medium", "high"] }}'],
    ['{{ {"low": 1, "high": 2}.get(reasoning_effort, 0) }}'],
    ['{% if thinking_budget %}Think for {{ thinking_budget }} tokens.{% endif %}'],
    ['{% if thinking_budget is defined %}Think for {{ thinking_budget }} tokens.{% endif %}'],
  ])('is not switched by a level that means nothing special: %s', (source) => {
    expect(thinkingSwitches(parseTemplate(source))).toEqual([]);
  });

  it('is not switched by what drops thoughts of earlier turns', () => {
    const source =
      '{% for m in messages %}{{ m.reasoning_content if not skip_thinking and not loop.last }}{{ m.content }}{% endfor %}';
    expect(thinkingSwitches(parseTemplate(source))).toEqual([]);
  });

  it('changes the prompt of every template that has a switch, and of no other', () => {
    for (const { source } of corpus) {
      const [on, off] = [true, false].map((thinking) =>
        attempt(() => renderPrompt(source, { messages: [user], thinking })),
      );
      expect(on !== off).toBe(thinkingSwitches(parseTemplate(source)).length > 0);
    }
  });
});

function attempt(render: () => string): string {
  try {
    return render();
  } catch (error) {
    if (error instanceof TemplateError || error instanceof UnsupportedOptionError)
      return `refused: ${error.message}`;
    throw error;
  }
}

describe('continued messages', () => {
  it('end exactly where the message ends, whatever the template does with its end', () => {
    const text = fc.stringMatching(/^[ -~\n]{0,20}[a-z]$/);
    for (const { source } of corpus) {
      fc.assert(
        fc.property(text, (content) => {
          const messages: Message[] = [user, { role: 'assistant', content }];
          const prompt = attempt(() => renderPrompt(source, { messages, continueFinalMessage: true }));
          const words = content.trimStart().split('</think>').at(-1)?.trimStart() ?? '';
          if (!prompt.startsWith('refused')) expect(prompt.endsWith(words)).toBe(true);
        }),
        { numRuns: 3 },
      );
    }
  });

  it('go on in the reasoning where there is no content', async () => {
    const { source } = await llamaTemplate('Qwen-Qwen3-0.6B');
    const messages: Message[] = [user, { role: 'assistant', content: '', reasoning_content: 'Let me ' }];
    expect(renderPrompt(source, { messages, continueFinalMessage: true })).toMatch(/<think>\n?Let me $/);
  });

  it('need an assistant message that calls nothing', () => {
    for (const messages of [[user], [user, calling('owl')]]) {
      expect(() => renderPrompt(echo, { messages, continueFinalMessage: true })).toThrow(
        UnsupportedOptionError,
      );
    }
  });
});

describe('what else a template may need', () => {
  it.each([
    ['{{ "F" + functions }}', 'look_up'],
    ['{{ "D" + datetime }}', 'D2026-11-21 12:00:00'],
    ['{{ date_string + "" }}', '21 Nov 2026'],
  ])('%s is given when the render asks for it', (source, text) => {
    const now = new Date(2026, 10, 21, 12, 0, 0);
    expect(renderPrompt(source, { messages: [user], tools: [tool], now })).toContain(text);
  });

  it('is not given to a template that can do without', () => {
    const source = '{{ date_string is defined }}{{ functions is defined }}';
    expect(renderPrompt(source, { messages: [user] })).toBe('FalseFalse');
  });

  it('is None for tools and documents of which there are none, as transformers passes it', () => {
    const source = '{{ tools is none }}{{ documents is none }}';
    expect(renderPrompt(source, { messages: [user] })).toBe('TrueTrue');
    expect(renderPrompt('{% if tools is not none %}You have tools.{% endif %}', { messages: [user] })).toBe(
      '',
    );
  });

  it('is left out where the template fails at None', () => {
    const source = '{% if tools is defined and tools | length > 0 %}tools{% else %}none{% endif %}';
    expect(renderPrompt(source, { messages: [user] })).toBe('none');
  });

  it("is the caller's own, when given", () => {
    const options = { messages: [user], templateVariables: { functions: 'mine' } };
    expect(renderPrompt('{{ bos_token + functions }}', { ...options, bosToken: '<s>' })).toBe('<s>mine');
  });

  it.each(['messages', 'tools', 'add_generation_prompt', 'bos_token', 'eos_token'])(
    'is refused where an option decides it: %s',
    (name) => {
      const render = () => renderPrompt('{{ 1 }}', { messages: [user], templateVariables: { [name]: [] } });
      expect(render).toThrow(UnsupportedOptionError);
      expect(render).toThrow(`templateVariables.${name}: is set by what is rendered`);
    },
  );

  it('writes text next to thoughts and calls after the thoughts where the template refuses all three', () => {
    const message: Message = { ...calling('owl'), content: 'Wait.', reasoning_content: 'Hm.' } as Message;
    const strict = `{% for m in messages %}{% if m.content and m.reasoning_content %}{{ raise_exception("both") }}{% endif %}{{ m.content }}{{ m.reasoning_content }}{% endfor %}`;
    const lenient = '{% for m in messages %}{{ m.content }}{{ m.reasoning_content }}{% endfor %}';
    expect(renderPrompt(strict, { messages: [message] })).toBe('Hm.\n\nWait.');
    expect(renderPrompt(lenient, { messages: [message] })).toBe('Wait.Hm.');
  });
});

describe('what comes from outside', () => {
  it('is never read as template code', () => {
    const attack = '{{ 7 * 7 }}{% if true %}x{% endif %}{# gone #}';
    expect(renderPrompt(echo, { messages: [{ role: 'user', content: attack }] })).toBe(
      `<user>${attack}</user>`,
    );
  });

  it.each([
    [null, 'messages'],
    [[], 'messages'],
    [[1], 'messages[0]'],
    [[{ role: 'robot', content: '' }], 'messages[0].role'],
    [[{ role: 'user', content: 1 }], 'messages[0].content'],
    [[{ role: 'user', content: [{}] }], 'messages[0].content[0]'],
    [[{ role: 'assistant', content: '', reasoning_content: 1 }], 'messages[0].reasoning_content'],
    [[{ role: 'assistant', content: '', tool_calls: {} }], 'messages[0].tool_calls'],
    [[{ role: 'assistant', content: '', tool_calls: [{}] }], 'messages[0].tool_calls[0]'],
    [
      [{ role: 'assistant', content: '', tool_calls: [{ function: { name: 1, arguments: '' } }] }],
      'messages[0].tool_calls[0].function.name',
    ],
  ])('%j is refused at %s', (messages, path) => {
    const bad = messages as unknown as readonly Message[];
    expect(() => renderPrompt(echo, { messages: bad })).toThrow(MessageError);
    expect(() => renderPrompt(echo, { messages: bad })).toThrow(path);
  });

  it.each([[{}], [[{}]], [[{ type: 'function', function: { name: '' } }]]])(
    'tools %j are refused',
    (tools) => {
      const bad = tools as unknown as readonly Tool[];
      expect(() => renderPrompt(echo, { messages: [user], tools: bad })).toThrow(ToolListError);
    },
  );

  it('errors name the template, the line and the kind', () => {
    const failure = (source: string) => {
      try {
        renderPrompt(source, { messages: [user], name: 'mine.jinja' });
      } catch (error) {
        return error;
      }
      return undefined;
    };
    expect(failure('a\n{{ raise_exception("no") }}')).toMatchObject({
      template: 'mine.jinja',
      kind: 'raised',
      line: 2,
    });
    expect(failure('a\n\n{{ none + 1 }}')).toMatchObject({
      template: 'mine.jinja',
      kind: 'runtime',
      line: 3,
    });
    expect(failure('a\n{% if %}')).toMatchObject({ template: 'mine.jinja', kind: 'syntax', line: 2 });
    expect(failure('{% if 1 %}\n{{ "a }}')).toMatchObject({ kind: 'syntax', line: 2 });
    for (const open of ['for m in messages', 'if x', 'macro f()', 'set x', 'filter upper', 'generation']) {
      const unclosed = { kind: 'syntax', line: 2, reason: expect.stringContaining('ends within a block') };
      expect(failure(`{% if 1 %}{% endif %}\n{% ${open} %}`), open).toMatchObject(unclosed);
    }
  });
});
