/** What models are reported to write in place of their format's calls, at every cut; and what looks like it and is none. */
import { describe, expect, test } from 'vitest';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { JsonObject, Tool } from '../../src/format/messages.ts';
import type { ResponseParserOptions } from '../../src/parser/response-parser.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { everyPosition } from '../support/parse-pieces.ts';

const text = { type: 'string' };
const tool = (name: string, properties: JsonObject, required: readonly string[]): Tool => ({
  type: 'function',
  function: { name, description: '', parameters: { type: 'object', properties, required } },
});
const list = { type: 'array', items: text };
const tools = [
  tool('bash', { command: text, timeout: { type: 'integer' } }, ['command']),
  tool('read', { path: text }, ['path']),
  tool('move', { from: text, to: text }, ['from', 'to']),
  tool('tag', { words: list, size: { type: 'integer' } }, ['words']),
  tool('plot', { code: text, title: text }, ['code']),
];

interface Options extends ResponseParserOptions {
  readonly reason?: 'stop' | 'length';
}

/** The message of a text in pieces that end at these positions. */
function messageOf(
  model: string,
  written: string,
  cuts: readonly number[],
  { reason = 'stop', ...options }: Options,
) {
  const format = generatedFormats().find(({ name }) => name === model)?.format;
  if (format === undefined) throw new RangeError(`no module is called ${model}`);
  const parser = createResponseParser(format, { tools, ...options });
  let from = 0;
  for (const cut of [...cuts, written.length]) {
    parser.feed(written.slice(from, cut));
    from = cut;
  }
  return parser.finish(reason).message;
}

function read(model: string, written: string, options: Options = {}) {
  const message = messageOf(model, written, [], options);
  const all = everyPosition(written);
  for (const cuts of [...all.map((at) => [at]), all]) {
    expect(messageOf(model, written, cuts, options)).toEqual(message);
  }
  return {
    content: message.content ?? '',
    thoughts: message.reasoning_content ?? '',
    calls: (message.tool_calls ?? []).map(({ function: f }) => [f.name, JSON.parse(f.arguments)]),
    laws: (message.repaired ?? []).map(({ law }) => law),
    malformed: (message.malformed ?? []).map(({ raw }) => raw),
  };
}

describe('other text between the marker of a section and its call', () => {
  const kimi = (between: string) =>
    `<|tool_calls_section_begin|>${between}<|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>{"path": "a"}<|tool_call_end|><|tool_calls_section_end|>`;

  test.each([
    ['kimi-k2-instruct', kimi(' Now I read it: ')],
    [
      'deepseek-ai-deepseek-v3.1',
      '<｜tool▁calls▁begin｜>Now I read it:<｜tool▁call▁begin｜>read<｜tool▁sep｜>{"path": "a"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
    ],
  ])('%s: it is malformed, and the call is read', (model, written) => {
    const outcome = read(model, `Well. ${written}`);
    expect(outcome).toMatchObject({ calls: [['read', { path: 'a' }]], laws: ['noise', 'opener'] });
    expect(outcome.malformed.map((raw) => raw.trim())).toEqual(['Now I read it:']);
    expect(outcome.content.trim()).toBe('Well.');
    expect(read(model, written, { leniency: 'strict' }).calls).toEqual([]);
  });

  test.each([
    ['a sentence that mentions the markers', `The marker ${kimi(' comes before ')}`],
    ['a code span', `Well. \`${kimi(' and ')}\``],
    [
      'text that names the tool later',
      'It has two. <|tool_calls_section_begin|> and <|tool_call_begin|> come before read:0.',
    ],
  ])('%s is text', (_, written) => {
    expect(read('kimi-k2-instruct', written)).toMatchObject({ calls: [], content: written, malformed: [] });
  });
});

describe('thoughts that end with a call', () => {
  const call =
    '<tool_call>\n<function=read>\n<parameter=path>\na.md\n</parameter>\n</function>\n</tool_call>';
  const invoke = '<invoke name="read">\n<path>a.md</path>\n</invoke>';
  const prompt = { generationPrompt: '<think>\n' };

  test.each([
    ['in the markers of the format', call],
    ['in another notation', invoke],
  ])('%s, are a call if no answer follows', (_, written) => {
    for (const end of ['\n</think>\n\n', '\n</think>\n\n<|im_end|>', '']) {
      const outcome = read('qwen3.5-4b', `I read it.\n\n${written}${end}`, prompt);
      expect([outcome.calls, outcome.thoughts.trim()]).toEqual([[['read', { path: 'a.md' }]], 'I read it.']);
      expect(outcome.laws).toContain('unclosed');
      expect(outcome.content.trim()).toBe('');
    }
  });

  test.each([
    ['an answer follows', '\n</think>\n\nDone.', {}],
    ['thoughts follow', '\nSo I do.\n</think>\n\n', {}],
    ['the response was cut', '\n</think>\n\n', { reason: 'length' as const }],
    ['it is not valid', '\n</think>\n\n', { validate: () => ['no such file'] }],
    ['the tool is not on offer', '\n</think>\n\n', { tools: [tool('bash', {}, [])] }],
    ['the parser is strict', '\n</think>\n\n', { leniency: 'strict' as const }],
  ])('are thoughts if %s', (_, end, options: Options) => {
    for (const written of [call, invoke]) {
      const { calls, thoughts } = read('qwen3.5-4b', `I read it.\n\n${written}${end}`, {
        ...prompt,
        ...options,
      });
      expect(calls).toEqual([]);
      expect(thoughts).toContain(written);
    }
  });

  test('the end of thoughts right after a call means nothing', () => {
    const outcome = read('qwen3.5-4b', `${call}\n</think>\n\nDone.`, {
      generationPrompt: '<think>\n\n</think>\n\n',
    });
    expect(outcome).toMatchObject({ calls: [['read', { path: 'a.md' }]], laws: ['special-token'] });
    expect(outcome.content.trim()).toBe('Done.');
  });
});

describe('the only required argument without its key', () => {
  test.each([
    ['<bash>ls -la</bash>', 'bash', { command: 'ls -la' }],
    ['<bash>\necho "a" > b\n</bash>', 'bash', { command: 'echo "a" > b' }],
    ["[tool_call: read for 'a.md']", 'read', { path: 'a.md' }],
    ['[tool_call: read for "it\'s"]', 'read', { path: "it's" }],
  ])('%s is a call', (written, name, input) => {
    expect(read('qwen-qwen3-0.6b', written)).toMatchObject({
      calls: [[name, input]],
      laws: ['notation'],
      content: '',
    });
    expect(read('qwen-qwen3-0.6b', written, { leniency: 'strict' })).toMatchObject({
      calls: [],
      content: written,
    });
  });

  test.each([
    '<bash>ls</bash> is how.',
    'Write <bash>ls</bash>',
    '<bash>ls',
    '<move>a</move>',
    '<tag>a</tag>',
    "[tool_call: move for 'a']",
    '```html\n<bash>ls</bash>\n```',
    '<b>bold</b>',
  ])('%s is text', (written) => {
    expect(read('qwen-qwen3-0.6b', written)).toMatchObject({ calls: [], content: written, laws: [] });
  });

  test.each([
    [
      '<bash>ls</bash>\n<bash>pwd</bash>',
      [
        ['bash', { command: 'ls' }],
        ['bash', { command: 'pwd' }],
      ],
    ],
    [
      '<bash>ls</bash><read>a</read>',
      [
        ['bash', { command: 'ls' }],
        ['read', { path: 'a' }],
      ],
    ],
    [
      '<read>{"path": "a"}</read>\n<read>{"path": "b"}</read>',
      [
        ['read', { path: 'a' }],
        ['read', { path: 'b' }],
      ],
    ],
    [
      '<bash><command>ls</command></bash>\n<read>a</read>',
      [
        ['bash', { command: 'ls' }],
        ['read', { path: 'a' }],
      ],
    ],
  ])('%s are several calls in tags of their tools', (written, calls) => {
    expect(read('qwen-qwen3-0.6b', written)).toMatchObject({ calls, content: '' });
    for (const after of [' is how.', '\nand that.'])
      expect(read('qwen-qwen3-0.6b', written + after).calls).toEqual([]);
    // Where the response ends in another call, that one alone is text.
    for (const after of ['\n<bash>', '\n<bash>ls'])
      expect(read('qwen-qwen3-0.6b', written + after)).toMatchObject({ calls, content: after });
    expect(read('qwen-qwen3-0.6b', written, { parallelToolCalls: false }).calls).toEqual([]);
  });

  test('a value with keys is read as such', () => {
    const outcome = read('qwen-qwen3-0.6b', '<bash>\n<command>ls</command>\n</bash>');
    expect(outcome.calls).toEqual([['bash', { command: 'ls' }]]);
  });
});

describe('the type of the arguments glued to the name', () => {
  const header = (name: string) =>
    `<|channel|>commentary to=functions.${name}<|message|>{"path": "a"}<|call|>`;

  test('is no part of the name, if such a tool is on offer', () => {
    expect(read('openai-gpt-oss-120b', header('readjson'))).toMatchObject({
      calls: [['read', { path: 'a' }]],
      laws: ['name-prefix'],
    });
  });

  test('belongs to the name of a tool that is called so', () => {
    const named = { tools: [...tools, tool('readjson', { path: text }, [])] };
    expect(read('openai-gpt-oss-120b', header('readjson'), named)).toMatchObject({
      calls: [['readjson', { path: 'a' }]],
      laws: [],
    });
  });
});

describe('Python in arguments', () => {
  const lfm = (values: string) => `<|tool_call_start|>[${values}]<|tool_call_end|>`;

  test.each([
    ["tag(words=('a', 'b'))", ['a', 'b']],
    ["tag(words={'a', 'b'})", ['a', 'b']],
    ["tag(words={'a'}, size=2)", ['a']],
    ['tag(words={"a, b", "c}"})', ['a, b', 'c}']],
    ["tag(words=('a',))", ['a']],
  ])('%s is read as a list, with a note', (written, words) => {
    const { calls, laws } = read('lfm2-8b-a1b', lfm(written));
    expect(calls).toMatchObject([['tag', { words }]]);
    expect(laws).toEqual(['json']);
  });

  test('a set between tags is a list, too', () => {
    const written =
      "<tool_call>\n<function=tag>\n<parameter=words>\n{'a', 'b'}\n</parameter>\n</function>\n</tool_call>";
    expect(read('qwen3-coder', written)).toMatchObject({
      calls: [['tag', { words: ['a', 'b'] }]],
      laws: ['json'],
    });
  });

  test('a dictionary stays one where a list belongs', () => {
    expect(read('lfm2-8b-a1b', lfm("tag(words={'a': 1})")).calls).toEqual([['tag', { words: { a: 1 } }]]);
  });

  test.each([
    ["tag(words=['a'], note='<|tool_call_start|>[read(path='a')]<|tool_call_end|>')", ['unclosed']],
    ["tag(words=['a'], note='<|tool_call_start|>[read(path=\\'a\\')]<|tool_call_end|>')", []],
  ])('a string that quotes a call ends after it: %s', (written, laws) => {
    const note = "<|tool_call_start|>[read(path='a')]<|tool_call_end|>";
    const notes = { tools: [tool('tag', { words: list, note: text }, ['words'])] };
    expect(read('lfm2.5-8b-a1b', lfm(written), notes)).toMatchObject({
      calls: [['tag', { words: ['a'], note }]],
      laws,
      content: '',
    });
  });

  test('a string that holds the beginning of a call ends at its quote', () => {
    const written = `${lfm("read(path='<|tool_call_start|>['), bash(command='ls')")}It's done.`;
    expect(read('lfm2.5-8b-a1b', written)).toMatchObject({
      calls: [
        ['read', { path: '<|tool_call_start|>[' }],
        ['bash', { command: 'ls' }],
      ],
      content: "It's done.",
    });
  });

  test('an escaped quote before a comma and a word does not end a string', () => {
    const written = lfm("plot(code='plt.plot(x, color=\\'r\\', label=\\'a\\')', title='it\\'s')");
    expect(read('lfm2-8b-a1b', written).calls).toEqual([
      ['plot', { code: "plt.plot(x, color='r', label='a')", title: "it's" }],
    ]);
  });
});

describe('the last brackets of arguments missing, where the name stands outside', () => {
  test.each([
    [
      'kimi-k2-instruct',
      '<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>',
    ],
    ['deepseek-ai-deepseek-v3.1', '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read<｜tool▁sep｜>'],
    ['meetkai-functionary-medium-v3.1', '<function=read>'],
    ['mistralai-ministral-3-14b-reasoning-2512', '[TOOL_CALLS]read[ARGS]'],
  ])('%s', (model, head) => {
    expect(read(model, `${head}{"path": "a"`)).toMatchObject({
      calls: [['read', { path: 'a' }]],
      laws: ['unclosed'],
    });
  });
});

test('a whole call as its own arguments', () => {
  const inner = '{"name": "read", "arguments": {"path": "a"}}';
  const written = `<tool_call>\n{"name": "read", "arguments": ${inner}}\n</tool_call>`;
  expect(read('qwen-qwen3-0.6b', written)).toMatchObject({
    calls: [['read', { path: 'a' }]],
    laws: ['wrapped-arguments'],
  });
});
