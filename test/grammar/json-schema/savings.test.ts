/** What is given up when a budget does not suffice: less than everything, and the report says so. */
import { beforeAll, describe, expect, test } from 'vitest';
import { compileSchema, jsonSyntax } from '../../../src/grammar/json-schema/compile-schema.ts';
import { RuleSet } from '../../../src/grammar/json-schema/rule-set.ts';
import { printGbnf } from '../../../src/grammar/print-gbnf.ts';
import type { JsonSchema } from '../../../src/messages.ts';
import { type EngineMatcher, loadEngineMatchers } from '../../support/engine.ts';
import { spell } from './schema-tools.ts';

let engine: (gbnf: string) => EngineMatcher;
beforeAll(async () => {
  engine = await loadEngineMatchers();
});

function build(schema: JsonSchema) {
  const rules = new RuleSet();
  const compiled = compileSchema(schema, { rules, syntax: jsonSyntax, tool: '', policy: 'strict' });
  return {
    issues: compiled.issues,
    matcher: engine(printGbnf(rules.grammar('root', compiled.expression))),
  };
}

describe('a pattern with long texts', () => {
  const words = (count: number) => Array.from({ length: count }, () => 'a').join(' ');

  test('is written with shorter texts', () => {
    const schema = { type: 'string', pattern: '^(?:[a-z]+ ){0,49}[a-z]+$', maxLength: 9000 };
    const { issues, matcher } = build(schema);
    expect(issues).toMatchObject([{ pointer: '', keyword: 'maxLength', effect: 'narrowed' }]);
    const [, most = ''] = /more than (\d+) characters/.exec(issues[0]?.reason ?? '') ?? [];
    const texts = [words(50), 'a'.repeat(Number(most)), words(51), '', 'a'.repeat(Number(most) + 1)];
    expect(texts.map((text) => matcher.accepts(spell(schema, text)))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
  });

  test('is written in full where the length could not matter', () => {
    const { issues } = build({ type: 'string', pattern: '^(?:[a-z]{3} ){0,49}[a-z]{3}$', maxLength: 9000 });
    expect(issues).toEqual([]);
  });
});

test('properties that are not declared are given up before everything is', () => {
  const many = (seed: number): JsonSchema => ({
    type: 'object',
    properties: Object.fromEntries(
      Array.from({ length: 1000 }, (_, index) => [`${(index * seed) % 1_000_003} key`, { type: 'integer' }]),
    ),
  });
  const properties = { a: many(7919), b: many(6007), c: many(4001) };
  const { issues, matcher } = build({ type: 'object', properties });
  expect(issues).toMatchObject(
    ['', '/properties/a', '/properties/b', '/properties/c'].map((pointer) => ({
      pointer,
      keyword: 'additionalProperties',
      effect: 'narrowed',
    })),
  );
  const texts = ['{"a": {"7919 key": 1}}', '{"a": {"7919 key": "x"}}', '{"a": {"x": 1}}'];
  expect(texts.map((text) => matcher.accepts(text))).toEqual([true, false, false]);
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
