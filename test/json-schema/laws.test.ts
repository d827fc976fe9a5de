/** Soundness and completeness: Ajv says what is valid, llama.cpp's engine what the grammar accepts. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SchemaIssue } from '../../src/format/errors.ts';
import type { JsonSchema, JsonValue } from '../../src/format/messages.ts';
import { compileValidator } from '../../src/json-schema/validate/validate.ts';
import { loadEngineMatchers } from '../support/grammar-engine.ts';
import { sampleGrammar, seededRandom } from '../support/sample-grammar.ts';
import { hasExponent, hasManyDigits, isValid } from './judge-values.ts';
import { anySchema, anyValue, compileStrict, spell } from './schema-tools.ts';

const long = process.env.LAWS === 'long';
const schemas = long ? 10_000 : 100;
const valuesPerSchema = 10;

const engine = await loadEngineMatchers();

/** Keywords whose wrong answers the report owns up to. */
function mayMiss(effects: readonly SchemaIssue['effect'][], issues: readonly SchemaIssue[]): boolean {
  return issues.some(({ effect }) => effects.includes(effect));
}

describe('grammars of random schemas', () => {
  test('accept what is valid and refuse what is not', () => {
    const tally = { accepted: 0, rejected: 0, refused: 0 };
    const values = fc.array(anyValue, { minLength: valuesPerSchema, maxLength: valuesPerSchema });
    fc.assert(
      fc.property(anySchema, values, (schema, instances) => {
        const compiled = compileStrict(schema);
        if ('refused' in compiled) {
          tally.refused += 1;
          const nothing = compiled.refused.issues.some(({ reason }) => reason.startsWith('no value'));
          if (nothing) for (const value of instances) expect(isValid(schema, value)).not.toBe(true);
          return;
        }
        const matcher = engine(compiled.gbnf);
        for (const value of instances) {
          if (hasExponent(value) && /multipleOf|integer/.test(JSON.stringify(schema))) continue;
          const valid = isValid(schema, value);
          if (valid === null) continue;
          const checked = mayMiss(['checked'], compiled.issues);
          const accepted = matcher.accepts(spell(schema, value)) && (!checked || isChecked(schema, value));
          const owned = accepted ? (['widened', 'noted'] as const) : (['narrowed'] as const);
          if (valid !== accepted && mayMiss(owned, compiled.issues)) continue;
          expect({ value, accepted }).toEqual({ value, accepted: valid });
          tally[accepted ? 'accepted' : 'rejected'] += 1;
        }
      }),
      { numRuns: schemas, seed: long ? Date.now() : 7 },
    );
    expect(tally.accepted).toBeGreaterThan(schemas);
    expect(tally.rejected).toBeGreaterThan(schemas);
    expect(tally.refused).toBeLessThan(schemas / 3);
  });

  test('write only what is valid', () => {
    const random = seededRandom(11);
    let judged = 0;
    fc.assert(
      fc.property(anySchema, (schema) => {
        const compiled = compileStrict(schema);
        if ('refused' in compiled || mayMiss(['noted', 'checked'], compiled.issues)) return;
        for (let count = 0; count < 5; count += 1) {
          const text = sampleGrammar(compiled.grammar, random, 8);
          if (hasManyDigits(text)) continue;
          const valid = isValid(schema, JSON.parse(text) as JsonValue);
          if (valid !== null) expect({ text, valid }).toEqual({ text, valid: true });
          judged += 1;
        }
      }),
      { numRuns: schemas, seed: long ? Date.now() : 8 },
    );
    expect(judged).toBeGreaterThan(2 * schemas);
  });
});

/** Whether the check of a chat lets `value` through. */
function isChecked(schema: JsonSchema, value: JsonValue): boolean {
  return compileValidator(schema)(value).length === 0;
}
