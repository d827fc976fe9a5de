/** Keys in the schema's order, of which optional ones may come later than in their turn. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonSchema } from '../../src/format/messages.ts';
import { compileSchema, jsonSyntax } from '../../src/json-schema/compile-schema.ts';
import { compileValidator } from '../../src/json-schema/validate/validate.ts';
import type { Grammar } from '../../src/language/expression/expression.ts';
import { RuleSet } from '../../src/language/expression/rule-set.ts';
import { printGbnf } from '../../src/language/gbnf/print-gbnf.ts';
import { createMatcher } from '../../src/language/matcher/matcher.ts';
import { sampleGrammar, seededRandom } from '../support/sample-grammar.ts';

const numRuns = process.env.LAWS === 'long' ? 3000 : 25;

function build(schema: JsonSchema, keyOrder: 'schema' | 'later' = 'later'): Grammar {
  const rules = new RuleSet();
  const options = { rules, syntax: jsonSyntax, tool: '', policy: 'strict', keyOrder } as const;
  return rules.grammar('root', compileSchema(schema, options).expression);
}

function accepts(grammar: Grammar, text: string): boolean {
  const matcher = createMatcher(grammar);
  return matcher.accept(text) && matcher.complete;
}

function written(keys: readonly string[]): string {
  return `{${keys.map((key) => `"${key}": ${key === 'more' ? 'true' : 1}`).join(', ')}}`;
}

const names = ['a', 'ab', 'b', 'c', 'key', 'kex', 'z'];

interface Keys {
  readonly keys: readonly string[];
  readonly required: readonly string[];
  readonly closed: boolean;
}

/** At most five of them are optional. */
const someKeys: fc.Arbitrary<Keys> = fc
  .record({
    keys: fc.shuffledSubarray(names, { minLength: 1 }),
    required: fc.shuffledSubarray(names, { maxLength: 4 }),
    closed: fc.boolean(),
  })
  .map(({ keys, required, closed }) => {
    const optional = keys.filter((key) => !required.includes(key));
    const left = keys.filter((key) => !optional.slice(5).includes(key));
    return { keys: left, required: required.filter((key) => left.includes(key)), closed };
  })
  // With no key after the first optional one, the order is the schema's, in which undeclared ones come last.
  .filter(({ keys, required }) => keys.slice(0, -1).some((key) => !required.includes(key)));

function schemaOf({ keys, required, closed }: Keys): JsonSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(keys.map((key) => [key, { type: 'integer' }])),
    required: [...required],
    additionalProperties: closed ? false : { type: 'boolean' },
  };
}

/** Required keys come in their order, no optional one before its turn, undeclared ones after all required ones. */
function isInTurn(order: readonly string[], { keys, required }: Keys): boolean {
  const turns = keys.filter((key) => required.includes(key));
  const come = order.filter((key) => required.includes(key));
  if (come.join() !== turns.join()) return false;
  return order.every((key, at) => {
    const place = keys.indexOf(key);
    const before = turns.filter((turn) => place < 0 || keys.indexOf(turn) < place);
    return before.every((turn) => order.indexOf(turn) <= at);
  });
}

const orders = fc.shuffledSubarray([...names, 'more']);

describe('optional keys', () => {
  test('come in their turn or later, and once', () => {
    const random = seededRandom(7);
    let late = 0;
    fc.assert(
      fc.property(someKeys, fc.array(orders, { minLength: 30, maxLength: 30 }), (given, tried) => {
        const schema = schemaOf(given);
        const grammar = build(schema);
        const inOrder = build(schema, 'schema');
        const validate = compileValidator(schema);
        const turned = [...tried, given.keys, given.keys.toReversed()].map((order) =>
          [...order].sort((a, b) => placeOf(a, given) - placeOf(b, given)),
        );
        for (const order of [...tried, ...turned]) {
          const isValid = validate(JSON.parse(written(order)) as JsonObject).length === 0;
          const isAccepted = accepts(grammar, written(order));
          expect({ order, isAccepted }).toEqual({ order, isAccepted: isValid && isInTurn(order, given) });
          if (accepts(inOrder, written(order))) expect(isAccepted).toBe(true);
          else late += Number(isAccepted);
          if (order.length > 0 && order[0] !== 'more')
            expect(accepts(grammar, written([...order, order[0] ?? '']))).toBe(false);
        }
        const text = sampleGrammar(grammar, random, 6);
        expect({ text, failures: validate(JSON.parse(text)) }).toEqual({ text, failures: [] });
      }),
      { numRuns },
    );
    expect(late).toBeGreaterThan(4);
  });

  const many = (optional: number): JsonSchema => {
    const keys = Array.from({ length: optional + 1 }, (_, index) => `key${index}`);
    const properties = Object.fromEntries(keys.map((key) => [key, { type: 'integer' }]));
    return { type: 'object', properties, required: ['key0'], additionalProperties: false };
  };

  test('are not sampled where a required one is forced', () => {
    expect(createMatcher(build(many(3))).forced()).toBe('{"key0": ');
  });

  test('keep the order of the schema where they are many, or counted', () => {
    expect(accepts(build(many(5)), written(['key0', 'key5', 'key1']))).toBe(true);
    for (const schema of [many(6), { ...(many(3) as JsonObject), maxProperties: 3 }]) {
      expect(accepts(build(schema), written(['key0', 'key3', 'key1']))).toBe(false);
      expect(accepts(build(schema), written(['key0', 'key1', 'key3']))).toBe(true);
    }
  });

  test.each([
    [5, 8000],
    [20, 12_000],
  ])('%i of them take %i characters at most', (optional, characters) => {
    expect(printGbnf(build(many(optional))).length).toBeLessThan(characters);
  });
});

/** Required keys in their order, with the others where they were drawn. */
function placeOf(key: string, { keys, required }: Keys): number {
  return required.includes(key) ? keys.indexOf(key) : names.length;
}
