/**
 * What a grammar costs, by shape: building it in llama.cpp's engine, one mask of the whole vocabulary at
 * the start and inside, and our matcher per character. `npx tsx --conditions=idiolect:source bench/grammar.ts`
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { getLlama, type LlamaContextSequence, LlamaGrammarEvaluationState } from 'node-llama-cpp';
import { oneOf } from '../src/language/expression/alternatives.ts';
import {
  characterClass,
  choice,
  type Expression,
  exceptCharacters,
  type Grammar,
  literal,
  optional,
  repeat,
  rule,
  sequence,
  until,
} from '../src/language/expression/expression.ts';
import { printGbnf } from '../src/language/gbnf/print-gbnf.ts';
import { createMatcher } from '../src/language/matcher/matcher.ts';
import { tinyModel, vocabularyOf } from '../src/testing/index.ts';
import { readBundledFile } from '../test/support/llama-bundle.ts';

interface Shape {
  readonly name: string;
  readonly grammar: Grammar;
  /** A text of the grammar. */
  readonly text: string;
  /** Where in the text the second mask is taken. */
  readonly inside: string;
}

const string = sequence(
  literal('"'),
  repeat(
    choice(
      exceptCharacters([0x22, 0x22], [0x5c, 0x5c], [0, 0x1f]),
      sequence(literal('\\'), oneOf(['"', '\\', 'n', 't'])),
    ),
  ),
  literal('"'),
);

function shape(name: string, root: Expression, text: string, inside: string): Shape {
  const rules = new Map<string, Expression>([
    ['root', root],
    ['string', string],
  ]);
  return { name, grammar: { root: 'root', rules }, text, inside };
}

/** `{"name": "tool_7", "arguments": {"city": …}}` for one of many tools, names as a trie. */
function tools(count: number): Shape {
  const names = Array.from({ length: count }, (_, index) => `tool_${index}`);
  const root = sequence(
    literal('{"name": "'),
    oneOf(names),
    literal('", "arguments": {"city": '),
    rule('string'),
    literal('}}'),
  );
  const last = names.at(-1) ?? '';
  const start = `{"name": "${last}", "arguments": {"city": "`;
  return shape(`${count} tools`, root, `${start}Köln"}}`, start);
}

/** Fifty optional properties in order: each position knows which comma is due. */
function optionalProperties(): Shape {
  const rules = new Map<string, Expression>([['string', string]]);
  const key = (index: number): Expression => literal(`key_${String(index).padStart(2, '0')}": `);
  for (let from = 0; from <= 50; from += 1) {
    const later = Array.from({ length: 50 - from }, (_, index) => from + index);
    const keys = later.map((index) => sequence(key(index), rule('string'), rule(`after-${index + 1}`)));
    rules.set(`keys-${from}`, factored(keys, later));
    rules.set(
      `after-${from}`,
      later.length === 0 ? literal('') : optional(sequence(literal(', "'), rule(`keys-${from}`))),
    );
  }
  rules.delete('keys-50');
  rules.set('root', sequence(literal('{'), optional(sequence(literal('"'), rule('keys-0'))), literal('}')));
  const start = '{"key_03": "a", "key_17": "';
  return {
    name: '50 optional properties',
    grammar: { root: 'root', rules },
    text: `${start}b"}`,
    inside: start,
  };
}

/** Keys share `key_` and their first digit. */
function factored(keys: readonly Expression[], numbers: readonly number[]): Expression {
  const byTens = new Map<number, Expression[]>();
  for (const [position, number] of numbers.entries()) {
    const body = keys[position];
    const [first, ...rest] = body?.type === 'sequence' ? body.items : [];
    if (first?.type !== 'literal') continue;
    const tens = Math.floor(number / 10);
    byTens.set(tens, [...(byTens.get(tens) ?? []), sequence(literal(first.text.slice(5)), ...rest)]);
  }
  const groups = [...byTens].map(([tens, each]) => sequence(literal(String(tens)), choice(...each)));
  return groups.length === 0 ? literal('') : sequence(literal('key_'), choice(...groups));
}

const values = Array.from({ length: 5000 }, (_, index) => `value-${(index * 7919) % 100_000}`);
const shapes: readonly Shape[] = [
  shape('literal', literal('{"name": "get_weather"}'), '{"name": "get_weather"}', '{"name": "get'),
  shape('string', rule('string'), '"some words and \\n more"', '"some'),
  shape(
    'string of 0 to 2,000',
    sequence(literal('"'), repeat(characterClass([0x61, 0x7a]), 0, 2000), literal('"')),
    '"abc"',
    '"a',
  ),
  shape(
    'text up to </parameter>',
    until({ delimiter: '</parameter>', next: literal('.') }),
    'a < b</parameter>.',
    'a <',
  ),
  tools(1),
  tools(10),
  tools(100),
  tools(1000),
  shape(
    'enum of 5,000',
    sequence(literal('"'), oneOf(values), literal('"')),
    `"${values[4999]}"`,
    '"value-1',
  ),
  optionalProperties(),
];

/** The least of several times: what else runs on the machine only adds. */
async function timed(work: () => unknown, times: number): Promise<number> {
  const taken: number[] = [];
  for (let round = 0; round < times; round += 1) {
    const start = performance.now();
    await work();
    taken.push(performance.now() - start);
  }
  return Math.min(...taken);
}

/** Samples one token. Asking for its confidence makes the engine mask the whole vocabulary in any case. */
async function sampleOne(
  slot: LlamaContextSequence,
  state: LlamaGrammarEvaluationState | undefined,
): Promise<void> {
  await slot.clearHistory();
  const options = state === undefined ? {} : { grammarEvaluationState: state };
  const prompt = slot.model.tokenize('a');
  for await (const _ of slot.evaluateWithMetadata(prompt, { confidence: true }, options)) break;
}

async function main(): Promise<void> {
  const vocabulary = vocabularyOf(await readBundledFile('models/ggml-vocab-qwen2.gguf'));
  const file = path.join(os.tmpdir(), `idiolect-bench-${process.pid}.gguf`);
  fs.writeFileSync(file, tinyModel({ vocabulary }));
  const llama = await getLlama({ gpu: false, build: 'never', progressLogs: false });
  const model = await llama.loadModel({ modelPath: file });
  const context = await model.createContext({ contextSize: 64, threads: 1 });
  const slot = context.getSequence();
  const free = await timed(() => sampleOne(slot, undefined), 15);
  const mask = async (gbnf: string): Promise<string> => {
    const grammar = await llama.createGrammar({ grammar: gbnf });
    const time = await timed(() => sampleOne(slot, new LlamaGrammarEvaluationState({ model, grammar })), 7);
    return (time - free).toFixed(1);
  };

  const rows: Record<string, string | number>[] = [];
  for (const { name, grammar, text, inside } of shapes) {
    const gbnf = printGbnf(grammar);
    const built = await timed(() => llama.createGrammar({ grammar: gbnf }), 5);
    const here = createMatcher(grammar);
    if (!here.accept(inside)) throw new Error(`${name}: ${inside} is refused`);
    const walk = createMatcher(grammar);
    const perText = await timed(() => {
      for (let round = 0; round < 1000; round += 1)
        if (!walk.allows(text)) throw new Error(`${name}: ${text}`);
    }, 5);
    rows.push({
      shape: name,
      'GBNF, characters': gbnf.length,
      'build, ms': built.toFixed(2),
      'mask at start, ms': await mask(gbnf),
      'mask inside, ms': await mask(here.gbnf()),
      'rest as GBNF, ms': (await timed(() => here.gbnf(), 9)).toFixed(3),
      'matcher, µs per character': ((perText * 1000) / 1000 / text.length).toFixed(3),
    });
  }
  console.log(
    `qwen2 vocabulary, ${vocabulary.size} tokens; one token without a grammar: ${free.toFixed(1)} ms`,
  );
  console.table(rows);
  await llama.dispose();
  fs.rmSync(file);
}

await main();
