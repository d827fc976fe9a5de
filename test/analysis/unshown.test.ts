/** What renders cannot show: it is taken as the field usually writes it, and a grammar does not force it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import type { JsonObject, Tool } from '../../src/format/messages.ts';
import { writePythonString } from '../../src/format/write-values.ts';
import { verifyTemplate } from '../../src/generate/verify/verify-template.ts';
import { buildGrammar } from '../../src/grammar/build-grammar.ts';
import { createMatcher } from '../../src/language/matcher/matcher.ts';

const tools: readonly Tool[] = [
  {
    type: 'function',
    function: {
      name: 'find',
      parameters: {
        type: 'object',
        properties: { text: { type: 'string' }, count: { type: 'integer' } },
        required: ['text'],
        additionalProperties: false,
      },
    },
  },
];

/** A template whose finished turns write each call (its `function` in `f`) as `call`, in a section. */
function templateOf(call: string, open = '<calls>', close = '</calls>', between = ''): string {
  return [
    '{% if tools %}<s>{{ tools | tojson }}</s>{% endif %}{% for m in messages %}<{{ m.role[0] }}>{{ m.content }}',
    `{% if m.tool_calls %}${open}{% for c in m.tool_calls %}{% set f = c.function %}${call}`,
    `{{ "${between}" if not loop.last }}{% endfor %}${close}{% endif %}<end>{% endfor %}`,
    '{% if add_generation_prompt %}<a>{% endif %}',
  ].join('');
}

const entries = (value: string) =>
  `{% for k, v in f.arguments.items() %}{{ k }}=${value}{{ ", " if not loop.last }}{% endfor %}`;

function read(format: ChatFormat, text: string): readonly JsonObject[] {
  const parser = createResponseParser(format, { tools });
  parser.feed(text);
  const calls = parser.finish().message.tool_calls ?? [];
  return calls.map((call): JsonObject => JSON.parse(call.function.arguments));
}

function derives(format: ChatFormat, text: string): boolean {
  const { expression } = buildGrammar(format, { tools, toolChoice: 'required' });
  const matcher = expression === null ? null : createMatcher(expression);
  return matcher?.accept(text) === true && matcher.complete;
}

describe('strings that a template pastes into quotes', () => {
  const pasted = templateOf(`{{ f.name }}(${entries(`{{ ("'" ~ v ~ "'") if v is string else v }}`)})`);
  const { format, evidence, warnings } = analyzeTemplate(pasted);

  it('are literals of Python, escapes included', () => {
    const characters = fc.constantFrom(...`ab'"\\\n\t,)= é`);
    const text = fc.array(characters, { maxLength: 8 }).map((units) => units.join(''));
    fc.assert(
      fc.property(text, (value) => {
        const response = `<calls>find(text=${writePythonString(value)}, count=2)</calls>`;
        expect(read(format, response)).toEqual([{ text: value, count: 2 }]);
        expect(derives(format, response)).toBe(true);
      }),
      { numRuns: 60 },
    );
  });

  it('may also hold quotes that nobody escaped, as in history', () => {
    expect(read(format, "<calls>find(text='it's', count=2)</calls>")).toEqual([{ text: "it's", count: 2 }]);
  });

  it('are told as a convention, and break no law', () => {
    const told = evidence.filter(({ basis }) => basis === 'convention').map(({ field }) => field);
    expect(told).toEqual(['calls.arguments.frames.string']);
    expect(warnings).toEqual([]);
    expect(verifyTemplate(pasted).breaches).toEqual([]);
  });

  it('are as the template writes them if it escapes them', () => {
    const escaped = templateOf(`{{ f.name }}(${entries('{{ v | tojson }}')})`);
    const { calls } = analyzeTemplate(escaped).format;
    expect(calls?.arguments).toMatchObject({ frames: { string: { codec: 'json' } } });
  });
});

describe('a marker around values of every type', () => {
  const quoted = templateOf(
    'call:{{ f.name }}{% raw %}{{% endraw %}{% for k, v in f.arguments.items() %}{{ k }}:<q>{{ v }}<q>{{ "," if not loop.last }}{% endfor %}}',
    '<calls>',
    '</calls>',
  );
  const source = quoted
    .replace('{% raw %}{{% endraw %}', '{{ "{" }}')
    .replace('{% endfor %}}', '{% endfor %}{{ "}" }}');

  it('is the quote of strings, and a warning says so', () => {
    const { format, warnings } = analyzeTemplate(source);
    const response = '<calls>call:find{text:<q>a "b"<q>,count:2}</calls>';
    expect(read(format, response)).toEqual([{ text: 'a "b"', count: 2 }]);
    expect(derives(format, response)).toBe(true);
    expect(warnings.map(({ field, kind }) => `${kind} ${field}`)).toEqual(['assumed calls.arguments.frames']);
  });
});

describe('white space that a render cannot show', () => {
  it('is the model’s between markers if the template only indents', () => {
    const { format } = analyzeTemplate(
      templateOf('<c>{{ f.name }}<with>{{ f.arguments | tojson }}</c>    ', '<calls>', '</calls>'),
    );
    expect(format.calls?.unshown).toEqual(['gaps']);
    const call = '<c>find<with>{"text": "a"}</c>';
    for (const gap of ['', '    ', '\n'])
      expect(derives(format, `<calls>${call}${gap}${call}${gap}</calls>`), JSON.stringify(gap)).toBe(true);
  });

  it('is forced if the template separates calls by a line', () => {
    const { format } = analyzeTemplate(
      templateOf('<c>{{ f.name }}<with>{{ f.arguments | tojson }}</c>', '<calls>', '</calls>', '\\n'),
    );
    expect(format.calls?.unshown).toBeUndefined();
    const call = '<c>find<with>{"text": "a"}</c>';
    expect(derives(format, `<calls>${call}\n${call}</calls>`)).toBe(true);
    expect(derives(format, `<calls>${call}    ${call}</calls>`)).toBe(false);
  });

  it('is the model’s within JSON that the caller spelled', () => {
    const { format } = analyzeTemplate(
      templateOf('<c>{{ f.name }}<with>{{ "" + f.arguments }}</c>', '<calls>', '</calls>'),
    );
    expect(format.input.arguments).toBe('string');
    expect(format.calls?.unshown).toEqual(['spacing']);
    for (const json of ['{"text":"a","count":2}', '{"text": "a", "count": 2}', '{\n  "text": "a"\n}'])
      expect(derives(format, `<calls><c>find<with>${json}</c></calls>`), json).toBe(true);
  });
});

describe('thoughts that only some positions show', () => {
  const turn = (answer: string) =>
    `{% for m in messages %}<{{ m.role[0] }}>{% if m.role == 'assistant' %}${answer}{% else %}{{ m.content }}{% endif %}<end>{% endfor %}{% if add_generation_prompt %}<a>{% endif %}`;

  it('are found where earlier answers lose them', () => {
    const answer = `{{ m.content if loop.last else m.content.split('</think>')[-1] }}`;
    const { format } = analyzeTemplate(turn(answer));
    expect(format.reasoning).toMatchObject({ start: '<think>', end: '</think>', basis: 'verified' });
  });

  it('are found where a variable shows them', () => {
    const answer = `{% if add_thoughts and m.thought %}<hm>{{ m.thought }}</hm>{% endif %}{{ m.content }}`;
    const { format } = analyzeTemplate(turn(answer));
    expect(format.reasoning).toMatchObject({ start: '<hm>', end: '</hm>', preserved: 'never' });
  });

  it('are told of where nothing shows them', () => {
    const answer = `{{ m.content }}{% if false %}</think>{% endif %}`;
    const { format, warnings } = analyzeTemplate(turn(answer));
    expect(format.reasoning).toBeNull();
    expect(warnings.map(({ field, kind }) => `${kind} ${field}`)).toContain('assumed reasoning');
  });
});

describe('turns whose surroundings depend on what follows', () => {
  const cases = {
    'a question that opens the answer if it is last':
      "{% if m.role == 'user' %}<u>{{ m.content }}{% if loop.last %}<a>{% else %}</u>{% endif %}{% else %}<a>{{ m.content }}</a>{% endif %}",
    'indentation of the template':
      "{% if m.role == 'user' %}{{ '<u>' + m.content + '</u>' }}{{ '     ' if loop.last else '  ' }}{% else %}{{ '<a>' + m.content + '</a>' }}{% endif %}",
  };
  it.each(Object.entries(cases))('%s', (name, turn) => {
    const prompt = name.includes('opens the answer') ? '' : '{% if add_generation_prompt %}<a>{% endif %}';
    const { format } = analyzeTemplate(`{% for m in messages %}${turn}{% endfor %}${prompt}`);
    expect(format.turn).toMatchObject({ start: '<a>', ends: ['</a>'] });
  });
});

describe('calls that no assistant’s message shows', () => {
  const plain = '<{{ m.role[0] }}>{{ m.content }}<end>';
  const calling = "{% if m.role == 'assistant_tool_call' %}<a><call>{{ m.content }}<end>{% else %}";
  const withTools = (turn: string) =>
    `{% if tools %}{{ tools | tojson }}{% endif %}{% for m in messages %}${turn}{% endfor %}{% if add_generation_prompt %}<a>{% endif %}`;

  it('are read where a role of their own begins with a marker', () => {
    const { format, warnings } = analyzeTemplate(withTools(`${calling}${plain}{% endif %}`));
    const call = '<call>[{"name": "find", "arguments": {"text": "a"}}]';
    expect(read(format, `Wait.${call}`)).toEqual([{ text: 'a' }]);
    expect(warnings.map(({ kind }) => kind)).toEqual(['assumed']);
  });

  it('are told of where nothing shows them', () => {
    const { format, warnings } = analyzeTemplate(withTools(plain));
    expect(format.calls).toBeNull();
    expect(warnings.map(({ field, kind }) => `${kind} ${field}`)).toEqual(['assumed calls']);
  });
});

describe('what the files of a model say', () => {
  const swapped = templateOf('<call>{{ f.name }} {{ f.arguments | tojson }}<call>', '', '');

  it('is the closer of calls that the template misspells', () => {
    const alone = analyzeTemplate(swapped);
    expect(alone.warnings.map(({ field, kind }) => `${kind} ${field}`)).toContain('history calls.call.close');
    const { format } = analyzeTemplate(swapped, { addedTokens: ['<call>', '</call>'] });
    expect(read(format, '<call>find {"text": "a"}</call>')).toEqual([{ text: 'a' }]);
  });

  it('is told where it contradicts the format', () => {
    const kinds = (endTokens: readonly string[]) =>
      analyzeTemplate(swapped, { endTokens }).warnings.filter(({ kind }) => kind === 'model');
    expect(kinds(['<end>'])).toEqual([]);
    expect(kinds(['<stop>']).map(({ field }) => field)).toEqual(['stops']);
  });
});
