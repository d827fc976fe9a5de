/** Answers of a schema: any layout and the other spellings of JSON, but nothing that the schema does not allow. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../../src/format/messages.ts';
import { compileSchema, lenientJsonSyntax } from '../../src/json-schema/compile-schema.ts';
import { lenientCharacter } from '../../src/json-schema/write/lenient-json.ts';
import { checkGrammar } from '../../src/language/expression/check-grammar.ts';
import { RuleSet } from '../../src/language/expression/rule-set.ts';
import { printGbnf } from '../../src/language/gbnf/print-gbnf.ts';
import { createMatcher } from '../../src/language/matcher/matcher.ts';
import { loadEngineMatchers } from '../support/grammar-engine.ts';
import { sampleGrammar, seededRandom } from '../support/sample-grammar.ts';
import { anySchema, anyValue, compileStrict, spell } from './schema-tools.ts';

const runs = process.env.LAWS === 'long' ? 3000 : 60;
const seed = Number(process.env.SEED);
const engine = await loadEngineMatchers();

function grammarOf(schema: JsonSchema) {
  const rules = new RuleSet();
  const options = { rules, syntax: lenientJsonSyntax, tool: '', policy: 'strict' } as const;
  return rules.grammar('root', compileSchema(schema, options).expression);
}

function accepts(schema: JsonSchema): (text: string) => boolean {
  const start = createMatcher(grammarOf(schema));
  return (text) => {
    const matcher = start.clone();
    return matcher.accept(text) && matcher.complete;
  };
}

test('the grammar of an answer accepts a value in every layout where it accepts the value, and no other value', () => {
  const values = fc.array(anyValue, { minLength: 8, maxLength: 8 });
  let accepted = 0;
  const law = fc.property(anySchema, values, (schema, instances) => {
    const fixed = compileStrict(schema);
    if ('refused' in fixed) return;
    const one = createMatcher(fixed.grammar);
    const lenient = accepts(schema);
    const findings = checkGrammar(grammarOf(schema), { ambiguity: false });
    expect(findings.filter(({ kind }) => kind !== 'unused-rule')).toEqual([]);
    for (const value of instances) {
      const text = spell(schema, value);
      // With an exponent, `lenient` writes integers that the fixed layout does not.
      if (/\de[+-]/.test(text)) continue;
      const matcher = one.clone();
      const wanted = matcher.accept(text) && matcher.complete;
      const ordered: unknown = JSON.parse(text);
      const layouts = [undefined, 2, 4, '\t'].map((indent) => JSON.stringify(ordered, null, indent));
      for (const each of [text, ...layouts])
        expect({ each, accepted: lenient(each) }).toEqual({ each, accepted: wanted });
      accepted += Number(wanted);
    }
  });
  fc.assert(law, { numRuns: runs, seed });
  expect(accepted).toBeGreaterThan(runs / 2);
});

test('the grammar of an answer builds in the engine, and writes JSON', () => {
  const random = seededRandom(seed);
  const schema = {
    type: 'object',
    properties: {
      city: { type: 'string', maxLength: 3 },
      days: { type: 'integer' },
      parts: { type: 'array', items: { anyOf: [{ type: 'object' }, { type: 'null' }] } },
    },
  };
  const grammar = grammarOf(schema);
  const matcher = engine(printGbnf(grammar));
  for (let count = 0; count < 50; count += 1) {
    const text = sampleGrammar(grammar, random, 8);
    expect(matcher.accepts(text)).toBe(true);
    expect(typeof JSON.parse(text)).toBe('object');
  }
});

describe('no way around a schema', () => {
  test.each<[JsonSchema, readonly string[], readonly string[]]>([
    [
      { type: 'string', maxLength: 2 },
      ['"a\\/"', '"\\u00e9\\u0041"', '"\\ud83d\\ude00\\uD83D\\uDE00"'],
      ['"\\u0061\\u0061\\u0061"', '"\\ud83d"', '"\\ude00"', '"\\ud83d\\u0041"', '"\\u0000"', '"\n"'],
    ],
    [{ type: 'string', pattern: '^a$' }, ['"a"'], ['"\\u0061"', '"\\u0062"']],
    [{ enum: ['a/b'] }, ['"a/b"'], ['"a\\/b"']],
    [{ type: 'integer' }, ['1', '-20.0', '1e2', '3E+10'], ['1.5', '1e-1', '1.0e2', '01', '1.00']],
    [{ type: 'integer', maximum: 7, minimum: 1 }, ['7', '7.0'], ['7.5', '8.0', '7e0', '7e1']],
    [{ type: 'integer', enum: [1] }, ['1'], ['1.5', '10']],
    [
      { type: 'object', properties: { a: { type: 'null' } }, additionalProperties: { type: 'string' } },
      ['{\n  "a": null\n}', '{"a":null, "b":"\\u0061"}', '{}'],
      ['{"\\u0061":"x"}', '{"\\u0062":"x"}', '{"a" :null}', '{  "a":null}', '{\n\n"a":null}', ' {}'],
    ],
    [
      { type: 'array', items: { type: 'null' }, maxItems: 2 },
      ['[\n null,\n null\n]', '[null,null]', '[]'],
      ['[null,null,null]', '[null ,null]', '[null,]'],
    ],
  ])('%j', (schema, right, wrong) => {
    const accept = accepts(schema);
    for (const text of right) expect({ text, accepted: accept(text) }).toEqual({ text, accepted: true });
    for (const text of wrong) expect({ text, accepted: accept(text) }).toEqual({ text, accepted: false });
  });

  test('an escape is one code point, neither NUL nor half of a pair', () => {
    const matcher = createMatcher({ root: 'root', rules: new Map([['root', lenientCharacter]]) });
    const isOne = (text: string) => {
      const at = matcher.clone();
      return at.accept(text) && at.complete;
    };
    for (let unit = 0; unit < 0x10000; unit += unit < 0x200 ? 1 : 0x3f) {
      const half = unit >= 0xd800 && unit < 0xe000;
      const text = `\\u${unit.toString(16).padStart(4, '0')}`;
      expect({ text, is: isOne(text) }).toEqual({ text, is: unit > 0 && !half });
    }
  });

  test('a blank has an end', () => {
    const accept = accepts({ type: 'array', items: { type: 'null' } });
    expect(accept(`[\n${' '.repeat(40)}null]`)).toBe(true);
    expect(accept(`[\n${' '.repeat(41)}null]`)).toBe(false);
  });
});
