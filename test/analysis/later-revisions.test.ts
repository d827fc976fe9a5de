/** Ways of templates that came after those of the corpora, each in the least template that shows it. */
import { describe, expect, test } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { Message } from '../../src/format/messages.ts';
import { verifyTemplate } from '../../src/generate/verify/verify-template.ts';
import { renderPrompt } from '../../src/template/prompt/render-prompt.ts';

/** A chat with turns `[user]…[end]`: `assistant` renders the message `m`, and `prompt` opens the next turn. */
function chat(
  assistant: string,
  prompt = '{% if add_generation_prompt %}[assistant]{% endif %}',
  toolPrompt = '',
): string {
  return `{% if tools %}${toolPrompt}{{ tools | tojson }}
{% endif %}{% for m in messages %}{% if m.role == 'assistant' %}[assistant]${assistant}[end]
{% elif m.role == 'tool' %}[result]{{ m.tool_call_id }}: {{ m.content }}[end]
{% else %}[user]{{ m.content }}[end]
{% endif %}{% endfor %}${prompt}`;
}

const call = `<call>{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}</call>`;
const calls = `{% for c in m.tool_calls or [] %}${call}{% endfor %}`;
const last = 'messages[-1]';

test('a prompt that nobody asks for may be missing after calls, which await their results', () => {
  const prompt = `{% if ${last}.role != 'assistant' or not ${last}.tool_calls %}[assistant]{% endif %}`;
  const source = chat(`{{ m.content }}${calls}`, prompt);
  const { format } = analyzeTemplate(source);
  expect(format.turn.start).toBe('[assistant]');
  expect(format.calls?.call).toEqual({ open: '<call>', close: '</call>' });
  expect(verifyTemplate(source)).toMatchObject({ holds: true, refused: 0 });
});

test('a block of thoughts that ends every conversation while thinking is off belongs to the prompt', () => {
  const source =
    "{% for m in messages %}{{ m.content }}{% if m.role == 'assistant' %}[over]{% else %}[asked]{% endif %}" +
    '{% endfor %}{% if enable_thinking is defined and not enable_thinking %}<think>\n\n</think>\n{% endif %}';
  const { format } = analyzeTemplate(source);
  expect(format.turn.prompt).toEqual({ unset: '', on: '', off: '<think>\n\n</think>\n' });
  const parser = createResponseParser(format);
  parser.feed('<think>\nShort.\n</think>\nYes.');
  expect(parser.finish().message).toMatchObject({ reasoning_content: 'Short.', content: 'Yes.' });
});

describe('a template that writes the id of a call and not its name', () => {
  const source = chat(
    '{{ m.content }}{% for c in m.tool_calls or [] %}<call>{{ c.id }}<with>{{ c.function.arguments | tojson }}</call>{% endfor %}',
  );
  const { format, warnings } = analyzeTemplate(source);

  test('is read as one whose ids hold the name, with a warning', () => {
    const parser = createResponseParser(format);
    parser.feed(
      'Sure.<call>functions.add:0<with>{"a": 1}</call><call>functions.add:1<with>{"a": 2}</call>[end]',
    );
    const calls = parser.finish().message.tool_calls?.map(({ id, function: { name } }) => ({ id, name }));
    expect(calls).toEqual([
      { id: 'functions.add:0', name: 'add' },
      { id: 'functions.add:1', name: 'add' },
    ]);
    expect(format.capabilities.supportsToolCalls).toBe(true);
    expect(warnings).toEqual([expect.objectContaining({ field: 'input.callIds', kind: 'assumed' })]);
    expect(verifyTemplate(source)).toMatchObject({ holds: true, refused: 0 });
  });

  test('is given such ids, and keeps those that it has been given', () => {
    const message = (id: string): Message[] => [
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id, type: 'function', function: { name: 'add', arguments: '{"a":1}' } }],
      },
      { role: 'tool', tool_call_id: id, content: '3' },
    ];
    const messages: Message[] = [
      { role: 'user', content: 'Hello' },
      ...message('functions.add:0'),
      ...message('call_7f3a'),
    ];
    const prompt = renderPrompt(source, { messages, addGenerationPrompt: true });
    expect(prompt).toContain('<call>functions.add:0<with>');
    expect(prompt).toContain('<call>functions.add:1<with>');
    expect(prompt).toContain('[result]functions.add:1: 3[end]');
    expect(prompt).not.toContain('call_7f3a');
  });
});

test('an example whose braces were doubled keeps the markers of its list', () => {
  const example = '<calls>[{{ \'{{"name": "f1", "arguments": {"a": 1}}}, {{"name": "f2"}}\' }}]</calls>\n';
  const { format } = analyzeTemplate(chat('{{ m.content }}', undefined, `Write: ${example}`));
  expect(format.calls).toMatchObject({ basis: 'prompt', section: { open: '<calls>[', close: ']</calls>' } });
  const parser = createResponseParser(format);
  parser.feed('<calls>[{"name": "add", "arguments": {"a": 1}}]</calls>[end]');
  expect(parser.finish().message.tool_calls).toHaveLength(1);
});

test('calls that only the prompt and earlier messages show are no marks of results', () => {
  const example = '<calls>{"name": name, "arguments": arguments}</calls>\n';
  const earlier = `{% if not loop.last %}${calls.replaceAll('call>', 'calls>')}{% endif %}`;
  const { format } = analyzeTemplate(chat(`{{ m.content }}${earlier}`, undefined, example));
  expect(format.calls?.call).toEqual({ open: '<calls>', close: '</calls>' });
  expect(format.results?.open).toEqual(['[result]']);
});

describe('thoughts of which a template speaks and which no message shows', () => {
  const reasoning = expect.objectContaining({ field: 'reasoning', kind: 'assumed' });

  test('are told of where the tool prompt shows their marker', () => {
    const source = chat(`{{ m.content }}${calls}`, undefined, 'Begin with <|thought_start|> and end it.\n');
    expect(analyzeTemplate(source).warnings).toContainEqual(reasoning);
  });

  test('are told of where an effort changes how the prompt ends', () => {
    const prompt =
      "{% if add_generation_prompt %}[assistant]{% if reasoning_effort == 'high' %}<mull>{% endif %}{% endif %}";
    expect(analyzeTemplate(chat('{{ m.content }}', prompt)).warnings).toContainEqual(reasoning);
  });
});
