/** Templates that take messages in a form of their own: it is found, all laws hold, and prompts are written in it. */
import { describe, expect, test } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import type { Message } from '../../src/format/messages.ts';
import { verifyTemplate } from '../../src/generate/verify/verify-template.ts';
import { renderPrompt } from '../../src/template/prompt/render-prompt.ts';

const call = '<call>{{ call.function.name }} {{ call.function.arguments | tojson }}</call>';
const flatCall = '<call>{{ call.name }} {{ call.arguments | tojson }}</call>';
const eachCall = (body: string) => `{% for call in message.tool_calls or [] %}${body}{% endfor %}`;
const partsOf = (field: string) =>
  `{% for part in message.content %}{% if part.type == "text" %}{{ part.${field} }}{% endif %}{% endfor %}`;

/** A template whose user's turn is `user`, and whose assistant's is `assistant`. */
function templateOf(user: string, assistant: string, head = ''): string {
  return [
    `${head}{% for message in messages %}<|{{ message.role }}|>`,
    `{% if message.role == "assistant" %}${assistant}{% else %}${user}{% endif %}<|end|>{% endfor %}`,
    '{% if add_generation_prompt %}<|assistant|>{% endif %}',
  ].join('');
}

const text = '{{ message.content }}';
const allRoles = ['user', 'assistant', 'system', 'tool'];

describe('content in parts', () => {
  test.each([
    ['every part', templateOf(partsOf('text'), partsOf('text') + eachCall(call)), allRoles],
    [
      'the first part',
      templateOf('{{ message.content[0].text }}', '{{ message.content[0].text }}'),
      undefined,
    ],
    [
      'parts of the user alone',
      templateOf(partsOf('text'), text + eachCall(call)),
      ['user', 'system', 'tool'],
    ],
    ['parts of the assistant alone', templateOf(text, partsOf('text') + eachCall(call)), ['assistant']],
    ['text', templateOf(text, text + eachCall(call)), []],
    ['a list that is printed', templateOf('{{ message.content | tojson }}', text), []],
  ])('%s', (_, template, roles) => {
    const { format, warnings } = analyzeTemplate(template);
    if (roles !== undefined) expect(format.input.contentParts ?? []).toEqual(roles);
    expect(warnings).toEqual([]);
    expect(verifyTemplate(template)).toMatchObject({ breaches: [], holds: true });
  });

  test('is what prompts are written with, and parts that are given stay', () => {
    const template = templateOf(partsOf('text'), partsOf('text'));
    const { format } = analyzeTemplate(template);
    const messages: readonly Message[] = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
      { role: 'assistant', content: 'Hi.' },
      { role: 'user', content: 'Bye' },
    ];
    const prompt =
      '<|system|>Be brief.<|end|><|user|>Hello<|end|><|assistant|>Hi.<|end|><|user|>Bye<|end|><|assistant|>';
    expect(renderPrompt(template, { messages })).toBe(prompt);
    expect(renderPrompt(template, { messages, input: format.input })).toBe(prompt);
    expect(format.capabilities).toMatchObject({ supportsStringContent: false, supportsTypedContent: true });
  });
});

describe('calls without a function in them', () => {
  const template = templateOf(text, text + eachCall(flatCall));

  test('are read', () => {
    const { format, warnings } = analyzeTemplate(template);
    expect(format.input.calls).toBe('flat');
    expect(format.capabilities).toMatchObject({ supportsToolCalls: true, supportsParallelToolCalls: true });
    expect(warnings).toEqual([]);
    expect(verifyTemplate(template)).toMatchObject({ refused: 0, breaches: [], holds: true });
  });

  test('as JSON text, too', () => {
    const textual = templateOf(text, text + eachCall('<call>{{ call.name + " " + call.arguments }}</call>'));
    expect(analyzeTemplate(textual).format.input).toMatchObject({ calls: 'flat', arguments: 'string' });
    expect(verifyTemplate(textual)).toMatchObject({ refused: 0, breaches: [], holds: true });
  });

  test('are for templates that read no other', () => {
    const both = templateOf(
      text,
      text +
        eachCall(`{% if call.function is defined %}{% set call = call.function %}{% endif %}${flatCall}`),
    );
    expect(analyzeTemplate(both).format.input.calls).toBeUndefined();
    expect(verifyTemplate(both)).toMatchObject({ refused: 0, breaches: [], holds: true });
  });
});

describe('a call in the message itself, and its result as a function', () => {
  const turn = (role: string, body: string) =>
    `{% if message.role == '${role}' %}<|${role}|>${body}<|end|>{% endif %}`;
  const called =
    '{{ message.content or "" }}{% if message.function_call %}<call>{{ message.function_call.name + " " + message.function_call.arguments }}</call>{% endif %}';
  const template =
    `{% for message in messages %}${turn('user', '{{ message.content }}')}${turn('assistant', called)}` +
    `${turn('function', '{{ message.name + ": " + message.content }}')}{% endfor %}` +
    '{% if add_generation_prompt %}<|assistant|>{% endif %}';

  test('are read', () => {
    const { format, warnings } = analyzeTemplate(template);
    expect(format.input).toMatchObject({ calls: 'single', arguments: 'string', resultRole: 'function' });
    expect(format.capabilities).toMatchObject({ supportsToolCalls: true, supportsParallelToolCalls: false });
    expect(format.results?.open).toEqual(['<|function|>']);
    expect(warnings).toEqual([]);
    expect(verifyTemplate(template)).toMatchObject({ breaches: [], holds: true });
  });

  test('lose no further call, nor the name that a result belongs to', () => {
    const calls = ['f', 'g'].map((name) => ({
      id: `call-${name}`,
      type: 'function' as const,
      function: { name, arguments: '{}' },
    }));
    const results = calls.map(({ id }) => ({ role: 'tool' as const, tool_call_id: id, content: 'done' }));
    const asked = { role: 'user', content: 'Hello' } as const;
    const messages = [asked, { role: 'assistant', content: null, tool_calls: calls } as const, ...results];
    expect(renderPrompt(template, { messages })).toBe(
      '<|user|>Hello<|end|><|assistant|><call>f {}</call><|end|><|function|>f: done<|end|>' +
        '<|assistant|><call>g {}</call><|end|><|function|>g: done<|end|><|assistant|>',
    );
  });

  test('are for templates that read no other', () => {
    const newer = `{% for call in message.tool_calls or [] %}<call>{{ call.function.name + " " + call.function.arguments|string }}</call>{% endfor %}`;
    const both = template
      .replace(called, newer + called)
      .replace("'function' %}<|function|>", "'function' or message.role == 'tool' %}<|function|>");
    const { input } = analyzeTemplate(both).format;
    expect([input.calls, input.resultRole]).toEqual([undefined, undefined]);
  });
});

test('tools in a form that nobody gives keep nothing else from being read', () => {
  const template = templateOf(
    text,
    `{% if message.thinking %}<muse>{{ message.thinking }}</muse>{% endif %}${text}${eachCall(call)}`,
    '{% if tools %}{{ "<|tools|>" + tools }}{% endif %}',
  );
  const { format, warnings } = analyzeTemplate(template);
  expect(format.input.reasoningField).toBe('thinking');
  expect(format.reasoning).toMatchObject({ start: '<muse>', end: '</muse>', basis: 'history' });
  expect(format.capabilities).toMatchObject({ supportsTools: false, supportsToolCalls: true });
  expect(warnings).toEqual([]);
  expect(verifyTemplate(template)).toMatchObject({ refused: 0, breaches: [], holds: true });
});

test('a field of its own carries the thoughts', () => {
  const template = templateOf(
    text,
    `{% if message.get("thoughts") %}<muse>{{ message.thoughts }}</muse>{% endif %}${text}${eachCall(call)}`,
  );
  const { format, warnings } = analyzeTemplate(template);
  expect(format.input.reasoningField).toBe('thoughts');
  expect(format.reasoning).toMatchObject({ start: '<muse>', end: '</muse>', preserved: 'always' });
  expect(warnings).toEqual([]);
  expect(verifyTemplate(template)).toMatchObject({ refused: 0, breaches: [], holds: true });
});
