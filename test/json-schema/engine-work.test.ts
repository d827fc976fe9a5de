/** What a grammar costs llama.cpp's engine, which writes out every round of a counted repetition. */
import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../../src/format/messages.ts';
import { requireBounded } from '../../src/language/gbnf/engine-limits.ts';
import { compileStrict } from './schema-tools.ts';

/** The rounds that the engine writes out, by the counts in the grammar's text. */
function rounds(schema: JsonSchema): number {
  const compiled = compileStrict(schema);
  if ('refused' in compiled) throw compiled.refused;
  const counts = compiled.gbnf.matchAll(/\{(\d*)(?:,(\d*))?\}/g);
  return [...counts].reduce((sum, [, min = '0', max]) => sum + Number(max ?? min), 0);
}

describe('long repetitions', () => {
  test('of a value are written once, in however many places it stands', () => {
    const map = (properties: number) => ({
      type: 'object',
      additionalProperties: { type: 'string', maxLength: 500 },
      propertyNames: { maxLength: 40 },
      maxProperties: properties,
    });
    expect(rounds(map(50))).toBeLessThan(1000);
    expect(rounds(map(50))).toBe(rounds(map(5)));
  });

  test.each(['^\\s*(SELECT|WITH)\\b', '^a*b', '^(ab?)+x'])(
    'of what is left of a length grow with the length: %s',
    (pattern) => {
      const of = (maxLength: number) => rounds({ type: 'string', pattern, maxLength });
      // Each state with a repetition of its own would make it sixteen times as many.
      expect(of(800)).toBeLessThan(6 * of(200) + 1000);
    },
  );
});

describe('a limited length', () => {
  const formats = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'uri-reference'];
  const others = [
    'iri',
    'uri-template',
    'ipv4',
    'ipv6',
    'uuid',
    'json-pointer',
    'relative-json-pointer',
    'regex',
  ];
  const patterns = [
    '^\\d+(\\.\\d+)?(e\\d+)?$',
    '^(ab?)+x',
    '^[a-z]+(-[a-z]+)*$',
    '^(?:[01]\\d|2[0-3]):\\d+(\\.\\d+)?Z$',
  ];
  const strings = [
    ...[...formats, ...others].map((format) => ({ format })),
    ...patterns.map((pattern) => ({ pattern })),
  ];

  test.each(strings)('of %j makes no grammar that engines cannot take', (keywords) => {
    for (const maxLength of [20, 64, 100, 130, 200, 255, 500, 1_000, 2_048, 10_000]) {
      const compiled = compileStrict({ type: 'string', ...keywords, maxLength });
      // Some strings have a fixed length.
      if ('refused' in compiled) expect(compiled.refused.message).toMatch(/no value is valid/);
      else expect(() => requireBounded(compiled.gbnf)).not.toThrow();
    }
  });
});
