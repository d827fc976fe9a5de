/** The pages on JSON Schema tell the truth: each row of its tables is compiled and compared. */
import { describe, expect, test } from 'vitest';
import { SchemaError, type SchemaIssue } from '../../src/format/errors.ts';
import type { JsonSchema } from '../../src/format/messages.ts';
import { compileSchema, jsonSyntax } from '../../src/json-schema/compile-schema.ts';
import { compileValidator } from '../../src/json-schema/validate/validate.ts';
import { RuleSet } from '../../src/language/expression/rule-set.ts';
import { printGbnf } from '../../src/language/gbnf/print-gbnf.ts';
import { docPages } from '../support/doc-pages.ts';
import { type EngineMatcher, loadEngineMatchers } from '../support/grammar-engine.ts';
import { type DocumentedExample, examples } from './documented-examples.ts';
import { spell } from './schema-tools.ts';

const page = docPages('json-schema', 'json-schema-keywords', 'json-schema-scalars', 'json-schema-writing');
const verdicts = ['exact', 'narrowed', 'noted', 'checked', 'refused', 'says nothing'];

/** The rows whose second cell is a verdict. */
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, name = '', verdict = '']) => ({ name, verdict }))
  .filter(({ verdict }) => verdicts.includes(verdict));

const engine = await loadEngineMatchers();

interface Built {
  readonly issues: readonly SchemaIssue[];
  readonly matcher: EngineMatcher;
}

function build(schema: JsonSchema, policy: 'strict' | 'degrade'): Built {
  const rules = new RuleSet();
  const { expression, issues } = compileSchema(schema, { rules, syntax: jsonSyntax, tool: '', policy });
  return { issues, matcher: engine(printGbnf(rules.grammar('root', expression))) };
}

function expectAll(
  { schema }: DocumentedExample,
  { matcher }: Built,
  values: DocumentedExample['valid'],
  accepted: boolean,
): void {
  const answers = values.map((value) => ({ value, accepted: matcher.accepts(spell(schema, value)) }));
  expect(answers).toEqual(values.map((value) => ({ value, accepted })));
}

function refusal(schema: JsonSchema): readonly SchemaIssue[] {
  try {
    build(schema, 'strict');
  } catch (error) {
    if (error instanceof SchemaError) return error.issues;
    throw error;
  }
  throw new Error('strict policy takes it');
}

const judges: Readonly<Record<string, (name: string, example: DocumentedExample) => void>> = {
  exact: (_, example) => {
    const built = build(example.schema, 'strict');
    expect(built.issues).toEqual([]);
    expectAll(example, built, example.valid, true);
    expectAll(example, built, example.invalid, false);
  },
  'says nothing': (name, example) => {
    expect(example.invalid).toEqual([]);
    judges.exact?.(name, example);
  },
  narrowed: (_, example) => {
    const built = build(example.schema, 'strict');
    expect(built.issues.map(({ effect }) => effect)).toEqual(['narrowed']);
    expectAll(example, built, example.valid, true);
    expectAll(example, built, [...example.invalid, ...(example.unwritten ?? [])], false);
    expect(example.unwritten).toBeDefined();
  },
  noted: (_, example) => {
    const built = build(example.schema, 'strict');
    expect(built.issues.map(({ effect }) => effect)).toEqual(['noted']);
    expectAll(example, built, example.valid, true);
    expectAll(example, built, example.invalid, false);
    const { missed = [] } = example;
    expect(missed.map((text) => ({ text, accepted: built.matcher.accepts(text) }))).toEqual(
      missed.map((text) => ({ text, accepted: true })),
    );
    expect(example.missed).toBeDefined();
  },
  checked: (_, example) => {
    const built = build(example.schema, 'strict');
    expect(built.issues.map(({ effect }) => effect)).toEqual(['checked']);
    expectAll(example, built, [...example.valid, ...example.invalid], true);
    const validate = compileValidator(example.schema);
    expect(example.valid.filter((value) => validate(value).length > 0)).toEqual([]);
    expect(example.invalid.filter((value) => validate(value).length === 0)).toEqual([]);
  },
  refused: (_, example) => {
    const refused = refusal(example.schema);
    expect(refused.map(({ effect }) => effect)).toContain('widened');
    const built = build(example.schema, 'degrade');
    expect(built.issues).toEqual(refused);
    expectAll(example, built, [...example.valid, ...example.invalid], true);
  },
};

describe('docs/json-schema.md', () => {
  test('has an example for each row, and no other', () => {
    expect(rows.map(({ name }) => name).sort()).toEqual(Object.keys(examples).sort());
  });

  test.each(rows)('$name: $verdict', ({ name, verdict }) => {
    const example = examples[name];
    if (example === undefined) throw new Error(`no example for ${name}`);
    judges[verdict]?.(name, example);
  });
});

/** What the text of the page says next to its tables: a schema, texts that it writes, and texts that it does not. */
const spellings: readonly (readonly [string, JsonSchema, readonly string[], readonly string[]])[] = [
  [
    'numbers without constraints',
    { type: 'number' },
    ['-0', '9'.repeat(21), `0.${'9'.repeat(25)}`, '12e99', '1.5e-99'],
    ['9'.repeat(22), `0.${'9'.repeat(26)}`, '12e100', '1.5e100'],
  ],
  ['integers', { type: 'integer' }, ['0', '-7', '9'.repeat(21)], ['-0', '1.0', '1e2', '9'.repeat(22)]],
  [
    'bounded numbers',
    { type: 'number', minimum: -5 },
    ['1e+16', '1e-5', '5.0'],
    ['-0', '1e2', '1e+15', '1e-4'],
  ],
  [
    'multiples',
    { type: 'number', multipleOf: 0.5 },
    ['1.50', '1'.repeat(14)],
    ['-0', '1e+20', '1'.repeat(15)],
  ],
  ['multiples of a power of ten', { type: 'number', multipleOf: 0.01 }, ['1.50', '1'.repeat(30)], ['-0']],
  ['listed numbers', { enum: [1e21, 1e-7, 1] }, ['1e+21', '1e-07', '1'], ['1e21', '1e-7', '1.0']],
  [
    'strings',
    { type: 'string' },
    ['"\\u001f"', '"/"', '"\\n"', '"é"'],
    ['"\\u0000"', '"\\/"', '"\\u000a"', '"\\u00e9"', '"\\ud800"'],
  ],
  ['a listed NUL', { const: 'a\0' }, ['"a\\u0000"'], ['"a"']],
  [
    'keys in order, free keys after them',
    { type: 'object', properties: { b: {}, a: {} } },
    ['{"b": 1, "a": 2}', '{"a": 1, "y": 2, "x": 3, "x": 4}'],
    ['{"a": 1, "b": 2}', '{"x": 1, "a": 2}', '{"a": 1, "a": 2}'],
  ],
];

test('bounds of many digits are kept', () => {
  const above = build({ type: 'integer', minimum: 1e30 }, 'strict');
  expect(above.issues).toMatchObject([{ keyword: 'minimum', effect: 'narrowed' }]);
  expect(['2'.repeat(31), '9'.repeat(30)].map((text) => above.matcher.accepts(text))).toEqual([true, false]);
  const below = build({ type: 'integer', maximum: 1e30 }, 'strict');
  expect(['1'.repeat(21), '1'.repeat(32)].map((text) => below.matcher.accepts(text))).toEqual([true, false]);
  const outermost = build({ minimum: -Number.MAX_VALUE, maximum: Number.MAX_VALUE }, 'strict');
  expect(['-5.5', '1'.repeat(21)].map((text) => outermost.matcher.accepts(text))).toEqual([true, true]);
});

describe('what the page says of spellings', () => {
  test.each(spellings)('is so: %s', (_, schema, written, unwritten) => {
    const { issues, matcher } = build(schema, 'strict');
    expect(issues).toEqual([]);
    expect(written.filter((text) => !matcher.accepts(text))).toEqual([]);
    expect(unwritten.filter((text) => matcher.accepts(text))).toEqual([]);
  });
});

describe('what the page says of policies', () => {
  const costly = { type: 'object', properties: { a: { type: 'string', pattern: '^(a|b)*a(a|b){14}$' } } };
  const compileWithin = (policy: 'strict' | 'degrade') =>
    compileSchema(costly, { rules: new RuleSet(), syntax: jsonSyntax, tool: 't', policy, budget: 2000 });

  test('a budget that does not suffice leaves the schema to a check', () => {
    const { issues } = compileWithin('strict');
    expect(issues).toMatchObject([{ tool: 't', pointer: '', keyword: 'schema', effect: 'checked' }]);
  });

  test.each(['strict', 'degrade'] as const)('what nothing satisfies is an error under %s', (policy) => {
    expect(() => build({ allOf: [{ type: 'string' }, { type: 'number' }] }, policy)).toThrow(
      'no value is valid',
    );
  });

  test('closed objects are narrowed', () => {
    const rules = new RuleSet();
    const schema = { type: 'object', properties: { a: { type: 'number' } } };
    const options = { rules, syntax: jsonSyntax, tool: '', policy: 'strict', openObjects: false } as const;
    const { expression, issues } = compileSchema(schema, options);
    expect(issues).toMatchObject([{ keyword: 'additionalProperties', effect: 'narrowed' }]);
    const matcher = engine(printGbnf(rules.grammar('root', expression)));
    expect(['{"a": 1}', '{}', '{"b": 1}'].map((text) => matcher.accepts(text))).toEqual([true, true, false]);
  });
});
