/**
 * What a grammar costs while sampling, what injecting forced text saves, and what llama.cpp's own grammar
 * takes for the same call. Processor time on one thread, models that are scripted or random: trust the
 * ratios, not the milliseconds.
 *
 *     npx tsx --conditions=idiolect:source bench/decoding.ts
 *
 * `REPEATS=8` makes it shorter, `VOCABULARY=qwen2` takes one of the two vocabularies alone.
 *
 * llama.cpp's grammar comes from its chat layer through `@fugood/llama.node`, for the same tools, prompt
 * and model file. Its `required` lets any text stand before the call, which a random model never ends; so
 * its start rule is replaced by its rule for one call, and both write nothing else.
 */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { getLlama, LlamaLogLevel } from 'node-llama-cpp';
import { demoTools } from '../examples/support/demo-tools.ts';
import { readBundledFile } from '../examples/support/llama-bundle.ts';
import { loadVocabulary, tinyModelFile, writeModelFile } from '../examples/support/small-models.ts';
import { analyzeTemplate } from '../src/analysis/analyze-template.ts';
import { createResponseParser } from '../src/codegen/create-response-parser.ts';
import { callGuard } from '../src/runtime/chat/checks/call-guard.ts';
import { GrammarCache } from '../src/runtime/chat/grammar-cache.ts';
import { defaultSampling } from '../src/runtime/chat/sampling-rules.ts';
import { decode } from '../src/runtime/engine/decoding/decode.ts';
import { ResponseRun } from '../src/runtime/engine/decoding/response-run.ts';
import { MarkerTokens, markersOf } from '../src/runtime/engine/tokens/marker-tokens.ts';
import { LlamaEngine } from '../src/runtime/node-llama-cpp/llama-engine.ts';
import { llamaTokenizer } from '../src/runtime/node-llama-cpp/tokenizer.ts';
import { normalizeTools } from '../src/tools/tools.ts';
import { readVocabulary } from '../test/support/read-vocabulary.ts';
import { scriptedModel } from '../test/support/scripted/scripted-model.ts';
import { cpuTime, median } from './processor-time.ts';

// Its types are sources that do not pass this project's compiler options.
const peerPackage = createRequire(import.meta.url)('@fugood/llama.node');
await peerPackage.toggleNativeLog(false);

type Mode = 'free' | 'grammar' | 'injected';

/** What one response took. */
interface Measured {
  readonly milliseconds: number;
  readonly characters: number;
  readonly complete: boolean;
}

const repeats = Number(process.env.REPEATS ?? 24);
const markers = ['<think>', '</think>', '<tool_call>', '</tool_call>'];
const controls = ['<|im_start|>', '<|im_end|>'];
const question = 'How warm is it in Bern?';
const promptText = `<|im_start|>user\n${question}<|im_end|>\n<|im_start|>assistant\n`;
const script = [
  '{"name": "set_reminder", "arguments": {"text": "Call the bank", "weekdays": ["mon", "fri"]}}',
  '{"name": "get_weather", "arguments": {"city": "Bern", "unit": "celsius", "days": 3}}',
  '{"name": "convert_money", "arguments": {"amount": 12.5, "to": "CHF", "round": true}}',
]
  .map((call) => `<tool_call>\n${call}\n</tool_call>`)
  .join('\n');

const template = (await readBundledFile('models/templates/Qwen-Qwen3-0.6B.jinja')).toString('utf8');
const { format } = analyzeTemplate(template);
const llama = await getLlama({
  gpu: false,
  build: 'never',
  logLevel: LlamaLogLevel.disabled,
  progressLogs: false,
});

const vocabularies = process.env.VOCABULARY === undefined ? ['llama-spm', 'qwen2'] : [process.env.VOCABULARY];
for (const vocabulary of vocabularies) {
  const tiny = await tinyModelFile({ vocabulary, markers, controls, chatTemplate: template });
  await conforming(vocabulary, tiny);
  await random(vocabulary, tiny);
}
process.exit(0);

/** A model whose script is what the grammar allows. */
async function conforming(vocabulary: string, tiny: string): Promise<void> {
  const tokens = await encode(tiny);
  const file = path.join(os.tmpdir(), `idiolect-bench-${process.pid}.gguf`);
  const choice = { vocabulary, markers, controls };
  const promptLength = tokens.prompt.length;
  const bytes = scriptedModel({
    vocabulary: await loadVocabulary(choice),
    // The chat layer of llama.cpp looks for one before it takes another.
    chatTemplate: template,
    script: tokens.script,
    promptLength,
  });
  writeModelFile(file, bytes);
  console.log(`\n${vocabulary}, a model that conforms: ${tokens.script.length} tokens, three calls`);
  const opened = await open(file);
  const peer = await openPeer(file);
  const ways: readonly (readonly [string, () => Promise<Measured>])[] = [
    ['free', () => respond(opened, tokens.prompt, 'free', true, 0)],
    ['grammar', () => respond(opened, tokens.prompt, 'grammar', true, 0)],
    ['injected', () => respond(opened, tokens.prompt, 'injected', true, 0)],
    ['llama.cpp, free', () => peer.write(null)],
    ['llama.cpp', () => peer.write(peer.calls)],
  ];
  reportPairs(await measure(new Map(ways)));
  await peer.release();
  await opened.engine.dispose();
  fs.rmSync(file);
}

/** Random weights under `required`: every call is another one. */
async function random(vocabulary: string, tiny: string): Promise<void> {
  console.log(`${vocabulary}, random weights, temperature 1, one call`);
  const { prompt } = await encode(tiny);
  const opened = await open(tiny);
  const peer = await openPeer(tiny);
  const ways = new Map([
    ['llama.cpp', (seed: number) => peer.respond(seed)],
    ['grammar', (seed: number) => respond(opened, prompt, 'grammar', false, seed)],
    ['injected', (seed: number) => respond(opened, prompt, 'injected', false, seed)],
  ]);
  reportMeans(await measure(ways));
  await peer.release();
  await opened.engine.dispose();
}

/** Runs each in turn, in changing order, so that whatever else the machine does falls on all alike. */
async function measure(
  ways: ReadonlyMap<string, (seed: number) => Promise<Measured>>,
): Promise<ReadonlyMap<string, readonly Measured[]>> {
  const results = new Map([...ways.keys()].map((name): [string, Measured[]] => [name, []]));
  for (let repeat = 0; repeat < repeats + 2; repeat++) {
    const turn = [...ways];
    if (repeat % 2 === 1) turn.reverse();
    for (const [name, way] of turn) {
      const measured = await way(repeat);
      // The first two runs of each are not counted: code and caches are cold.
      if (repeat >= 2) results.get(name)?.push(measured);
    }
  }
  return results;
}

/** The same text each time: medians, of the times and of their ratios to the first way's run next to them. */
function reportPairs(results: ReadonlyMap<string, readonly Measured[]>): void {
  const [base = []] = results.values();
  for (const [name, all] of results) {
    const times = all.map(({ milliseconds }) => milliseconds);
    const ratios = times.map((time, index) => time / (base[index]?.milliseconds ?? Number.NaN));
    const characters = all[0]?.characters ?? 0;
    console.log(
      `  ${name.padEnd(15)} ${median(times).toFixed(1).padStart(8)} ms a response, ` +
        `${((1000 * median(times)) / characters).toFixed(0).padStart(5)} µs a character, ` +
        `${median(ratios).toFixed(3)} of free`,
    );
  }
}

/** Another text each time: means over all calls. */
function reportMeans(results: ReadonlyMap<string, readonly Measured[]>): void {
  const means = new Map([...results].map(([name, all]) => [name, meanOf(all)]));
  const [base] = means.values();
  for (const [name, { call, character, complete }] of means) {
    console.log(
      `  ${name.padEnd(9)} ${call.toFixed(1).padStart(8)} ms a call, ${ratio(base?.call, call)}` +
        `${(1000 * character).toFixed(0).padStart(6)} µs a character, ${ratio(base?.character, character)}` +
        `${complete} of ${repeats} complete`,
    );
  }
}

function meanOf(all: readonly Measured[]) {
  const sum = (of: (each: Measured) => number): number => all.reduce((total, each) => total + of(each), 0);
  const milliseconds = sum((each) => each.milliseconds);
  return {
    call: milliseconds / all.length,
    character: milliseconds / sum(({ characters }) => characters),
    complete: all.filter(({ complete }) => complete).length,
  };
}

function ratio(base: number | undefined, value: number): string {
  return `${((base ?? Number.NaN) / value).toFixed(1)} times as fast`.padEnd(20);
}

async function encode(
  file: string,
): Promise<{ readonly prompt: readonly number[]; readonly script: readonly number[] }> {
  const model = await llama.loadModel({ modelPath: file, vocabOnly: true });
  const vocabulary = readVocabulary(model, file);
  const all = new MarkerTokens(vocabulary, [...markers, ...controls]);
  const prompt = vocabulary.encodePrompt([{ text: promptText, special: true }]);
  const tokens = { prompt, script: all.encode(`${script}<|im_end|>`) };
  await model.dispose();
  return tokens;
}

async function open(file: string) {
  const model = await llama.loadModel({ modelPath: file });
  const vocabulary = readVocabulary(model, file);
  void vocabulary.index;
  const context = await model.createContext({ contextSize: 1024, threads: 1 });
  const tokenizer = llamaTokenizer(model, file);
  const template = { chatTemplate: '', toolUseTemplate: '', tokenizer };
  const opened = { model: file, ...template, llamaModel: model, identity: async () => '' };
  return { vocabulary, context, engine: new LlamaEngine(opened, context), grammars: new GrammarCache() };
}

async function respond(
  opened: Awaited<ReturnType<typeof open>>,
  prompt: readonly number[],
  mode: Mode,
  conforms: boolean,
  seed: number,
): Promise<Measured> {
  const started = cpuTime();
  const run = createRun(opened, mode, conforms);
  const sampling = { ...defaultSampling, ...(conforms ? {} : { temperature: 1, seed }) };
  for await (const _event of decode(
    opened.engine,
    { tokens: prompt, turnStart: prompt.length },
    run,
    sampling,
  ));
  if (conforms && run.text !== script) throw new Error(`${mode} wrote ${run.text}`);
  return {
    milliseconds: cpuTime() - started,
    characters: run.text.length,
    complete: run.text.trimEnd().endsWith('</tool_call>'),
  };
}

function createRun(
  { vocabulary, grammars }: Awaited<ReturnType<typeof open>>,
  mode: Mode,
  conforms: boolean,
): ResponseRun {
  const tools = mode === 'free' ? [] : demoTools;
  const choice = {
    tools,
    toolChoice: mode === 'free' ? 'auto' : 'required',
    parallelToolCalls: conforms,
  } as const;
  const { grammar, matcher } = grammars.get(format, {
    ...choice,
    generationPrompt: '<|im_start|>assistant\n<think>\n\n</think>\n\n',
  });
  const guard = callGuard(choice, normalizeTools(demoTools), grammar.report);
  const known = { tools: demoTools, provenance: guard.enforced, validate: guard.validate };
  return new ResponseRun({
    guard,
    restOf: () => null,
    vocabulary,
    grammar,
    matcher,
    markers: markersOf(vocabulary, format),
    parser: createResponseParser(format, known),
    inject: mode === 'injected',
    stops: [],
    continues: () => false,
    maxTokens: 400,
    thinkingBudget: 400,
    reasoningEnd: '',
    plainText: false,
    unconstrainedAfterCalls: false,
  });
}

/** llama.cpp's own grammar for one of the tools' calls, in its own sampler, on the same model file. */
async function openPeer(file: string) {
  const options = { model: file, n_ctx: 1024, n_threads: 1, n_gpu_layers: 0 };
  const context = await peerPackage.loadModel(options);
  const messages = [{ role: 'user', content: question }];
  const request = { jinja: true, tools: demoTools, tool_choice: 'required', enable_thinking: false };
  const chat = context.getFormattedChat(messages, template, request);
  const withRoot = (root: string) => String(chat.grammar).replace(/^root ::= .*$/m, `root ::= ${root}`);
  const [grammar, calls] = [withRoot('tool-call'), withRoot('tool-calls')];
  const greedy = { temperature: 0, top_k: 40, top_p: 0.95, min_p: 0, penalty_repeat: 1, n_predict: 400 };
  const sampling = { ...greedy, temperature: 1 };
  const complete = async (options: object): Promise<Measured & { readonly text: string }> => {
    const started = cpuTime();
    const { text } = await context.completion({ prompt: promptText, ...options }, () => {});
    return {
      milliseconds: cpuTime() - started,
      characters: text.length,
      complete: text.trimEnd().endsWith('</tool_call>'),
      text,
    };
  };
  return {
    calls,
    respond: (seed: number): Promise<Measured> => complete({ grammar, seed, ...sampling }),
    /** The script, with a grammar or without. */
    write: async (grammarOfAll: string | null): Promise<Measured> => {
      const written = await complete({
        ...greedy,
        ...(grammarOfAll === null ? {} : { grammar: grammarOfAll }),
      });
      if (written.text.trim() !== script) throw new Error(`llama.cpp wrote ${written.text}`);
      return written;
    },
    release: () => context.release(),
  };
}
