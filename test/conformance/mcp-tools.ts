/** Tools of real MCP servers: each compiles under strict policy or says why not; all of them in one grammar. */
import fs from 'node:fs';
import { SchemaError } from '../../src/format/errors.ts';
import type { JsonSchema, Tool } from '../../src/format/messages.ts';
import { compileArguments } from '../../src/json-schema/compile-arguments.ts';
import { choice, literal, sequence } from '../../src/language/expression/expression.ts';
import { RuleSet } from '../../src/language/expression/rule-set.ts';
import { printGbnf } from '../../src/language/gbnf/print-gbnf.ts';
import { loadEngineMatchers } from '../support/grammar-engine.ts';

interface McpTool {
  readonly server: string;
  readonly name: string;
  readonly inputSchema: JsonSchema;
}

/** What came of the tools of a file. */
export interface McpResult {
  readonly total: number;
  /** Tools that strict policy accepts. */
  readonly strict: number;
  /** All tools in one grammar under `degrade`: it builds in llama.cpp's engine. */
  readonly builds: boolean;
  readonly characters: number;
  readonly milliseconds: number;
  /** One line for each tool that strict policy refuses. */
  readonly refusals: readonly string[];
}

const format = {
  kind: 'json',
  encoding: 'value',
  style: { itemSeparator: ', ', keySeparator: ': ', indent: null, ascii: false, sortKeys: false },
  empty: null,
} as const;

/** Runs a `.jsonl` file of tools. */
export async function run(file: string): Promise<McpResult> {
  const engine = await loadEngineMatchers();
  const tools = fs
    .readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as McpTool);
  const refusals = tools.flatMap((tool) => refusal(tool));
  const start = performance.now();
  const rules = new RuleSet();
  const alternatives = tools.map((tool, index) => {
    const { expression } = compileArguments(asTool(tool), format, { rules, policy: 'degrade' });
    return sequence(literal(`${String(index).padStart(4, '0')} `), rules.add(tool.name, expression));
  });
  const gbnf = printGbnf(rules.grammar('root', choice(...alternatives)));
  const milliseconds = performance.now() - start;
  return {
    total: tools.length,
    strict: tools.length - refusals.length,
    builds: builds(engine, gbnf),
    characters: gbnf.length,
    milliseconds,
    refusals,
  };
}

function builds(engine: (gbnf: string) => unknown, gbnf: string): boolean {
  try {
    engine(gbnf);
    return true;
  } catch {
    return false;
  }
}

function asTool({ name, inputSchema }: McpTool): Tool {
  return { type: 'function', function: { name, parameters: inputSchema } };
}

function refusal(tool: McpTool): readonly string[] {
  try {
    compileArguments(asTool(tool), format, { rules: new RuleSet(), policy: 'strict' });
    return [];
  } catch (error) {
    if (error instanceof SchemaError) return [`${tool.server}/${tool.name}: ${error.message}`];
    throw error;
  }
}
