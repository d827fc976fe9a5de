/** Raw texts that hold what ends them: left out and reported, never written, and never a silent hole. */
import { describe, expect, test } from 'vitest';
import type { ArgumentsFormat, EntryArguments } from '../../src/format/chat-format.ts';
import { SchemaError, type SchemaIssue, ToolError } from '../../src/format/errors.ts';
import type { JsonSchema } from '../../src/format/messages.ts';
import { compileArguments } from '../../src/json-schema/compile-arguments.ts';
import { RuleSet } from '../../src/language/expression/rule-set.ts';
import { printGbnf } from '../../src/language/gbnf/print-gbnf.ts';
import { bracedEntries, taggedEntries } from '../support/entry-formats.ts';
import { loadEngineMatchers } from '../support/grammar-engine.ts';

const engine = await loadEngineMatchers();

const tagged = taggedEntries({ open: '<', key: '>', close: ['</>'] });
const characterData: EntryArguments = {
  ...tagged,
  alternativeString: { open: '<![', close: ']]>', codec: 'raw', when: ['<'] },
};
const own = bracedEntries('$');

function compile(
  a: JsonSchema,
  format: ArgumentsFormat,
  { policy = 'strict', required = [] }: { policy?: 'strict' | 'degrade'; required?: readonly string[] } = {},
): { readonly issues: readonly SchemaIssue[]; accepts(text: string): boolean } {
  const parameters = { type: 'object', properties: { a }, required, additionalProperties: false };
  const rules = new RuleSet();
  const tool = { type: 'function', function: { name: 'f', parameters } } as const;
  const { expression, issues } = compileArguments(tool, format, { rules, policy });
  const matcher = engine(printGbnf(rules.grammar('root', expression)));
  return { issues, accepts: (text) => matcher.accepts(text) };
}

function places(issues: readonly SchemaIssue[]): readonly string[] {
  return issues.map(({ pointer, keyword, effect }) => `${pointer} ${keyword} ${effect}`);
}

describe('texts that hold what ends them', () => {
  test.each<[string, JsonSchema, string]>([
    ['in a list', { enum: ['ok', 'a</>b'] }, 'enum'],
    ['of a pattern', { type: 'string', pattern: '^(ok|<.*>)$' }, 'pattern'],
    ['in a branch', { anyOf: [{ const: '</>' }, { const: 'ok' }] }, 'anyOf'],
  ])('%s are not written, and reported', (_, schema, keyword) => {
    const { issues, accepts } = compile(schema, tagged);
    expect(places(issues)).toEqual([`/properties/a ${keyword} narrowed`]);
    expect([accepts('<a>ok</>'), accepts('<a>a</>b</>'), accepts('<a></></>')]).toEqual([true, false, false]);
  });

  test.each<[string, JsonSchema]>([
    ['free text', { type: 'string' }],
    ['a length', { type: 'string', maxLength: 10 }],
    ['what a list leaves over', { type: 'string', not: { enum: ['a'] } }],
    ['a pattern that has none', { type: 'string', pattern: '^[a-z]*$' }],
  ])('are no matter of %s', (_, schema) => {
    expect(compile(schema, tagged).issues).toEqual([]);
  });

  test('are written in the other frame, where the format has one that can hold them', () => {
    const { issues, accepts } = compile({ enum: ['ok', 'a</>b'] }, characterData);
    expect(issues).toEqual([]);
    expect([accepts('<a>ok</>'), accepts('<a><![a</>b]]></>')]).toEqual([true, true]);
  });

  test('and are all that there is leave out an argument that may be left out', () => {
    const { issues, accepts } = compile({ const: '</>' }, tagged);
    expect(places(issues)).toEqual([' properties narrowed']);
    expect([accepts(''), accepts('<a>')]).toEqual([true, false]);
    expect(() => compile({ const: '</>' }, tagged, { required: ['a'] })).toThrow(ToolError);
  });
});

describe('texts inside of containers in a notation of their own', () => {
  const items = (schema: JsonSchema): JsonSchema => ({ type: 'array', items: schema });

  test('that hold what ends them are not written, and reported', () => {
    const { issues, accepts } = compile(items({ enum: ['ok', 'a$b'] }), own);
    expect(places(issues)).toEqual(['/properties/a/items enum narrowed']);
    expect([accepts('{a:[$ok$]}'), accepts('{a:[$a$]}'), accepts('{a:[$a$b$]}')]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('that all hold it leave what else may stand there', () => {
    const { issues, accepts } = compile(items({ anyOf: [{ const: '$' }, { const: 1 }] }), own);
    expect(places(issues)).toEqual(['/properties/a/items anyOf narrowed']);
    expect([accepts('{a:[1,1]}'), accepts('{a:[$x$]}')]).toEqual([true, false]);
  });

  test.each<[string, JsonSchema]>([
    ['listed', { enum: ['a$b', '$'] }],
    ['of a pattern', { type: 'string', pattern: '^a[$]' }],
  ])('that all hold it, and nothing else, are refused, or widened: %s', (_, schema) => {
    expect(() => compile(items(schema), own)).toThrow(SchemaError);
    const { issues, accepts } = compile(items(schema), own, { policy: 'degrade' });
    expect(places(issues)).toContain('/properties/a/items string widened');
    expect(accepts('{a:[$x$]}')).toBe(true);
  });

  test('that are to differ are written only where nothing in them ends them', () => {
    const { issues, accepts } = compile(
      { ...Object(items({ enum: ['a$b', 'c', 'd'] })), uniqueItems: true },
      own,
    );
    expect(places(issues)).toEqual(['/properties/a/items enum narrowed']);
    expect([accepts('{a:[$c$,$d$]}'), accepts('{a:[$a$b$]}')]).toEqual([true, false]);
  });
});

test('a key that the format cannot write is reported', () => {
  const parameters = { type: 'object', properties: { 'a:b': { type: 'integer' }, c: { type: 'integer' } } };
  const rules = new RuleSet();
  const tool = { type: 'function', function: { name: 'f', parameters } } as const;
  const { issues } = compileArguments(tool, own, { rules, policy: 'strict' });
  expect(places(issues)).toEqual([' properties narrowed']);
  expect(issues[0]?.reason).toContain('"a:b"');
});
