/**
 * What lies around an assistant's turn is told apart in every way in which a template may write it: nothing of the turn is
 * lost, and nothing of its neighbours belongs to it.
 */
import { describe, expect, it } from 'vitest';
import type { Probe } from '../../src/analysis/probes/probes.ts';
import { TemplateProber } from '../../src/analysis/probes/template-prober.ts';
import { AnalysisError } from '../../src/format/errors.ts';
import { anySentinels } from '../../src/template/prompt/sentinels.ts';
import { parseTemplate } from '../../src/template/template.ts';

const sentinels = anySentinels('');
const { user, content, names, ids, laterUser, toolResult } = sentinels;
const call = { name: names[0], id: ids[0], arguments: {} };
const answer: Probe = { id: 'content', content };
const oneCall: Probe = { id: 'one-call', calls: [call] };
const both: Probe = { id: 'content-call', content, calls: [call] };

/** What a template writes for each message and after all of them, in Jinja. */
interface Parts {
  readonly before?: string;
  readonly user: string;
  readonly assistant: string;
  readonly tool?: string;
  readonly after?: string;
}

const calls = '{% for c in m.tool_calls or [] %}[{{ c.function.name }}]{% endfor %}';

function prober({ before = '', user: question, assistant, tool = '{{ m.content }}', after = '' }: Parts) {
  const source = [
    `${before}{% for m in messages %}`,
    `{%- if m.role == 'user' %}${question}`,
    `{%- elif m.role == 'tool' %}${tool}`,
    `{%- elif m.role == 'assistant' %}${assistant}{% endif %}`,
    `{%- endfor %}${after}`,
  ].join('');
  return new TemplateProber(parseTemplate(source), sentinels);
}

const ifPrompted = (text: string) => `{% if add_generation_prompt %}${text}{% endif %}`;

/** The prompt, the end of the user's turn, and the turn of an answer. */
function around(parts: Parts) {
  const found = prober(parts);
  const { userEnd } = found;
  return { userEnd, prompt: found.prompt('unset'), turn: found.turn(answer)?.replace(content, 'C') };
}

describe('a turn is found', () => {
  it.each<readonly [string, Parts, readonly [userEnd: string, prompt: string, turn: string]]>([
    [
      'after a prompt that is appended',
      {
        user: '<u>{{ m.content }}</u>|',
        assistant: '<a>{{ m.content }}</a>',
        after: ifPrompted('<a>'),
      },
      ['</u>|', '<a>', '<a>C</a>'],
    ],
    [
      'before a prompt that ends every conversation',
      { user: '<u>{{ m.content }}</s>', assistant: '<a>{{ m.content }}</s>', after: '<a>' },
      ['</s>', '<a>', '<a>C</s>'],
    ],
    [
      'before a prompt that ends every conversation and begins as questions do',
      {
        user: '<u>{{ m.content }}</s>',
        assistant: '<u>bot {{ m.content }}</s>',
        after: '<u>bot ',
      },
      ['</s>', '<u>bot ', '<u>bot C</s>'],
    ],
    [
      'before a prompt that ends every conversation, where turns have no ends',
      { user: "<u>{{ m.content }}{{ '\\n' }}", assistant: "<a>{{ m.content }}{{ '\\n' }}", after: '<a>' },
      ['\n', '<a>', '<a>C\n'],
    ],
    [
      'before a prompt that ends every conversation, where answers end otherwise than questions',
      { user: '<u>{{ m.content }}</q>', assistant: '<u>bot {{ m.content }}</s>', after: '<u>bot ' },
      ['</q>', '<u>bot ', '<u>bot C</s>'],
    ],
    [
      'before a prompt of two markers that ends every conversation',
      { user: '<u>{{ m.content }}</s>', assistant: '<u><b>{{ m.content }}</s>', after: '<u><b>' },
      ['</s>', '<u><b>', '<u><b>C</s>'],
    ],
    [
      'before such a prompt after an end of one character',
      { user: '<u>{{ m.content }}|', assistant: '<u><b>{{ m.content }}|', after: '<u><b>' },
      ['|', '<u><b>', '<u><b>C|'],
    ],
    [
      'before such a prompt after no end at all',
      { user: '<u>{{ m.content }}', assistant: '<u>bot {{ m.content }}', after: '<u>bot ' },
      ['', '<u>bot ', '<u>bot C'],
    ],
    [
      'after a question whose last word the prompt continues',
      {
        user: '{{ m.content }} end',
        assistant: 'ing {{ m.content }} end',
        after: ifPrompted('ing '),
      },
      [' end', 'ing ', 'ing C end'],
    ],
    [
      'with the end of the question if that has only white space where nothing follows it',
      { user: "{{ m.content }}{{ '\\n' if loop.last }}", assistant: "</u>{{ '\\n' }}{{ m.content }}" },
      ['', '', '</u>\nC'],
    ],
    [
      'after a header that the question has if nothing follows it',
      {
        user: "<u>{{ m.content }}{{ '|now' if loop.last }}",
        assistant: '</u>|now{{ m.content }}</a>',
      },
      ['</u>', '|now', '|nowC</a>'],
    ],
    [
      'before the end that a prompt replaces',
      {
        user: '<u>{{ m.content }}',
        assistant: '<a>{{ m.content }}',
        after: '{% if add_generation_prompt %}<a>{% else %}</s>{% endif %}',
      },
      ['', '<a>', '<a>C'],
    ],
    [
      'between the end of the question and that which a prompt replaces',
      {
        user: '<u>{{ m.content }}</u>',
        assistant: '<a>{{ m.content }}',
        after: '{% if add_generation_prompt %}<a>{% else %}</s>{% endif %}',
      },
      ['</u>', '<a>', '<a>C'],
    ],
    ['empty where no answer is shown', { user: '<u>{{ m.content }}</s>', assistant: '' }, ['</s>', '', '']],
    [
      'before the end of a whole conversation, into which the prompt is inserted',
      {
        user: '<u>{{ m.content }}',
        assistant: '<a>{{ m.content }}',
        after: `</s>${ifPrompted('<a>')}`,
      },
      ['', '<a>', '<a>C'],
    ],
    [
      'between the end of the question and that of the conversation',
      {
        user: '<u>{{ m.content }}</u>',
        assistant: '<a>{{ m.content }}</a>',
        after: `</s>${ifPrompted('<a>')}`,
      },
      ['</u>', '<a>', '<a>C</a>'],
    ],
    [
      'before white space that ends every conversation',
      { user: '{{ m.content }}', assistant: '{{ m.content }}', after: "{{ '\\n' }}" },
      ['', '', 'C'],
    ],
    [
      'in place of white space after the question',
      { user: "{{ m.content }}{{ '\\n' if loop.last }}", assistant: '{{ m.content }}.' },
      ['', '', 'C.'],
    ],
    [
      'in place of white space after the question, with a prompt',
      {
        user: "{{ m.content }}{{ '\\n' if loop.last }}",
        assistant: '<a>{{ m.content }}',
        after: ifPrompted('<a>'),
      },
      ['', '<a>', '<a>C'],
    ],
    ['directly after the question', { user: '{{ m.content }}', assistant: '{{ m.content }}' }, ['', '', 'C']],
    [
      'after the end of the question, without a prompt',
      { user: '{{ m.content }}</u>', assistant: '<a>{{ m.content }}' },
      ['</u>', '', '<a>C'],
    ],
  ])('%s', (_, parts, [userEnd, prompt, turn]) => {
    expect(around(parts)).toEqual({ userEnd, prompt, turn });
  });
});

/** The plainest template. */
const plain: Parts = {
  user: '<u>{{ m.content }}</u>',
  assistant: `<a>{{ m.content }}${calls}</a>`,
  tool: '<t>{{ m.content }}</t>',
  after: ifPrompted('<a>'),
};

describe('a turn', () => {
  it('ends before what follows it', () => {
    const found = prober(plain);
    const turns = [
      found.turn(answer),
      found.turn({ ...answer, followedBy: 'user' }),
      found.turn({ ...oneCall, followedBy: 'tool' }),
    ];
    expect(turns).toEqual([`<a>${content}</a>`, `<a>${content}</a><u>`, `<a>[${call.name}]</a><t>`]);
    expect(prober({ ...plain, tool: '' }).turn({ ...oneCall, followedBy: 'tool' })).toBeNull();
    const twice = { ...plain, tool: `<t>${toolResult}|{{ m.content }}</t>` };
    expect(prober(twice).turn({ ...oneCall, followedBy: 'tool' })).toBe(`<a>[${call.name}]</a><t>`);
    expect(found.turn({ ...answer, followedBy: 'exchange' })).toBe(`<a>${content}</a><u>`);
  });

  it('is none if the template refuses it', () => {
    const found = prober({
      ...plain,
      assistant: "{% if m.tool_calls %}{{ raise_exception('no') }}{% endif %}<a>",
    });
    expect([found.turn(oneCall), found.conversation(oneCall)]).toEqual([null, null]);
    expect(found.turn(answer)).toBe('<a>');
  });

  it('with calls may lack the prompt that follows every answer, because results come next', () => {
    const after = '{% if not messages[-1].tool_calls %}<a>{% endif %}';
    const parts = { user: '<u>{{ m.content }}</s>', assistant: `<a>{{ m.content }}${calls}</s>` };
    const found = prober({ ...parts, after });
    expect(found.prompt('unset')).toBe('<a>');
    expect([found.turn(answer), found.turn(oneCall)]).toEqual([`<a>${content}</s>`, `<a>[${call.name}]</s>`]);
    const lacks = prober({ ...parts, after: "{% if messages[-1].content != '' %}<a>{% endif %}" });
    expect(lacks.turn({ id: 'empty', content: '' })).toBeNull();
  });

  it('is none where the end of the question is another one before it', () => {
    const found = prober({
      ...plain,
      user: "<u>{{ m.content }}{{ '</v>' if not loop.last and loop.nextitem.tool_calls else '</u>' }}",
    });
    expect([found.turn(answer), found.turn(oneCall)]).toEqual([`<a>${content}</a>`, null]);
  });

  it('is shown after what follows the user, as part of a conversation', () => {
    expect(prober(plain).conversation(answer)).toBe(`${user}</u><a>${content}</a>`);
    expect(prober(plain).conversation({ ...answer, isLater: true })).toBe(`${user}</u><a>${content}</a>`);
    expect(prober(plain).render({ ...answer, isLater: true })).toContain(`<u>${laterUser}</u>`);
  });
});

describe('white space before turns', () => {
  /** It is written before turns that have calls, or have none, and before the prompt. */
  const spaced = (withCalls: string, without: string, prompt: string, opener = '<a>'): Parts => ({
    user: '<u>{{ m.content }}</u>',
    assistant: `{{ ${withCalls} if m.tool_calls else ${without} }}${opener}{{ m.content }}${calls}</a>`,
    after: ifPrompted(`{{ ${prompt} }}${opener}`),
  });
  const found = (parts: Parts) => {
    const each = prober(parts);
    const [first, second] = [each.turn(answer), each.turn(oneCall)];
    return [first, second, each.prompt('unset')].map((text) => text?.match(/^\s*/)?.[0]);
  };

  it('means nothing if it differs while all turns begin with the same marker', () => {
    expect(found(spaced("'\\n'", "' '", "'  '"))).toEqual(['', '', '']);
    expect(found(spaced("'\\n'", "' '", "' '"))).toEqual(['', '', '']);
    expect(found(spaced("' '", "' '", "'\\n'"))).toEqual(['', '', '']);
  });

  it('belongs to the turn if it is always the same', () => {
    expect(found(spaced("' '", "' '", "' '"))).toEqual([' ', ' ', ' ']);
  });

  it('belongs to the turn if turns begin otherwise', () => {
    const prompted = { ...spaced("'\\n'", "' '", "' '", ''), after: ifPrompted("{{ ' ' }}|") };
    expect(found(prompted)).toEqual([' ', '\n', ' ']);
    const unprompted = { ...spaced("'\\n'", "''", "''", ''), after: '' };
    expect(found(unprompted)).toEqual(['', '\n', '']);
  });

  it('means nothing if turns begin otherwise, but none without it, and there is no prompt', () => {
    expect(found({ ...spaced("'\\n'", "' '", "''", ''), after: '' })).toEqual(['', '', '']);
  });
});

describe('the setting of thinking', () => {
  const after = ifPrompted(
    "<a>{% if enable_thinking is defined %}{{ '<think>' if enable_thinking else '<no>' }}{% endif %}",
  );
  const settings = ['unset', 'on', 'off'] as const;
  const prompts = (parts: Parts) => settings.map((each) => prober(parts).prompt(each));

  it('changes the prompt of a template that has it', () => {
    expect(prompts({ ...plain, after })).toEqual(['<a>', '<a><think>', '<a><no>']);
    expect(prober({ ...plain, after }).thinkingVariables).toEqual(['enable_thinking']);
  });

  it('changes nothing without it', () => {
    expect(prompts(plain)).toEqual(['<a>', '<a>', '<a>']);
    expect(prober(plain).thinkingVariables).toEqual([]);
  });

  it('counts as the prompt where it is added to the end of every conversation', () => {
    const always = "{{ '<think>' if enable_thinking }}";
    const parts = { ...plain, after: always };
    expect(prompts(parts)).toEqual(['', '<think>', '']);
    expect(prober(parts).turn(answer, 'on')).toBe(`<a>${content}</a>`);
  });
});

describe('what a template demands', () => {
  it('of tools is given as far as it takes them: with all types, with texts only, or none', () => {
    const tried = (condition: string) => {
      const found = prober({
        ...plain,
        before: `{% if ${condition} %}{{ raise_exception('no') }}{% endif %}{{ tools | tojson }}`,
      });
      const { userEnd } = found;
      const told = found.render(null) ?? '';
      return [userEnd, told.includes('integer'), told.includes(names[0])];
    };
    expect(tried('false')).toEqual(['</u>', true, true]);
    expect(tried("'integer' in (tools | tojson)")).toEqual(['</u>', false, true]);
    expect(tried('tools')).toEqual(['</u>', false, false]);
    expect(() => tried('true')).toThrow(AnalysisError);
  });

  it('is told where no question is shown', () => {
    expect(() => prober({ ...plain, user: '<u>' }).userEnd).toThrow(/not a chat template/);
    expect(() => prober({ ...plain, user: "{{ raise_exception('reversed') }}" }).userEnd).toThrow(/reversed/);
    expect(() => prober({ ...plain, after: 'x'.repeat(20_000) }).userEnd).toThrow(/characters follow/);
  });

  it('by the name of another variable is given', () => {
    const found = prober({ ...plain, before: '{{ (functions_in or tools) | tojson }}' });
    expect(found.promptWithTools('functions_in')).toContain(names[0]);
    const own = prober({
      ...plain,
      before: '{% if tools is defined and tools %}T{% endif %}{{ other | length }}',
    });
    expect(own.promptWithTools('other')).toMatch(/^3<u>/);
  });
});

describe('a failure', () => {
  it('is one of the template, and none that it raises itself', () => {
    const found = prober({
      ...plain,
      assistant:
        "{% if m.tool_calls and m.content %}{{ m.content.nothing.at_all }}{% endif %}{% if m.tool_calls %}{{ raise_exception('no calls') }}{% endif %}<a>",
    });
    expect(found.failure(answer)).toBeNull();
    expect(found.failure(oneCall)).toBeNull();
    expect(found.failure(both)).toMatch(/\S/);
    expect(found.failure(answer)).toBeNull();
  });
});

describe('another form of messages', () => {
  it('has the same template and texts, and variables of its own', () => {
    const found = prober({ ...plain, before: "{{ extra or '' }}" });
    const other = found.inForm({ ...found.form, contentParts: [] }, { extra: 'E' });
    expect([found.render(null), other.render(null)]).toEqual([`<u>${user}</u>`, `E<u>${user}</u>`]);
    expect(other.name).toBe(found.name);
    expect(other.sentinels).toBe(found.sentinels);
  });
});
