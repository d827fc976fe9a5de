/** `docs/json-schema.md` tells the truth: each row of its tables is compiled and compared. */
import fs from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { SchemaError, type SchemaIssue } from '../../../src/errors.ts';
import { compileSchema, jsonSyntax } from '../../../src/grammar/json-schema/compile-schema.ts';
import { RuleSet } from '../../../src/grammar/json-schema/rule-set.ts';
import { printGbnf } from '../../../src/grammar/print-gbnf.ts';
import type { JsonSchema } from '../../../src/messages.ts';
import { type EngineMatcher, loadEngineMatchers } from '../../support/engine.ts';
import { type DocumentedExample, examples } from './documented-examples.ts';
import { spell } from './schema-tools.ts';

const page = fs.readFileSync(new URL('../../../docs/json-schema.md', import.meta.url), 'utf8');
const verdicts = ['exact', 'narrowed', 'refused', 'says nothing'];

/** The rows whose second cell is a verdict. */
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, name = '', verdict = '']) => ({ name, verdict }))
  .filter(({ verdict }) => verdicts.includes(verdict));

let engine: (gbnf: string) => EngineMatcher;
beforeAll(async () => {
  engine = await loadEngineMatchers();
});

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
