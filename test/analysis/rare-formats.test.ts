/** Formats that differ from all usual ones in one thing. All laws hold for them. */
import { describe, expect, test } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { createResponseParser } from '../../src/create-response-parser.ts';
import { writeResponse } from '../../src/grammar/write-response.ts';
import { verificationCases, verificationTools } from '../../src/verify/verification-cases.ts';
import { verifyTemplate } from '../../src/verify/verify-template.ts';

const name = '{{ call.function.name }}';
const json = '{{ call.function.arguments | tojson }}';
const text = '{{ value if value is string else value | tojson }}';
const eachEntry = (entry: string) =>
  `{% for key, value in call.function.arguments.items() %}${entry}{% endfor %}`;
const eachCall = (call: string, open = '', close = '') =>
  `{% if message.tool_calls %}${open}{% for call in message.tool_calls %}${call}{% endfor %}${close}{% endif %}`;
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
  'sorted entries, and JSON in the order given': eachCall(
    `<call ${name}>{% for key, value in call.function.arguments | dictsort %}<{{ key }}>${text}</{{ key }}>{% endfor %}</call>`,
  ),
};

describe('laws', () => {
  test.each(Object.entries(formats))('%s', (_, calls) => {
    const { breaches, rendered } = verifyTemplate(templateOf(calls));
    expect(breaches).toEqual([]);
    expect(rendered).toBeGreaterThan(30);
  });
});

describe('calls that nothing closes', () => {
  const entry = `{{ "\\n" }}Arg-{{ key }}: {{ value | tojson }}`;
  const { format } = analyzeTemplate(templateOf(eachCall(`${line}Tool: ${name}${eachEntry(entry)}`)));
  const withArguments = verificationCases.filter(
    ({ message }) => message.tool_calls?.every((call) => call.function.arguments !== '{}') === true,
  );

  const parse = (response: string, reason?: 'length') => {
    const parser = createResponseParser(format, { tools: verificationTools });
    parser.feed(response);
    return parser.finish(reason).message;
  };

  test.each(withArguments)('end with the response: $name', ({ message }) => {
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
