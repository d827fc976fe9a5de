/** Dialects: a meta-schema of one's own leaves keywords without a meaning, or asks for what nobody knows; drafts. */
import { describe, expect, test } from 'vitest';
import { SchemaError } from '../../src/format/errors.ts';
import type { JsonObject, JsonSchema } from '../../src/format/messages.ts';
import { compileSchema, jsonSyntax } from '../../src/json-schema/compile-schema.ts';
import { RuleSet } from '../../src/language/expression/rule-set.ts';
import { printGbnf } from '../../src/language/gbnf/print-gbnf.ts';
import { type EngineMatcher, loadEngineMatchers } from '../support/grammar-engine.ts';
import { compileStrict } from './schema-tools.ts';

const draft = 'https://json-schema.org/draft/2020-12';
const dialect = 'https://example.com/dialect';

const engine = await loadEngineMatchers();

/** Accepts what a grammar of `schema` does, where the dialect has these vocabularies. */
function build(schema: JsonSchema, vocabularies: Readonly<Record<string, boolean>>): EngineMatcher {
  const rules = new RuleSet();
  const documents = new Map([[dialect, { $id: dialect, $vocabulary: vocabularies }]]);
  const options = { rules, syntax: jsonSyntax, tool: '', policy: 'strict', documents } as const;
  const { expression } = compileSchema(schema, options);
  return engine(printGbnf(rules.grammar('root', expression)));
}

const core = { [`${draft}/vocab/core`]: true };
const applicator = { [`${draft}/vocab/applicator`]: true };
const validation = { [`${draft}/vocab/validation`]: true };

describe('a vocabulary that is not listed', () => {
  const schema = { $schema: dialect, properties: { a: { maximum: 1 }, b: false } };
  test.each([
    ['without validation, a bound says nothing', { ...core, ...applicator }, '{"a": 2}', true],
    ['without validation, properties do', { ...core, ...applicator }, '{"b": 2}', false],
    ['without applicators, properties say nothing', { ...core, ...validation }, '{"a": 2, "b": 2}', true],
    ['with both, the bound holds', { ...core, ...applicator, ...validation }, '{"a": 2}', false],
  ])('%s', (_, vocabularies, text, accepted) => {
    expect(build(schema, vocabularies).accepts(text)).toBe(accepted);
  });

  test('counts in the resource that names the dialect, and nowhere else', () => {
    const inner = { $id: 'https://example.com/inner', $schema: dialect, maximum: 1 };
    const outer = { properties: { a: inner, b: { maximum: 1 } }, additionalProperties: false };
    const matcher = build(outer, { ...core, ...applicator });
    expect(matcher.accepts('{"a": 2, "b": 1}')).toBe(true);
    expect(matcher.accepts('{"a": 2, "b": 2}')).toBe(false);
  });
});

describe('a vocabulary that nobody knows', () => {
  const strange = 'https://example.com/vocab/colours';
  const schema = { $schema: dialect, type: 'integer' };

  test('is refused where the dialect needs it', () => {
    const attempt = () => build(schema, { ...core, ...validation, [strange]: true });
    expect(attempt).toThrow(SchemaError);
    expect(attempt).toThrow(strange);
  });

  test('may be left aside where the dialect does not', () => {
    const matcher = build(schema, { ...core, ...validation, [strange]: false });
    expect(matcher.accepts('1')).toBe(true);
    expect(matcher.accepts('"1"')).toBe(false);
  });
});

describe('a keyword that is newer than the declared draft has a line', () => {
  const $defs = { a: { $dynamicAnchor: 'a', type: 'string' } };
  const keywords: readonly (readonly [keyword: string, since: number, schema: JsonObject])[] = [
    ['const', 6, { const: 1 }],
    ['contains', 6, { contains: { type: 'null' } }],
    ['propertyNames', 6, { propertyNames: { maxLength: 2 } }],
    ['exclusiveMinimum', 6, { exclusiveMinimum: 1 }],
    ['exclusiveMaximum', 6, { exclusiveMaximum: 1 }],
    ['if', 7, { if: { type: 'string' }, else: { type: 'null' } }],
    ['dependentRequired', 8, { dependentRequired: { a: ['b'] } }],
    ['unevaluatedProperties', 8, { unevaluatedProperties: false }],
    ['$recursiveRef', 8, { properties: { a: { $recursiveRef: '#' } } }],
    ['prefixItems', 9, { prefixItems: [{ type: 'null' }] }],
    ['$dynamicRef', 9, { properties: { a: { $dynamicRef: '#a' } }, $defs }],
  ];
  const drafts: readonly (readonly [draft: number, uri: string])[] = [
    ...[4, 6, 7].map((draft) => [draft, `http://json-schema.org/draft-0${draft}/schema#`] as const),
    [8, 'https://json-schema.org/draft/2019-09/schema'],
    [9, 'https://json-schema.org/draft/2020-12/schema'],
  ];
  test.each(keywords)('%s', (keyword, since, schema) => {
    const reported = drafts.flatMap(([draft, $schema]) => {
      const compiled = compileStrict({ ...schema, $schema });
      if ('refused' in compiled) throw compiled.refused;
      const line = compiled.issues.find((issue) => issue.keyword === keyword);
      return line === undefined ? [] : [[draft, line.effect]];
    });
    const older = drafts.filter(([draft]) => draft < since);
    expect(reported).toEqual(older.map(([draft]) => [draft, 'narrowed']));
  });
});
