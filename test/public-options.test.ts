/** One rule for every public function: an option that is none, or a value of another kind, is a typed error. */
import { describe, expect, test } from 'vitest';
import {
  effectiveTemplate,
  findCachedModel,
  inspectModel,
  listCachedModels,
  looksLikeReference,
  obtainModel,
  parseModelReference,
  pullModel,
  readGgufHeader,
  removeCachedModels,
  requireToolSupport,
} from '../src/hub/index.ts';
import {
  analyzeTemplate,
  buildGrammar,
  createGbnfMatcher,
  createResponseParser,
  createResponseTemplateParser,
  defineTool,
  IdiolectError,
  lintGbnf,
  normalizeTools,
  parseBatchWithResponseTemplate,
  readGenerationPrompt,
  renderPrompt,
  spellValue,
  ToolListError,
  UnsupportedOptionError,
  verifyTemplate,
  writeGbnf,
} from '../src/index.ts';
import { ChatDeltas, foldEvents, partialArguments, rememberTools } from '../src/parser/index.ts';
import {
  eventLog,
  mergeEvents,
  readAtEveryCut,
  replaceableTokens,
  responseCase,
  scriptedEngine,
  tinyEngine,
  tinyModel,
  tokenTexts,
  vocabularyOf,
  writeGguf,
} from '../src/testing/index.ts';

const template =
  '{% for m in messages %}<turn>{{ m.role }}\n{{ m.content }}{% for c in m.tool_calls %}<call>{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}</call>{% endfor %}</turn>{% endfor %}{% if add_generation_prompt %}<turn>assistant\n{% endif %}';
const { format } = analyzeTemplate(template);
const messages = [{ role: 'user', content: 'Hello' }] as const;
const vocabulary = { metadata: new Map(), size: 10 };
const regions = { start_anchor: '<a>', fields: { content: { close: '</a>' } } };

/** As callers without a type checker give it. */
function anything<T>(value: unknown): T {
  return value as T;
}

type Options = Readonly<Record<string, unknown>>;

/** Each function with options that are right but for those that are added. */
const takers: readonly (readonly [name: string, call: (added: Options) => unknown])[] = [
  ['analyzeTemplate', (added) => analyzeTemplate(template, anything(added))],
  ['verifyTemplate', (added) => verifyTemplate(template, anything({ format, ...added }))],
  ['buildGrammar', (added) => buildGrammar(format, anything(added))],
  ['createResponseParser', (added) => createResponseParser(format, anything(added))],
  ['renderPrompt', (added) => renderPrompt(template, anything({ messages, ...added }))],
  [
    'readGenerationPrompt',
    (added) => {
      const options = anything<{ messages: typeof messages }>({ messages, ...added });
      const text = renderPrompt(template, { messages });
      return readGenerationPrompt({ templateSource: template, options, text }, format.turn);
    },
  ],
  [
    'createResponseTemplateParser',
    (added) => createResponseTemplateParser(regions, anything({ prefix: '', ...added })),
  ],
  ['createGbnfMatcher', (added) => createGbnfMatcher('root ::= "a"', anything(added))],
  [
    'responseCase.withOptions',
    (added) => responseCase(format).withOptions(anything(added)).reads('text').check(),
  ],
  [
    'responseCase.as',
    (added) =>
      responseCase(format)
        .reads('text')
        .as(anything({ content: 'text', ...added }))
        .check(),
  ],
  ['tinyModel', (added) => tinyModel(anything({ vocabulary, ...added }))],
  ['tinyEngine', (added) => tinyEngine(anything(added))],
  ['scriptedEngine', (added) => scriptedEngine(anything({ turns: [{ script: 'a' }], ...added }))],
];

describe.each(takers)('options of %s', (_, call) => {
  test('that are right are taken, also where they are undefined or null', () => {
    call({});
    call({ nothing: undefined });
    call({ nothing: null });
  });

  test('that are none are refused by their name', () => {
    const error = { constructor: UnsupportedOptionError, option: 'no_such_option' };
    expect(() => call({ no_such_option: 1 })).toThrow(expect.objectContaining(error));
    expect(() => call({ no_such_option: 1 })).toThrow(/unknown option; the options are \w+/);
  });
});

test('a name in another spelling is told the right one', () => {
  expect(() => buildGrammar(format, anything({ tool_choice: 'none' }))).toThrow('did you mean toolChoice?');
  expect(() => createResponseParser(format, anything({ keep_message: true }))).toThrow(
    'did you mean keepMessage?',
  );
  expect(() => renderPrompt(template, anything({ messages, add_generation_prompt: true }))).toThrow(
    'did you mean addGenerationPrompt?',
  );
});

test.each([null, undefined, 5, {}])('%j is no list of texts', (texts) => {
  const parse = () => parseBatchWithResponseTemplate(regions, anything(texts), { prefix: '' });
  expect(parse).toThrow(UnsupportedOptionError);
});

test.each([null, undefined, 5, 'text'])('a value is not spelled by %j', (schema) => {
  const style = { itemSeparator: ', ', keySeparator: ': ', indent: null, ascii: false } as const;
  expect(() => spellValue(anything(schema), 1, anything(style))).toThrow(UnsupportedOptionError);
});

test.each([null, undefined, 5, {}, [97]])('%j is neither text nor bytes for a matcher', (text) => {
  const matcher = createGbnfMatcher('root ::= "a"');
  for (const method of ['accept', 'allows', 'allowedLength'] as const)
    expect(() => matcher[method](anything(text))).toThrow(UnsupportedOptionError);
  expect(matcher.accept(new TextEncoder().encode('a'))).toBe(true);
});

describe('models that are kept', () => {
  test.each([null, undefined, 5, {}])('are not found, listed or removed by %j', async (value) => {
    const given = anything<never>(value);
    for (const call of [
      () => listCachedModels(given),
      () => findCachedModel('/nowhere', given),
      () => removeCachedModels(given, 'a/b', []),
      () => removeCachedModels('/nowhere', given, []),
      () => removeCachedModels('/nowhere', 'a/b', given),
    ])
      await expect(call()).rejects.toBeInstanceOf(UnsupportedOptionError);
    expect(looksLikeReference(given)).toBe(false);
  });
});

describe('options of models of the Hub', () => {
  const never = async (): Promise<Response> => {
    throw new Error('the Hub was asked');
  };
  const offline = { fetch: never, token: null, endpoint: 'http://127.0.0.1:1' };

  test.each<[string, unknown, (options: Options) => Promise<unknown>]>([
    ['pullModel', { cacheFolder: '/tmp' }, (added) => pullModel('a/b', anything({ ...offline, ...added }))],
    ['pullModel', { connections: 0 }, (added) => pullModel('a/b', anything({ ...offline, ...added }))],
    ['obtainModel', { cache: 5 }, (added) => obtainModel('a/b', anything({ ...offline, ...added }))],
    ['inspectModel', { files: 'm' }, (added) => inspectModel('a/b', anything({ ...offline, ...added }))],
    ['readGgufHeader', { max_bytes: 1 }, (added) => readGgufHeader('m.gguf', anything(added))],
  ])('%s refuses %j', async (_, added, call) => {
    await expect(call(anything(added))).rejects.toBeInstanceOf(UnsupportedOptionError);
  });

  test('the options of obtainModel may be given to inspectModel', async () => {
    const options = { ...offline, cache: '/nowhere', requireTools: false, connections: 2 };
    await expect(inspectModel('/no/such.gguf', options)).rejects.toThrow('no such file');
  });

  test.each([null, undefined, 5, {}])('%j is no name', async (name) => {
    for (const call of [pullModel, obtainModel, inspectModel, readGgufHeader])
      await expect(call(anything(name)), call.name).rejects.toBeInstanceOf(IdiolectError);
    expect(() => parseModelReference(anything(name))).toThrow(IdiolectError);
  });
});

describe.each([null, undefined, 5, 'text', {}, [null], [5], [{ type: 'text-delta' }]])('%j', (value) => {
  test.each<[string, (value: never) => unknown]>([
    ['foldEvents', foldEvents],
    ['ChatDeltas', (event) => new ChatDeltas().convert(event)],
    ['eventLog', eventLog],
    ['mergeEvents', mergeEvents],
    ['readAtEveryCut', (parser) => [...readAtEveryCut(parser, 'text')]],
    ['a response', (pieces) => (value === 'text' ? fail() : responseCase(format).reads(pieces))],
    ['tinyModel', tinyModel],
    ['scriptedEngine', scriptedEngine],
    ['vocabularyOf', vocabularyOf],
    ['tokenTexts', tokenTexts],
    ['replaceableTokens', replaceableTokens],
    ['writeGguf', (metadata) => writeGguf(metadata, [])],
    ['renderPrompt', (source) => (value === 'text' ? fail() : renderPrompt(source, { messages }))],
    ['readGenerationPrompt', (prompt) => readGenerationPrompt(prompt, format.turn)],
    ['partialArguments', (json) => (value === 'text' ? fail() : partialArguments(json))],
    ['writeGbnf', writeGbnf],
    ['lintGbnf', lintGbnf],
    ['spellValue', (style) => spellValue(true, 1, style)],
    ['rememberTools', (compiled) => rememberTools([], compiled)],
    ['effectiveTemplate', effectiveTemplate],
    ['requireToolSupport', requireToolSupport],
    ['analyzeTemplate', (source) => (value === 'text' ? fail() : analyzeTemplate(source))],
    ['verifyTemplate', (source) => (value === 'text' ? fail() : verifyTemplate(source))],
  ])('is nothing for %s', (_, call) => {
    expect(() => call(anything(value))).toThrow(IdiolectError);
  });
});

/** Where the value is one that may be given. */
function fail(): never {
  throw new UnsupportedOptionError({ option: 'none', reason: 'is not tried' });
}

describe('a small model', () => {
  test.each([{ contextLength: 0 }, { chatTemplate: 5 }, { seed: -1 }, { vocabulary: new Map() }])(
    'is not made of %j',
    (options) => {
      expect(() => tinyModel(anything({ vocabulary, ...options }))).toThrow(UnsupportedOptionError);
    },
  );

  test.each([
    { turns: undefined },
    { turns: 'a' },
    { turns: [{}] },
    { turns: [{ after: 5, script: 'a' }] },
    { turns: [{ script: [5] }] },
    { turns: [{ script: 'a', write: 'b' }] },
    { end: '' },
    { format: 'pascal' },
  ])('does not write %j', (options) => {
    expect(() => scriptedEngine(anything({ turns: [{ script: 'a' }], ...options }))).toThrow(
      UnsupportedOptionError,
    );
  });

  test('bytes that are no model file are refused as such', () => {
    const text = new TextEncoder().encode('Not a model file, but a text that is long enough.');
    expect(() => vocabularyOf(text)).toThrow('is not a GGUF model');
    expect(() => vocabularyOf(writeGguf(new Map(), []))).toThrow('holds no tokenizer');
  });
});

describe('a tool with something else than a function to carry it out', () => {
  const parameters = { type: 'object' };
  const define = (tool: unknown): unknown => Reflect.apply(defineTool, undefined, [tool]);
  test.each([
    [null, ''],
    [undefined, ''],
    ['tool', ''],
    [{}, '/name'],
    [{ name: '', parameters, execute: () => 1 }, '/name'],
    [{ name: 'f', parameters }, '/execute'],
    [{ name: 'f', parameters, execute: 5 }, '/execute'],
    [{ name: 'f', parameters, execute: null }, '/execute'],
  ])('%j is not defined', (tool, pointer) => {
    expect(() => define(tool)).toThrow(ToolListError);
    expect(() => define(tool)).toThrow(expect.objectContaining({ pointer }));
  });

  test('says what to do with a tool that something else executes', () => {
    expect(() => define({ name: 'f', parameters })).toThrow('needs no defineTool: list it as it is');
    expect(normalizeTools(anything([{ name: 'f', parameters }]))).toHaveLength(1);
  });

  test('is refused in a list', () => {
    const list = [{ name: 'f', parameters, execute: 'f' }];
    expect(() => normalizeTools(anything(list))).toThrow('tool "f", /0/execute: execute must be a function');
  });

  test('the method of a class is a function', () => {
    class Tool {
      readonly name = 'f';
      readonly parameters = parameters;
      execute(): string {
        return this.name;
      }
    }
    const tool = new Tool();
    expect(defineTool(tool)).toBe(tool);
    expect(normalizeTools([tool])).toHaveLength(1);
  });
});
