/** Response templates by example: loading, contents, transforms, casting, streaming. */
import { describe, expect, it } from 'vitest';
import {
  ResponseFieldError,
  ResponseTemplateError,
  UnsupportedOptionError,
} from '../../src/format/errors.ts';
import type { JsonValue } from '../../src/format/messages.ts';
import {
  castText,
  createResponseTemplateParser,
  parseBatchWithResponseTemplate,
  parseWithResponseTemplate,
  type ResponseTemplate,
  type ResponseTemplateField,
  schemaTypes,
} from '../../src/response-template/index.ts';
import { tagged } from './sample-templates.ts';

const whole = { prefix: '' };

function parse(fields: ResponseTemplate['fields'], text: string, tools: readonly unknown[] = []): unknown {
  return parseWithResponseTemplate({ start_anchor: '@@', fields }, text, {
    prefix: '',
    tools,
    reopenedText: 'join',
  });
}

/** The value that one field between `<v>` and `</v>` makes of a text. */
function value(raw: string, field: ResponseTemplateField): unknown {
  const defaults = { v: 'nothing' };
  const fields = { v: { open: '<v>', close: '</v>', ...field } };
  return parseWithResponseTemplate({ start_anchor: '@@', defaults, fields }, `<v>${raw}</v>`, whole).v;
}

describe('loading', () => {
  const field = { open: '<x>' };
  const cases: readonly (readonly [pointer: string, template: JsonValue])[] = [
    ['', 'text'],
    ['', null],
    ['/version', { version: 2, start_anchor: '@', fields: { x: field } }],
    ['/zzz', { zzz: 1, start_anchor: '@', fields: { x: field } }],
    ['/defaults', { defaults: [], start_anchor: '@', fields: { x: field } }],
    ['/fields', { start_anchor: '@' }],
    ['/fields', { start_anchor: '@', fields: {} }],
    ['/fields', { start_anchor: '@', fields: { a: {}, b: {} } }],
    ['/start_anchor', { fields: { x: field } }],
    ['/start_anchor', { start_anchor: [], fields: { x: field } }],
    ['/start_anchor_pattern', { start_anchor: '@', start_anchor_pattern: '@', fields: { x: field } }],
    ['/start_anchor_pattern', { start_anchor_pattern: '(', fields: { x: field } }],
    ['/fields/a~1b', { start_anchor: '@', fields: { 'a/b': 1 } }],
    ['/fields/x/coerce', { start_anchor: '@', fields: { x: { coerce: 1 } } }],
    ['/fields/x/open', { start_anchor: '@', fields: { x: { open: ['a', ''] } } }],
    ['/fields/x/open_pattern', { start_anchor: '@', fields: { x: { open_pattern: '[' } } }],
    ['/fields/x/close_pattern', { start_anchor: '@', fields: { x: { close: 'a', close_pattern: 'a' } } }],
    ['/fields/x/close', { start_anchor: '@', fields: { x: { close: 7 } } }],
    ['/fields/x/join', { start_anchor: '@', fields: { x: { join: '' } } }],
    ['/fields/x/content', { start_anchor: '@', fields: { x: { content: 'constructor' } } }],
    ['/fields/x/transform', { start_anchor: '@', fields: { x: { open_pattern: '(?P<n>a)' } } }],
    ['/fields/x/transform/a/0', { start_anchor: '@', fields: { x: { transform: { a: ['b {content}'] } } } }],
    ['/fields/x/transform_each', { start_anchor: '@', fields: { x: { transform_each: true } } }],
  ];

  it.each(cases)('points at %j', (pointer, template) => {
    let caught: unknown;
    try {
      createResponseTemplateParser(template, whole);
    } catch (error) {
      caught = error;
    }
    expect(caught).toBeInstanceOf(ResponseTemplateError);
    expect(caught).toHaveProperty('pointer', pointer);
  });

  it.each([undefined, null, {}, { prefix: '', malformed: 'zz' }, { prefix: '', reopenedText: 'x' }])(
    'takes no options like %j',
    (options) => {
      const given = options as unknown as typeof whole;
      expect(() => parseWithResponseTemplate(tagged.template, 'text', given)).toThrow(UnsupportedOptionError);
      const wrong = { ...given, prefix: undefined } as unknown as typeof whole;
      expect(() => parseBatchWithResponseTemplate(tagged.template, ['text'], wrong)).toThrow(
        UnsupportedOptionError,
      );
    },
  );

  it.each([5, 'f', {}, { tools: [] }, [null], [{}], [{ type: 'function', function: {} }]])(
    'takes no tools like %j',
    (tools) => {
      const given = { ...whole, tools } as unknown as typeof whole;
      expect(() => createResponseTemplateParser(tagged.template, given)).toThrow(UnsupportedOptionError);
    },
  );

  it('takes no tools with the schema of a library, whose types it cannot see', () => {
    const parameters = { '~standard': { version: 1 }, properties: {} };
    const tools = [{ type: 'function', function: { name: 'f', parameters } }];
    expect(() => createResponseTemplateParser(tagged.template, { ...whole, tools })).toThrow(
      UnsupportedOptionError,
    );
  });

  it.each([undefined, null, 5, ['text']])('reads no %j', (piece) => {
    const text = piece as unknown as string;
    expect(() => parseWithResponseTemplate(tagged.template, text, whole)).toThrow(UnsupportedOptionError);
    expect(() => createResponseTemplateParser(tagged.template, whole).feed(text)).toThrow(
      UnsupportedOptionError,
    );
  });

  it('insists on a prefix', () => {
    const options: unknown = {};
    expect(() => createResponseTemplateParser(tagged.template, options as { prefix: string })).toThrow(
      UnsupportedOptionError,
    );
  });

  it('neither changes nor keeps the template', () => {
    const template: ResponseTemplate = {
      defaults: { list: ['d'], role: 'assistant' },
      start_anchor: '@',
      fields: { list: { open: '<', close: '>', repeats: true } },
    };
    const before = structuredClone(template);
    const frozen = deepFreeze(structuredClone(template));
    for (const given of [template, frozen]) {
      const first = parseWithResponseTemplate(given, '<a><b>', whole);
      expect(first.list).toEqual(['d', 'a', 'b']);
      (first.list as unknown[]).push('mine');
      expect(parseWithResponseTemplate(given, '<c>', whole).list).toEqual(['d', 'c']);
      expect(given).toEqual(before);
    }
  });
});

function deepFreeze<T>(data: T): T {
  if (typeof data === 'object' && data !== null) Object.values(data).forEach(deepFreeze);
  return Object.freeze(data);
}

describe('contents', () => {
  it.each<[string, ResponseTemplateField, unknown]>([
    ['\u3000 a \u001f', {}, 'a'],
    ['\ufeff a ', {}, '\ufeff a'],
    [' a ', { content_args: { strip: false } }, ' a '],
    [' 1_000 ', { content: 'int' }, 1000],
    ['１２', { content: 'int' }, 12],
    ['.5e1', { content: 'float' }, 5],
    ['-Infinity', { content: 'float' }, Number.NEGATIVE_INFINITY],
    ['TRUE', { content: 'bool' }, true],
    ['yes', { content: 'bool' }, false],
    ['[NaN, -Infinity, "NaN"]', { content: 'json' }, [Number.NaN, Number.NEGATIVE_INFINITY, 'NaN']],
    ['{"__proto__": 1}', { content: 'json' }, JSON.parse('{"__proto__": 1}')],
    [' no json ', { content: 'json', content_args: { allow_non_json: true } }, 'no json'],
    [
      '{a:1,b:{c:[2]},"d,e:f":"{g:h}"}',
      { content: 'json', content_args: { unquoted_keys: true } },
      { a: 1, b: { c: [2] }, 'd,e:f': '{g:h}' },
    ],
    [
      `{a:«x "y" \\ z»,'k':2}`,
      {
        content: 'json',
        content_args: {
          unquoted_keys: true,
          string_delims: [
            ['«', '»'],
            ["'", "'"],
          ],
        },
      },
      { a: 'x "y" \\ z', k: 2 },
    ],
    ['a: 1\r\n\nno pair\nb:c:d', { content: 'kv-lines' }, { a: '1', b: 'c:d' }],
    [
      'a=1;b=2',
      { content: 'kv-lines', content_args: { line_sep: ';', kv_sep: '=', value_parser: { name: 'int' } } },
      { a: 1, b: 2 },
    ],
    [
      '<p=a>1</p> x <p=b> 2</p><p=a>3</p>',
      { content: 'xml-inline', content_args: { tag_pattern: '<p=(?P<key>\\w)>(?P<value>.*?)</p>' } },
      { a: '3', b: ' 2' },
    ],
    [
      '<p=a>1</p><p=a>[2]</p><p=a>3</p>',
      {
        content: 'xml-inline',
        content_args: {
          tag_pattern: '<p=(?P<key>\\w)>(?P<value>.*?)</p>',
          merge_duplicates: true,
          value_parser: { name: 'json' },
        },
      },
      { a: [1, [2], 3] },
    ],
    [
      '<p=a>[1]</p><p=a>[2]</p>',
      {
        content: 'xml-inline',
        content_args: {
          tag_pattern: '<p=(?P<key>\\w)>(?P<value>.*?)</p>',
          merge_duplicates: true,
          value_parser: { name: 'json' },
        },
      },
      { a: [1, [2]] },
    ],
    [
      '<a> 1 <b>',
      { content: 'xml-inline', content_args: { tag_pattern: '<(?P<key>\\w)>' } },
      { a: '', b: '' },
    ],
    ['no tag', { content: 'xml-inline', content_args: { tag_pattern: '<\\w>' } }, {}],
    [
      '<e\u0301> x ',
      {
        content: 'xml-inline',
        content_args: { tag_pattern: '<(?P<key>\\w+)>(?P<value>.*)', value_parser: {} },
      },
      { 'e\u0301': 'x' },
    ],
    ['a \n b 1', { content: 'kv-lines', content_args: { kv_sep: ' ' } }, { b: '1' }],
    [
      '{"a":{"b":1}}',
      { content: 'json', transform: { x: ['{content.a.b}', 'literal', '{ no }'] } },
      { x: [1, 'literal', '{ no }'] },
    ],
    [
      '[{"n":1},{"n":2}]',
      { content: 'json', transform_each: true, transform: { m: '{n}' } },
      [{ m: 1 }, { m: 2 }],
    ],
  ])('reads %j', (raw, field, expected) => {
    expect(value(raw, field)).toEqual(expected);
  });

  it.each<[string, ResponseTemplateField]>([
    ['1.0', { content: 'int' }],
    ['', { content: 'float' }],
    ["{'a':1}", { content: 'json' }],
    ['[1,]', { content: 'json' }],
    ['\ufeff1', { content: 'json' }],
    ['a', { content: 'xml-inline' }],
    ['a', { content: 'xml-inline', content_args: { tag_pattern: 'a' } }],
    ['b', { content: 'xml-inline', content_args: { tag_pattern: '(?P<key>a)?b' } }],
    ['a:b', { content: 'kv-lines', content_args: { value_parser: 'text' } }],
    ['{}', { content: 'json', transform: '{content.a}' }],
    ['"text"', { content: 'json', transform: '{content.length}' }],
    ['{}', { content: 'json', transform: '{content.constructor}' }],
    ['1', { content: 'json', transform_each: true, transform: 1 }],
    ['[1]', { content: 'json', transform_each: true, transform: 1 }],
  ])('refuses %j', (raw, field) => {
    expect(() => value(raw, field)).toThrow(ResponseFieldError);
  });
});

describe('messages', () => {
  it('keep defaults, and drop what captured nothing', () => {
    const template: ResponseTemplate = {
      defaults: { role: 'assistant', kept: null },
      start_anchor: '@',
      fields: {
        kept: { open: '<k>', close: '<' },
        empty: { open: '<e>', close: '<' },
        zero: { open: '<z>', close: '<', content: 'int' },
        none: { open: '<n>', close: '<', content: 'json' },
      },
    };
    const message = parseWithResponseTemplate(template, '<k><<e> <<z>0<<n>{}<', whole);
    expect(message).toEqual({ role: 'assistant', kept: '', zero: 0 });
  });

  it('join, repeat and overwrite', () => {
    const fields = {
      list: { open: '<l>', close: '.', repeats: true },
      joined: { open: '<j>', close: '.', repeats: true, join: '+' },
      last: { open: '<o>', close: '.' },
    };
    const text = '<l>1.<j>1.<o>1.<l>2.<j>2.<o>2.';
    expect(parse(fields, text)).toEqual({ list: ['1', '2'], joined: '1+2', last: '2' });
  });

  it('keep the last stretch of text between regions, and all of them if asked to', () => {
    const text = 'one <call>{}</call> two<|end|>\n';
    const read = (options: object) =>
      parseWithResponseTemplate(tagged.template, text, { ...whole, ...options }).content;
    expect(read({})).toBe('two');
    expect(read({ reopenedText: 'overwrite' })).toBe('two');
    expect(read({ reopenedText: 'join' })).toBe('one  two');
  });

  it('name a required field that is missing', () => {
    const fields = { must: { open: '<m>', optional: false }, content: {} };
    expect(() => parse(fields, 'x')).toThrow(/"must"/);
    expect(parse(fields, '<m>')).toEqual({});
  });

  it('take strange names', () => {
    const fields = { __proto__: undefined, constructor: { open: '<c>', close: '.' } };
    const strange = JSON.parse('{"__proto__": {"open": "<p>", "close": "."}}') as typeof fields;
    const message = parse(
      { ...fields, ...strange } as unknown as ResponseTemplate['fields'],
      '<c>1.',
    ) as object;
    expect(Object.getPrototypeOf(message)).toBe(Object.prototype);
    expect(Object.hasOwn(message, 'constructor')).toBe(true);
  });

  it('come in batches', () => {
    const texts = ['<think>a</think>b', 'c'];
    const read = (prefix: string | readonly string[]) =>
      parseBatchWithResponseTemplate(tagged.template, texts, { prefix });
    expect(read('')).toEqual([
      { role: 'assistant', thinking: 'a', content: 'b' },
      { role: 'assistant', content: 'c' },
    ]);
    expect(read(['', '<|turn>assistant\n<think>'])[1]).toEqual({ role: 'assistant', thinking: 'c' });
    expect(() => read([''])).toThrow(UnsupportedOptionError);
  });
});

describe('tools', () => {
  const tools = [
    {
      type: 'function',
      function: {
        name: 'f',
        parameters: {
          type: 'object',
          properties: {
            n: { type: 'integer' },
            s: { type: 'string' },
            b: { anyOf: [{ type: 'boolean' }, { type: 'null' }] },
            l: { type: 'array' },
          },
        },
      },
    },
  ];
  const fields = {
    calls: {
      open: '<c>',
      close: '</c>',
      content: 'json',
      repeats: true,
      transform: { type: 'function', function: '{content}' },
    },
  } as const;

  it('cast texts, and nothing else', () => {
    const given = { n: '7', s: '7', b: 'null', l: '[1]', unknown: '7' };
    const message = parse(fields, `<c>${JSON.stringify({ name: 'f', arguments: given })}</c>`, tools);
    const cast = { n: 7, s: '7', b: null, l: [1], unknown: '7' };
    expect(message).toEqual({ calls: [{ type: 'function', function: { name: 'f', arguments: cast } }] });
  });

  it.each([
    ['5', ['string', 'integer'], 5],
    ['1', ['boolean', 'integer'], true],
    ['1.5', ['integer', 'number'], 1.5],
    ['-0', ['integer'], 0],
    ['NaN', ['number'], 'NaN'],
    ['None', ['null'], null],
    ['{"a":1}', ['array', 'object'], { a: 1 }],
    ['maybe', ['boolean'], 'maybe'],
  ])('cast %j as %j', (raw, types, expected) => {
    expect(castText(raw, types)).toEqual(expected);
  });

  it('have types of many spellings', () => {
    expect(schemaTypes({ type: ['integer', 'string'], nullable: true })).toEqual([
      'integer',
      'string',
      'null',
    ]);
    expect(schemaTypes({ anyOf: [{ type: 'a' }, { oneOf: [{ type: 'b' }] }] })).toEqual(['a', 'b']);
    expect(schemaTypes(true)).toEqual([]);
  });
});

describe('streaming', () => {
  /** What each piece says, chunks by their text. */
  function stream(template: ResponseTemplate, pieces: readonly string[]): string[] {
    const parser = createResponseTemplateParser(template, whole);
    const said = pieces.map((piece) => parser.feed(piece));
    said.push(parser.finish().events);
    return said.map((events) =>
      events
        .map((event) => {
          if (event.type === 'region_chunk') return event.text;
          return event.type === 'region_open' ? `+${event.field}:` : `-${event.field};`;
        })
        .join(''),
    );
  }

  it('says text as soon as it is no delimiter, and holds no more back', () => {
    expect(stream(tagged.template, ['Hi <', 'th', 'x', '<thin', 'k>', 'a</', 'b</think', '>'])).toEqual([
      '+content:Hi ',
      '',
      '<thx',
      '',
      '-content;+thinking:',
      'a',
      '</b',
      '-thinking;',
      '',
    ]);
  });

  it('waits where a longer delimiter may come, no longer', () => {
    expect(stream(tagged.template, ['x<|end|>', '\n', 'y'])).toEqual([
      '+content:x',
      '-content;',
      '+content:y',
      '-content;',
    ]);
    expect(stream(tagged.template, ['x<|end|>', 'y'])).toEqual([
      '+content:x',
      '-content;+content:y',
      '-content;',
    ]);
  });

  it('takes the first way to match that its pattern prefers', () => {
    const fields = {
      c: {},
      lazy: { open_pattern: '#+?', close: '.' },
      greedy: { open_pattern: '=+', close: '.' },
    };
    expect(stream({ start_anchor: '@', fields }, ['#', '#.', '=', '=', '=.'])).toEqual([
      '+lazy:',
      '#-lazy;',
      '',
      '',
      '+greedy:-greedy;',
      '',
    ]);
  });

  it('knows what a lookahead has yet to see', () => {
    const fields = { c: {}, x: { open_pattern: '<a(?!bc)', close: '.' } };
    expect(stream({ start_anchor: '@', fields }, ['<a', 'b', 'c', ' <a', 'b', 'd.'])).toEqual([
      '',
      '',
      '+c:<abc',
      ' ',
      '',
      '-c;+x:bd-x;',
      '',
    ]);
  });

  it('marks chunks that have to be parsed', () => {
    const parser = createResponseTemplateParser(tagged.template, whole);
    const chunks = parser.feed('a<call>{"b"').filter((event) => event.type === 'region_chunk');
    expect(chunks.map(({ text, dirty }) => [text, dirty])).toEqual([
      ['a', false],
      ['{"b"', true],
    ]);
  });

  it('says first what the prompt wrote', () => {
    const prefix = '<|turn>assistant\nold<|turn>assistant\n<think>\nI ';
    const parser = createResponseTemplateParser(tagged.template, { prefix });
    expect(parser.initialEvents).toEqual([
      { type: 'region_open', field: 'thinking' },
      { type: 'region_chunk', field: 'thinking', text: '\nI ', dirty: false },
    ]);
    parser.feed('am</think>');
    expect(parser.finish().message.thinking).toBe('I am');
  });

  it('ends with every region closed, and is then over', () => {
    const parser = createResponseTemplateParser(tagged.template, whole);
    parser.feed('<think>a <');
    expect(parser.finish()).toEqual({
      message: { role: 'assistant', thinking: 'a <' },
      events: [
        { type: 'region_chunk', field: 'thinking', text: '<', dirty: false },
        { type: 'region_close', field: 'thinking', value: 'a <' },
      ],
    });
    expect(() => parser.feed('x')).toThrow(UnsupportedOptionError);
    expect(() => parser.finish()).toThrow(UnsupportedOptionError);
  });

  it('goes on after a region that cannot be read', () => {
    const parser = createResponseTemplateParser(tagged.template, whole);
    expect(() => parser.feed('<call>{</call>')).toThrow(ResponseFieldError);
    parser.feed('text');
    expect(parser.finish().message.content).toBe('text');
  });
});

describe('malformed regions', () => {
  it('are events with their raw text, where that is asked for', () => {
    const template: ResponseTemplate = {
      start_anchor: '@',
      fields: {
        n: { open: '<', close: '>', content: 'int', repeats: true },
        must: { open: '!', optional: false },
      },
    };
    const parser = createResponseTemplateParser(template, { prefix: '', malformed: 'event' });
    expect(parser.feed('<1><x><2>').map(({ type }) => type.slice('region_'.length))).toEqual([
      'open',
      'chunk',
      'close',
      'open',
      'chunk',
      'malformed',
      'open',
      'chunk',
      'close',
    ]);
    const { message, events } = parser.finish();
    expect(message).toEqual({ n: [1, 2] });
    expect(events).toMatchObject([{ type: 'region_malformed', field: 'must', raw: '' }]);
  });
});

describe('delimiters of no characters', () => {
  it.each<[string, ResponseTemplate['fields'], string, unknown]>([
    ['an opener', { a: { open_pattern: 'x*', close: '.' } }, 'ab.c', { a: 'c' }],
    ['a closer', { a: { open: '<', close_pattern: 'y*' }, c: {} }, 'a<b', { c: 'ab' }],
    [
      'both',
      { a: { open_pattern: 'x*', close_pattern: 'y*', repeats: true }, c: {} },
      'ab',
      { a: ['', ''], c: 'ab' },
    ],
    ['the beginning', { a: { open_pattern: '^', close_pattern: '^' }, c: {} }, 'ab', { c: 'ab' }],
    ['the end', { c: { close_pattern: '$' } }, 'ab', { c: 'ab' }],
    ['nothing at all', { c: { close_pattern: '' } }, 'ab', { c: 'ab' }],
    ['a closer of the implicit region', { c: { close_pattern: 'y*' } }, 'abyyc', { c: 'abc' }],
    [
      'the end before a newline',
      { c: { close_pattern: '$', content_args: { strip: false } } },
      'a\nb\n',
      { c: 'a\nb' },
    ],
  ])('do not hang: %s', (_name, fields, text, expected) => {
    expect(parse(fields, text)).toEqual(expected);
  });
});
