/** Arguments in the notations of formats: what the writer writes, the grammar accepts, and nothing near it. */
import { describe, expect, test } from 'vitest';
import type { ArgumentsFormat, ValueFrame } from '../../src/format/chat-format.ts';
import { SchemaError, ToolError } from '../../src/format/errors.ts';
import type { JsonObject, JsonSchema, Tool } from '../../src/format/messages.ts';
import { writeArguments } from '../../src/format/write-values.ts';
import { compileArguments } from '../../src/json-schema/compile-arguments.ts';
import { compileSchema, jsonSyntax } from '../../src/json-schema/compile-schema.ts';
import { sequence } from '../../src/language/expression/expression.ts';
import { RuleSet } from '../../src/language/expression/rule-set.ts';
import { printGbnf } from '../../src/language/gbnf/print-gbnf.ts';
import { bracedEntries, keywordEntries, taggedEntries } from '../support/entry-formats.ts';
import { loadEngineMatchers } from '../support/grammar-engine.ts';

const engine = await loadEngineMatchers();

const tagged = taggedEntries({ open: '<parameter=', key: '>\n', close: ['\n</parameter>\n'] });
const { style } = tagged;
const json: ValueFrame = { open: '', close: '', codec: 'json' };
const escapes = [
  ['\\', '\\\\'],
  ["'", "\\'"],
] as const;
const formats: Readonly<Record<string, ArgumentsFormat>> = {
  json: { kind: 'json', encoding: 'value', style, empty: null },
  'compact json': {
    kind: 'json',
    encoding: 'value',
    style: { ...style, itemSeparator: ',', keySeparator: ':' },
    empty: '',
  },
  'indented json': {
    kind: 'json',
    encoding: 'value',
    style: { ...style, itemSeparator: ',', indent: 2, margin: 2 },
    empty: null,
  },
  'json in ascii': { kind: 'json', encoding: 'value', style: { ...style, ascii: true }, empty: null },
  'json in a string': { kind: 'json', encoding: 'string', style, empty: null },
  'sorted json': { kind: 'json', encoding: 'value', style: { ...style, sortKeys: true }, empty: null },
  tagged,
  'key in the closing tag': {
    ...tagged,
    entry: { open: '<', key: '>', close: ['</', { hole: 'key' }, '>'] },
  },
  'character data': {
    ...tagged,
    alternativeString: { open: '<![CDATA[', close: ']]>', codec: 'raw', when: ['<', '&'] },
  },
  python: keywordEntries({ open: '', close: '', codec: 'python' }),
  'escaped by hand': keywordEntries(json, { open: "'", close: "'", codec: 'escaped', escapes }),
  'own notation': { ...bracedEntries('<|"|>'), sorted: true },
};

const parameters: JsonSchema = {
  type: 'object',
  properties: {
    title: { type: 'string' },
    unit: { enum: ['celsius', 'fahrenheit', 'c'] },
    count: { type: ['integer', 'null'], minimum: -3, maximum: 120 },
    ratio: { type: 'number' },
    exact: { type: 'boolean' },
    code: { type: 'string', pattern: '^[A-Z]{2}\\d?$', maxLength: 3 },
    tags: { type: 'array', items: { type: 'string' }, maxItems: 3 },
    point: {
      type: 'object',
      properties: { x: { type: 'number', minimum: 0 }, y: { type: 'number' } },
      required: ['x'],
      additionalProperties: false,
    },
  },
  required: ['title'],
  additionalProperties: false,
};
const tool: Tool = { type: 'function', function: { name: 'plot', parameters } };

const valid: readonly JsonObject[] = [
  { title: 'a' },
  { title: '' },
  { title: 'x < y & "z" \'é\' 😀\n\ttab \\ /', unit: 'c', count: null },
  { title: '5', count: 120, ratio: 0.25, exact: true },
  { title: 'true', unit: 'fahrenheit', ratio: 1e-7, exact: false, code: 'AB1', tags: [], point: { x: 0 } },
  { title: 'last', tags: ['one', 'two "2"', "it's"], point: { x: 1.5, y: -2 } },
];
const invalid: readonly JsonObject[] = [
  {},
  { title: 'a', unit: 'kelvin' },
  { title: 'a', count: 121 },
  { title: 'a', count: -4 },
  { title: 'a', count: 1.5 },
  { title: 'a', code: 'ABC' },
  { title: 'a', tags: ['1', '2', '3', '4'] },
  { title: 'a', point: { y: 1 } },
  { title: 'a', point: { x: -1 } },
  { title: 'a', other: 1 },
];

function grammarOf(each: Tool, format: ArgumentsFormat, argumentOrder: 'schema' | 'any' = 'schema') {
  const rules = new RuleSet();
  const { expression, issues } = compileArguments(each, format, { rules, policy: 'strict', argumentOrder });
  return { gbnf: printGbnf(rules.grammar('root', expression)), issues };
}

function withParameters(schema: JsonSchema): Tool {
  return { type: 'function', function: { name: 'f', parameters: schema } };
}

describe.each(Object.entries(formats))('%s', (_, format) => {
  test('what the format writes for valid arguments is accepted', () => {
    const matcher = engine(grammarOf(tool, format).gbnf);
    for (const values of valid) {
      const text = writeArguments(format, values);
      expect({ text, accepted: matcher.accepts(text) }).toEqual({ text, accepted: true });
    }
  });

  test('what it writes for invalid arguments is not', () => {
    const matcher = engine(grammarOf(tool, format).gbnf);
    for (const values of invalid) {
      const text = writeArguments(format, values);
      expect({ text, accepted: matcher.accepts(text) }).toEqual({ text, accepted: false });
    }
  });

  test('in any order each argument comes once and required ones come', () => {
    const few = withParameters({
      type: 'object',
      properties: { a: { type: 'integer' }, b: { type: 'boolean' }, c: { type: 'null' } },
      required: ['b'],
      additionalProperties: false,
    });
    const unsorted = {
      ...format,
      ...(format.kind === 'entries' ? { sorted: false } : { style: { ...format.style, sortKeys: false } }),
    } as ArgumentsFormat;
    const matcher = engine(grammarOf(few, unsorted, 'any').gbnf);
    const accepts = (values: JsonObject) => matcher.accepts(writeArguments(unsorted, values));
    expect(
      [{ b: true }, { c: null, b: true }, { b: true, a: 1 }, { c: null, a: 1, b: false }].map(accepts),
    ).toEqual([true, true, true, true]);
    expect([{}, { a: 1 }, { c: null, a: 1 }].map(accepts)).toEqual([false, false, false]);
  });

  test('a tool without arguments is called without', () => {
    const matcher = engine(grammarOf({ type: 'function', function: { name: 'now' } }, format).gbnf);
    expect(matcher.accepts(writeArguments(format, {}))).toBe(true);
    expect(matcher.accepts(writeArguments(format, { a: 1 }))).toBe(false);
  });
});

describe('raw strings', () => {
  test('end at the first marker', () => {
    const matcher = engine(
      grammarOf(withParameters({ type: 'object', properties: { a: { type: 'string' } } }), tagged).gbnf,
    );
    expect(matcher.accepts('<parameter=a>\nx\n</parameter>\n')).toBe(true);
    expect(matcher.accepts('<parameter=a>\nx\n\n</parameter>\n')).toBe(true);
    expect(matcher.accepts('<parameter=a>\nx</parameter>y\n</parameter>\n')).toBe(false);
  });

  test('a format in which nothing ends them is refused', () => {
    const format = { ...tagged, entry: { ...tagged.entry, close: [] } };
    expect(() => grammarOf(tool, format)).toThrow(ToolError);
  });
});

describe('policies', () => {
  const odd: JsonSchema = { type: 'string', format: 'idn-email' };

  test('strict refuses with every issue, degrade widens and reports', () => {
    const both: JsonSchema = {
      type: 'object',
      properties: { a: odd, b: { type: 'string', pattern: '(.)\\1' } },
    };
    const compile = (policy: 'strict' | 'degrade') =>
      compileSchema(both, { rules: new RuleSet(), syntax: jsonSyntax, tool: 'f', policy });
    const keywords = ['format', 'pattern'];
    expect(
      compile('degrade')
        .issues.map(({ keyword }) => keyword)
        .sort(),
    ).toEqual(keywords);
    try {
      compile('strict');
      expect.unreachable();
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error;
      expect(error.issues.map(({ keyword }) => keyword).sort()).toEqual(keywords);
      expect(error.issues.map(({ pointer }) => pointer).sort()).toEqual(['/properties/a', '/properties/b']);
    }
  });

  test.each(['strict', 'degrade'] as const)('%s refuses a schema that accepts nothing', (policy) => {
    const schema: JsonSchema = { type: 'string', minLength: 3, maxLength: 2 };
    expect(() =>
      compileSchema(schema, { rules: new RuleSet(), syntax: jsonSyntax, tool: '', policy }),
    ).toThrow(SchemaError);
  });

  test('a budget that is used up leaves the value to a check', () => {
    const schema: JsonSchema = { type: 'string', pattern: '(a|b)*a(a|b){14}$' };
    const rules = new RuleSet();
    const options = { rules, syntax: jsonSyntax, tool: '', budget: 2000, policy: 'strict' } as const;
    const { expression, issues } = compileSchema(schema, options);
    expect(issues).toMatchObject([{ effect: 'checked' }]);
    expect(engine(printGbnf(rules.grammar('root', expression))).accepts('"zzz"')).toBe(true);
  });

  test('a schema that is nested too deeply, or not finite, is a typed refusal', () => {
    let deep: JsonSchema = { type: 'string' };
    for (let level = 0; level < 20_000; level += 1) deep = { not: deep };
    for (const schema of [deep, { maximum: Number.POSITIVE_INFINITY }]) {
      expect(() =>
        compileSchema(schema, { rules: new RuleSet(), syntax: jsonSyntax, tool: '', policy: 'strict' }),
      ).toThrow(SchemaError);
    }
  });

  test('one rule set holds the rules of many schemas', () => {
    const rules = new RuleSet();
    const schemas: readonly JsonSchema[] = [
      { enum: ['a', 'b'] },
      { type: 'object', properties: { a: { const: 1 } } },
      { type: 'array', items: { type: 'string' } },
    ];
    const options = { rules, syntax: jsonSyntax, tool: 'same', policy: 'degrade' } as const;
    const [first, second, third] = schemas.map((schema) => compileSchema(schema, options).expression);
    if (first === undefined || second === undefined || third === undefined)
      throw new Error('three were compiled');
    const matcher = engine(printGbnf(rules.grammar('root', sequence(first, second, third))));
    expect(matcher.accepts('"b"{"a": 1}["x", "y"]')).toBe(true);
    expect(matcher.accepts('"b"{"a": 2}["x", "y"]')).toBe(false);
  });
});

describe('size', () => {
  test('is linear in the number of optional properties', () => {
    const sizeOf = (count: number) => {
      const properties = Object.fromEntries(
        Array.from({ length: count }, (_, index) => [`property_${index}`, { type: 'string' }]),
      );
      return grammarOf(withParameters({ type: 'object', properties, additionalProperties: false }), tagged)
        .gbnf.length;
    };
    expect(sizeOf(80) / sizeOf(20)).toBeLessThan(8);
  });
});

test('JSON in a free layout has any white space and any escapes, and still conforms', () => {
  const json: ArgumentsFormat = { kind: 'json', encoding: 'value', style, empty: null };
  const rules = new RuleSet();
  const { expression } = compileArguments(tool, json, { rules, policy: 'strict', layout: 'free' });
  const matcher = engine(printGbnf(rules.grammar('root', expression)));
  for (const [all, isValid] of [
    [valid, true],
    [invalid, false],
  ] as const) {
    for (const values of all) {
      for (const indent of [undefined, 1, 2, 4, '\t']) {
        const text = JSON.stringify(values, null, indent);
        expect({ text, accepted: matcher.accepts(text) }).toEqual({ text, accepted: isValid });
      }
    }
  }
  expect(matcher.accepts('{"title":"\\u0041", "ratio": 1e2}')).toBe(true);
});
