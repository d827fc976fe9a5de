/**
 * The official JSON-Schema-Test-Suite, required tests, under strict policy: each test is answered right,
 * refused with a typed error, or wrong. What is checked is judged by the grammar and the check.
 */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { SchemaError } from '../../src/format/errors.ts';
import type { JsonSchema, JsonValue } from '../../src/format/messages.ts';
import { compileSchema, jsonSyntax } from '../../src/json-schema/compile-schema.ts';
import { spellValue } from '../../src/json-schema/spell-value.ts';
import { RuleSet } from '../../src/language/expression/rule-set.ts';
import { printGbnf } from '../../src/language/gbnf/print-gbnf.ts';
import { type EngineMatcher, loadEngineMatchers } from '../support/grammar-engine.ts';
import { checkOf } from './check-of.ts';

interface SuiteGroup {
  readonly description: string;
  readonly schema: JsonSchema;
  readonly tests: readonly {
    readonly description: string;
    readonly data: JsonValue;
    readonly valid: boolean;
  }[];
}

/** Counts of one keyword (a file of the suite) or of all. */
export interface SuiteCounts {
  right: number;
  refused: number;
  wrong: number;
}
export interface SuiteResult {
  readonly draft: string;
  readonly all: SuiteCounts;
  readonly byKeyword: Readonly<Record<string, SuiteCounts>>;
  /** One line for each wrong answer. */
  readonly failures: readonly string[];
}

const style = { itemSeparator: ', ', keySeparator: ': ', indent: null, ascii: false, sortKeys: false };

/** Runs one draft of the suite in `folder`: `draft2020-12` or `draft7`. */
export async function runDraft(folder: string, draft: string): Promise<SuiteResult> {
  const engine = await loadEngineMatchers();
  const documents = readRemotes(path.join(folder, 'remotes'));
  const files = fs.readdirSync(path.join(folder, 'tests', draft)).filter((name) => name.endsWith('.json'));
  const byKeyword: Record<string, SuiteCounts> = {};
  const failures: string[] = [];
  for (const file of files) {
    const counts: SuiteCounts = { right: 0, refused: 0, wrong: 0 };
    byKeyword[file.replace('.json', '')] = counts;
    for (const group of readJson<SuiteGroup[]>(path.join(folder, 'tests', draft, file))) {
      runGroup(withDialect(group, draft), documents, engine, counts, failures, file);
    }
  }
  const all: SuiteCounts = { right: 0, refused: 0, wrong: 0 };
  for (const { right, refused, wrong } of Object.values(byKeyword)) {
    all.right += right;
    all.refused += refused;
    all.wrong += wrong;
  }
  return { draft, all, byKeyword, failures };
}

function readJson<T>(file: string): T {
  return JSON.parse(fs.readFileSync(file, 'utf8')) as T;
}

/** Schemas of draft 7 that name no dialect are still of draft 7. */
function withDialect(group: SuiteGroup, draft: string): SuiteGroup {
  const { schema } = group;
  if (draft !== 'draft7' || typeof schema === 'boolean' || '$schema' in schema) return group;
  return { ...group, schema: { $schema: 'http://json-schema.org/draft-07/schema#', ...schema } };
}

function readRemotes(folder: string): ReadonlyMap<string, JsonSchema> {
  const found = new Map<string, JsonSchema>();
  for (const entry of fs.readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!entry.endsWith('.json')) continue;
    const url = `http://localhost:1234/${entry.split(path.sep).join('/')}`;
    found.set(url, readJson<JsonSchema>(path.join(folder, entry)));
  }
  for (const [uri, file] of metaSchemas) found.set(uri, require(`ajv/dist/refs/${file}`) as JsonSchema);
  return found;
}

const require = createRequire(import.meta.url);
const latest = 'https://json-schema.org/draft/2020-12/';
const parts = [
  'core',
  'applicator',
  'unevaluated',
  'validation',
  'meta-data',
  'format-annotation',
  'content',
];

/** Meta-schemas by their URIs, and the files that Ajv comes with. */
const metaSchemas: readonly (readonly [uri: string, file: string])[] = [
  ['http://json-schema.org/draft-07/schema', 'json-schema-draft-07.json'],
  [`${latest}schema`, 'json-schema-2020-12/schema.json'],
  ...parts.map((part) => [`${latest}meta/${part}`, `json-schema-2020-12/meta/${part}.json`] as const),
];

/** The documents that `schema` may refer to: of other places all, of meta-schemas those that it asks for. */
function documentsFor(
  schema: JsonSchema,
  documents: ReadonlyMap<string, JsonSchema>,
): ReadonlyMap<string, JsonSchema> {
  const source = JSON.stringify(schema);
  const isAskedFor = (uri: string) => {
    if (uri.startsWith('http://localhost')) return source.includes('localhost:1234');
    return uri.startsWith(latest) ? source.includes(`"$ref":"${latest}schema"`) : source.includes(uri);
  };
  return new Map([...documents].filter(([uri]) => isAskedFor(uri)));
}

function runGroup(
  { description, schema, tests }: SuiteGroup,
  documents: ReadonlyMap<string, JsonSchema>,
  engine: (gbnf: string) => EngineMatcher,
  counts: SuiteCounts,
  failures: string[],
  file: string,
): void {
  const used = documentsFor(schema, documents);
  const rules = new RuleSet();
  let matcher: EngineMatcher;
  let narrowed: boolean;
  let isLetThrough: (value: JsonValue) => boolean;
  try {
    const compiled = compileSchema(schema, {
      rules,
      syntax: jsonSyntax,
      tool: '',
      policy: 'strict',
      documents: used,
      formats: 'ignore',
    });
    narrowed = compiled.issues.length > 0;
    isLetThrough = checkOf(schema, compiled, { documents: used, formats: 'ignore' });
    matcher = engine(printGbnf(rules.grammar('root', compiled.expression)));
  } catch (error) {
    if (!(error instanceof SchemaError)) {
      counts.wrong += tests.length;
      failures.push(`${file}, ${description}: ${String(error)}`);
      return;
    }
    const nothing = error.issues.some(({ reason }) => reason.startsWith('no value'));
    // "Nothing is valid" is an answer, where it is true.
    if (nothing && tests.every(({ valid }) => !valid)) counts.right += tests.length;
    else counts.refused += tests.length;
    return;
  }
  for (const test of tests) {
    const accepted = matcher.accepts(spellValue(schema, test.data, style, used)) && isLetThrough(test.data);
    if (accepted === test.valid) counts.right += 1;
    else if (narrowed && test.valid) counts.refused += 1;
    else {
      counts.wrong += 1;
      failures.push(`${file}, ${description}, ${test.description}: ${accepted ? 'accepted' : 'rejected'}`);
    }
  }
}
