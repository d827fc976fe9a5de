/** Formats that differ from all usual ones in one thing. All laws hold for them. */
import { describe, expect, test } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import { AnalysisError } from '../../src/format/errors.ts';
import { verificationCases, verificationTools } from '../../src/generate/verify/verification-cases.ts';
import { verifyTemplate } from '../../src/generate/verify/verify-template.ts';
import { writeResponse } from '../../src/layout/write-response.ts';

const name = '{{ call.function.name }}';
const json = '{{ call.function.arguments | tojson }}';
const text = '{{ value if value is string else value | tojson }}';
const eachEntry = (entry: string) =>
  `{% for key, value in call.function.arguments.items() %}${entry}{% endfor %}`;
const eachCall = (call: string, open = '', close = '') =>
  `{% if message.tool_calls %}${open}{% for call in message.tool_calls %}${call}{% endfor %}${close}{% endif %}`;
const separated = (separator: string) => `{{ "${separator}" if not loop.last }}`;
/** Backslashes doubled. */
const slashed = String.raw`value | replace("\\", "\\\\")`;
const line = '{{ "\\n" }}';

/** A template whose assistant writes content and then `calls`. */
function templateOf(calls: string): string {
  return [
    '{% for message in messages %}<|turn|>{{ message.role }}{{ "\\n" }}',
    `{{ message.content }}${calls}<|end|>{% endfor %}`,
    '{% if add_generation_prompt %}<|turn|>assistant{{ "\\n" }}{% endif %}',
  ].join('');
}

const formats: Readonly<Record<string, string>> = {
  'white space between key and value': eachCall(`(${name}${eachEntry(' :{{ key }} {{ value | tojson }}')})`),
  'a section that opens with words': eachCall(
    ` the tool "${name}" with ${json}{{ " and" if not loop.last }}`,
    `${line}I will use`,
    '.',
  ),
  'a section that opens with a rule': eachCall(
    `tool: ${name}${line}${eachEntry(`  {{ key }}: ${text}${line}`)}`,
    `---${line}`,
    '---',
  ),
  'items in elements, and objects as JSON': eachCall(
    `<call ${name}>${eachEntry(`<v k="{{ key }}">{% if value is sequence and value is not string and value is not mapping %}{% for item in value %}<i>{{ item if item is string else item | tojson }}</i>{% endfor %}{% else %}${text}{% endif %}</v>`)}</call>`,
  ),
  'values on lines of their own after their types': eachCall(
    `${line}<call ${name}>${line}${eachEntry(`<v {{ key }} type={{ "text" if value is string else "json" }}>${line}${text}${line}</v>${line}`)}</call>`,
  ),
  'the name of the type in JSON Schema after the key': eachCall(
    `<call ${name}>${eachEntry(
      `<v {{ key }}: {{ "string" if value is string else "null" if value is none else "boolean" if value is boolean else "integer" if value is integer else "number" if value is number else "object" if value is mapping else "array" }}>${text}</v>`,
    )}</call>`,
  ),
  'lines of keys, and lines of values': eachCall(
    `<call>${name}${line}${eachEntry(`--{{ key }}${line}${text}${line}`)}</call>`,
  ),
  'lines that nothing ends, after a sign and a name': eachCall(
    `${line}@${name}${eachEntry(`${line}{{ key }} = {{ value | tojson }}`)}`,
  ),
  'sorted entries, and JSON in the order given': eachCall(
    `<call ${name}>{% for key, value in call.function.arguments | dictsort %}<{{ key }}>${text}</{{ key }}>{% endfor %}</call>`,
  ),
  'numbers in openers and closers': eachCall(
    `${line}<call_{{ loop.index }}>{"name": "${name}", "arguments": ${json}}</call_{{ loop.index }}>`,
  ),
  'numbers and names in openers and closers of entries': eachCall(
    `<{{ loop.index0 }}:${name}>${eachEntry(`<{{ key }}>${text}</{{ key }}>`)}</{{ loop.index0 }}:${name}>`,
  ),
  'a number in closers alone': eachCall(`<call>${name} ${json}</call_{{ loop.index }}>`),
  'signs in front of JSON': eachCall(`${line}>>> {"name": "${name}", "arguments": ${json}}`),
  'one sign on both sides of JSON': eachCall(`@{"name": "${name}", "arguments": ${json}}@`),
  'numbers in brackets': eachCall(`${line}[{{ loop.index }}] {"name": "${name}", "arguments": ${json}}`),
  'numbers and nothing else': eachCall(`${line}{{ loop.index }}. ${name} ${json}`),
  'numbers in front of parentheses': eachCall(
    `{{ loop.index }}) ${name}(${eachEntry(`{{ key }}={{ value | tojson }}${separated(', ')}`)})`,
  ),
  'an id after the entries': eachCall(
    `<call ${name}>${eachEntry(`<{{ key }}>${text}</{{ key }}>`)}<ref>{{ call.id }}</ref></call>`,
  ),
  'raw values in quotes, as attributes': eachCall(
    `<call name="${name}"${eachEntry(` {{ key }}="${text}"`)}/>`,
  ),
  'backslashes before quotes, line breaks as they are': eachCall(
    `[${name}(${eachEntry(`{{ key }}={% if value is string %}'{{ ${slashed} | replace("'", "\\\\'") }}'{% else %}{{ value | tojson }}{% endif %}${separated(', ')}`)})]`,
  ),
  'quotes in elements, and quotes in texts as they are': eachCall(
    `<call ${name}>${eachEntry(`<v k="{{ key }}">{% if value is string %}"{{ value }}"{% else %}{{ value | tojson }}{% endif %}</v>`)}</call>`,
  ),
  'calls as Python prints them': eachCall('<call>{{ call.function }}</call>'),
  'calls as Python prints them, the name last': eachCall(
    "<call>{{ {'id': call.id, 'args': call.function.arguments, 'tool': call.function.name} }}</call>",
  ),
  'a list of calls as Python prints it':
    '{% if message.tool_calls %}<calls>{{ message.tool_calls }}</calls>{% endif %}',
  'a list of calls as Python prints it, without markers':
    '{% if message.tool_calls %}{{ message.tool_calls }}{% endif %}',
  'backslashes before double quotes, in elements': eachCall(
    `<call ${name}>${eachEntry(`<v k="{{ key }}">{% if value is string %}"{{ ${slashed} | replace('"', '\\\\"') }}"{% else %}{{ value | tojson }}{% endif %}</v>`)}</call>`,
  ),
};

/** Raw values that quote a call cannot be told from the call where its marks occur in any text, or differ with it. */
const unquotable: ReadonlySet<string> = new Set([
  'a section that opens with a rule',
  'numbers and names in openers and closers of entries',
  'raw values in quotes, as attributes',
]);

describe('all laws hold for a rare format', () => {
  test.each(Object.entries(formats))('%s', (name, calls) => {
    const { breaches, rendered } = verifyTemplate(templateOf(calls));
    const laws = new Set(breaches.map(({ law }) => law));
    expect([...laws]).toEqual(unquotable.has(name) ? ['quotation'] : []);
    expect(rendered).toBeGreaterThan(30);
  });
});

/** Calls that no format can hold; each is told of, and counts as no support for calls, or none for several. */
const unreadable: Readonly<Record<string, string>> = {
  'names in capitals': eachCall('<call>{{ call.function.name | upper }} {}</call>'),
  'arguments without names': eachCall(
    `<call>${name}({% for value in call.function.arguments.values() %}{{ value | tojson }},{% endfor %})</call>`,
  ),
  'arguments in front of the name': eachCall(`<with>${json}</with><call>${name}</call>`),
  'texts as they are, up to the next marker': eachCall(
    `<|call|>${name}${eachEntry(`<|key|>{{ key }}<|value|>${text}`)}<|/call|>`,
  ),
  'arguments cut short': eachCall(
    `<call>${name} {{ call.function.arguments | tojson | truncate(30) }}</call>`,
  ),
};

const misleading: Readonly<Record<string, string>> = {
  'the last call alone': eachCall(`{% if loop.last %}<call>${name} ${json}</call>{% endif %}`),
  'calls from the last to the first': `{% for call in (message.tool_calls or []) | reverse %}<call>${name} ${json}</call>{% endfor %}`,
  'an answer as JSON': eachCall(`<call>${name} ${json}</call>`),
};

describe('what cannot be read', () => {
  test.each(Object.entries(unreadable))('%s: a warning, and no support for calls', (_, calls) => {
    const { format, warnings } = analyzeTemplate(templateOf(calls));
    expect(format.calls).toBeNull();
    expect(format.capabilities.supportsToolCalls).toBe(false);
    expect(warnings.map(({ field, kind }) => [field, kind])).toContainEqual(['calls', 'self-check']);
  });

  test.each(Object.entries(misleading))('%s: a warning', (title, calls) => {
    const source = templateOf(calls);
    const answer = title === 'an answer as JSON' ? '{{ message.content | tojson }}' : '{{ message.content }}';
    const { warnings } = analyzeTemplate(source.replace('{{ message.content }}', answer));
    expect(warnings.map(({ kind }) => kind)).toContain('self-check');
  });
});

/** An assistant's turn with thoughts: its markers are those of the test. */
function thinkingTemplate(thought: string, calls: string): string {
  return templateOf(calls).replace(
    '{{ message.content }}',
    `{% if message.role == "assistant" %}${thought}{% endif %}{{ message.content }}`,
  );
}

describe('thoughts', () => {
  const call = eachCall(`<call>${name} ${json}</call>`);
  const thoughts = (open: string, close: string) =>
    `{% if message.reasoning_content %}${open}{{ message.reasoning_content }}${close}{% endif %}`;

  test('in quotes of a JSON object are thoughts, while nothing is escaped', () => {
    const source = thinkingTemplate(thoughts('{"thought": "', '"}'), call);
    expect(analyzeTemplate(source).format.reasoning).toMatchObject({ start: '{"thought": "', end: '"}' });
    expect(verifyTemplate(source).breaches).toEqual([]);
  });

  test('that the template escapes are told of', () => {
    const escaped = thoughts('<t>', '</t>').replace('reasoning_content }}', 'reasoning_content | tojson }}');
    const { warnings } = analyzeTemplate(thinkingTemplate(escaped, call));
    expect(warnings.map(({ field, kind }) => [field, kind])).toContainEqual(['reasoning', 'self-check']);
  });

  test('that nothing but white space ends are told of', () => {
    const { warnings } = analyzeTemplate(thinkingTemplate(thoughts('> ', `${line}${line}`), call));
    expect(warnings.map(({ field, kind }) => [field, kind])).toContainEqual(['reasoning.end', 'assumed']);
  });

  test('in a block that stands before every call, empty or not, keep their end', () => {
    const block =
      '{% if message.tool_calls %}<|plan|>{{ message.reasoning_content or "" }}<|/plan|>{% endif %}';
    const source = thinkingTemplate(block, call);
    expect(analyzeTemplate(source).format.reasoning).toMatchObject({ start: '<|plan|>', end: '<|/plan|>' });
    expect(verifyTemplate(source).breaches).toEqual([]);
  });

  test('that are written twice are refused', () => {
    const twice = thoughts('<a>', '</a>') + thoughts('<b>', '</b>');
    expect(() => analyzeTemplate(thinkingTemplate(twice, call))).toThrow(AnalysisError);
  });
});

describe('calls that nothing closes', () => {
  const entry = `{{ "\\n" }}Arg-{{ key }}: {{ value | tojson }}`;
  const { format } = analyzeTemplate(templateOf(eachCall(`${line}Tool: ${name}${eachEntry(entry)}`)));
  const withCalls = verificationCases.filter(({ message }) => message.tool_calls !== undefined);

  const parse = (response: string, reason?: 'length') => {
    const parser = createResponseParser(format, { tools: verificationTools });
    parser.feed(response);
    return parser.finish(reason).message;
  };

  test.each(withCalls)('end with the response: $name', ({ message }) => {
    const read = parse(writeResponse(format, message));
    const calls = read.tool_calls?.map((call) => [call.function.name, JSON.parse(call.function.arguments)]);
    expect(calls).toEqual(
      message.tool_calls?.map((call) => [call.function.name, JSON.parse(call.function.arguments)]),
    );
    expect(read.malformed).toBeUndefined();
  });

  test('are broken where the response was cut short', () => {
    expect(parse('Tool: get_weather\nArg-city: "Oslo"', 'length').tool_calls).toBeUndefined();
  });
});
