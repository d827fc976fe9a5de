/** Turns whose regions meet in a way that usual ones do not. */
import { describe, expect, test } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import { verificationTools } from '../../src/generate/verify/verification-cases.ts';
import { verifyTemplate } from '../../src/generate/verify/verify-template.ts';

const json = '{{ call.function.arguments | tojson }}';
const name = '{{ call.function.name }}';
const content = '{{ message.content }}';
const thoughts = '{{ message.reasoning_content }}';
const eachCall = (call: string) => `{% for call in message.tool_calls or [] %}${call}{% endfor %}`;
const where = (condition: string, then: string, otherwise = '') =>
  `{% if ${condition} %}${then}{% else %}${otherwise}{% endif %}`;
const thinks = 'message.reasoning_content';
const speaks = 'message.content';
const calls = 'message.tool_calls';

/** A template whose assistant's turn is `turn`, begun by `start` and ended by `end`. */
function templateOf(turn: string, start = '<|assistant|>', end = '<|end|>', prompt = start): string {
  return [
    '{% for message in messages %}{% if message.role == "assistant" %}',
    `${start}${turn}${end}{% else %}<|{{ message.role }}|>{{ message.content }}<|end|>{% endif %}`,
    `{% endfor %}{% if add_generation_prompt %}${prompt}{% endif %}`,
  ].join('');
}

const turns: Readonly<Record<string, string>> = {
  'one closer for thoughts, answers, calls and values': templateOf(
    [
      where(thinks, `<|open|>think<|sep|>${thoughts}<|close|>`),
      where(speaks, `<|open|>say<|sep|>${content}<|close|>`),
      eachCall(
        `<|open|>call ${name}<|sep|>{% for key, value in call.function.arguments.items() %}<|open|>value {{ key }}:{{ "text" if value is string else "json" }}<|sep|>{{ value if value is string else value | tojson }}<|close|>{% endfor %}<|close|>`,
      ),
    ].join(''),
  ),
  'a bare closer where thoughts stand only next to calls': templateOf(
    where(`${thinks} and ${calls}`, `<think>${thoughts}</think>`, '</think>') +
      content +
      eachCall(`<call>${name} ${json}</call>`),
    '<|assistant|>',
    '<|end|>',
    '<|assistant|>{{ "<think>" if enable_thinking else "</think>" }}',
  ),
  'an answer next to calls in the place of thoughts': templateOf(
    where(
      calls,
      `<|think|>{{ message.reasoning_content or message.content }}<|/think|>${eachCall(`<|do|>${name} ${json}<|/do|>`)}`,
      `${where(thinks, `<|think|>${thoughts}<|/think|>`)}<|say|>${content}<|/say|>`,
    ),
  ),
  'answers in markers after lines of thoughts, and both always there': templateOf(
    `<think>{{ "\\n" }}{{ message.reasoning_content or "" }}{{ "\\n" }}</think>{{ "\\n" }}<answer>{{ "\\n" }}${content}{{ "\\n" }}</answer>${eachCall(`{{ "\\n" }}<call>${name} ${json}</call>`)}`,
  ),
  'answers in markers right after thoughts, and both always there': templateOf(
    `<think>{{ message.reasoning_content or "" }}</think><answer>${content}</answer>${eachCall(`<call>${name} ${json}</call>`)}`,
  ),
  'a marker of its own for no thoughts': templateOf(
    where(thinks, `<|deep|>${thoughts}<|answer|>`, '<|fast|>') +
      content +
      eachCall(`<call>${name} ${json}</call>`),
    '<|assistant|>',
    '<|end|>',
    '<|assistant|>{{ "<|deep|>" if enable_thinking else "<|fast|>" }}',
  ),
  'headers in which white space stands before the name of the tool': templateOf(
    [
      where(thinks, `<|start|>assistant<|channel|>think<|text|>${thoughts}<|end|>`),
      where(speaks, `<|start|>assistant<|channel|>say<|text|>${content}<|end|>`),
      eachCall(`<|start|>assistant<|channel|>tool ${name}<|text|>${json}<|call|>`),
    ].join(''),
    '',
    '',
    '<|start|>assistant',
  ).replace('{% else %}<|{{ message.role }}|>', '{% else %}<|start|>{{ message.role }}<|text|>'),
  'a line break before an end of turn that begins as the start does': templateOf(
    `${where(thinks, `<m:think>${thoughts}</m:think>`)}${where(speaks, `${content}{{ "\\n" }}`)}${eachCall(`<m:call>${name} ${json}</m:call>`)}`,
    '<m:bos>assistant{{ "\\n" }}',
    '<m:eos>',
  ).replace(
    '{% else %}<|{{ message.role }}|>{{ message.content }}<|end|>',
    '{% else %}<m:bos>{{ message.role }} {{ message.content }}<m:eos>',
  ),
};

describe('all laws hold for turns whose regions meet in a rare way', () => {
  test.each(Object.entries(turns))('%s', (_, source) => {
    const { breaches, rendered } = verifyTemplate(source);
    expect(breaches).toEqual([]);
    expect(rendered).toBeGreaterThan(30);
  });
});

/** A template that goes on with a turn after results of tools; `open` and `close` stand around a result. */
function resultsInside(open: string, close: string, call: string, end = '<|end|>'): string {
  const follows = (role: string) => `loop.nextitem is defined and loop.nextitem.role == "${role}"`;
  return [
    '{% for message in messages %}{% if message.role == "assistant" %}',
    `{% if loop.first or loop.previtem.role != "tool" %}<|assistant|>{% endif %}${content}${eachCall(call)}`,
    `{% if not (${follows('tool')}) %}${end}{% endif %}`,
    `{% elif message.role == "tool" %}${open}{{ message.content }}${close}`,
    `{% else %}<|{{ message.role }}|>{{ message.content }}${end}{% endif %}{% endfor %}`,
    '{% if add_generation_prompt and messages[-1].role != "tool" %}<|assistant|>{% endif %}',
  ].join('');
}

describe('results of tools inside the turn that called them', () => {
  const calling = `<call>${name} ${json}</call>`;
  const written = '<call>get_weather {"city": "Oslo"}</call>';
  const endings: Readonly<Record<string, readonly [string, string, string]>> = {
    'in markers': ['<result>', '</result>', '<result>'],
    'in square brackets, on lines of their own': ['{{ "\n" }}[RESULT]', '[/RESULT]', '[RESULT]'],
    'in brackets of another script': ['【结果】', '【/结果】', '【结果】'],
    'in full-width brackets': ['＜｜结果｜＞', '＜｜/结果｜＞', '＜｜结果｜＞'],
  };

  test.each(Object.entries(endings))('%s, end the response', (_, [open, close, stop]) => {
    const source = resultsInside(open, close, calling);
    const { format, warnings } = analyzeTemplate(source);
    expect(warnings).toEqual([]);
    expect(format.stops).toContain(stop);
    expect(verifyTemplate(source).breaches).toEqual([]);
    const parser = createResponseParser(format, { tools: verificationTools });
    parser.feed(`Let me look.${written}${stop}sunny`);
    const { message } = parser.finish();
    expect(message.content).toBe('Let me look.');
    expect(message.tool_calls?.map((each) => each.function.arguments)).toEqual(['{"city": "Oslo"}']);
  });

  test('and in no marker: told of', () => {
    const { warnings } = analyzeTemplate(resultsInside(' It says: ', '. ', calling));
    expect(warnings.map(({ field, kind }) => [field, kind])).toContainEqual(['turn.ends', 'assumed']);
  });

  test('are no matter where calls end the turn', () => {
    const source = resultsInside('<result>', '</result>', calling).replace(
      '{% if not (',
      '{% if true or not (',
    );
    expect(analyzeTemplate(source).format.turn.ends).toEqual(['<|end|>']);
  });
});

test('markers in brackets of any script reach the parser', () => {
  const source = templateOf(
    where(thinks, `【想】${thoughts}【/想】`) + content + eachCall(`＜叫＞${name} ${json}＜/叫＞`),
  );
  const { preservedTokens } = analyzeTemplate(source).format;
  expect([...preservedTokens].sort()).toEqual(['<|tool|>', '【/想】', '【想】', '＜/叫＞', '＜叫＞']);
});

test('calls among the thoughts, which stay open: read, and told of', () => {
  const source = templateOf(
    `<think>${where(thinks, thoughts)}${eachCall(`<|do|>${name} ${json}<|/do|>`)}${where(calls, '', `</think>${content}`)}`,
  );
  const { format, warnings } = analyzeTemplate(source);
  expect(format.reasoning).toMatchObject({ start: '<think>', end: '</think>' });
  expect(warnings.map(({ kind }) => kind)).toContain('self-check');
  // The format writes the closer that the template leaves out.
  const broken = new Set(verifyTemplate(source, { format }).breaches.map(({ law }) => law));
  expect([...broken]).toEqual(['exact']);
});

test('turns that are written otherwise later in a conversation are told of', () => {
  const numbered = templateOf(`[{{ loop.index }}] ${content}`);
  const differing = (source: string) =>
    analyzeTemplate(source).warnings.filter(({ kind }) => kind === 'self-check');
  expect(differing(numbered).map(({ message }) => message)).toEqual([
    'probe later-content: what the format writes differs from the render',
  ]);
  expect(differing(templateOf(`[a] ${content}`))).toEqual([]);
});

test.each(['<|first|>', '| ', 'head'])(
  'turns begin with their header where the prompt is always written and the conversation begins with %j',
  (first) => {
    const template = `{% for message in messages %}{{ "${first}" if loop.first }}<|head|>{{ message.role }}<|/head|>{{ message.content }}<|eot|>{{ "\\n" }}{% endfor %}<|head|>assistant<|/head|>`;
    const { format, warnings } = analyzeTemplate(template);
    expect(format.turn).toMatchObject({ start: '<|head|>assistant<|/head|>', ends: ['<|eot|>\n'] });
    expect(warnings).toEqual([]);
    expect(verifyTemplate(template)).toMatchObject({ breaches: [], holds: true });
  },
);

test("the template's own indentation before a bare end in the prompt is no part of that end", () => {
  const template = templateOf(
    `${content}${eachCall(`<call>${name} ${json}</call>`)}`,
    '<|assistant|>',
    '<|end|>',
    '<|assistant|>   {{ "<think>" if enable_thinking else "</think>" }}',
  );
  const { format } = analyzeTemplate(template);
  expect(format.reasoning).toMatchObject({ end: '</think>', basis: 'prompt' });
  expect(verifyTemplate(template)).toMatchObject({ refused: 0, breaches: [], holds: true });
});

test('an answer in plain quotes may contain quotes', () => {
  const template = templateOf(
    `${where(speaks, `answer: "${content}"`)}${eachCall(`<call>${name} ${json}</call>`)}`,
  );
  expect(verifyTemplate(template)).toMatchObject({ breaches: [], holds: true });
  const { format, warnings } = analyzeTemplate(template);
  expect([format.content.close, warnings]).toEqual(['"', []]);
  const said = 'Say "yes", then "no"';
  for (const end of ['', '<|end|>', '<call>get_weather {"city": "Oslo"}</call>']) {
    const parser = createResponseParser(format, { tools: verificationTools });
    parser.feed(`answer: "${said}"${end}`);
    const { content: read, tool_calls: made = [], malformed } = parser.finish('stop').message;
    expect([read, made.length, malformed]).toEqual([said, end.startsWith('<call>') ? 1 : 0, undefined]);
  }
});
