/**
 * Masks of a whole vocabulary, along valid values of schemas: ours, and next to them llguidance and XGrammar, natively
 * and in one run, where `IDIOLECT_MASKS_PYTHON` names a Python that has them (`pip install llguidance xgrammar torch`,
 * outside the repository). Each position counts where its state is new to the grammar: the least of six passes over
 * fresh grammars, of which the first meet cold code. Values come from the instances of a file in MaskBench's form; their
 * tokens are the longest that fit. A schema is right if it is taken, and all of its instances are judged as the file
 * says.
 *
 *     npm run bench:masks -- ../shared/conformance/maskbench.jsonl.gz 80 qwen2
 *     npm run bench:masks -- ../shared/conformance/maskbench.jsonl.gz 300 right
 *     npm run bench:masks -- ../shared/conformance/maskbench.jsonl.gz 300 compile
 *
 * `compile` has the engines take turns, schema by schema: processor time from a schema to a matcher, for XGrammar of its
 * converter alone. Ours is compiled for its masks: nothing is printed.
 */
import { execFileSync, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import readline from 'node:readline';
import zlib from 'node:zlib';
import { readBundledFile } from '../examples/support/llama-bundle.ts';
import { SchemaError } from '../src/format/errors.ts';
import type { JsonSchema, JsonValue } from '../src/format/messages.ts';
import { spellValue } from '../src/json-schema/spell-value.ts';
import { compileValidator } from '../src/json-schema/validate/validate.ts';
import {
  createMaskVocabulary,
  createTokenMatcher,
  type MaskVocabulary,
  type SchemaGrammar,
  schemaGrammar,
} from '../src/masks/index.ts';
import { tokenTexts, vocabularyOf } from '../src/testing/index.ts';
import { cpuTime } from './processor-time.ts';

/** A schema with the tokens of some of its values. */
interface Case {
  readonly schema: JsonSchema;
  readonly grammar: SchemaGrammar;
  readonly values: readonly (readonly number[])[];
}

/**
 * Microseconds of each mask, `null` where a response does not come; milliseconds of each grammar; how many schemas were
 * refused.
 */
interface Times {
  readonly masks: readonly (number | null)[];
  readonly compiled: readonly number[];
  readonly refused: number;
}

const style = { itemSeparator: ', ', keySeparator: ': ', indent: null, ascii: false, sortKeys: false };
const valuesPerSchema = 3;
const tokensPerValue = 120;
const passes = 6;

const [file = '', count = '80', ...names] = process.argv.slice(2);
for (const name of names.length === 0 ? ['right', 'llama-spm', 'qwen2', 'gemma-4'] : names) {
  if (name === 'right') {
    console.table(judge(readTests(Number(count))));
    continue;
  }
  if (name === 'compile') {
    console.table(await compareCompilers(readTests(Number(count)), await readVocabulary('qwen2')));
    continue;
  }
  const vocabulary = await readVocabulary(name);
  const cases = readCases(vocabulary, Number(count));
  const written = cases.map(({ schema, values }) => ({ schema: JSON.stringify(schema), values }));
  const others = peers<Times>({ tokens: spelled(vocabulary), cases: written, passes });
  const rows = { Idiolect: measure(vocabulary, cases), ...others };
  console.log(`${name}: ${vocabulary.size} tokens, ${cases.length} schemas`);
  console.table(Object.fromEntries(Object.entries(rows).map(([peer, times]) => [peer, summary(times)])));
  for (const [peer, theirs] of Object.entries(others)) console.table(compared(rows.Idiolect, peer, theirs));
}

function spelled(vocabulary: MaskVocabulary): readonly string[] {
  return Array.from({ length: vocabulary.size }, (_, id) =>
    Buffer.from(vocabulary.bytesOf(id)).toString('base64'),
  );
}

async function readVocabulary(name: string): Promise<MaskVocabulary> {
  const source = vocabularyOf(await readBundledFile(`models/ggml-vocab-${name}.gguf`));
  const spelling = name === 'llama-spm' || name.startsWith('gemma') ? 'sentencepiece' : 'byte-level';
  const tokens = tokenTexts(source).map((text) => (/^<[^<>]*[a-z|][^<>]*>$/.test(text) ? null : text));
  return createMaskVocabulary({ tokens, spelling });
}

/** A schema of the file, with its instances. */
interface TestedSchema {
  readonly schema: JsonSchema;
  readonly tests: readonly { readonly valid: boolean; readonly data: JsonValue }[];
}

function readTests(wanted: number): readonly TestedSchema[] {
  const bytes = fs.readFileSync(file);
  const lines = (file.endsWith('.gz') ? zlib.gunzipSync(bytes) : bytes).toString('utf8').trim().split('\n');
  const every = Math.max(1, Math.floor(lines.length / wanted));
  return lines
    .filter((_, index) => index % every === every >> 1)
    .slice(0, wanted)
    .map((line) => JSON.parse(line) as TestedSchema);
}

function readCases(vocabulary: MaskVocabulary, wanted: number): readonly Case[] {
  const tokenize = tokenizerOf(vocabulary);
  return readTests(wanted).flatMap(({ schema, tests }) => {
    try {
      const values = tests
        .filter(({ valid }) => valid)
        .slice(0, valuesPerSchema)
        .map(({ data }) => tokenize(spellValue(schema, data, style)).slice(0, tokensPerValue));
      return [{ schema, grammar: schemaGrammar(schema, { layout: 'any' }), values }];
    } catch (error) {
      if (error instanceof SchemaError) return [];
      throw error;
    }
  });
}

/** How many schemas each engine judges right. */
interface Verdicts {
  readonly right: number;
  readonly refused: number;
  /** Instances. */
  readonly 'wrongly accepted': number;
  readonly 'wrongly rejected': number;
}

/** Texts are written in the order of the schema's keys; values that a grammar leaves to checks are checked. */
function judge(schemas: readonly TestedSchema[]): Readonly<Record<string, Verdicts>> {
  const written = schemas.map(({ schema, tests }) => ({
    schema: JSON.stringify(schema),
    tests: tests.map(({ valid, data }) => ({ valid, text: spellValue(schema, data, style) })),
  }));
  const bytes = createMaskVocabulary({
    tokens: Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte)),
  });
  const accepts = ({ schema }: TestedSchema) => {
    try {
      const { expression, report } = schemaGrammar(schema);
      const isChecked = report.some(({ effect }) => effect === 'checked');
      const validate = isChecked ? compileValidator(schema) : () => [];
      const start = createTokenMatcher(bytes, { expression });
      return (text: string) => {
        const matcher = start.clone();
        return matcher.acceptText(text) && matcher.complete && validate(JSON.parse(text)).length === 0;
      };
    } catch (error) {
      if (error instanceof SchemaError) return null;
      throw error;
    }
  };
  const counts = { right: 0, refused: 0, 'wrongly accepted': 0, 'wrongly rejected': 0 };
  for (const [index, each] of schemas.entries()) {
    const accept = accepts(each);
    if (accept === null) {
      counts.refused += 1;
      continue;
    }
    const wrong = (written[index]?.tests ?? []).filter(({ text, valid }) => accept(text) !== valid);
    counts['wrongly accepted'] += wrong.filter(({ valid }) => !valid).length;
    counts['wrongly rejected'] += wrong.filter(({ valid }) => valid).length;
    if (wrong.length === 0) counts.right += 1;
  }
  return { Idiolect: counts, ...peers<Verdicts>({ judged: written }) };
}

/** Cuts a text into the longest tokens that fit. */
function tokenizerOf({ index, bytesOf }: MaskVocabulary): (text: string) => readonly number[] {
  const byText = new Map(Array.from(index.ids, (id) => [Buffer.from(bytesOf(id)).toString('latin1'), id]));
  return (text) => {
    const rest = Buffer.from(text).toString('latin1');
    const tokens: number[] = [];
    for (let at = 0; at < rest.length; ) {
      let length = Math.min(index.longest, rest.length - at);
      while (length > 1 && !byText.has(rest.slice(at, at + length))) length -= 1;
      tokens.push(byText.get(rest.slice(at, at + length)) ?? 0);
      at += length;
    }
    return tokens;
  };
}

function measure(vocabulary: MaskVocabulary, cases: readonly Case[]): Times {
  const positions = cases.flatMap(({ values }) => values.map(({ length }) => length));
  const least = Array<number | null>(positions.reduce((sum, length) => sum + length, 0)).fill(null);
  for (let pass = 0; pass < passes; pass += 1) {
    let begin = 0;
    for (const { grammar, values } of cases) {
      const start = createTokenMatcher(vocabulary, grammar);
      for (const tokens of values) {
        const matcher = start.clone();
        for (const [at, token] of tokens.entries()) {
          const before = performance.now();
          matcher.mask();
          const time = 1000 * (performance.now() - before);
          least[begin + at] = Math.min(least[begin + at] ?? Number.POSITIVE_INFINITY, time);
          if (!matcher.accept(token)) break;
        }
        begin += tokens.length;
      }
    }
  }
  const compiled = cases.map(({ schema }) => {
    const before = cpuTime();
    createTokenMatcher(vocabulary, schemaGrammar(schema));
    return cpuTime() - before;
  });
  return { masks: least, compiled, refused: 0 };
}

/** Milliseconds of processor time for each schema, by engine; `null` where it is refused. */
type Taken = Readonly<Record<string, number | null>>;

/** The first pass meets cold code; of the others the least counts. */
async function compareCompilers(tests: readonly TestedSchema[], vocabulary: MaskVocabulary) {
  const others = await peerCompilers(spelled(vocabulary));
  const turns: Taken[][] = [];
  for (let pass = 0; pass <= passes; pass += 1) {
    const taken: Taken[] = [];
    for (const { schema } of tests) {
      taken.push({
        Idiolect: compileTime(vocabulary, schema),
        ...(await others.take(JSON.stringify(schema))),
      });
    }
    turns.push(taken);
  }
  others.close();
  const engines = Object.keys(turns[0]?.[0] ?? {});
  const first = (index: number, engine: string) => turns[0]?.[index]?.[engine] ?? null;
  const least = (index: number, engine: string) => {
    const times = turns.slice(1).flatMap((turn) => turn[index]?.[engine] ?? []);
    return times.length === 0 ? null : Math.min(...times);
  };
  const common = tests.flatMap((_, index) =>
    engines.every((engine) => first(index, engine) !== null) ? [index] : [],
  );
  const row = (engine: string) => {
    const cold = common.map((index) => first(index, engine) ?? 0);
    const warm = common.map((index) => least(index, engine) ?? 0);
    const ours = common.map((index) => least(index, 'Idiolect') ?? 0);
    const ratios = warm.map((time, index) => (ours[index] ?? 0) / time);
    return {
      taken: tests.filter((_, index) => first(index, engine) !== null).length,
      'first pass p50, ms': quantile(cold, 0.5),
      p50: quantile(warm, 0.5),
      p90: quantile(warm, 0.9),
      p99: quantile(warm, 0.99),
      worst: quantile(warm, 1),
      'ours to theirs, p50': quantile(ratios, 0.5),
    };
  };
  return Object.fromEntries(engines.map((engine) => [engine, row(engine)]));
}

function compileTime(vocabulary: MaskVocabulary, schema: JsonSchema): number | null {
  const before = cpuTime();
  try {
    createTokenMatcher(vocabulary, schemaGrammar(schema));
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    return null;
  }
  return cpuTime() - before;
}

/** The peers' compilers, in a process that answers one schema after the other; none without a Python. */
async function peerCompilers(tokens: readonly string[]) {
  const python = process.env.IDIOLECT_MASKS_PYTHON;
  if (python === undefined) return { take: async (): Promise<Taken> => ({}), close: () => undefined };
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'masks-'));
  const name = path.join(folder, 'input.json');
  fs.writeFileSync(name, JSON.stringify({ tokens, compile: true }));
  const child = spawn(python, [path.resolve('bench/masks-peers.py'), name], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    take: async (schema: string): Promise<Taken> => {
      child.stdin.write(`${schema}\n`);
      const { value, done } = await lines.next();
      if (done === true) throw new Error('the peers have ended');
      return JSON.parse(value) as Taken;
    },
    close: () => {
      child.stdin.end();
      fs.rmSync(folder, { recursive: true });
    },
  };
}

/** What the Python packages that are there make of `input`; nothing without a Python. */
function peers<Result>(input: unknown): Readonly<Record<string, Result>> {
  const python = process.env.IDIOLECT_MASKS_PYTHON;
  if (python === undefined) return {};
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'masks-'));
  try {
    const name = path.join(folder, 'input.json');
    fs.writeFileSync(name, JSON.stringify(input));
    const output = execFileSync(python, [path.resolve('bench/masks-peers.py'), name], {
      maxBuffer: 2 ** 28,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    return JSON.parse(output.toString()) as Readonly<Record<string, Result>>;
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

function summary({ masks: all, compiled, refused }: Times) {
  return {
    ...spread(all.filter((time) => time !== null)),
    'compile p50, ms': quantile(compiled, 0.5),
    'compile p90': quantile(compiled, 0.9),
    'compile worst': quantile(compiled, 1),
    refused,
  };
}

/** Both engines at the positions to which both come: a schema that one refuses is easy for it. */
function compared(ours: Times, peer: string, theirs: Times) {
  const common = ours.masks.flatMap((time, place) => {
    const their = theirs.masks[place] ?? null;
    return time === null || their === null ? [] : [{ time, their }];
  });
  return {
    [`Idiolect, where ${peer} comes`]: spread(common.map(({ time }) => time)),
    [peer]: spread(common.map(({ their }) => their)),
  };
}

function spread(masks: readonly number[]) {
  return {
    masks: masks.length,
    'mean, µs': (masks.reduce((sum, each) => sum + each, 0) / masks.length).toFixed(1),
    p50: quantile(masks, 0.5),
    p90: quantile(masks, 0.9),
    p99: quantile(masks, 0.99),
    worst: quantile(masks, 1),
  };
}

function quantile(values: readonly number[], share: number): string {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0).toFixed(2);
}
