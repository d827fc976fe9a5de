/** What a schema has thousands of, or reaches by thousands of ways, costs no more than the budget pays for. */
import { expect, test } from 'vitest';
import { SchemaError } from '../../src/format/errors.ts';
import type { JsonValue } from '../../src/format/messages.ts';
import { compileSchema, jsonSyntax } from '../../src/json-schema/compile-schema.ts';
import { compileValidator } from '../../src/json-schema/validate/validate.ts';
import { RuleSet } from '../../src/language/expression/rule-set.ts';
import { sampled } from '../support/sample.ts';
import { wideSchemas } from '../support/wide-schemas.ts';

/** Seconds of processor time. What is not paid for takes minutes, or all memory. */
const most = 15;
const value: JsonValue = { k0: 1, k1: 'a' };

const cases = Object.keys(wideSchemas).flatMap((name) =>
  [1000, 7000, 30_000].map((size) => [name, size] as const),
);

test.each(sampled(cases, 20))('much of one kind ends within the budget: %s, %i', (name, size) => {
  const schema = wideSchemas[name]?.(size) ?? {};
  for (const judge of [
    () => compileSchema(schema, { rules: new RuleSet(), syntax: jsonSyntax, tool: '', policy: 'degrade' }),
    () => compileValidator(schema)(value),
  ]) {
    const before = process.cpuUsage();
    try {
      judge();
    } catch (error) {
      expect(error).toBeInstanceOf(SchemaError);
    }
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6).toBeLessThan(most);
  }
});

test('failures that references tell of many times over are no more than can be read', () => {
  const failures = compileValidator(wideSchemas['joint schemas that double']?.(60) ?? {})('a');
  expect(failures).toHaveLength(1000);
  expect(new Set(failures.map(({ message }) => message))).toEqual(new Set(['must be integer']));
});
