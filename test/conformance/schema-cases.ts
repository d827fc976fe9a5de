/**
 * llama.cpp's own schema cases, through our compiler under strict policy: a schema that must convert builds
 * in its engine, one that must not is refused, and texts pass and fail as recorded.
 */
import fs from 'node:fs';
import path from 'node:path';
import { SchemaError } from '../../src/format/errors.ts';
import type { JsonSchema } from '../../src/format/messages.ts';
import { compileSchema, jsonSyntax } from '../../src/json-schema/compile-schema.ts';
import { isObject } from '../../src/json-schema/document/schema-document.ts';
import { spellValue } from '../../src/json-schema/spell-value.ts';
import { RuleSet } from '../../src/language/expression/rule-set.ts';
import { printGbnf } from '../../src/language/gbnf/print-gbnf.ts';
import { type EngineMatcher, loadEngineMatchers } from '../support/grammar-engine.ts';

interface SchemaCase {
  readonly id: number;
  readonly kind: string;
  readonly name: string;
  readonly schema: JsonSchema;
  readonly expect?: 'success' | 'failure';
  readonly passing?: readonly string[];
  readonly failing?: readonly string[];
}

type Compiled = { readonly matcher: EngineMatcher } | { readonly refused: string };

const style = { itemSeparator: ', ', keySeparator: ': ', indent: null, ascii: false, sortKeys: false };

/** Runs the schema cases of `dataFolder/grammar-cases.jsonl`. */
export async function run(
  dataFolder: string,
): Promise<{ readonly passed: number; readonly total: number; readonly failures: readonly string[] }> {
  const engine = await loadEngineMatchers();
  const cases = fs
    .readFileSync(path.join(dataFolder, 'grammar-cases.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line): SchemaCase => JSON.parse(line))
    .filter(({ schema }) => schema !== undefined);
  const failures = cases.flatMap((each) => {
    const wrong = judge(each, engine);
    return wrong.length === 0 ? [] : [`${each.id} ${each.name}: ${wrong.join('; ')}`];
  });
  return { passed: cases.length - failures.length, total: cases.length, failures };
}

function judge(
  { kind, schema, expect, passing = [], failing = [] }: SchemaCase,
  engine: (gbnf: string) => EngineMatcher,
): readonly string[] {
  const compiled = compile(kind === 'sub_schema_ref' ? firstProperty(schema) : schema, engine);
  if ('refused' in compiled) return expect === 'failure' ? [] : [compiled.refused];
  if (expect === 'failure') return ['is not refused'];
  const { matcher } = compiled;
  return [
    ...passing.filter((text) => !accepts(matcher, schema, text)).map((text) => `${text} is rejected`),
    ...failing.filter((text) => accepts(matcher, schema, text)).map((text) => `${text} is accepted`),
  ];
}

/** `text` with the white space of this grammar; keys and scalars stay as they are. */
function accepts(matcher: EngineMatcher, schema: JsonSchema, text: string): boolean {
  const bare = text.trim();
  const respelled = /^[[{]/.test(bare) ? spelledAnew(schema, bare) : null;
  return matcher.accepts(respelled ?? bare);
}

/** `null` for what is no JSON, and where this grammar has another order of keys. */
function spelledAnew(schema: JsonSchema, text: string): string | null {
  try {
    const respelled = spellValue(schema, JSON.parse(text), style);
    return sameOrder(text, respelled) ? respelled : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function sameOrder(text: string, respelled: string): boolean {
  return JSON.stringify(JSON.parse(text)) === JSON.stringify(JSON.parse(respelled));
}

/** The schema of the first property, as a schema of its own that still finds the definitions. */
function firstProperty(schema: JsonSchema): JsonSchema {
  if (!isObject(schema) || !isObject(schema.properties)) return schema;
  const [property = true] = Object.values(schema.properties);
  const definitions = isObject(schema.$defs) ? schema.$defs : {};
  return { $ref: '#/$defs/root', $defs: { ...definitions, root: property } };
}

function compile(schema: JsonSchema, engine: (gbnf: string) => EngineMatcher): Compiled {
  const rules = new RuleSet();
  try {
    const { expression } = compileSchema(schema, { rules, syntax: jsonSyntax, tool: '', policy: 'strict' });
    return { matcher: engine(printGbnf(rules.grammar('root', expression))) };
  } catch (error) {
    if (error instanceof SchemaError) return { refused: error.message };
    return { refused: `does not build: ${String(error)}` };
  }
}
