/** What is given up when a budget does not suffice: less than everything, and the report says so. */
import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../../src/format/messages.ts';
import { compile, compileSchema, jsonSyntax } from '../../src/json-schema/compile-schema.ts';
import { ValueWriter } from '../../src/json-schema/write/value-writer.ts';
import { BudgetExceeded } from '../../src/language/expression/budget.ts';
import { empty } from '../../src/language/expression/expression.ts';
import { RuleSet } from '../../src/language/expression/rule-set.ts';
import { finish } from '../../src/language/expression/steps.ts';
import { printGbnf } from '../../src/language/gbnf/print-gbnf.ts';
import { loadEngineMatchers } from '../support/grammar-engine.ts';
import { spell } from './schema-tools.ts';

const engine = await loadEngineMatchers();

function build(schema: JsonSchema) {
  const rules = new RuleSet();
  const compiled = compileSchema(schema, { rules, syntax: jsonSyntax, tool: '', policy: 'strict' });
  const gbnf = printGbnf(rules.grammar('root', compiled.expression));
  return { issues: compiled.issues, gbnf, matcher: engine(gbnf) };
}

describe('a pattern with long texts', () => {
  const words = (count: number) => Array.from({ length: count }, () => 'a').join(' ');

  test('has a limit that its repeated parts share', () => {
    const schema = { type: 'string', pattern: '^(?:[a-z]+ ){0,49}[a-z]+$', maxLength: 9000 };
    const { issues, matcher } = build(schema);
    expect(issues).toMatchObject([{ pointer: '', keyword: 'maxLength', effect: 'narrowed' }]);
    const [, complete = ''] = /more than (\d+) characters/.exec(issues[0]?.reason ?? '') ?? [];
    const letters = 'a'.repeat(3000);
    const all = [letters, ...Array.from({ length: 49 }, () => 'a'.repeat(50))].join(' ');
    const texts = [words(50), 'a'.repeat(Number(complete)), all, words(51), '', letters.repeat(3)];
    expect(texts.map((text) => matcher.accepts(spell(schema, text)))).toEqual([
      true,
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(Number(complete)).toBeGreaterThan(500);
  });

  test('is written with shorter texts where its parts repeat within each other', () => {
    const schema = { type: 'string', pattern: '^(?:(?:ab*c|de*f){2,40}-)+$', maxLength: 9000 };
    const { issues, matcher } = build(schema);
    expect(issues).toMatchObject([{ pointer: '', keyword: 'maxLength', effect: 'narrowed' }]);
    const [, most = ''] = /more than (\d+) characters/.exec(issues[0]?.reason ?? '') ?? [];
    const longest = `a${'b'.repeat(Number(most) - 5)}cac-`;
    const texts = ['acac-', longest, `ab${longest.slice(1)}`, 'ac-'];
    expect(texts.map((text) => matcher.accepts(spell(schema, text)))).toEqual([true, true, false, false]);
  });

  test('of a URI is small, and takes URIs only', () => {
    const schema = { type: 'string', format: 'uri', minLength: 1, maxLength: 2083 };
    const { issues, matcher, gbnf } = build(schema);
    expect(issues).toMatchObject([{ keyword: 'maxLength', effect: 'narrowed' }]);
    expect(gbnf.length).toBeLessThan(80_000);
    const path = 'long-path/'.repeat(20);
    const good = [`https://me:x@example.org:80/${path}?q=%20a#b`, 'mailto:a@b.co', 'http://[::1]/'];
    const bad = ['', 'example.org', 'https://a b', 'https://a/%2', `https://a/${'x'.repeat(2074)}`];
    expect([...good, ...bad].map((text) => matcher.accepts(spell(schema, text)))).toEqual([
      ...good.map(() => true),
      ...bad.map(() => false),
    ]);
  });

  test('is written in full where the length could not matter', () => {
    const { issues } = build({ type: 'string', pattern: '^(?:[a-z]{3} ){0,49}[a-z]{3}$', maxLength: 9000 });
    expect(issues).toEqual([]);
  });
});

test('properties that are not declared are given up before everything is', () => {
  const rules = new RuleSet();
  const schema = { type: 'object', properties: { a: { properties: { b: { type: 'integer' } } } } };
  const { expression, issues } = finish(
    compile(schema, { rules, tool: '', policy: 'strict' }, jsonSyntax, (compilation) => {
      const { root, locations, document } = compilation;
      const writer = new ValueWriter(compilation, rules, jsonSyntax, 'value');
      const written = writer.value(root, locations.of([document.root]), 'value', 0);
      // As it happens: while the rules are built that the value asked for.
      rules.named('the last rule', 'last', () => {
        if (compilation.openObjects) throw new BudgetExceeded('rules');
        return empty;
      });
      return written;
    }),
  );
  expect(issues).toMatchObject([
    { pointer: '', keyword: 'additionalProperties', effect: 'narrowed' },
    { pointer: '/properties/a', keyword: 'additionalProperties', effect: 'narrowed' },
  ]);
  const matcher = engine(printGbnf(rules.grammar('root', expression)));
  const texts = ['{"a": {"b": 1}}', '{"a": {"b": "x"}}', '{"a": {"c": 1}}'];
  expect(texts.map((text) => matcher.accepts(text))).toEqual([true, false, false]);
});

test('the fallback keeps maps, and every property that the schema says something about', () => {
  const rules = new RuleSet();
  const number: JsonSchema = { type: 'number' };
  const schema: JsonSchema = {
    type: 'object',
    properties: {
      map: { type: 'object', additionalProperties: number },
      mixed: { type: 'object', properties: { a: { type: 'string' } }, additionalProperties: number },
      any: { type: 'object' },
      named: { type: 'object', properties: { a: number }, patternProperties: { '^x-': { type: 'string' } } },
    },
  };
  const options = { rules, syntax: jsonSyntax, tool: '', policy: 'strict', openObjects: false } as const;
  const { expression, issues } = compileSchema(schema, options);
  expect(issues.map(({ pointer }) => pointer)).toEqual(['', '/properties/named']);
  const matcher = engine(printGbnf(rules.grammar('root', expression)));
  const written = [
    '{"map": {"k": 1}}',
    '{"mixed": {"a": "b", "k": 1}}',
    '{"any": {"k": [null]}}',
    '{"named": {"a": 1, "x-k": "y"}}',
  ];
  const unwritten = ['{"map": {"k": "v"}}', '{"mixed": {"k": "v"}}', '{"named": {"k": 1}}', '{"k": 1}'];
  expect(written.filter((text) => !matcher.accepts(text))).toEqual([]);
  expect(unwritten.filter((text) => matcher.accepts(text))).toEqual([]);
});

test('recursive alternatives that overlap are told apart without an end to the stack', () => {
  const needs = (key: string, value: JsonSchema) => ({ properties: { [key]: value }, required: [key] });
  const query = { $ref: '#/$defs/query' };
  const schema = {
    type: 'object',
    properties: { when: query },
    $defs: {
      place: { type: 'object', properties: { at: { type: 'string' }, all: { type: 'array' } } },
      query: {
        type: 'object',
        oneOf: [
          { allOf: [needs('pattern', { type: 'object' }), { $ref: '#/$defs/place' }] },
          { allOf: [needs('code', { type: 'string' }), { $ref: '#/$defs/place' }] },
          needs('not', query),
          needs('and', { type: 'array', items: query }),
          needs('or', { type: 'array', items: query }),
        ],
      },
    },
  };
  const { matcher } = build(schema);
  const accepts = (when: Record<string, unknown>) =>
    matcher.accepts(JSON.stringify({ when }).replaceAll('":', '": '));
  expect(accepts({ not: { code: 'x' } })).toBe(true);
  expect(accepts({ not: { code: 1 } })).toBe(false);
});

describe('numbers', () => {
  const accepted = (schema: JsonSchema, values: readonly number[]) => {
    const { issues, matcher } = build(schema);
    return { issues, values: values.filter((value) => matcher.accepts(spell(schema, value))) };
  };

  test('of any type are multiples of hundreds', () => {
    const schema = { type: 'number', minimum: 1024, multipleOf: 256 };
    expect(accepted(schema, [1024, 1280, 768, 1025, 1024.5])).toEqual({ issues: [], values: [1024, 1280] });
  });

  test('with too many remainders are listed from the bound that is nearer to zero', () => {
    const schema = { maximum: -1_000_000, multipleOf: 7919, type: 'integer' };
    const { issues, values } = accepted(schema, [-7919 * 127, -7919 * 126, -7919 * 128 - 1, -7919 * 626]);
    expect(issues).toMatchObject([{ keyword: 'multipleOf', effect: 'narrowed' }]);
    expect(values).toEqual([-7919 * 127, -7919 * 626]);
  });

  test('are all listed where they are few', () => {
    const not = { anyOf: [2, 3, 5, 7, 11].map((multipleOf) => ({ multipleOf })) };
    const schema = { type: 'integer', multipleOf: 13, not, minimum: 13, exclusiveMaximum: 1000 };
    const primes = [13, 169, 221, 247, 299, 377, 403, 481, 533, 559, 611, 689, 767, 793, 871, 923, 949];
    const multiples = Array.from({ length: 80 }, (_, index) => 13 * index);
    expect(accepted(schema, multiples)).toEqual({ issues: [], values: primes });
  });

  test('that are large are written next to small ones that are not allowed, and the other way round', () => {
    expect(accepted({ not: { const: 1e-7 } }, [1e21, 1e-7, 1e-9])).toEqual({ issues: [], values: [1e21] });
    expect(accepted({ not: { const: 1e21 } }, [1e21, 1e-7])).toEqual({ issues: [], values: [1e-7] });
  });

  test('of which there are none are an error, as ever', () => {
    expect(() => build({ type: 'integer', minimum: 1, maximum: 7000, multipleOf: 7919 })).toThrow(
      'no value is valid',
    );
  });
});

test('a pointer from inside a part with a name of its own is found from the top', () => {
  const part = { $id: 'part/lime', properties: { size: { $ref: '#/definitions/size' } } };
  const { issues, matcher } = build({
    $id: 'https://example.com/top',
    properties: { lime: part },
    definitions: { size: { enum: [1, 2] } },
  });
  expect(issues).toEqual([]);
  expect([1, 3].map((size) => matcher.accepts(`{"lime": {"size": ${size}}}`))).toEqual([true, false]);
});

test('thousands of listed texts need no automaton', () => {
  const listed = Array.from({ length: 5000 }, (_, index) => `value-${(index * 7919) % 100_000}`);
  const { issues, matcher } = build({ enum: listed });
  expect(issues).toEqual([]);
  const texts = [listed[0], listed[4999], 'value-', `${listed[4999]}0`].map((text) => JSON.stringify(text));
  expect(texts.map((text) => matcher.accepts(text))).toEqual([true, true, false, false]);
});

test('references of two kinds next to each other both hold', () => {
  const { issues, matcher } = build({
    $ref: '#/$defs/low',
    $dynamicRef: '#even',
    $defs: { low: { maximum: 5 }, even: { $dynamicAnchor: 'even', type: 'integer', multipleOf: 2 } },
  });
  expect(issues).toEqual([]);
  expect(['4', '3', '6', '2.5'].map((text) => matcher.accepts(text))).toEqual([true, false, false, false]);
});
