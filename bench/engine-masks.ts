/**
 * What one mask of the whole vocabulary costs at three places of a call, by the tools on offer: under our
 * grammar and under the one that llama.cpp's chat layer makes for the same tools (through
 * `@fugood/llama.node`, cut down to one call), both in the same engine. Processor time, the least of some
 * rounds in which all places take turns, less the same token without a grammar.
 *
 *     npx tsx --conditions=idiolect:source bench/engine-masks.ts
 */
import { createRequire } from 'node:module';
import {
  getLlama,
  type LlamaContextSequence,
  LlamaGrammarEvaluationState,
  LlamaLogLevel,
} from 'node-llama-cpp';
import { readBundledFile } from '../examples/support/llama-bundle.ts';
import { tinyModelFile } from '../examples/support/small-models.ts';
import { analyzeTemplate } from '../src/analysis/analyze-template.ts';
import { GrammarError } from '../src/format/errors.ts';
import type { JsonSchema, Tool } from '../src/format/messages.ts';
import { buildGrammar } from '../src/grammar/build-grammar.ts';
import type { Grammar } from '../src/language/expression/expression.ts';
import { gbnfExpression } from '../src/language/gbnf/gbnf-expression.ts';
import { readGbnf } from '../src/language/gbnf/read-gbnf.ts';
import { createMatcher } from '../src/language/matcher/matcher.ts';
import { cpuTime } from './processor-time.ts';

const peerPackage = createRequire(import.meta.url)('@fugood/llama.node');
await peerPackage.toggleNativeLog(false);

interface Case {
  readonly name: string;
  readonly tools: readonly Tool[];
  /** After `"arguments": {`: where a key has begun, and where a value has. */
  readonly key: string;
  readonly value: string;
}

const rounds = Number(process.env.REPEATS ?? 15);
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);

function tool(
  name: string,
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[],
): Tool {
  const parameters = { type: 'object', properties, required, additionalProperties: false };
  return { type: 'function', function: { name, description: name, parameters } };
}

function manyTools(count: number): Case {
  const properties = { city: { type: 'string' }, days: { type: 'integer' }, unit: { enum: ['c', 'f'] } };
  const tools = numbers(count).map((index) => tool(`tool_${index}`, properties, ['city']));
  return { name: `${count} tools`, tools, key: '"ci', value: '"city": "Bern' };
}

const values = numbers(5000).map((index) => `value-${(index * 7919) % 100_000}`);
const optional = Object.fromEntries(numbers(50).map((index) => [`key_${index}`, { type: 'string' }]));
const cases: readonly Case[] = [
  ...[1, 10, 100, 1000].map(manyTools),
  {
    name: 'enum of 5,000',
    tools: [tool('tool_0', { size: { enum: values } }, ['size'])],
    key: '"si',
    value: '"size": "value-1',
  },
  {
    name: '50 optional properties',
    tools: [tool('tool_0', optional, [])],
    key: '"key_3": "a", "key_',
    value: '"key_3": "a", "key_17": "b',
  },
];

const template = (await readBundledFile('models/templates/Qwen-Qwen3-0.6B.jinja')).toString('utf8');
const { format } = analyzeTemplate(template);
const file = await tinyModelFile({ vocabulary: 'qwen2', markers: [], controls: [], chatTemplate: template });
const llama = await getLlama({
  gpu: false,
  build: 'never',
  progressLogs: false,
  logLevel: LlamaLogLevel.disabled,
});
const model = await llama.loadModel({ modelPath: file });
const context = await model.createContext({ contextSize: 64, threads: 1 });
const slot = context.getSequence();
const prompt = model.tokenize('a');
const peer = await peerPackage.loadModel({ model: file, n_ctx: 64, n_threads: 1, use_mmap: false });

/** A place whose mask is measured, or why there is none. */
interface Place {
  readonly grammar: string;
  readonly name: string;
  readonly state: (() => LlamaGrammarEvaluationState | undefined) | string;
}

const free: Place = { grammar: 'none', name: 'token', state: () => undefined };
const all = [free, ...(await places())];
const least = await measure(all);
console.log(
  `qwen2's vocabulary; ms per mask, above ${least.get(free)?.toFixed(1)} ms of a token without a grammar`,
);
console.table(rows());
await peer.release();
await llama.dispose();
process.exit(0);

async function places(): Promise<readonly Place[]> {
  const found: Place[] = [];
  for (const each of cases) {
    const ours = buildGrammar(format, { tools: each.tools, toolChoice: 'auto' });
    found.push(...(await placesOf(`${each.name}, ours`, ours.expression, each)));
    found.push(...(await placesOf(`${each.name}, llama.cpp`, peerGrammar(each.tools), each)));
  }
  return found;
}

/** The places where the name is about to come, in a key and in a value. */
async function placesOf(name: string, grammar: Grammar | null, { key, value }: Case): Promise<Place[]> {
  if (grammar === null) return [];
  const head = '<tool_call>\n{"name": "';
  const call = `${head}tool_0", "arguments": {`;
  return [
    { grammar: name, name: 'name', state: await stateAfter(grammar, head) },
    { grammar: name, name: 'key', state: await stateAfter(grammar, call + key) },
    { grammar: name, name: 'value', state: await stateAfter(grammar, call + value) },
  ];
}

async function measure(measured: readonly Place[]): Promise<ReadonlyMap<Place, number>> {
  const least = new Map<Place, number>();
  for (let round = 0; round < rounds; round += 1) {
    for (const place of measured) {
      if (typeof place.state === 'string') continue;
      const state = place.state();
      const start = cpuTime();
      await sample(slot, state);
      least.set(place, Math.min(least.get(place) ?? Number.POSITIVE_INFINITY, cpuTime() - start));
    }
  }
  return least;
}

function rows(): readonly Readonly<Record<string, string>>[] {
  const table = new Map<string, Record<string, string>>();
  for (const place of all.slice(1)) {
    const row = table.get(place.grammar) ?? { grammar: place.grammar };
    const above = (least.get(place) ?? 0) - (least.get(free) ?? 0);
    row[place.name] = typeof place.state === 'string' ? place.state : above.toFixed(1);
    table.set(place.grammar, row);
  }
  return [...table.values()];
}

/** llama.cpp's grammar of one call, or `null` where it makes none. */
function peerGrammar(tools: readonly Tool[]): Grammar | null {
  const messages = [{ role: 'user', content: 'a' }];
  try {
    const chat = peer.getFormattedChat(messages, template, { jinja: true, tools, tool_choice: 'required' });
    return gbnfExpression(readGbnf(String(chat.grammar).replace(/^root ::= .*$/m, 'root ::= tool-call')));
  } catch {
    return null;
  }
}

/** What makes a state after `text`, or why nothing does. */
async function stateAfter(grammar: Grammar, text: string): Promise<Place['state']> {
  try {
    // llama.cpp writes a list of texts as so many alternatives.
    const matcher = createMatcher(grammar, { maxStacks: 100_000 });
    if (!matcher.accept(text)) return 'not accepted';
    const rest = await llama.createGrammar({ grammar: matcher.gbnf() });
    return () => new LlamaGrammarEvaluationState({ model, grammar: rest });
  } catch (error) {
    return error instanceof GrammarError ? 'too ambiguous' : 'not built';
  }
}

/** Samples one token. Asking for its confidence makes the engine mask the whole vocabulary in any case. */
async function sample(
  sequence: LlamaContextSequence,
  state: LlamaGrammarEvaluationState | undefined,
): Promise<void> {
  await sequence.clearHistory();
  const options = state === undefined ? {} : { grammarEvaluationState: state };
  for await (const _ of sequence.evaluateWithMetadata(prompt, { confidence: true }, options)) break;
}
