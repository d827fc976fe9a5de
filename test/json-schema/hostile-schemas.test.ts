/**
 * Schemas of someone who means ill, or of a broken program: each ends in a typed error or in a report, within the
 * allowance, and the process lives.
 */
import { describe, expect, test } from 'vitest';
import { SchemaError } from '../../src/format/errors.ts';
import type { JsonSchema, JsonValue } from '../../src/format/messages.ts';
import { argumentValidator } from '../../src/grammar/argument-validator.ts';
import { type CompiledSchema, compileSchema, jsonSyntax } from '../../src/json-schema/compile-schema.ts';
import { compileValidator } from '../../src/json-schema/validate/validate.ts';
import { RuleSet } from '../../src/language/expression/rule-set.ts';
import { argumentChecks } from '../../src/runtime/chat/checks/argument-checks.ts';
import { normalizeTools } from '../../src/tools/tools.ts';

/** What is compiled of `schema`, or the typed error; whatever else is thrown fails the test. */
function outcomeOf(schema: JsonSchema): CompiledSchema | SchemaError {
  try {
    return compileSchema(schema, { rules: new RuleSet(), syntax: jsonSyntax, tool: 't', policy: 'strict' });
  } catch (error) {
    if (error instanceof SchemaError) return error;
    throw error;
  }
}

/** `levels` schemas within each other. */
function nested(levels: number, wrap: (inner: JsonSchema) => JsonSchema): JsonSchema {
  let schema: JsonSchema = { type: 'string' };
  for (let level = 0; level < levels; level += 1) schema = wrap(schema);
  return schema;
}

function manyProperties(count: number): JsonSchema {
  const names = Array.from({ length: count }, (_, index) => [`p${index}`, { type: 'string' }] as const);
  return { type: 'object', properties: Object.fromEntries(names) };
}

/** Patterns whose automata, or whose search by backtracking, grow without measure. */
const exploding = [
  '^(a|aa)+$',
  '(a*)*b',
  '^(?:.?){400}$',
  '(?:a|b)*a(?:a|b){60}',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
];

describe('a hostile schema ends in a report or a typed error', () => {
  test.each<readonly [string, () => JsonSchema]>([
    ['100,000 properties', () => manyProperties(100_000)],
    [
      'objects that are nested 100,000 deep',
      () => nested(100_000, (a) => ({ type: 'object', properties: { a } })),
    ],
    ['arrays that are nested 100,000 deep', () => nested(100_000, (items) => ({ type: 'array', items }))],
    ['`not` 100,000 deep', () => nested(100_000, (not) => ({ not }))],
    [
      'references in a circle',
      () => ({ $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }),
    ],
    [
      'a list of a thousand overlapping patterns',
      () => ({
        type: 'object',
        patternProperties: Object.fromEntries(
          Array.from({ length: 1000 }, (_, index) => [`x${index}.*y`, { minimum: index }]),
        ),
      }),
    ],
    [
      'alternatives that multiply',
      () => ({
        allOf: Array.from({ length: 40 }, (_, index) => ({
          anyOf: [{ required: [`a${index}`] }, { required: [`b${index}`] }, { minProperties: index }],
        })),
      }),
    ],
  ])('%s', (_, make) => {
    const outcome = outcomeOf(make());
    const issues = outcome.issues;
    expect(issues).not.toEqual([]);
    for (const { reason } of issues) expect(reason).not.toBe('');
  });

  test.each(exploding)('also one with the pattern %s', (pattern) => {
    const outcome = outcomeOf({ type: 'string', pattern, maxLength: 100_000 });
    if (outcome instanceof SchemaError) expect(outcome.issues).not.toEqual([]);
    else expect(outcome.expression).toBeDefined();
  });
});

test('a validator of 30,000 properties is refused at once', () => {
  expect(() => compileValidator(manyProperties(30_000))).toThrow(SchemaError);
  expect(() => compileValidator(manyProperties(30_000))).toThrow('too many to check');
});

test('a tool that is too large to check passes no check', () => {
  const tools = normalizeTools([{ name: 'large', parameters: manyProperties(25_000) }]);
  expect(argumentChecks(tools)('large', { other: 1 }).join()).toContain('too many to check');
  expect(argumentValidator(tools)('large', {}).join()).toContain('too many to check');
});

describe('what a schema says of itself does no harm', () => {
  test('with `$async`, invalid values are invalid at once, and no promise is left', () => {
    const validate = compileValidator({ $async: true, type: 'object', required: ['a'] } as JsonSchema);
    expect(validate({})).toMatchObject([{ keyword: 'required' }]);
    expect(validate({ a: 1 })).toEqual([]);
  });

  test.each(['constructor', 'hasOwnProperty', 'toString', '__proto__', 'valueOf'])(
    'a property `%s` is its own, and not that of all objects',
    (name) => {
      const text = JSON.stringify(name);
      const schema = JSON.parse(
        `{"type":"object","properties":{${text}:{"type":"integer"}},"required":[${text}],"additionalProperties":false}`,
      ) as JsonSchema;
      const validate = compileValidator(schema);
      expect(validate({})).not.toEqual([]);
      expect(validate(JSON.parse(`{${text}:1}`) as JsonValue)).toEqual([]);
      expect(validate(JSON.parse(`{${text}:"x"}`) as JsonValue)).not.toEqual([]);
      const outcome = outcomeOf(schema);
      expect(outcome).not.toBeInstanceOf(SchemaError);
      expect(outcome.issues).toEqual([]);
    },
  );
});
