/**
 * MaskBench: real-world JSON Schemas with instances that a grammar must accept and reject. A schema
 * passes when its grammar builds in llama.cpp's engine, accepts every valid instance and rejects every
 * invalid one, with the check that comes with it where the report says `checked`. `silent` counts wrong answers on schemas whose report is empty; of these, `mislabelled`
 * are the ones where Ajv sides with the grammar, so that the label is ambiguous.
 */
import fs from 'node:fs';
import zlib from 'node:zlib';
import { SchemaError } from '../../src/format/errors.ts';
import type { JsonSchema, JsonValue } from '../../src/format/messages.ts';
import {
  compileSchema,
  jsonSyntax,
  lenientJsonSyntax,
  type Syntax,
} from '../../src/json-schema/compile-schema.ts';
import { spellValue } from '../../src/json-schema/spell-value.ts';
import { compileValidator } from '../../src/json-schema/validate/validate.ts';
import { RuleSet } from '../../src/language/expression/rule-set.ts';
import { printGbnf } from '../../src/language/gbnf/print-gbnf.ts';
import { type EngineMatcher, freeMatchers, loadEngineMatchers } from '../support/grammar-engine.ts';
import { checkOf } from './check-of.ts';

/** A line of the file. */
interface MaskBenchCase {
  readonly id: string;
  readonly schema: JsonSchema;
  readonly tests: readonly MaskBenchTest[];
}
interface MaskBenchTest {
  readonly valid: boolean;
  readonly data: JsonValue;
}

/** What happened over all schemas. */
export interface MaskBenchResult {
  readonly pass: number;
  readonly total: number;
  /** Wrong answers without a line in the report. */
  readonly silent: number;
  /** Schemas that strict policy refused. */
  readonly refused: number;
  /** Schemas of which the grammar leaves something to a check. */
  readonly checked: number;
  /** Wrong answers on schemas with a report. */
  readonly reported: number;
  /** Of the silent ones: answers that differ from the label, but not from Ajv's. */
  readonly mislabelled: number;
  /** Schemas that pass with keys in any order and instances in their own, if that was asked for. */
  readonly passInOwnOrder: number | null;
  /** The same in compact spelling, against a grammar for answers, which has any layout. */
  readonly passCompact: number | null;
  /** CPU time of compiling, in milliseconds. */
  readonly milliseconds: { readonly median: number; readonly p99: number; readonly worst: number };
  readonly characters: { readonly median: number; readonly p99: number; readonly worst: number };
  /** What came of each schema, by id. */
  readonly outcomes: Readonly<Record<string, MaskBenchOutcome>>;
  /** First wrong answers, for people. */
  readonly examples: readonly string[];
  /** Keywords that were refused, and how often. */
  readonly refusedFor: Readonly<Record<string, number>>;
}

export interface MaskBenchOptions {
  /** Only every so-manieth schema. */
  readonly every?: number;
  /** The first schema that is run. */
  readonly offset?: number;
  /** Whether instances are also tried with their keys as they stand, on one line and in compact spelling. */
  readonly asDelivered?: boolean;
  /** Called for each schema. */
  readonly onCase?: (id: string, outcome: string) => void;
}

const style = { itemSeparator: ', ', keySeparator: ': ', indent: null, ascii: false, sortKeys: false };

/** Runs every schema of a `.jsonl` or `.jsonl.gz` file. */
export async function run(file: string, options: MaskBenchOptions = {}): Promise<MaskBenchResult> {
  const { every = 1, offset = 0 } = options;
  const cases = readCases(file).filter((_, index) => index >= offset && (index - offset) % every === 0);
  const matcher = await loadEngineMatchers();
  const tally = new Tally();
  for (const [index, each] of cases.entries()) {
    if (index % casesPerCollection === 0) await freeMatchers();
    const outcome = judge(each, matcher, tally);
    tally.count(each.id, outcome);
    if (options.asDelivered) {
      tally.countOwnOrder(passesAsDelivered(each, jsonSyntax, spellOnOneLine, matcher));
      tally.countCompact(passesAsDelivered(each, lenientJsonSyntax, JSON.stringify, matcher));
    }
    options.onCase?.(each.id, outcome);
  }
  return tally.result();
}

function readCases(file: string): readonly MaskBenchCase[] {
  const bytes = fs.readFileSync(file);
  const text = file.endsWith('.gz') ? zlib.gunzipSync(bytes).toString('utf8') : bytes.toString('utf8');
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as MaskBenchCase);
}

/** What came of a schema: `silent` and `reported` are wrong answers, without and with a line in the report. */
export type MaskBenchOutcome = 'pass' | 'refused' | 'silent' | 'reported';

/** Grammars are the engine's memory, of which V8 knows nothing: of all schemas, they take 20 GB. */
const casesPerCollection = 100;

function judge(
  { id, schema, tests }: MaskBenchCase,
  matcher: (gbnf: string) => EngineMatcher,
  tally: Tally,
): MaskBenchOutcome {
  const start = process.cpuUsage();
  let gbnf: string;
  let reported: boolean;
  let isLetThrough: (value: JsonValue) => boolean;
  try {
    const rules = new RuleSet();
    const compiled = compileSchema(schema, { rules, syntax: jsonSyntax, tool: '', policy: 'strict' });
    reported = compiled.issues.length > 0;
    isLetThrough = checkOf(schema, compiled);
    tally.checked += Number(compiled.issues.some(({ effect }) => effect === 'checked'));
    gbnf = printGbnf(rules.grammar('root', compiled.expression));
  } catch (error) {
    tally.times.push(millisecondsSince(start));
    if (error instanceof SchemaError) {
      tally.refuse(error);
      return 'refused';
    }
    tally.examples.push(`${id}: ${String(error)}`);
    return 'silent';
  }
  tally.times.push(millisecondsSince(start));
  tally.sizes.push(gbnf.length);
  const wrong = firstWrong(schema, tests, { gbnf, isLetThrough }, matcher);
  if (wrong === null) return 'pass';
  tally.examples.push(`${id}: ${wrong.what}`);
  if (reported) return 'reported';
  if (wrong.test !== null && isMislabelled(schema, wrong.test)) tally.mislabelled += 1;
  return 'silent';
}

const spellOnOneLine = (data: JsonValue) => spellValue({}, data, style);

/** Whether a grammar for keys in any order judges all instances as they are labelled, in their own order. */
function passesAsDelivered(
  { schema, tests }: MaskBenchCase,
  syntax: Syntax,
  spell: (data: JsonValue) => string,
  matcher: (gbnf: string) => EngineMatcher,
): boolean {
  const rules = new RuleSet();
  const options = { rules, syntax, tool: '', policy: 'strict', keyOrder: 'any' } as const;
  try {
    const compiled = compileSchema(schema, options);
    const isLetThrough = checkOf(schema, compiled);
    const engine = matcher(printGbnf(rules.grammar('root', compiled.expression)));
    return tests.every(({ valid, data }) => (engine.accepts(spell(data)) && isLetThrough(data)) === valid);
  } catch {
    // Refused, or too large for the engine.
    return false;
  }
}

function isMislabelled(schema: JsonSchema, { valid, data }: MaskBenchTest): boolean {
  try {
    return (compileValidator(schema)(data).length === 0) !== valid;
  } catch {
    // Ajv does not take every schema.
    return false;
  }
}

interface Wrong {
  readonly what: string;
  /** `null` where the grammar does not build. */
  readonly test: MaskBenchTest | null;
}

function firstWrong(
  schema: JsonSchema,
  tests: readonly MaskBenchTest[],
  { gbnf, isLetThrough }: { readonly gbnf: string; readonly isLetThrough: (value: JsonValue) => boolean },
  matcher: (gbnf: string) => EngineMatcher,
): Wrong | null {
  let engine: EngineMatcher;
  try {
    engine = matcher(gbnf);
  } catch {
    return { what: `does not build (${gbnf.length} characters)`, test: null };
  }
  for (const test of tests) {
    const text = spellValue(schema, test.data, style);
    if ((engine.accepts(text) && isLetThrough(test.data)) !== test.valid) {
      return { what: `${test.valid ? 'rejects valid' : 'accepts invalid'} ${text.slice(0, 300)}`, test };
    }
  }
  return null;
}

function millisecondsSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

class Tally {
  readonly times: number[] = [];
  readonly sizes: number[] = [];
  readonly examples: string[] = [];
  mislabelled = 0;
  checked = 0;
  #ownOrder: number | null = null;
  #compact: number | null = null;
  readonly #outcomes: Record<string, MaskBenchOutcome> = {};
  readonly #counts: Record<MaskBenchOutcome, number> = { pass: 0, refused: 0, silent: 0, reported: 0 };
  readonly #refusedFor = new Map<string, number>();

  count(id: string, outcome: MaskBenchOutcome): void {
    this.#counts[outcome] += 1;
    this.#outcomes[id] = outcome;
  }

  countOwnOrder(passes: boolean): void {
    this.#ownOrder = (this.#ownOrder ?? 0) + Number(passes);
  }

  countCompact(passes: boolean): void {
    this.#compact = (this.#compact ?? 0) + Number(passes);
  }

  refuse(error: SchemaError): void {
    const reasons = new Set(
      error.issues.map(({ keyword, reason }) => `${keyword}: ${reason.replace(/"[^"]*"/g, '…')}`),
    );
    for (const reason of reasons) this.#refusedFor.set(reason, (this.#refusedFor.get(reason) ?? 0) + 1);
  }

  result(): MaskBenchResult {
    const { pass, refused, silent, reported } = this.#counts;
    return {
      pass,
      total: pass + refused + silent + reported,
      silent,
      refused,
      checked: this.checked,
      reported,
      mislabelled: this.mislabelled,
      passInOwnOrder: this.#ownOrder,
      passCompact: this.#compact,
      milliseconds: quantiles(this.times),
      characters: quantiles(this.sizes),
      outcomes: this.#outcomes,
      examples: this.examples,
      refusedFor: Object.fromEntries([...this.#refusedFor].sort((a, b) => b[1] - a[1])),
    };
  }
}

function quantiles(values: readonly number[]): { median: number; p99: number; worst: number } {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { median: at(0.5), p99: at(0.99), worst: at(1) };
}
