/**
 * Masks of a whole vocabulary, along valid values of schemas: ours, and next to them llguidance and XGrammar, natively
 * and in one run, where `IDIOLECT_MASKS_PYTHON` names a Python that has them (`pip install llguidance xgrammar torch`,
 * outside the repository). Each position counts where its state is new to the grammar: the least of three passes over
 * fresh grammars, with warm code. Values come from the instances of a file in MaskBench's form; their tokens are the
 * longest that fit.
 *
 *     npm run bench:masks -- ../shared/conformance/maskbench.jsonl.gz 80 qwen2
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import zlib from 'node:zlib';
import { readBundledFile } from '../examples/support/llama-bundle.ts';
import { SchemaError } from '../src/format/errors.ts';
import type { JsonSchema, JsonValue } from '../src/format/messages.ts';
import { spellValue } from '../src/json-schema/spell-value.ts';
import {
  createMaskVocabulary,
  createTokenMatcher,
  type MaskVocabulary,
  type SchemaGrammar,
  schemaGrammar,
} from '../src/runtime/masks/index.ts';
import { tokenTexts, vocabularyOf } from '../src/testing/index.ts';
import { cpuTime } from './processor-time.ts';

/** A schema with the tokens of some of its values. */
interface Case {
  readonly schema: JsonSchema;
  readonly grammar: SchemaGrammar;
  readonly values: readonly (readonly number[])[];
}

/** Microseconds of each mask, and milliseconds of each grammar; how many schemas were refused. */
interface Times {
  readonly masks: readonly number[];
  readonly compiled: readonly number[];
  readonly refused: number;
}

const style = { itemSeparator: ', ', keySeparator: ': ', indent: null, ascii: false, sortKeys: false };
const valuesPerSchema = 3;
const tokensPerValue = 120;
const passes = 3;

const [file = '', count = '80', ...names] = process.argv.slice(2);
for (const name of names.length === 0 ? ['llama-spm', 'qwen2', 'gemma-4'] : names) {
  const vocabulary = await readVocabulary(name);
  const cases = readCases(vocabulary, Number(count));
  const rows = { Idiolect: measure(vocabulary, cases), ...peers(vocabulary, cases) };
  console.log(`${name}: ${vocabulary.size} tokens, ${cases.length} schemas`);
  console.table(Object.fromEntries(Object.entries(rows).map(([peer, times]) => [peer, summary(times)])));
}

async function readVocabulary(name: string): Promise<MaskVocabulary> {
  const source = vocabularyOf(await readBundledFile(`models/ggml-vocab-${name}.gguf`));
  const spelling = name === 'llama-spm' || name.startsWith('gemma') ? 'sentencepiece' : 'byte-level';
  const tokens = tokenTexts(source).map((text) => (/^<[^<>]*[a-z|][^<>]*>$/.test(text) ? null : text));
  return createMaskVocabulary({ tokens, spelling });
}

function readCases(vocabulary: MaskVocabulary, wanted: number): readonly Case[] {
  const bytes = fs.readFileSync(file);
  const lines = (file.endsWith('.gz') ? zlib.gunzipSync(bytes) : bytes).toString('utf8').trim().split('\n');
  const every = Math.max(1, Math.floor(lines.length / wanted));
  const tokenize = tokenizerOf(vocabulary);
  return lines.flatMap((line, index) => {
    if (index % every !== every >> 1) return [];
    const { schema, tests } = JSON.parse(line) as {
      readonly schema: JsonSchema;
      readonly tests: readonly { readonly valid: boolean; readonly data: JsonValue }[];
    };
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
  const least: number[] = [];
  for (let pass = 0; pass < passes; pass += 1) {
    let place = 0;
    for (const { grammar, values } of cases) {
      const start = createTokenMatcher(vocabulary, grammar);
      for (const tokens of values) {
        const matcher = start.clone();
        for (const token of tokens) {
          const before = performance.now();
          matcher.mask();
          const time = 1000 * (performance.now() - before);
          least[place] = Math.min(least[place] ?? Number.POSITIVE_INFINITY, time);
          place += 1;
          if (!matcher.accept(token)) break;
        }
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

/** The same with the Python packages that are there; nothing without a Python. */
function peers(vocabulary: MaskVocabulary, cases: readonly Case[]): Readonly<Record<string, Times>> {
  const python = process.env.IDIOLECT_MASKS_PYTHON;
  if (python === undefined) return {};
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'masks-'));
  try {
    const input = path.join(folder, 'input.json');
    const tokens = Array.from({ length: vocabulary.size }, (_, id) =>
      Buffer.from(vocabulary.bytesOf(id)).toString('base64'),
    );
    const written = cases.map(({ schema, values }) => ({ schema: JSON.stringify(schema), values }));
    fs.writeFileSync(input, JSON.stringify({ tokens, cases: written, passes }));
    const script = path.resolve('bench/masks-peers.py');
    const output = execFileSync(python, [script, input], {
      maxBuffer: 2 ** 28,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    return JSON.parse(output.toString()) as Readonly<Record<string, Times>>;
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

function summary({ masks, compiled, refused }: Times) {
  const sorted = masks.toSorted((a, b) => a - b);
  const grammars = compiled.toSorted((a, b) => a - b);
  const at = (values: readonly number[], share: number) =>
    (values[Math.min(values.length - 1, Math.floor(share * values.length))] ?? 0).toFixed(1);
  return {
    masks: masks.length,
    'mean, µs': (masks.reduce((sum, each) => sum + each, 0) / masks.length).toFixed(1),
    p50: at(sorted, 0.5),
    p90: at(sorted, 0.9),
    p99: at(sorted, 0.99),
    worst: at(sorted, 1),
    'compile p50, ms': at(grammars, 0.5),
    'compile p90': at(grammars, 0.9),
    'compile worst': at(grammars, 1),
    refused,
  };
}
