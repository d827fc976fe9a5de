/** What callers in JavaScript give by mistake, or in another shape: taken, or a typed error that says what to do. */
import { describe, expect, test } from 'vitest';
import { analyzeTemplate } from '../src/analysis/analyze-template.ts';
import {
  type CreateParserOptions,
  createResponseParser,
  interpretStates,
} from '../src/codegen/create-response-parser.ts';
import { lowerToStates } from '../src/codegen/lower-to-states.ts';
import { MessageError, SchemaError, ToolListError, UnsupportedOptionError } from '../src/format/errors.ts';
import { verifyTemplate } from '../src/generate/verify/verify-template.ts';
import { buildGrammar } from '../src/grammar/build-grammar.ts';
import type { GrammarOptions } from '../src/grammar/grammar-options.ts';
import { createGbnfMatcher } from '../src/language/gbnf/gbnf-expression.ts';
import { lintGbnf } from '../src/language/gbnf/lint-gbnf.ts';
import { readGbnf } from '../src/language/gbnf/read-gbnf.ts';
import { writeResponse } from '../src/layout/write-response.ts';
import { createModuleParser } from '../src/parser/module-parser.ts';
import type { ResponseParser } from '../src/parser/response-parser.ts';
import { toResponseTemplate } from '../src/response-template/from-format/to-response-template.ts';
import { renderPrompt } from '../src/template/prompt/render-prompt.ts';
import { normalizeTools, type ToolList } from '../src/tools/tools.ts';

const template =
  '{% for m in messages %}<turn>{{ m.role }}\n{{ m.content }}{% for c in m.tool_calls %}<call>{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}</call>{% endfor %}</turn>{% endfor %}{% if add_generation_prompt %}<turn>assistant\n{% endif %}';
const taggedTemplate =
  '{% for m in messages %}<turn>{{ m.role }}\n{{ m.content }}{% for c in m.tool_calls %}<call={{ c.function.name }}>{% for k, v in c.function.arguments | items %}<arg={{ k }}>{{ v if v is string else v | tojson }}</arg>{% endfor %}</call>{% endfor %}</turn>{% endfor %}{% if add_generation_prompt %}<turn>assistant\n{% endif %}';
const { format } = analyzeTemplate(template);
const parameters = { type: 'object', properties: { city: { enum: ['Oslo', 'Rome'] } }, required: ['city'] };

/** As callers without a type checker give it. */
function anything<T>(value: unknown): T {
  return value as T;
}

describe('GBNF', () => {
  test.each([null, undefined, 5, {}, ['root ::= "a"']])('must be a string, and %j is refused', (value) => {
    expect(() => readGbnf(anything(value))).toThrow(UnsupportedOptionError);
    expect(() => createGbnfMatcher(anything(value))).toThrow(UnsupportedOptionError);
  });

  test.each([null, undefined, 5, {}, 'root ::= "a"'])('is read before it is checked: %j', (value) => {
    expect(() => lintGbnf(anything(value))).toThrow(
      'grammar must be a grammar as readGbnf() returns it, got ',
    );
  });
});

describe('tools in every shape of list', () => {
  const lists: Readonly<Record<string, ToolList>> = {
    OpenAI: [{ type: 'function', function: { name: 'weather', parameters } }],
    'OpenAI, without a layer': anything([{ type: 'function', name: 'weather', parameters }]),
    MCP: [{ name: 'weather', inputSchema: parameters }],
    'what listTools returns': { tools: [{ name: 'weather', inputSchema: parameters }] },
  };
  const [plain] = Object.values(lists).map((tools) =>
    buildGrammar(format, { tools, toolChoice: 'required' }),
  );

  test.each(Object.entries(lists))('%s: the grammar is the same', (_, tools) => {
    const { grammar } = buildGrammar(format, { tools, toolChoice: 'required' });
    expect(grammar).toBe(plain?.grammar);
    expect(grammar).toContain('Oslo');
  });

  test.each(Object.entries(lists))('%s: the parser knows the types', (_, tools) => {
    const tagged = analyzeTemplate(taggedTemplate).format;
    const read = (options: CreateParserOptions) => {
      const parser = createResponseParser(tagged, options);
      parser.feed('<call=weather><arg=city>5</arg></call>');
      return parser.finish().message.tool_calls?.map((call) => JSON.parse(call.function.arguments));
    };
    expect([read({ tools }), read({})]).toEqual([[{ city: '5' }], [{ city: 5 }]]);
  });

  test('a parser without the reader of lists refuses other shapes', () => {
    const module = interpretStates(lowerToStates(format));
    for (const tools of Object.values(lists).slice(1))
      expect(() => createModuleParser(module, { tools: anything(tools) })).toThrow(ToolListError);
  });

  test.each([{}, 'weather', null, 5, [null], [{}], [{ type: 'function', function: { name: 5 } }]])(
    'no list of tools: %j',
    (tools) => {
      expect(() => normalizeTools(anything(tools))).toThrow(ToolListError);
      expect(() => buildGrammar(format, { tools: anything(tools ?? [null]) })).toThrow(ToolListError);
    },
  );
});

test.each([
  [{ city: { type: 'string' } }, true],
  [{ city: { type: 'string' }, days: { type: 'integer', minimum: 1 } }, true],
  [{}, false],
  [{ title: 'a', city: { type: 'string' } }, false],
  [{ additionalProperties: { type: 'string' } }, false],
  [{ properties: { type: { type: 'string' } } }, false],
])('properties without a schema around them: %j', (given, isRefused) => {
  const read = () => normalizeTools([{ name: 'weather', parameters: given }]);
  if (isRefused)
    expect(read).toThrow(/^tools, tool "weather", \/0\/parameters: these are only its properties/);
  else expect(read).not.toThrow();
});

test.each(['template.jinja', '', 'You are helpful.'])('%j is no template', (source) => {
  expect(() => analyzeTemplate(source)).toThrow('it has no {{ … }} and no {% … %}');
  const messages = [{ role: 'user', content: 'text' }] as const;
  expect(() => renderPrompt(source, { messages })).toThrow(
    'templateSource must be the source of a chat template',
  );
});

test.each([
  ['toolCalls', 'tool_calls', []],
  ['toolCallId', 'tool_call_id', 'a'],
  ['reasoningContent', 'reasoning_content', 'Hm.'],
])('a message with %s', (key, meant, value) => {
  const message = { role: 'assistant', content: 'text', [key]: value };
  const refusal = expect.objectContaining({
    path: `message.${key}`,
    reason: `unknown key; did you mean ${meant}?`,
  });
  expect(() => writeResponse(format, anything(message))).toThrow(refusal);
  expect(() => writeResponse(format, anything({ ...message, [key]: null }))).not.toThrow();
});

describe('something else than a format', () => {
  test.each([{}, undefined, null, template, analyzeTemplate(template)])('%j', (given) => {
    expect(() => buildGrammar(anything(given), {})).toThrow(UnsupportedOptionError);
    expect(() => createResponseParser(anything(given))).toThrow(UnsupportedOptionError);
    expect(() => createModuleParser(anything(given))).toThrow(UnsupportedOptionError);
    expect(() => toResponseTemplate(anything(given))).toThrow(UnsupportedOptionError);
    const message = { role: 'assistant', content: 'text' } as const;
    expect(() => writeResponse(anything(given), message)).toThrow(UnsupportedOptionError);
  });
});

test.each([undefined, null, 5, {}, [{}], ['text'], new Uint8Array(2)])('feed takes no %j', (piece) => {
  const parser: ResponseParser = createResponseParser(format);
  parser.feed('text');
  expect(() => parser.feed(anything(piece))).toThrow(UnsupportedOptionError);
});

test.each([null, 5, 'text', []])('%j in place of options', (options) => {
  expect(() => buildGrammar(format, anything(options))).toThrow(UnsupportedOptionError);
  expect(() => createResponseParser(format, anything(options))).toThrow(UnsupportedOptionError);
  expect(() => analyzeTemplate(template, anything(options))).toThrow(UnsupportedOptionError);
  expect(() => verifyTemplate(template, anything(options))).toThrow(UnsupportedOptionError);
});

describe('schemas that are no JSON', () => {
  const withProperty = (schema: unknown): GrammarOptions => ({
    toolChoice: 'required',
    tools: [{ type: 'function', function: { name: 'f', parameters: { properties: { 'a/b': schema } } } }],
  });
  const throwing = {
    get type() {
      throw new Error('gone');
    },
  };

  test.each<[string, unknown, string]>([
    ['a getter that throws', throwing, '/type'],
    ['a function', () => true, ''],
    ['a date', { const: new Date(0) }, '/const'],
    ['a regular expression', { pattern: /a/ }, '/pattern'],
    ['a symbol', { enum: ['a', Symbol('b')] }, '/enum/1'],
    ['undefined in a list', { enum: [undefined] }, '/enum/0'],
    ['a schema of a library', { '~standard': { version: 1 } }, ''],
  ])('%s is refused, at its place', (_, schema, pointer) => {
    const issue = { tool: 'f', pointer: `/properties/a~1b${pointer}`, keyword: 'schema' };
    expect(() => buildGrammar(format, withProperty(schema))).toThrow(SchemaError);
    expect(() => buildGrammar(format, withProperty(schema))).toThrow(
      expect.objectContaining({ issues: [expect.objectContaining(issue)] }),
    );
  });

  test('properties that are undefined are not there', () => {
    const given = { type: 'string', enum: undefined, pattern: '^x$', const: undefined, $ref: undefined };
    const made = buildGrammar(format, withProperty(given));
    expect(made.report).toEqual([]);
    expect(made.grammar).toBe(buildGrammar(format, withProperty({ type: 'string', pattern: '^x$' })).grammar);
  });

  test('arguments that are no object are refused as such', () => {
    const tools: ToolList = [{ name: 'f', parameters: { type: 'string' } }];
    expect(() => buildGrammar(format, { tools, toolChoice: 'required' })).toThrow(
      'the arguments of a tool are one',
    );
  });
});

describe('options of a grammar that are not as their types say', () => {
  const schema = { type: 'object' };
  test.each([
    { policy: 'Strict' },
    { argumentOrder: 'x' },
    { parallelToolCalls: 'no' },
    { generationPrompt: 5 },
    { responseFormat: 'json_object' },
    { responseFormat: {} },
    { responseFormat: { schema } },
    { responseFormat: { type: 'json_object', schema } },
    { responseFormat: { type: 'json_schema' } },
    { responseFormat: { type: 'json_schema', schema } },
    { responseFormat: { type: 'json_schema', json_schema: {} } },
    { toolChoice: 'any' },
    { toolChoice: { type: 'function', name: 'f' } },
    { toolChoice: { type: 'allowed_tools', allowed_tools: { mode: 'x', tools: [] } } },
    { toolChoice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [{}] } } },
  ])('%j', (options) => {
    expect(() => buildGrammar(format, anything(options))).toThrow(UnsupportedOptionError);
  });

  test('each form of a response format passes', () => {
    const forms: readonly GrammarOptions['responseFormat'][] = [
      undefined,
      { type: 'text' },
      { type: 'json_object' },
      { type: 'json_schema', json_schema: { schema } },
    ];
    const enforced = forms.map(
      (responseFormat) => buildGrammar(format, anything({ responseFormat })).grammar,
    );
    expect(enforced.map((grammar) => grammar !== null)).toEqual([false, false, true, true]);
  });
});

describe('options of a parser that are not as their types say', () => {
  test.each([
    { generationPrompt: 5 },
    { reasoningFormat: 'x' },
    { parallelToolCalls: 'no' },
    { validate: true },
    { specialTokens: '<call>' },
  ])('%j', (options) => {
    expect(() => createResponseParser(format, anything(options))).toThrow(UnsupportedOptionError);
  });

  test('an end that is none', () => {
    expect(() => createResponseParser(format).finish(anything('foo'))).toThrow(UnsupportedOptionError);
  });
});

describe('a message that cannot be written', () => {
  const call = (args: unknown) => [{ id: 'a', type: 'function', function: { name: 'f', arguments: args } }];
  test.each([
    ['message', null],
    ['message', undefined],
    ['message', 'text'],
    ['message.role', { content: 'text' }],
    ['message.role', { role: 'user', content: 'text' }],
    ['message.content', { role: 'assistant', content: 5 }],
    ['message.tool_calls[0]', { role: 'assistant', tool_calls: [{ id: 'a' }] }],
    ['message.tool_calls[0].function.arguments', { role: 'assistant', tool_calls: call('{"city": ') }],
    ['message.tool_calls[0].function.arguments', { role: 'assistant', tool_calls: call('[1]') }],
    ['message.tool_calls[0].function.arguments', { role: 'assistant', tool_calls: call(5) }],
  ])('%s of %j', (path, message) => {
    expect(() => writeResponse(format, anything(message))).toThrow(MessageError);
    expect(() => writeResponse(format, anything(message))).toThrow(expect.objectContaining({ path }));
  });

  test('arguments as an object are written as their text would be', () => {
    const write = (args: unknown) =>
      writeResponse(format, anything({ role: 'assistant', content: null, tool_calls: call(args) }));
    expect(write({ city: 'Rome' })).toBe(write('{"city":"Rome"}'));
  });
});

test.each([undefined, null, 'Hello'])('a prompt is not rendered of %j', (request) => {
  expect(() => renderPrompt(template, anything(request))).toThrow(UnsupportedOptionError);
});
