/** Calls that only the prompt's own example shows, and examples that contradict what finished turns show. */
import { describe, expect, test } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { Tool } from '../../src/format/messages.ts';

const tools: readonly Tool[] = [
  {
    type: 'function',
    function: {
      name: 'find_tram',
      parameters: {
        type: 'object',
        properties: { stop: { type: 'string' }, line: { type: 'integer' }, night: { type: 'boolean' } },
      },
    },
  },
];
const wanted = { stop: 'Bern, "Zytglogge"', line: 9, night: true };

/** A template that tells of tools with `example`, and writes `calls` in finished turns. */
function templateOf(example: string, calls = ''): string {
  return [
    `{% if tools %}[sys]{{ tools | tojson }}\n${example}[/sys]{% endif %}`,
    '{% for message in messages %}[{{ message.role }}]{{ message.content }}',
    `${calls}[/{{ message.role }}]{% endfor %}`,
    '{% if add_generation_prompt %}[assistant]{% endif %}',
  ].join('');
}

/** What is read of `written` in the template's format. */
function read(template: string, written: string) {
  const { format, warnings } = analyzeTemplate(template);
  const parser = createResponseParser(format, { tools });
  const events = [...parser.feed(written), ...parser.finish().events];
  const calls = events.flatMap((event) => (event.type === 'tool-call' ? [event.input] : []));
  return { format, warnings, calls: calls.map((input): unknown => JSON.parse(input)), events };
}

describe('where finished turns show no calls, the format is that of the example', () => {
  const examples = {
    'calls of Python in a list': {
      example:
        'Write [func_name1(params_name1=params_value1, params_name2=params_value2...), func_name2(params)]',
      written: `[find_tram(stop='Bern, "Zytglogge"', line=9, night=True), find_tram(stop='Bern, "Zytglogge"', line=9, night=True)]`,
      calls: [wanted, wanted],
    },
    'keys and values in tags': {
      example:
        'Write <call>function_name\n<key>parameter_name</key>\n<value>parameter_value</value>\n...\n</call>',
      written:
        '<call>find_tram\n<key>stop</key>\n<value>Bern, "Zytglogge"</value>\n<key>line</key>\n<value>9</value>\n' +
        '<key>night</key>\n<value>true</value>\n</call>',
      calls: [wanted],
    },
    'JSON in tags': {
      example: 'Write <call>{"name": <function-name>, "arguments": <args-json-object>}</call>',
      written: `<call>{"name": "find_tram", "arguments": ${JSON.stringify(wanted)}}</call>`,
      calls: [wanted],
    },
    'JSON with the arguments first': {
      example: "Write <call>{'arguments': <args-dict>, 'name': <function-name>}</call>",
      written: `<call>{"arguments": ${JSON.stringify(wanted)}, "name": "find_tram"}</call>`,
      calls: [wanted],
    },
    'JSON that words ask for': {
      example: 'To use a tool, respond only with <|call|> followed by a JSON list of tools used.',
      written: `<|call|>[{"name": "find_tram", "arguments": ${JSON.stringify(wanted)}}]`,
      calls: [wanted],
    },
    'JSON after a name': {
      example: 'Write <function=example_name>{"example_key": "example_value"}</function>',
      written: `<function=find_tram>${JSON.stringify(wanted)}</function>`,
      calls: [wanted],
    },
    'JSON after a name, in special tokens': {
      example:
        'Write\n<|calls|><|call|>tool_call_name<|with|>tool_call_arguments<|done|>{more_calls}<|end_calls|>\n',
      written: `<|calls|><|call|>find_tram<|with|>${JSON.stringify(wanted)}<|done|><|end_calls|>`,
      calls: [wanted],
    },
    'elements whose openers hold the names': {
      example:
        'Write <call>\n<do=example_name>\n<with=key_1>\nvalue_1\n</with>\n<with=key_2>\nof several\nlines\n</with>\n</do>\n</call>',
      written:
        '<call>\n<do=find_tram>\n<with=stop>\nBern, "Zytglogge"\n</with>\n<with=line>\n9\n</with>\n<with=night>\ntrue\n</with>\n</do>\n</call>',
      calls: [wanted],
    },
    'a list of JSON after a word': {
      example: 'Write functools[{"name": [function name], "arguments": [arguments as JSON]}, ...]',
      written: `functools[{"name": "find_tram", "arguments": ${JSON.stringify(wanted)}}]`,
      calls: [wanted],
    },
  };
  test.each(Object.entries(examples))('%s', (_, { example, written, calls }) => {
    const found = read(templateOf(example), written);
    expect(found.format.calls?.basis).toBe('prompt');
    expect(found.calls).toEqual(calls);
    expect(found.events.filter(({ type }) => type === 'malformed' || type === 'repaired')).toEqual([]);
  });
});

const eachCall = (call: string) => `{% for call in message.tool_calls or [] %}${call}{% endfor %}`;
const pythonicExample = '[func_name1(params_name1=params_value1, params_name2=params_value2)]';
const pythonic = (value: string, separator = ', ') =>
  '{% if message.tool_calls %}[{% for call in message.tool_calls %}{{ call.function.name }}(' +
  '{% for key, value in call.function.arguments.items() %}' +
  `{{ key }}=${value}{{ "${separator}" if not loop.last }}{% endfor %}){{ ", " if not loop.last }}{% endfor %}]{% endif %}`;

describe('where finished turns write Python that cannot be read back, the example says how', () => {
  const histories = {
    'all types in the quotes of texts': pythonic('"{{ value }}"'),
    'nothing between arguments': pythonic('{{ value | tojson }}', ''),
  };
  test.each(Object.entries(histories))('%s', (_, history) => {
    const written = `[find_tram(stop="Bern, \\"Zytglogge\\"", line=9, night=True)]`;
    const { format, warnings, calls } = read(templateOf(pythonicExample, history), written);
    expect(format.calls?.basis).toBe('prompt');
    expect(warnings.map(({ field, kind }) => `${field} ${kind}`)).toContain('calls.arguments prompt');
    expect(calls).toEqual([wanted]);
  });
});

describe('where finished turns write calls that nothing tells from text, the example is taken', () => {
  const bare =
    '{"name": {{ call.function.name | tojson }}, "arguments": {{ call.function.arguments | tojson }}}';
  const example = 'Write functools[{"name": [function name], "arguments": [arguments as JSON]}, ...]';

  test('and a warning shows both', () => {
    const written = `functools[{"name": "find_tram", "arguments": ${JSON.stringify(wanted)}}]`;
    const { format, warnings, calls } = read(templateOf(example, eachCall(bare)), written);
    expect(format.calls?.basis).toBe('prompt');
    expect(warnings.map(({ field, kind }) => `${field} ${kind}`)).toContain('calls prompt');
    expect(calls).toEqual([wanted]);
  });
});

describe('an example with other white space than finished turns', () => {
  const history = (value: string) =>
    `<call={{ call.function.name }}>{% for k, v in call.function.arguments.items() %}<arg={{ k }}>${value}</arg>{% endfor %}</call>`;
  const example = 'Write <call=example_name><arg=x>\nvalue\n</arg></call>';
  const typed = '{{ v if v is string else v | tojson }}';

  test('gives values without it, with a warning', () => {
    const written = '<call=find_tram><arg=stop>\nBern\n</arg><arg=line>\n9\n</arg></call>';
    const { calls, warnings } = read(templateOf(example, eachCall(history(`${typed}\n`))), written);
    expect(calls).toEqual([{ stop: 'Bern', line: 9 }]);
    expect(warnings.map(({ field, kind }) => `${kind} ${field}`)).toEqual(['prompt calls.arguments.entry']);
  });

  test('and none if both are the same', () => {
    const { warnings } = read(templateOf(example, eachCall(history(`\n${typed}\n`))), '');
    expect(warnings).toEqual([]);
  });
});

describe('an example that finished turns contradict is a warning, which shows both', () => {
  const json =
    '<call>{"name": {{ call.function.name | tojson }}, "arguments": {{ call.function.arguments | tojson }}}</call>';
  const contradictions = {
    'other markers': 'Write <invoke>{"name": <function-name>, "arguments": <args-json-object>}</invoke>',
    'other keys': 'Write <call>{"function": <function-name>, "params": <args-json-object>}</call>',
    'another notation': `Write ${pythonicExample}`,
  };
  test.each(Object.entries(contradictions))('%s', (_, example) => {
    const { warnings, format } = read(templateOf(example, eachCall(json)), '');
    expect(format.calls).toMatchObject({ call: { open: '<call>' } });
    const [warning] = warnings.filter(({ kind, field }) => kind === 'prompt' && field === 'calls');
    expect(warning?.rendered).not.toBe('');
    expect(warning?.written).toContain('<call>');
  });

  test('and one that agrees is none', () => {
    const example = 'Write <call>{"name": <function-name>, "arguments": <args-json-object>}</call>';
    const { warnings } = read(templateOf(example, eachCall(json)), '');
    expect(warnings.filter(({ kind }) => kind === 'prompt')).toEqual([]);
  });
});
