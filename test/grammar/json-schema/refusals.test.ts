/** What an error of a schema says: where it is, and what. */
import { describe, expect, test } from 'vitest';
import { SchemaError, type SchemaIssue } from '../../../src/errors.ts';
import { compileSchema, jsonSyntax } from '../../../src/grammar/json-schema/compile-schema.ts';
import { RuleSet } from '../../../src/grammar/json-schema/rule-set.ts';
import type { JsonSchema } from '../../../src/messages.ts';

function reportOf(schema: JsonSchema): readonly SchemaIssue[] {
  try {
    return compileSchema(schema, { rules: new RuleSet(), syntax: jsonSyntax, tool: 't', policy: 'strict' })
      .issues;
  } catch (error) {
    if (error instanceof SchemaError) return error.issues;
    throw error;
  }
}

describe('a refusal', () => {
  test('names the sub-schema whose limits contradict each other', () => {
    const inner = {
      type: 'object',
      properties: { b: { type: 'string', minLength: 5, maxLength: 3 } },
      required: ['b'],
    };
    const schema = {
      type: 'object',
      properties: { a: { type: 'array', items: inner, minItems: 1 } },
      required: ['a'],
    };
    expect(reportOf(schema)).toMatchObject([
      {
        tool: 't',
        pointer: '/properties/a/items/properties/b',
        reason: 'no value is valid against this schema',
      },
    ]);
  });

  test('says that a count is too large', () => {
    expect(reportOf({ type: 'string', maxLength: 1e12 })[0]?.reason).toContain('repetitions');
    expect(reportOf({ type: 'array', minItems: 1e12 })[0]?.reason).toContain('repetitions');
  });

  test('is none for thousands of items', () => {
    expect(reportOf({ type: 'array', minItems: 5000 })).toEqual([]);
  });

  test.each([
    [
      'a cycle',
      () => {
        const items: Record<string, JsonSchema> = {};
        items.items = items;
        return { type: 'array', items };
      },
      '/items/items',
    ],
    [
      'a number that is not finite',
      () => ({ properties: { a: { maximum: Number.NaN } } }),
      '/properties/a/maximum',
    ],
  ] as const)('names the place of %s', (_, make, pointer) => {
    expect(reportOf(make())).toMatchObject([{ tool: 't', pointer, keyword: 'schema', effect: 'widened' }]);
  });
});

describe('a report', () => {
  test('names types that do not exist', () => {
    expect(reportOf({ properties: { a: { type: ['string', 'text'] } } })).toMatchObject([
      { pointer: '/properties/a', keyword: 'type', effect: 'narrowed' },
    ]);
    expect(reportOf({ type: 'text' }).map(({ keyword }) => keyword)).toEqual(['schema', 'type']);
  });

  test('says where null is not listed', () => {
    const listed = { type: 'string', nullable: true, enum: ['a'] };
    expect(reportOf(listed)).toMatchObject([{ keyword: 'nullable', effect: 'narrowed' }]);
    expect(reportOf({ ...listed, enum: ['a', null] })).toEqual([]);
  });
});
