/**
 * What compiling JSON Schemas costs, next to node-llama-cpp's `createGrammarForJsonSchema` (which also builds
 * the engine's grammar) and XGrammar's converter, where they take the schema. Neither enforces nearly as
 * much. `npm run bench:json-schema -- <file.jsonl[.gz]> [every]` runs it built, as users run the compiler: tsx
 * wraps every inner function. A line of the file is `{schema}` or `{inputSchema}`. The second half makes one
 * grammar of 1, 10, 100 and 1,000 tools out of the same schemas.
 */
import fs from 'node:fs';
import zlib from 'node:zlib';
import { getLlama, type Llama } from 'node-llama-cpp';
import { SchemaError } from '../src/format/errors.ts';
import type { JsonObject, JsonSchema } from '../src/format/messages.ts';
import { compileSchema, jsonSyntax } from '../src/json-schema/compile-schema.ts';
import { RuleSet } from '../src/language/expression/rule-set.ts';
import { printGbnf } from '../src/language/gbnf/print-gbnf.ts';
import { cpuTime } from './processor-time.ts';
import { loadXGrammar } from './xgrammar.ts';

const toolCounts = [1, 10, 100, 1000];

async function main(file: string | undefined, every: number): Promise<void> {
  if (file === undefined) throw new RangeError('which file of schemas?');
  const all = readSchemas(file);
  const schemas = all.filter((_, index) => index % every === 0);
  // Cold code is several times slower. Where there are others, nothing of what is measured is known before.
  const others = every > 1 ? all.filter((_, index) => index % every === every >> 1) : all;
  for (const schema of others.slice(0, every > 1 ? 300 : 50)) compileOne(schema);
  const llama = await getLlama({ gpu: false, build: 'never' });
  await compareOne(schemas, llama);
  for (const count of toolCounts) compileTools(schemas, count);
}

function readSchemas(file: string): readonly JsonSchema[] {
  const bytes = fs.readFileSync(file);
  const lines = (file.endsWith('.gz') ? zlib.gunzipSync(bytes) : bytes).toString('utf8').split('\n');
  return lines.flatMap((line) => {
    if (line.trim() === '') return [];
    const { schema, inputSchema } = JSON.parse(line) as JsonObject;
    return [(schema ?? inputSchema ?? {}) as JsonSchema];
  });
}

/** Milliseconds to compile and print, and whether the schema was refused. */
interface Compiled {
  /** Of processor time, with what V8 compiles and collects next to; the peers are measured alike. */
  readonly time: number;
  /** By the clock, which other load disturbs. */
  readonly clock: number;
  readonly refused: boolean;
}

function compileOne(schema: JsonSchema): Compiled {
  const start = cpuTime();
  const clock = performance.now();
  const refused = !compiles(schema);
  return { time: cpuTime() - start, clock: performance.now() - clock, refused };
}

function compiles(schema: JsonSchema): boolean {
  try {
    const rules = new RuleSet();
    const { expression } = compileSchema(schema, { rules, syntax: jsonSyntax, tool: '', policy: 'strict' });
    printGbnf(rules.grammar('root', expression));
    return true;
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    return false;
  }
}

async function compareOne(schemas: readonly JsonSchema[], llama: Llama): Promise<void> {
  const made = schemas.map(compileOne);
  const refused = made.filter((each) => each.refused).length;
  console.log(`${schemas.length} schemas, ${refused} refused`);
  console.log(`  ms by the clock: ${quantiles(made.map(({ clock }) => clock))}`);
  console.log(`  ms of processor time: ${quantiles(made.map(({ time }) => time))}`);
  await comparePeer("node-llama-cpp, with its engine's build", schemas, made, (schema) =>
    llama.createGrammarForJsonSchema(schema as { readonly type: 'object' }),
  );
  const convert = await loadXGrammar();
  await comparePeer('XGrammar', schemas, made, (schema) => convert(JSON.stringify(schema)));
}

async function comparePeer(
  name: string,
  schemas: readonly JsonSchema[],
  made: readonly Compiled[],
  compile: (schema: JsonSchema) => Promise<unknown>,
): Promise<void> {
  const pairs: { readonly ours: number; readonly theirs: number }[] = [];
  for (const [index, schema] of schemas.entries()) {
    const theirs = await timePeer(() => compile(schema));
    const ours = made[index];
    if (theirs !== null && ours?.refused === false) pairs.push({ ours: ours.time, theirs });
  }
  console.log(`of ${pairs.length} that ${name} takes too: ours ${quantiles(pairs.map((pair) => pair.ours))}`);
  console.log(`  theirs ${quantiles(pairs.map((pair) => pair.theirs))}`);
  const ratios = pairs.filter(({ theirs }) => theirs > 0).map((pair) => pair.ours / pair.theirs);
  console.log(`  ours to theirs, schema by schema: ${quantiles(ratios)}`);
}

/** `null` where the peer does not take the schema. */
async function timePeer(compile: () => Promise<unknown>): Promise<number | null> {
  const start = cpuTime();
  try {
    await compile();
    return cpuTime() - start;
  } catch {
    return null;
  }
}

function compileTools(schemas: readonly JsonSchema[], count: number): void {
  const start = cpuTime();
  const rules = new RuleSet();
  let refused = 0;
  for (let index = 0; index < count; index += 1) {
    const schema = renamed(schemas[index % schemas.length] ?? {}, Math.floor(index / schemas.length));
    try {
      const tool = `tool${index}`;
      const { expression } = compileSchema(schema, { rules, syntax: jsonSyntax, tool, policy: 'degrade' });
      rules.add(tool, expression);
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error;
      refused += 1;
    }
  }
  const time = cpuTime() - start;
  console.log(
    `${count} tools: ${time.toFixed(1)} ms, ${rules.rules.size} rules${refused > 0 ? `, ${refused} refused` : ''}`,
  );
}

/** The schema with other names for its properties, so that copies share no objects. */
function renamed(schema: JsonSchema, copy: number): JsonSchema {
  if (copy === 0 || typeof schema !== 'object') return schema;
  const { properties, required } = schema;
  if (typeof properties !== 'object' || properties === null || Array.isArray(properties)) return schema;
  const entries = Object.entries(properties).map(([key, value]) => [`${key}${copy}`, value] as const);
  return {
    ...schema,
    properties: Object.fromEntries(entries),
    ...(Array.isArray(required) ? { required: required.map((key) => `${String(key)}${copy}`) } : {}),
  };
}

function quantiles(values: readonly number[]): string {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(2);
  return `median ${at(0.5)}, p90 ${at(0.9)}, p99 ${at(0.99)}, worst ${at(1)}`;
}

await main(process.argv[2], Number(process.argv[3] ?? 1));
